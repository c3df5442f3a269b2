"""The frontier benchmark: the ratio of a setting, runs that are not repeated, and the page of the results."""

import argparse
import json
import resource
from pathlib import Path

import numpy as np
import pytest

from mwem_app.evidence import frontier as results
from mwem_core import Domain

SCHEMAS = Path(__file__).parents[2] / "benchmarks" / "frontier_schemas"
SETTING = {"table": "czech", "workload": "marginals:2", "epsilon": 1.0}


@pytest.fixture
def frontier(monkeypatch, tmp_path):
    """The script, without the runs that come with the project."""
    import frontier
    import frontier_runs

    monkeypatch.setattr(frontier_runs, "MEMORY", resource.RLIM_INFINITY)  # the limit would hold for the other tests too
    monkeypatch.setattr(frontier, "KEPT", tmp_path / "kept.jsonl.gz")
    return frontier


@pytest.fixture
def run_script(frontier, monkeypatch, tmp_path):
    """Run the script on czech, and return all of its records."""
    out = tmp_path / "runs.jsonl"

    def run(*options):
        given = ["frontier.py", "--out", str(out), "--only", "czech", "--epsilons", "1", "--seeds", "2", *options]
        monkeypatch.setattr("sys.argv", given)
        frontier.main()
        return frontier.load(out)

    return run


def records(system, *errors, delta=0.0, measure="mean_tv", **fields):
    """Made-up runs of a system, one per error."""
    common = SETTING | {"system": system, "delta": delta, "n": 100, "cells": 64, "attributes": 6, "seconds": 0.1}
    return [common | {"seed": seed, measure: error} | fields for seed, error in enumerate(errors)]


def only(comparisons):
    (comparison,) = comparisons
    return comparison


def test_the_ratio_is_the_mean_error_of_automatic_over_the_least_mean_of_the_others():
    from frontier_ratios import compare

    runs = [*records("automatic", 0.2, 0.4, label="a"), *records("automatic", 9.0, label="b")]
    runs += [*records("laplace", 0.1, 0.4), *records("privbayes", 0.2, 0.2), *records("uniform", 0.7)]
    comparison = only(compare(runs, "a", "mean_tv"))
    assert comparison.ratio == pytest.approx(0.3 / 0.2)
    assert comparison.best.system == "privbayes"
    assert comparison.setting == ("czech", "marginals:2", 1.0, 0.0)
    assert set(comparison.resampled.round(6)) == {1.0, 1.5, 2.0}  # two seeds, each drawn 0, 1 or 2 times


def test_the_held_out_ratio_compares_each_seed_with_the_best_on_the_other_seeds():
    from frontier_ratios import compare

    runs = [*records("automatic", 0.2, 0.4, 0.6, label="a"), *records("laplace", 0.1, 0.4, 0.4)]
    runs += [*records("privbayes", 0.3, 0.3, 0.36), *records("aim", 0.5)]
    comparison = only(compare(runs, "a", "mean_tv"))
    assert comparison.ratio == pytest.approx(0.4 / 0.3)
    assert comparison.held_out == pytest.approx(0.4 / np.mean([0.3, 0.4, 0.4]))  # PrivBayes at seed 0
    alone = [*records("automatic", 0.3, label="a"), *records("aim", 0.5)]  # at one seed there are no others
    assert only(compare(alone, "a", "mean_tv")).held_out == pytest.approx(0.3 / 0.5)


def test_of_equal_systems_the_held_out_ratio_is_one_and_the_other_above_it():
    """Nine systems of error 1 ± .3 on six seeds in 400 settings: the mean has a standard error of .006."""
    from frontier_ratios import Comparison, Sample

    rng, seeds = np.random.default_rng(0), np.arange(6)
    own = Sample("automatic", seeds, np.ones(6), 0.0)
    drawn = 1 + 0.3 * rng.normal(size=(400, 9, 6))
    comparisons = [Comparison(("t", "q", 1.0, 0.0), own, [Sample("s", seeds, e, 0.0) for e in of]) for of in drawn]
    assert np.mean([1 / c.held_out for c in comparisons]) == pytest.approx(1, abs=0.02)
    assert np.mean([1 / c.ratio for c in comparisons]) < 0.85


def test_pure_systems_count_where_delta_is_positive_but_not_the_other_way_round():
    from frontier_ratios import compare

    runs = [*records("automatic", 0.3, label="a"), *records("automatic", 0.3, delta=1e-9, label="a")]
    runs += [*records("laplace", 0.2), *records("aim", 0.1, delta=1e-9), *records("mwem-pgm", 0.4, delta=1e-9)]
    best = {c.setting[3]: c.best.system for c in compare(runs, "a", "mean_tv")}
    assert best == {0.0: "laplace", 1e-9: "aim"}
    without_aim = [r for r in runs if r["system"] != "aim"]
    assert {c.best.system for c in compare(without_aim, "a", "mean_tv")} == {"laplace"}


def test_rows_are_compared_with_systems_that_give_rows_and_exact_ones_count_as_a_tenth_of_a_record():
    from frontier_ratios import compare

    runs = [*records("automatic", 0.02, measure="rows_mean_tv", label="a"), *records("laplace", 0.0)]
    runs += records("privbayes", 0.0, measure="rows_mean_tv")
    comparison = only(compare(runs, "a", "rows_mean_tv"))
    assert comparison.best.system == "privbayes"
    assert comparison.ratio == pytest.approx(0.02 / (0.1 / 100))
    assert compare(runs, "a", "mean_tv") == []


def test_a_stopped_benchmark_resumes_and_a_new_label_runs_automatic_again(run_script, tmp_path):
    first = run_script("--systems", "automatic,laplace", "--label", "a")
    assert len(first) == 2 * 2 * (2 + 1)  # workloads, seeds; Automatic at two δ
    own_runs = [r for r in first if r["system"] == "automatic"]
    assert all(r["label"] == "a" and r["settings"].startswith("Planned(") and "rows_mean_tv" in r for r in own_runs)
    assert all("label" not in r and "rows_mean_tv" not in r for r in first if r["system"] == "laplace")
    out = tmp_path / "runs.jsonl"
    out.write_text("".join(json.dumps(r) + "\n" for r in first[:5]))
    resumed = run_script("--systems", "automatic,laplace", "--label", "a")
    assert [r | {"seconds": 0} for r in resumed] == [r | {"seconds": 0} for r in first]
    again = run_script("--systems", "automatic,laplace", "--label", "b")
    assert {r.get("label") for r in again[len(first) :]} == {"b"}
    assert len(again) == len(first) + len(own_runs)


def test_runs_that_come_with_the_project_are_neither_repeated_nor_lost(run_script, frontier, tmp_path):
    first = run_script("--systems", "laplace,uniform")
    run_script("--systems", "automatic", "--label", "a")
    run_script("--report", "--judge", "--folder", str(tmp_path))  # keeps them
    page = (tmp_path / "FRONTIER.md").read_text()
    (tmp_path / "runs.jsonl").write_text("")
    assert run_script("--systems", "laplace,uniform") == []
    assert len(run_script("--systems", "laplace,uniform", "--anew")) == len(first)
    (tmp_path / "runs.jsonl").write_text("")
    new = run_script("--systems", "automatic", "--label", "b")
    run_script("--report", "--judge", "--folder", str(tmp_path))
    kept = frontier.load(frontier.KEPT)
    assert list(dict.fromkeys(r["label"] for r in kept if "label" in r)) == ["a", "b"]  # the newest last
    assert len(kept) == len(first) + 2 * len(new)
    (tmp_path / "runs.jsonl").write_text("")
    run_script("--report", "--judge", "--folder", str(tmp_path))
    both = (tmp_path / "FRONTIER.md").read_text()
    assert all(line in both for line in page.splitlines() if line.startswith("| answers: ") and "| a |" in line)


def test_the_committed_ratios_are_those_of_the_committed_runs(tmp_path):
    import frontier
    from frontier_report import write_ratios

    write_ratios(frontier.load(frontier.KEPT), tmp_path / "frontier.csv")
    assert (tmp_path / "frontier.csv").read_text() == (SCHEMAS.parent / "frontier.csv").read_text()


def test_a_system_that_refuses_is_tried_at_one_seed_and_its_record_says_why(run_script, frontier, monkeypatch):
    def refuse(B, Q, key, limit):
        return {"n": B.total, "cells": 64, "attributes": 6, "problem": "no"}

    monkeypatch.setattr(frontier, "run", refuse)
    runs = run_script("--systems", "automatic,laplace", "--label", "a")
    assert {r["seed"] for r in runs if r["system"] == "laplace"} == {0}
    assert {r["seed"] for r in runs if r["system"] == "automatic"} == {0, 1}


def test_more_seeds_are_added_only_to_systems_near_the_least_error(run_script):
    """On czech at ε = 1, uniform errs by more than six times the least, by rows too."""
    systems = ("--systems", "uniform,barak,laplace-cells")
    run_script(*systems, "--seeds", "1")
    runs = run_script(*systems, "--seeds", "3", "--near", "6")
    seeds = {name: {r["seed"] for r in runs if r["system"] == name} for name in systems[1].split(",")}
    assert seeds == {"uniform": {0}, "barak": {0, 1, 2}, "laplace-cells": {0, 1, 2}}


def test_a_slow_system_has_one_seed(run_script):
    runs = run_script("--systems", "automatic,laplace", "--label", "a", "--once", "0")
    assert {r["seed"] for r in runs if r["system"] == "laplace"} == {0}
    assert {r["seed"] for r in runs if r["system"] == "automatic"} == {0, 1}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--systems", "automatic"], "give Automatic's version by --label"),
        (["--systems", "laplas", "--label", "a"], "there is no system 'laplas'"),
        (["--systems", "laplace", "--only", "chess"], "there is no table 'chess': choose from czech, rochdale"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(run_script, capsys, options, message):
    with pytest.raises(SystemExit):
        run_script(*options)
    assert message in capsys.readouterr().err


def test_the_page_leaves_the_tables_not_fitted_to_out_until_they_are_requested(run_script, tmp_path):
    from frontier_tables import JUDGE, WATCH

    run_script("--systems", "automatic,laplace,uniform", "--label", "a")
    out, page = tmp_path / "runs.jsonl", tmp_path / "FRONTIER.md"
    judged, watched = next(iter(JUDGE)), next(iter(WATCH))
    with out.open("a") as file:
        for table, error in ((watched, 0.55), (judged, 0.6)):
            for r in [*records("automatic", error, label="a"), *records("uniform", 0.5)]:
                file.write(json.dumps(r | {"table": table}) + "\n")
    run_script("--report", "--folder", str(tmp_path))
    ratios = tmp_path / "frontier.csv"
    assert not any(table in of.read_text() for table in (judged, watched) for of in (page, ratios))
    assert "| answers: mean TV | fitted on | a | 4 |" in page.read_text()  # workloads, δ
    assert "in 0 of 4 settings." in page.read_text()
    run_script("--report", "--judge", "--folder", str(tmp_path))
    assert "| answers: mean TV | judged on | a | 1 | 1.200 | 0% | 1.20 |" in page.read_text()
    assert "| answers: mean TV | watched | a | 1 | 1.100 | 0% | 1.10 |" in page.read_text()
    at_end = [line for line in page.read_text().splitlines() if line.startswith((f"| {judged} (", f"| {watched} ("))]
    assert [line.split(" | ")[0] for line in at_end] == [f"| {judged} (judged)", f"| {watched} (watched)"]
    assert {*ratios.read_text().splitlines()} >= {
        f"a,judged on,{judged},marginals:2,1.0,0.0,1.2,uniform",
        f"a,watched,{watched},marginals:2,1.0,0.0,1.1,uniform",
    }
    assert len(ratios.read_text().splitlines()) == 1 + 6
    assert f"in 2 of 6 settings; at most 1.20 times ({judged} 2-way, ε = 1)." in page.read_text()


def test_the_page_how_it_scales_marks_the_groups_of_tables_as_the_report_does():
    import frontier_report

    assert results.MARKS == frontier_report.MARKS
    assert [*results.MARKS] == [*frontier_report.GROUPS]


def test_a_folder_gives_its_tables_and_a_schema_without_a_table_is_refused(frontier, tmp_path):
    given = argparse.Namespace(tables=[tmp_path], reference=None)
    (tmp_path / "pets.toml").write_text('[[attribute]]\nname = "pet"\nvalues = ["cat", "dog"]\n')
    with pytest.raises(ValueError, match=r"pets\.toml has no table beside it"):
        list(frontier.tables(given))
    (tmp_path / "pets.csv").write_text("pet\ncat\ndog\ncat\n")
    *_, pets = frontier.tables(given)
    assert (pets.name, pets.load().total) == ("pets", 3)


def test_every_table_of_a_package_has_a_schema_and_is_in_one_group():
    import frontier_tables

    groups = (frontier_tables.FIT, frontier_tables.JUDGE, frontier_tables.WATCH)
    sources = {name: source for of in groups for name, source in of.items()}
    assert {*sources} == {schema.stem for schema in SCHEMAS.glob("*.toml")}
    assert len(sources) == sum(map(len, groups)) == len({*sources.values()})
    for schema in SCHEMAS.glob("*.toml"):
        assert len(Domain.from_toml(schema.read_text(encoding="utf-8"))) > 1
