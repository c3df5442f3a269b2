"""`compare`: every system, ε and seed once; a table of means with intervals; a file to go on from."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from mwem_core.__main__ import main
from mwem_core.evaluation.trials_file import from_csv, to_csv

SAMPLES = Path(__file__).parents[2] / "sample_data"


@pytest.fixture(autouse=True)
def on_threads(monkeypatch):
    """What processes do is tested with the trials; threads start at once."""
    monkeypatch.setattr("mwem_core.cli.compare.pool", lambda workers: ThreadPoolExecutor(workers or 1))


@pytest.fixture
def czech() -> dict[str, str]:
    """Arguments for a quick comparison, which a test may change."""
    return {
        "--table": str(SAMPLES / "czech.csv"),
        "--schema": str(SAMPLES / "czech.toml"),
        "--workload": "marginals:2",
        "--epsilon": "0.1,1",
        "--seeds": "3",
        "--systems": "mwem,laplace,uniform",
    }


def compare(arguments: dict[str, str], *more: str) -> int:
    return main(["compare", *(word for pair in arguments.items() for word in pair), *more])


def found(capsys, arguments: dict[str, str]) -> dict:
    assert compare(arguments, "--json") == 0
    return json.loads(capsys.readouterr().out)


FIGURES = ("mean_tv", "max_error", "rows_mean_tv", "relative_entropy", "seconds")


def test_json_has_a_row_a_system_and_epsilon(czech, capsys):
    told = found(capsys, czech)
    assert [(row["system"], row["epsilon"]) for row in told["systems"]] == [
        (name, epsilon) for epsilon in (0.1, 1.0) for name in ("mwem", "laplace", "uniform")
    ]
    assert (told["n"], told["workload"], told["queries"], told["problems"]) == (1841, "marginals:2", 60, [])
    assert told["statement"].startswith("NOT PRIVATE")
    mwem, laplace, uniform = told["systems"][3:]
    assert (mwem["seeds"], mwem["gives"], laplace["gives"]) == (3, "rows", "answers")
    assert laplace["rows_mean_tv"] is None
    assert laplace["relative_entropy"] is None
    assert uniform["mean_tv"]["within"] == pytest.approx(0, abs=1e-12)
    assert mwem["mean_tv"]["mean"] < uniform["mean_tv"]["mean"]


def test_a_mean_and_its_interval_are_those_of_the_kept_trials(czech, capsys, tmp_path):
    told = found(capsys, czech | {"--out": str(tmp_path / "kept.csv")})
    kept = from_csv((tmp_path / "kept.csv").read_text(encoding="utf-8"))
    for row in told["systems"]:
        errors = [
            result.answers.mean_tv
            for result in kept
            if (result.trial.system, result.trial.epsilon) == (row["system"], row["epsilon"])
        ]
        assert row["mean_tv"]["mean"] == pytest.approx(np.mean(errors))
        if row["system"] != "uniform":
            low, high = stats.t.interval(0.95, 2, np.mean(errors), stats.sem(errors))
            assert row["mean_tv"]["within"] == pytest.approx((high - low) / 2)


def test_one_seed_has_no_interval(czech, capsys):
    row = found(capsys, czech | {"--seeds": "1"})["systems"][0]
    assert row["mean_tv"]["within"] is None
    assert compare(czech | {"--seeds": "1"}) == 0
    out = capsys.readouterr().out
    assert re.search(r"^mwem  +0.1  +0\.\d{4}  +0\.\d{4}  +", out, re.MULTILINE)
    assert out.count("ε = 0.1: One seed cannot rank systems: run at least two. Five give a useful interval.\n") == 1


def test_a_trial_errs_as_a_run_with_its_seed(czech, capsys, tmp_path):
    found(capsys, czech | {"--out": str(tmp_path / "kept.csv")})
    kept = {result.trial: result for result in from_csv((tmp_path / "kept.csv").read_text(encoding="utf-8"))}
    about = {name: czech[name] for name in ("--table", "--schema", "--workload")}
    words = [word for pair in (about | {"--epsilon": "0.1", "--seed": "2"}).items() for word in pair]
    assert main(["run", *words, "--json"]) == 0
    run = json.loads(capsys.readouterr().out)
    (same,) = (r for trial, r in kept.items() if (trial.system, trial.epsilon, trial.seed) == ("mwem", 0.1, 2))
    assert (same.answers.mean_tv, same.rows.mean_tv) == (run["mean_tv"], run["rows"]["mean_tv"])


def test_a_table_says_it_in_words(czech, capsys):
    assert compare(czech) == 0
    out, err = capsys.readouterr()
    first, header, *rows = out.splitlines()
    assert first == "60 queries (all 2-way marginals) over 64 cells, n = 1,841; mean ± 95% interval over seeds"
    assert header.split("  ")[0] == "system"
    assert len([row for row in rows if " ± " in row]) == 6
    assert "ε = 1: MWEM" in out
    assert "Worse than knowing nothing" in out or "wins here" in out
    assert rows[-1].startswith("NOT PRIVATE")
    assert re.fullmatch(r"18 trials in \d+\.\d\d s\n", err)


def test_rounds_are_crossed_with_systems_that_have_them(czech, capsys):
    told = found(capsys, czech | {"--rounds": "2,5", "--epsilon": "1"})
    assert [(row["system"], row["T"]) for row in told["systems"]] == [
        ("mwem", 2),
        ("mwem", 5),
        ("laplace", None),
        ("uniform", None),
    ]
    assert len(told["verdict"]) == 1
    assert compare(czech | {"--rounds": "2,5"}) == 0
    assert re.search(r"^system +ε +T +mean TV", capsys.readouterr().out, re.MULTILINE)


def test_what_cannot_serve_is_told_beneath_and_the_rest_compared(czech, capsys):
    arguments = czech | {"--rounds": "99", "--epsilon": "1"}  # there are fifteen marginals
    assert compare(arguments) == 0
    out = capsys.readouterr().out
    assert "MWEM: rounds must be at most 15, the number of marginals, as none is asked twice; got 99\n" in out
    told = found(capsys, arguments)
    assert [row["system"] for row in told["systems"]] == ["laplace", "uniform"]
    assert [each["system"] for each in told["problems"]] == ["mwem"]


def test_where_nothing_can_be_served_it_still_says_why(czech, capsys):
    assert compare(czech | {"--systems": "mwem", "--rounds": "99"}) == 0
    assert "MWEM: rounds must be at most 15" in capsys.readouterr().out


def test_a_file_is_gone_on_with_and_nothing_run_again(czech, capsys, tmp_path):
    path = tmp_path / "kept.csv"
    asked = czech | {"--out": str(path)}
    assert compare(asked | {"--seeds": "2", "--systems": "uniform,mwem"}) == 0
    assert capsys.readouterr().err.startswith("8 trials in ")
    before = path.read_text(encoding="utf-8")
    whole = found(capsys, asked)
    after = path.read_text(encoding="utf-8")
    assert after.startswith(before)
    assert len(from_csv(after)) == 18
    assert compare(asked) == 0
    assert capsys.readouterr().err.startswith("0 trials in ")
    assert path.read_text(encoding="utf-8") == after
    assert found(capsys, asked) == whole
    assert to_csv(from_csv(after)) == after


def test_a_file_about_other_data_is_refused_and_left_alone(czech, capsys, tmp_path):
    path = tmp_path / "kept.csv"
    assert compare(czech | {"--out": str(path)}) == 0
    capsys.readouterr()
    before = path.read_text(encoding="utf-8")
    refused(
        capsys,
        czech | {"--out": str(path), "--workload": "marginals:1"},
        f"{path} holds trials on other data, marginals:2 of 1,841 records over 64 cells: name another file",
    )
    assert path.read_text(encoding="utf-8") == before


def test_another_file_is_refused_and_left_alone(czech, capsys, tmp_path):
    path = tmp_path / "letter.txt"
    path.write_text("Dear all")
    refused(capsys, czech | {"--out": str(path)}, None)
    assert path.read_text() == "Dear all"
    refused(capsys, czech | {"--out": str(tmp_path / "no" / "where.csv")}, None)


def refused(capsys, arguments: dict[str, str], message: str | None) -> None:
    """Exit code 2, nothing on stdout, and exactly one line on stderr: this one, if it is ours to word."""
    assert compare(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(r"mwem_core: [^\n]+\n", err)
    assert message is None or err == f"mwem_core: {message}\n"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"--systems": "mwem,nwem"}, None),
        ({"--systems": ""}, None),
        ({"--epsilon": "0.1,much"}, "epsilon must be a number, got 'much'"),
        ({"--epsilon": "1,0"}, "epsilon must be a positive number, got 0.0"),
        ({"--delta": "2"}, "delta must be at least 0 and less than 1, got 2.0: 0, or well below 1/n"),
        ({"--seeds": "0"}, "seeds must be a whole number from 1 up, got '0'"),
        ({"--rounds": "5,x"}, "rounds must be a whole number from 1 up, got 'x'"),
        ({"--workers": "0"}, "workers must be a whole number from 1 up, got '0'"),
        ({"--workload": "marginals:9"}, "k must be at most the number of attributes, 6, got 9"),
        ({"--table": "gone.csv"}, "gone.csv cannot be opened: No such file or directory; check the path"),
    ],
    ids=str,
)
def test_a_bad_argument_is_refused_in_one_line(czech, capsys, changed, message):
    refused(capsys, czech | changed, message)


def test_a_cluster_gets_the_trials(czech, capsys, monkeypatch):
    asked = []

    def cluster(address):
        asked.append(address)
        return ThreadPoolExecutor(1)

    monkeypatch.setattr("mwem_core.cli.compare.cluster", cluster)
    assert len(found(capsys, czech | {"--cluster": "tcp://host:8786"})["systems"]) == 6
    assert asked == ["tcp://host:8786"]
