"""Error curves over ε and T."""

from dataclasses import replace

import pytest
from trial_results import result

from mwem_app.base import PRIVATE
from mwem_app.compare.bounds import Bound
from mwem_app.compare.curve_charts import Mark, error_curves
from mwem_app.compare.curves import over_epsilon
from mwem_app.compare.decision import needs
from mwem_app.compare.metrics import METRICS
from mwem_app.compare.targets import units

TV = METRICS["Mean TV"]


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


def test_a_ring_and_a_sentence_mark_where_a_system_does_something_else():
    ran = {0.5: "9 rounds", 1.0: "16 rounds", 2.0: "64 cells measured once"}
    runs = [replace(result(1 / e, system="automatic", epsilon=e), ran=words) for e, words in ran.items()]
    chart = error_curves(over_epsilon(runs, TV, None), TV, "ε", PRIVATE)
    line, ring = chart.figure.data
    assert list(line.x) == [0.5, 1.0, 2.0]
    assert (list(ring.x), list(ring.y), list(ring.text)) == ([2.0], [0.5], ["64 cells measured once"])
    assert chart.alt.endswith(
        "Automatic changes what it does (ringed): 9 to 16 rounds up to ε = 1; 64 cells measured once from ε = 2 on."
    )


def test_one_seed_has_no_band():
    (line,) = error_curves(over_epsilon(results([0.1]), TV, None), TV, "ε", PRIVATE).figure.data
    assert list(line.y) == pytest.approx([0.1, 0.05])


def test_a_bound_is_one_more_line_that_the_axis_holds():
    chart = error_curves(
        over_epsilon(results(), TV, None), TV, "ε", PRIVATE, bound=Bound("Theorem", ((1.0, 30.0), (2.0, 20.0)), "")
    )
    line = chart.figure.data[-1]
    assert (line.name, list(line.y)) == ("Theorem", [30.0, 20.0])
    assert chart.figure.layout.yaxis.range[1] >= 1.5


def test_a_bound_at_a_single_epsilon_stands_neither_in_the_legend_nor_on_the_axis():
    bound = Bound("Theorem", ((1.0, 30.0),), "")
    with_bound = error_curves(over_epsilon(results(), TV, None), TV, "ε", PRIVATE, bound=bound)
    assert with_bound.figure == error_curves(over_epsilon(results(), TV, None), TV, "ε", PRIVATE).figure


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
