"""The benchmarks' records, read for drawing, in words and as charts."""

import re
from dataclasses import replace

import pytest
from benchmark_records import RECORDS, compared_record, write_records

from mwem_app.evidence import benchmark_charts as figure, benchmarks
from mwem_app.evidence.benchmark_charts import growth_panel
from mwem_app.evidence.benchmarks import (
    Competitor,
    Growth,
    Spread,
    _comparison,
    benchmark_records,
    comparisons,
    growths,
)


@pytest.fixture
def records(tmp_path):
    """Made-up records of the first row and of all that grows, as the file of results gives them."""
    return benchmark_records(write_records(tmp_path, [compared_record("ours", 9.0, 0.5), *RECORDS]))


@pytest.fixture
def comparison(records):
    return _comparison(records["T1"], "Adult")


def test_a_spread_is_minimum_median_and_maximum_over_the_seeds_of_which_the_newest_record_counts(comparison):
    assert comparison.ours == Competitor("Automatic", Spread(1, 2, 3), Spread(0.01, 0.02, 0.03), 3, 1.0, 1.0)
    (peer,) = comparison.peers
    assert (peer.name, peer.mechanism, peer.warm) == ("MWEM+PGM", 100.0, 0.5)
    assert comparison.baselines == {"plain Laplace": 0.05, "uniform": 0.9}


def test_if_some_systems_take_small_marginals_only_all_errors_are_of_those():
    small = {"rows_small": {"mean_tv": 0.3}, "model_small": {"mean_tv": 0.3}}
    made = _comparison({"ours": [compared_record("ours", 1.0, 0.1, **small)]}, "Adult")
    assert (made.small_only, made.ours.error.middle) == (True, 0.3)


def test_a_title_gives_the_whole_process_and_the_mechanism_and_says_if_a_compiled_run_was_not_measured(comparison):
    whole = "Automatic takes 2.0 s and MWEM+PGM 200 s for a whole process with imports and compilation; "
    assert benchmarks.headline(comparison) == (
        f"{whole}once compiled, the mechanism alone takes 1.0 s and 0.50 s. Our error is 0.5 times theirs"
    )
    (peer,) = comparison.peers
    assert benchmarks.headline(replace(comparison, peers=(replace(peer, warm=None),))) == (
        f"{whole}the mechanism alone takes 1.0 s and 100 s (a compiled run of MWEM+PGM was not measured). "
        "Our error is 0.5 times theirs"
    )


@pytest.mark.parametrize("row", comparisons(benchmark_records()))
def test_the_titles_of_the_committed_results_give_two_times_and_no_ratio_of_times(row):
    title = benchmarks.headline(comparisons(benchmark_records())[row])
    assert len(re.findall(r"[\d.,]+ s\b", title)) == 4
    assert "whole process" in title
    assert "mechanism alone" in title
    assert "fast" not in title


@pytest.mark.parametrize(
    ("exponent", "words"),
    [(0.02, "hardly grows with n"), (0.5, "more slowly than n"), (1.0, "in proportion to n"), (1.3, "faster than n")],
)
def test_an_exponent_in_words(exponent, words):
    assert words in benchmarks.pace(Growth("work", "n", (1, 2), (), exponent, 0.1))


def test_each_system_is_a_point_and_a_hollow_one_where_the_mechanism_alone_was_timed(comparison):
    chart = figure.error_against_time(comparison)
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


def test_growth_is_drawn_as_measured_and_as_fitted(records):
    n, d, Q, T = map(growth_panel, growths(records))
    fitted, points = n.figure.data
    assert list(points.y) == [1.05, 10.5, 105]
    assert list(fitted.y) == pytest.approx([1.05, 10.5, 105])
    assert (d.note, Q.note) == ("d¹·⁰⁰ (standard error 0.10)", "|Q|¹·⁰⁰ (standard error 0.10)")
    assert T.note.endswith("per round\u00a0T⁰·⁰⁰")
