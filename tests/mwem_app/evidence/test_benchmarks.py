"""The benchmarks' records, read for drawing, in words and as charts."""

import re

import pytest
from benchmark_records import RECORDS, compared_record, write_records

from mwem_app.evidence import benchmark_charts as figure, benchmarks
from mwem_app.evidence.benchmark_charts import growth_panel
from mwem_app.evidence.benchmarks import (
    Competitor,
    Growth,
    Spread,
    benchmark_records,
    comparisons,
    growths,
    large_table,
)


def test_the_newest_record_of_a_seed_counts_and_an_unfinished_line_does_not(tmp_path):
    path = write_records(tmp_path, [compared_record("ours", 9.0, 0.5), compared_record("ours", 1.0, 0.1)])
    with path.open("a") as file:
        file.write('{"row": "T1", "sys')
    ours = benchmark_records(path)["T1"]["ours"]
    assert [record["wall"] for record in ours] == [1.0]


def test_a_spread_is_minimum_median_and_maximum_over_the_seeds(tmp_path):
    comparison = comparisons(benchmark_records(write_records(tmp_path, RECORDS)))["Adult, pairs"]
    assert comparison.ours == Competitor("Automatic", Spread(1, 2, 3), Spread(0.01, 0.02, 0.03), 3, 1.0, 1.0)
    (peer,) = comparison.peers
    assert (peer.name, peer.mechanism, peer.warm) == ("MWEM+PGM", 100.0, 0.5)
    assert comparison.baselines == {"plain Laplace": 0.05, "uniform": 0.9}


def test_if_some_systems_take_small_marginals_only_all_errors_are_of_those(tmp_path):
    small = {"rows_small": {"mean_tv": 0.3}, "model_small": {"mean_tv": 0.3}}
    path = write_records(tmp_path, [compared_record("ours", 1.0, 0.1, **small)])
    comparison = comparisons(benchmark_records(path))["Adult, pairs"]
    assert (comparison.small_only, comparison.ours.error.middle) == (True, 0.3)


def test_without_records_there_is_nothing_to_draw():
    assert comparisons({}) == {}
    assert [read({}) for read in (growths, large_table)] == [[]] * 2


def headline(tmp_path, *records):
    return benchmarks.headline(comparisons(benchmark_records(write_records(tmp_path, records)))["Adult, pairs"])


def test_a_title_gives_the_whole_process_and_the_mechanism_once_compiled(tmp_path):
    ours, peer = compared_record("ours", 0.44, 0.02), compared_record("mwem+pgm", 86.0, 0.04, warm=0.28)
    assert headline(tmp_path, ours, peer) == (
        "Automatic takes 0.44 s and MWEM+PGM 86 s for a whole process with imports and compilation; "
        "once compiled, the mechanism alone takes 0.22 s and 0.28 s. Our error is half of theirs"
    )


def test_a_title_says_if_no_compiled_run_of_the_peer_was_measured(tmp_path):
    title = headline(tmp_path, compared_record("ours", 1.0, 0.02), compared_record("mwem+pgm", 200.0, 0.04))
    assert title.startswith("Automatic takes 1.0 s and MWEM+PGM 200 s for a whole process with imports")
    assert "; the mechanism alone takes 0.50 s and 100 s (a compiled run of MWEM+PGM was not measured). " in title


def test_a_title_without_a_peer_says_what_was_timed(tmp_path):
    assert headline(tmp_path, compared_record("ours", 4.0, 0.02)) == (
        "Automatic takes 4.0 s for a whole process with imports; the mechanism alone takes 2.0 s. "
        "No peer has finished here"
    )


@pytest.mark.parametrize("row", comparisons(benchmark_records()))
def test_the_titles_of_the_committed_results_give_two_times_and_no_ratio_of_times(row):
    title = benchmarks.headline(comparisons(benchmark_records())[row])
    assert len(re.findall(r"[\d.,]+ s\b", title)) == 4
    assert "whole process" in title
    assert "mechanism alone" in title
    assert "fast" not in title


@pytest.mark.parametrize(
    ("tv", "amount"),
    [
        (0.04, "half of theirs"),
        (0.08, "a quarter of theirs"),
        (0.06, "a third of theirs"),
        (0.02, "as large as theirs"),
        (0.01, "2.0 times theirs"),
        (0.001, "20 times theirs"),
        (0.025, "80% of theirs"),
    ],
)
def test_a_title_says_how_large_our_error_is(tmp_path, tv, amount):
    title = headline(tmp_path, compared_record("ours", 1.0, 0.02), compared_record("mwem+pgm", 2.0, tv))
    assert title.endswith(f". Our error is {amount}")


@pytest.mark.parametrize(
    ("exponent", "words"),
    [(0.02, "hardly grows with n"), (0.5, "more slowly than n"), (1.0, "in proportion to n"), (1.3, "faster than n")],
)
def test_an_exponent_in_words(exponent, words):
    assert words in benchmarks.pace(Growth("work", "n", (1, 2), (), exponent, 0.1))


def test_each_system_is_a_point_and_a_hollow_one_where_the_mechanism_alone_was_timed(tmp_path):
    chart = figure.error_against_time(comparisons(benchmark_records(write_records(tmp_path, RECORDS)))["Adult, pairs"])
    of_ours, of_peer, ours, peer = chart.figure.data
    assert (list(ours.x), list(ours.y), list(peer.x)) == ([2.0], [0.02], [200.0])
    assert (ours.error_x.arrayminus[0], ours.error_x.array[0]) == (1.0, 1.0)
    assert (list(of_ours.x), list(of_peer.x)) == ([1.0, 2.0], [0.5, 200.0])
    assert chart.figure.layout.xaxis.type == "log"
    named = {note.text for note in chart.figure.layout.annotations}
    assert named == {"<b>Automatic</b>", "MWEM+PGM"}  # no baseline is as low as the highest error drawn
    (beside,) = (10**note.x for note in chart.figure.layout.annotations if note.text == "<b>Automatic</b>")
    assert beside == pytest.approx(3.0)  # where its bar ends
    assert "MWEM+PGM 200 s (0.50 s once compiled, without imports) and 0.040" in chart.alt
    assert "the error of plain Laplace is 0.050; the error of uniform is 0.90" in chart.alt


def test_names_overlap_neither_each_other_nor_a_line():
    lines, taken = [10.0], []
    for wanted in (9.0, 10.0, 10.0, 11.0, 60.0):
        taken.append(figure._free(wanted, taken, lines))
    assert all(abs(a - b) >= figure.NAME_HEIGHT for i, a in enumerate(taken) for b in taken[:i])
    assert all(abs(place - 10.0) >= figure.LINE_CLEARANCE for place in taken)
    assert taken[-1] == 60.0


def test_growth_is_drawn_as_measured_and_as_fitted(tmp_path):
    n, d, Q, T = map(growth_panel, growths(benchmark_records(write_records(tmp_path, RECORDS))))
    fitted, points = n.figure.data
    assert list(points.y) == [1.05, 10.5, 105]
    assert list(fitted.y) == pytest.approx([1.05, 10.5, 105])
    assert (d.note, Q.note) == ("d¹·⁰⁰ (standard error 0.10)", "|Q|¹·⁰⁰ (standard error 0.10)")
    assert T.note.endswith("per round\u00a0T⁰·⁰⁰")
