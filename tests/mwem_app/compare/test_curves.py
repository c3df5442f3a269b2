"""Error over ε and over T: the metrics, what is read off the curves, and the curves as charts."""

import math
from dataclasses import replace

import pytest
from trial_results import result

from mwem_app.base import PRIVATE
from mwem_app.compare.curve_charts import Mark, error_curves
from mwem_app.compare.curves import METRICS, best_T, crossing, metric_names, over_epsilon, over_T, rows_error
from mwem_app.compare.decision import needs, units

TV = METRICS["Mean TV"]


def test_total_variation_needs_whole_marginals():
    assert metric_names(tabular=True) == list(METRICS)
    assert metric_names(tabular=False) == [name for name in METRICS if name != "Mean TV"]


@pytest.mark.parametrize(
    ("metric", "value"),
    [("Mean TV", 0.2), ("Records off per count", 30.0), ("Max error", 0.2), ("Squared error", 0.04)],
)
def test_each_metric_reads_its_own_number_of_the_answers(metric, value):
    assert METRICS[metric].values([result(0.2), result(0.2, problem="too large")]) == [pytest.approx(value)]


def test_total_variation_is_called_0_to_1_unless_noisy_answers_exceed_1():
    tv, squared = METRICS["Mean TV"], METRICS["Squared error"]
    assert tv.unit_of([0.2, 1.0]) == "mean total variation, 0 to 1"
    assert tv.unit_of([0.2, 1.87]) == "mean total variation; noisy answers can exceed 1"
    assert squared.unit_of([0.2, 1.87]) == squared.unit


def test_relative_entropy_is_left_out_where_a_system_has_none():
    assert METRICS["Relative entropy"].values([result(0.1, entropy=0.7), result(0.1)]) == [0.7]


def test_the_error_of_rows_is_their_total_variation_else_records_off_per_count():
    by_marginals = result(0.2)
    assert rows_error(by_marginals) == 0.2
    assert rows_error(replace(by_marginals, rows=replace(by_marginals.rows, mean_tv=None))) == pytest.approx(30.0)
    assert rows_error(replace(by_marginals, rows=None)) is None


@pytest.mark.parametrize(
    ("metric", "least"),
    [("Mean TV", 0.1 / 300), ("Records off per count", 0.1), ("Max error", 0.1 / 300), ("Squared error", 0.01)],
)
def test_an_exact_answer_counts_as_one_that_errs_by_a_tenth_of_a_record(metric, least):
    assert METRICS[metric].values([result(0.0)]) == [pytest.approx(least)]
    assert rows_error(result(0.0)) == pytest.approx(0.1 / 300)


def test_curves_have_the_chosen_T_and_a_rule_stands_at_the_rounds_it_ran():
    results = [result(0.1 * T, T=T) for T in (2, 4)] + [result(0.05, rounds=3), result(0.5, system="uniform")]
    assert [curve.name for curve in over_epsilon(results, TV, 4)] == ["mwem", "uniform"]
    (curve,) = over_T(results, TV, 1.0)
    assert [(point.x, point.T) for point in curve.points] == [(2, 2), (3, None), (4, 4)]
    assert best_T(curve) == "**the rule's T = 3**, tied with T = 2, T = 4"


def test_stages_are_where_a_system_does_the_same_however_many_rounds():
    ran = {0.1: "9 rounds", 0.2: "1 round", 0.5: "16 rounds", 1.0: "all 28 marginals measured once"}
    results = [replace(result(1 / e, system="automatic", epsilon=e), ran=words) for e, words in ran.items()]
    (curve,) = over_epsilon(results, TV, None)
    stages = [(first.x, last.x, words) for first, last, words in curve.stages]
    assert stages == [(0.1, 0.5, "9 to 16 rounds"), (1.0, 1.0, "all 28 marginals measured once")]
    assert curve.title == "Automatic"
    (same,) = over_epsilon(results[-1:], TV, None)
    assert same.title == "Automatic (all 28 marginals measured once)"


def test_results_that_do_not_say_what_ran_have_no_stages():
    (curve,) = over_epsilon([result(0.1), result(0.2, epsilon=2.0)], TV, None)
    assert (curve.stages, curve.title) == ([], "MWEM")


def test_a_crossing_is_interpolated_linearly_between_logarithms():
    x = [0.1, 1.0, 10.0]
    assert crossing(x, [1 / e for e in x], 0.5) == pytest.approx(2.0)
    assert crossing(x, [1 / e for e in x], 1.0) == pytest.approx(1.0)
    assert crossing(x, [1.0, 0.5, 0.4], 2.0) == 0
    assert crossing(x, [1.0, 0.5, 0.4], 0.3) == math.inf
    assert crossing(x, [1.0, 3.0, 0.4], 2.0) == pytest.approx(10 ** (math.log(3 / 2) / math.log(3 / 0.4)))  # the last


def results(errors=(0.1, 0.4)):
    return [result(e / x, epsilon=x, seed=i) for x in (1.0, 2.0) for i, e in enumerate(errors)]


def test_the_line_joins_geometric_means_and_the_band_reaches_from_the_lowest_seed_to_the_highest():
    band, line = error_curves(over_epsilon(results(), TV, None), TV, "ε", PRIVATE).figure.data
    assert list(line.y) == pytest.approx([0.2, 0.1])
    assert list(zip(band.x, band.y, strict=True)) == [(1, 0.4), (2, 0.2), (2, 0.05), (1, 0.1)]


def test_the_axis_says_0_to_1_only_if_no_seed_lies_above_1():
    charts = [
        error_curves(over_epsilon(results(errors), TV, None), TV, "ε", PRIVATE) for errors in ((0.1, 0.4), (0.1, 1.9))
    ]
    assert [chart.figure.layout.yaxis.title.text for chart in charts] == [
        "mean total variation, 0 to 1 (log scale)",
        "mean total variation; noisy answers can exceed 1 (log scale)",
    ]


def test_a_sentence_says_where_a_system_does_something_else():
    ran = {0.5: "9 rounds", 1.0: "16 rounds", 2.0: "64 cells measured once"}
    runs = [replace(result(1 / e, system="automatic", epsilon=e), ran=words) for e, words in ran.items()]
    chart = error_curves(over_epsilon(runs, TV, None), TV, "ε", PRIVATE)
    (line,) = chart.figure.data
    assert list(line.x) == [0.5, 1.0, 2.0]
    assert "64 cells measured once" in line.customdata[2][3]
    assert chart.alt.endswith(
        "Automatic changes what it does: 9 to 16 rounds up to ε = 1; 64 cells measured once from ε = 2 on."
    )


def test_one_seed_has_no_band():
    (line,) = error_curves(over_epsilon(results([0.1]), TV, None), TV, "ε", PRIVATE).figure.data
    assert list(line.y) == pytest.approx([0.1, 0.05])


def test_the_alternative_text_gives_both_ends_of_each_line():
    assert error_curves(over_epsilon(results(), TV, None), TV, "ε", PRIVATE).alt == (
        "Mean total variation of a marginal at each ε, on logarithmic scales: MWEM 0.2 at 1 and 0.1 at 2."
    )


@pytest.mark.parametrize(
    ("target", "anchors", "end"),
    [
        (0.15, [("right", "bottom"), ("right", "bottom")], "is reached by MWEM at ε = 1.3."),
        (0.01, [("right", "top")], "0.01."),
        (1e-9, [], "MWEM 0.2 at 1 and 0.1 at 2."),
    ],
    ids=["reached", "not reached", "too far to draw"],
)
def test_a_target_is_labelled_where_no_curve_is(target, anchors, end):
    curves = over_epsilon(results(), TV, None)
    unit = units(300, tabular=True, noun="counts")["Total variation"]
    mark = Mark(target, unit, needs(curves, target))
    chart = error_curves(curves, TV, "ε", PRIVATE, mark=mark)
    assert [(a.xanchor, a.yanchor) for a in chart.figure.layout.annotations] == anchors
    assert chart.alt.endswith(end)
    assert chart.figure.layout.yaxis.range[0] > -3
