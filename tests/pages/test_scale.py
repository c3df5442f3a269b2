"""The page of benchmarks tells what was measured, as far as it was; figures and exponents say what they show."""

import json
import math
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from ui.figures import benchmarks as comparison
from ui.figures import growth as scale
from ui.results import benchmark_words, benchmarks
from ui.results.benchmarks import Growth, Spread, System, by_attributes, compared, grown, irrelevant, large, load

ROOT = Path(__file__).parents[2]
DAY = {"date": "2026-11-21", "machine": {"cpu": "Quick(R)", "cores": 2, "pinned": "not pinned", "python": "3.11"}}


def record(row, system, seed=0, **told):
    return {"row": row, "system": system, "seed": seed, "finished": True, **told, **DAY}


def compared_record(system, wall, tv, seed=0, **told):
    errors = {"max": 2 * tv, "mean": tv / 9, "mean_tv": tv, "max_tv": 3 * tv}
    return record("T1", system, seed, wall=wall, seconds={"run": wall / 2}, rows=errors, model=errors, **told)


def phases(d):
    steps = {"records": 0.1, "workload": 0.1, "count": d / 500, "score": d / 50, "select": 0.1, "measure": 0.1}
    return steps | {"update": d / 100, "rest": 0.1, "start": 0.5}


RECORDS = [
    *(compared_record("ours", wall, tv, seed) for seed, (wall, tv) in enumerate([(1.0, 0.01), (2.0, 0.02), (3, 0.03)])),
    *(compared_record("mwem+pgm", 200.0, 0.04, seed, warm=0.5) for seed in range(3)),
    compared_record("noise", 0.1, 0.05),
    compared_record("uniform", 0.1, 0.9),
    {**record("T1", "mst-pgm"), "finished": False, "why": "limit of 60 min", "wall": 3600.0},
    *(
        record(
            "figure 6", f"d = {d}", wall=d / 20 + 1, attributes=d, queries=d * d, peak_mib=d, cells=d, phases=phases(d)
        )
        for d in (100, 10, 1000)
    ),
    *(
        record("figure 7", system, seed, seconds={"run": run}, model={"max": 0.02})
        for seed in range(2)
        for system, run in (("27 bits", 4.0), ("27 bits and 50 random", 5.0))
    ),
    *(
        record(
            "growth", name, of="work", x=[10, 100, 1000], took=[[1, 1.1], [10, 11], [100, 110]], exponent=1.0, error=0.1
        )
        for name in "TQdn"
    ),
    record("large table", "100,000,000 rows", wall=20.0, count={"ours": 8.0, "bare": 5.0}, peak_mib=2048),
]


@pytest.fixture
def results(tmp_path, monkeypatch):
    """Write these records where the page looks for them."""
    path = tmp_path / "results.jsonl"
    monkeypatch.setattr(benchmarks, "RESULTS", path)

    def write(records):
        path.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
        return path

    return write


def open_page(**address):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
    for name, value in address.items():
        app.query_params[name] = value
    app.run()
    app.switch_page("pages/scale.py").run()
    assert not app.exception, app.exception[0].message
    return app


def words(app):
    return "\n".join(each.value for each in [*app.subheader, *app.markdown, *app.caption, *app.info])


# ---- the page ----
def test_the_results_that_come_with_the_project_are_shown():
    text = words(open_page())
    assert "Beside other programs" in text
    assert re.search(r"\*\*MWEM Explorer (is|takes) ", text)


def test_everything_measured_is_on_the_page_with_its_day_and_machine(results):
    results(RECORDS)
    app = open_page()
    text = words(app)
    assert "**MWEM Explorer is 100 times as fast as MWEM+PGM and errs half as much**" in text
    assert "MST, mbi (limit of 60 min)" in text
    assert "0.50 s for MWEM+PGM; ours alone takes 1.0 s" in text
    assert "**1,000 attributes and 1,000,000 queries in 51 s**" in text
    assert "**Counting grows in proportion to n**" in text
    assert text.count("2026-11-21; Quick, 2 cores, not pinned") == 4
    assert [metric.value for metric in app.metric] == ["1.25 ×", "1.00 ×", "1.60 ×", "20 s"]


def test_the_row_compared_is_in_the_address(results):
    results([*RECORDS, *({**each, "row": "T4", "wall": 7} for each in RECORDS if each["system"] == "ours")])
    app = open_page(row="Ranges")
    assert "no peer has finished here" in words(app)
    assert app.segmented_control(key="row").value == "Ranges"


@pytest.mark.parametrize("there", [True, False])
def test_without_results_the_page_says_in_a_sentence_how_to_get_some(results, there):
    if there:
        results([])
    app = open_page()
    assert len(app.info) == 1
    assert "python benchmarks/run.py T1" in app.info[0].value
    assert not app.subheader


@pytest.mark.parametrize("row", ["T1", "figure 6", "figure 7", "growth", "large table"])
def test_any_part_stands_alone(results, row):
    results([each for each in RECORDS if each["row"] == row])
    assert not open_page().info


# ---- reading ----
def test_the_newest_record_of_a_seed_counts_and_a_line_still_being_written_does_not(results):
    path = results([compared_record("ours", 9.0, 0.5), compared_record("ours", 1.0, 0.1)])
    with path.open("a") as file:
        file.write('{"row": "T1", "sys')
    ours = load(path)["T1"]["ours"]
    assert [each["wall"] for each in ours] == [1.0]


def test_a_spread_is_least_median_and_most_over_the_seeds(results):
    found = compared(load(results(RECORDS)))["Adult, pairs"]
    assert found.ours == System("MWEM Explorer", Spread(1, 2, 3), Spread(0.01, 0.02, 0.03), 3)
    assert [peer.name for peer in found.peers] == ["MWEM+PGM"]
    assert found.baselines == {"plain Laplace": 0.05, "uniform": 0.9}
    assert found.run == 1.0


def test_where_some_take_small_marginals_alone_all_are_judged_on_those(results):
    small = {"rows_small": {"mean_tv": 0.3}, "model_small": {"mean_tv": 0.3}}
    found = compared(load(results([compared_record("ours", 1.0, 0.1, **small)])))["Adult, pairs"]
    assert (found.few, found.ours.error.middle) == (True, 0.3)


@pytest.mark.parametrize(
    ("wall", "tv", "sentence"),
    [
        (200.0, 0.04, "is 200 times as fast as MWEM+PGM and errs half as much"),
        (2.5, 0.08, "is 2.5 times as fast as MWEM+PGM and errs a quarter as much"),
        (2.0, 0.01, "is 2.0 times as fast as MWEM+PGM but errs 2.0 times as much"),
        (1.02, 0.04, "is as fast as MWEM+PGM and errs half as much"),
        (0.5, 0.02, "takes 2.0 times as long as MWEM+PGM but errs as much"),
        (0.5, 0.01, "takes 2.0 times as long as MWEM+PGM and errs 2.0 times as much"),
    ],
)
def test_a_title_says_who_is_faster_and_who_errs_less_whoever_it_is(results, wall, tv, sentence):
    path = results([compared_record("ours", 1.0, 0.02), compared_record("mwem+pgm", wall, tv)])
    assert benchmark_words.headline(compared(load(path))["Adult, pairs"]) == f"MWEM Explorer {sentence}"


@pytest.mark.parametrize(
    ("exponent", "words"),
    [(0.02, "hardly grows with n"), (0.5, "more slowly than n"), (1.0, "in proportion to n"), (1.3, "faster than n")],
)
def test_an_exponent_is_told_in_words(exponent, words):
    assert words in benchmark_words.pace(Growth("work", "n", (1, 2), (), exponent, 0.1))


# ---- figures ----
def test_a_point_a_system_baselines_in_range_and_a_hollow_point_for_what_compiles(results):
    chart = comparison.error_against_time(compared(load(results(RECORDS)))["Adult, pairs"])
    hollow, ours, peer = chart.figure.data
    assert (list(ours.x), list(ours.y), list(peer.x)) == ([2.0], [0.02], [200.0])
    assert (ours.error_x.arrayminus[0], ours.error_x.array[0]) == (1.0, 1.0)
    assert list(hollow.x) == [0.5, 200.0]
    assert chart.figure.layout.xaxis.type == "log"
    named = {note.text for note in chart.figure.layout.annotations}
    assert named == {"<b>MWEM Explorer</b>", "MWEM+PGM"}  # no baseline is as low as the highest error drawn
    assert "MWEM+PGM 200 s and 0.040" in chart.alt
    assert "plain Laplace errs 0.050; uniform errs 0.90" in chart.alt


def test_no_name_stands_on_another_or_on_a_line():
    lines, taken = [10.0], []
    for want in (9.0, 10.0, 10.0, 11.0, 60.0):
        taken.append(comparison._free(want, taken, lines))
    assert all(abs(a - b) >= comparison.LINE for i, a in enumerate(taken) for b in taken[:i])
    assert all(abs(place - 10.0) >= comparison.LINE / 2 for place in taken)
    assert taken[-1] == 60.0


def test_attributes_come_in_order_and_the_longest_phase_is_named(results):
    chart = scale.seconds_by_attributes(by_attributes(load(results(RECORDS))))
    assert list(chart.figure.data[0].x) == [10, 100, 1000]
    assert chart.note == "39% of it goes to score"
    assert "51 s for 1,000" in chart.alt


def test_growth_is_drawn_as_measured_and_as_fitted(results):
    n, d, Q, T = map(scale.growth_panel, grown(load(results(RECORDS))))
    fitted, points = n.figure.data
    assert list(points.y) == [1.05, 10.5, 105]
    assert list(fitted.y) == pytest.approx([1.05, 10.5, 105])
    assert (d.note, Q.note) == ("d¹·⁰⁰\u00a0±\u00a00.10", "|Q|¹·⁰⁰\u00a0±\u00a00.10")
    assert T.note.endswith("a round\u00a0T⁰·⁰⁰")


def test_what_is_missing_leaves_nothing_out_of_place():
    assert (irrelevant({}), large({}), grown({}), by_attributes({}), compared({})) == ([], [], [], [], {})


# ---- the scripts ----
@pytest.fixture
def scripts(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 2.0])
def test_a_power_law_s_exponent_is_found(scripts, power):
    from growth import exponent

    x = [10, 100, 1000, 10_000]
    assert exponent(x, [3 * each**power for each in x]) == pytest.approx((power, 0.0), abs=1e-9)


def test_the_exponent_s_standard_error_is_that_of_least_squares(scripts):
    from growth import exponent

    stats = pytest.importorskip("scipy.stats")
    x, y = [1, 3, 10, 30, 100], [2.0, 5.0, 22.0, 51.0, 230.0]
    line = stats.linregress([math.log(each) for each in x], [math.log(each) for each in y])
    assert exponent(x, y) == pytest.approx((line.slope, line.stderr))


def test_phases_add_up_to_the_run(scripts, monkeypatch):
    import figure6
    from phases import IN_ROUNDS, Phases, run

    from mwem_core import default
    from mwem_core.mwem import mwem
    from mwem_core.mwem.candidates import Candidates
    from mwem_core.privacy.budget import Pure
    from mwem_core.workload.families import parities

    for where, name in ((Candidates, "scores"), (Candidates, "take"), (Pure, "measure")):
        monkeypatch.setattr(where, name, getattr(where, name))  # as they are, and so again after this test
    for name in ("Candidates", "exponential", "replay"):
        monkeypatch.setattr(mwem, name, getattr(mwem, name))
    B = figure6.bits(6, 500)
    Q = parities(B.domain, 2)
    watched = Phases()
    last, asked = run(watched, default(Q, n=500, epsilon=1.0, T=3), B, Q, seed=1)
    assert (last.index, len(asked)) == (3, 3)
    assert set(watched.seconds) == {"count", *IN_ROUNDS, "rest"}
    assert all(seconds >= 0 for seconds in watched.seconds.values())


def test_adult_as_bits_is_figure_7_s_table(scripts):
    import figure7

    B = figure7.table(5)
    assert (len(B.domain), B.total) == (32, 45_222)
    assert set(B.domain.shape) == {2}


def test_the_report_has_a_table_for_each(scripts, results, tmp_path, monkeypatch):
    import report

    full = [
        {**each, "pairs": 0, "largest": 1} if each["row"] == "figure 6" else each
        for each in RECORDS
        if each["row"] in ("figure 6", "figure 7", "growth", "large table")
    ]
    monkeypatch.setattr("sys.argv", ["report.py", "--results", str(results(full)), "--out", str(tmp_path / "out.md")])
    report.main()
    text = (tmp_path / "out.md").read_text(encoding="utf-8")
    assert [line[3:11] for line in text.splitlines() if line.startswith("## ")] == [
        "Figure 6",
        "Figure 7",
        "Growth ·",
        "A table ",
    ]
    assert "| d = 10 | 100 | 1.5 |" in text
    assert "| ratio |" in text
    assert "n^1.00 ± 0.10" in text
