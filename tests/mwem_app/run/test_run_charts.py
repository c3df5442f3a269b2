"""One column as bars, a run by round, and the errors of a run's rows."""

import numpy as np
import pytest
from finished_runs import errors_by_round
from synthetic_rows import DOMAIN, ORIGINAL, SYNTHETIC

from mwem_app.base import EXPLORATION, PRIVATE, share
from mwem_app.charts import AMBER, TEAL
from mwem_app.run import run_charts as module
from mwem_app.run.run_charts import (
    MAX_BARS,
    MAX_LINE_POINTS,
    MAX_SMALL_BARS,
    SOURCES,
    accuracy,
    describe_errors,
    describe_marginal,
    describe_residuals,
    error_by_round,
    marginal_bars,
    pair_distances,
    residual_by_round,
    residuals,
    tv,
)
from mwem_core import Domain, Records, Run, Seeded, mwem_by_rule, parse_workload
from mwem_core.domain import Attribute
from mwem_core.judge import Errors
from mwem_core.values import Edges, Values


def bars(a, original=ORIGINAL, **options):
    return marginal_bars(a, SYNTHETIC, original, EXPLORATION, **options)


@pytest.mark.parametrize("a", [0, 1, 2])
def test_a_chart_that_shows_the_original_is_marked_private(a):
    assert bars(a).badge == PRIVATE


@pytest.mark.parametrize("chart", [bars(0, None), bars(2, None, small=True)], ids=["bars", "small line"])
def test_without_the_original_a_chart_has_the_rows_alone(chart):
    assert chart.badge == EXPLORATION
    assert len(chart.figure.data) == 1
    assert "original" not in chart.figure.to_json().lower() + chart.alt.lower() + chart.note


def test_bars_are_shares_of_each_side_s_own_rows_and_the_outline_is_the_original():
    synthetic, original = bars(0).figure.data
    assert list(synthetic.x) == pytest.approx(list(SYNTHETIC.marginal((0,)) / 400))
    assert list(original.x) == pytest.approx(list(ORIGINAL.marginal((0,)) / 500))
    assert (synthetic.marker.line.color, original.marker.line.color) == (TEAL, AMBER)


def test_the_note_is_the_total_variation_of_the_two_sides():
    assert bars(0).note == f"total variation {share(tv(SYNTHETIC.marginal((0,)), ORIGINAL.marginal((0,))))}"


def test_more_values_than_can_be_drawn_are_merged_with_their_neighbours():
    drawn = bars(2).figure.data[0]
    assert len(drawn.y) <= MAX_LINE_POINTS
    assert sum(drawn.y) == pytest.approx(1)
    assert drawn.text[0] == "0 … 4"
    assert drawn.text[-1] == "4355 … 4356"


@pytest.mark.parametrize("small", [True, False])
@pytest.mark.parametrize("size", [2, 12, 42, 300])
def test_every_bar_has_its_name_and_the_others_are_one_bar(size, small):
    domain = Domain((Attribute("town", Values(tuple(f"town {i}" for i in range(size)))),))
    codes = np.repeat(np.arange(size, dtype=np.uint16), np.arange(1, size + 1))  # the last town is the largest
    rows = Records(domain, (codes,))
    chart = marginal_bars(0, rows, rows, PRIVATE, small=small)
    names, most = chart.figure.layout.yaxis.ticktext, MAX_SMALL_BARS if small else MAX_BARS
    synthetic = chart.figure.data[0]
    assert len(names) == len(synthetic.x) == min(size, most)
    assert sum(synthetic.x) == pytest.approx(1)
    assert chart.figure.layout.height >= 16 * len(names)
    if size > most:
        assert names[-2:] == (f"town {size - 1}", f"{size - most + 1} others")


def test_many_ordered_values_are_a_line_with_their_low_ends_below():
    chart = bars(2, small=True)
    assert chart.figure.layout.xaxis.ticktext == ("0", "1090", "2180", "3270")


@pytest.mark.parametrize("small", [True, False])
@pytest.mark.parametrize(
    "attribute",
    [
        Attribute("height", Edges((0, 1, *range(10, 1000, 10)))),
        Attribute("height", Edges(tuple(range(0, 1000, 10))), missing="NA"),
    ],
    ids=["unequal bins", "a missing value"],
)
def test_many_values_of_unequal_width_or_with_a_missing_one_are_bars_each_with_its_name(attribute, small):
    """A line has no room for names, and draws all values equally wide."""
    codes = np.arange(attribute.size, dtype=np.uint16)
    rows = Records(Domain((attribute,)), (codes,))
    chart = marginal_bars(0, rows, rows, PRIVATE, small=small)
    assert {trace.type for trace in chart.figure.data} == {"bar"}
    names = chart.figure.layout.yaxis.ticktext
    assert len(names) == len(chart.figure.data[0].x)
    assert names[-1] == (attribute.missing or names[-1])
    assert sum(chart.figure.data[0].x) == pytest.approx(1)


def test_the_alternative_text_names_the_largest_shares_and_the_total_variation():
    labels = ("yes", "no")
    assert describe_marginal("smoking", labels, np.array([0.25, 0.75]), None) == (
        "smoking in the synthetic rows. Largest shares: no 75.0%; yes 25.0%."
    )
    assert describe_marginal("smoking", labels, np.array([0.25, 0.75]), np.array([0.5, 0.5])) == (
        "smoking, original and synthetic. Largest shares: yes 50.0% and 25.0%; no 50.0% and 75.0%."
    )
    assert bars(0).alt.endswith(f"{bars(0).note.capitalize()}.")


def errors(largest, mean):
    return Errors(largest, mean, 1.0, None, None)


def run(seed=1, **settings):
    workload = parse_workload("marginals:1", DOMAIN)
    chosen = mwem_by_rule(workload, n=500, epsilon=1.0, **settings)
    return Run(workload, chosen, "mwem", tuple(chosen.rounds(ORIGINAL, workload, noise=Seeded(seed))), seed)


def test_errors_are_drawn_on_a_logarithmic_scale_and_one_of_zero_as_a_tenth_of_a_record():
    figure = error_by_round([errors(0.8, 0.01), errors(0.02, 0.0)], 500).figure
    low, high = figure.layout.yaxis.range
    assert low <= np.log10(0.01) < np.log10(0.8) <= high
    assert [list(trace.y) for trace in figure.data] == [[0.8, 0.02], [0.8, 0.8], [0.01, 0.0002], [0.01, 0.01]]
    assert error_by_round([errors(0.0, 0.0)], 500).figure.layout.yaxis.type == "log"


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_residual_is_that_of_the_round_and_expected_noise_the_mechanism_s_mean_over_the_cells(delta):
    finished = run(delta=delta, T=3)
    for (index, residual, noise), entry in zip(residuals(finished), finished.rounds[1:], strict=True):
        mean = 1 if delta == 0 else np.sqrt(2 / np.pi)
        assert index == entry.index
        assert residual == entry.residual
        assert noise == pytest.approx(mean * entry.measurement.scale * entry.measurement.value.size)
    _, residual, noise = zip(*residuals(finished), strict=True)
    assert [tuple(curve.y) for curve in residual_by_round(finished).figure.data] == [residual, noise]


def test_a_run_stopped_before_its_first_measurement_still_draws():
    finished = run()
    start = Run(finished.workload, finished.settings, finished.system, finished.rounds[:1], finished.seed)
    assert residual_by_round(start).alt == "Nothing has been measured yet."


def test_alternative_texts_give_the_first_and_the_last_round():
    assert describe_errors([errors(0.8, 0.01), errors(0.02, 0.0003)]) == (
        "Error by round, shares of n on a logarithmic scale. Largest error 0.80 at the start, 0.020 after round 1; "
        "mean error 0.010 at the start, 0.00030 after round 1."
    )
    assert describe_residuals([(1, 5000.0, 40.0), (2, 60.0, 50.0)]) == (
        "Distance of each measurement from the model before it, in records: 5,000 in round 1, where noise alone is "
        "expected to give 40; 60 in round 2, where noise alone is expected to give 50."
    )


def test_total_variation_is_half_the_l1_distance_of_the_shares():
    assert tv(np.array([1.0, 1.0]), np.array([30.0, 10.0])) == pytest.approx(0.25)
    assert tv(np.array([3.0, 0.0]), np.array([0.0, 7.0])) == 1
    assert tv(np.array([1.0, 2.0]), np.array([2.0, 4.0])) == 0


def test_distances_are_those_of_columns_on_the_diagonal_and_of_pairs_below_it():
    distances = pair_distances(SYNTHETIC, ORIGINAL)
    assert distances[1, 1] == tv(SYNTHETIC.marginal((1,)), ORIGINAL.marginal((1,)))
    assert distances[1, 0] == tv(SYNTHETIC.marginal((0, 1)), ORIGINAL.marginal((0, 1)))
    assert np.isnan(distances[np.triu_indices(3, 1)]).all()
    assert distances[1, 0] >= max(distances[0, 0], distances[1, 1])  # merging cells brings tables nearer


def test_pairs_with_too_many_cells_are_left_out(monkeypatch):
    monkeypatch.setattr(module, "MAX_PAIR_CELLS", 300)
    assert np.isnan(pair_distances(SYNTHETIC, ORIGINAL)[2]).tolist() == [True, True, False]


@pytest.mark.parametrize(("spec", "metrics"), [("marginals:1", 5), ("ranges:amount:50", 3)])
def test_rows_that_are_the_truth_have_no_error_and_every_source_has_a_column(spec, metrics):
    workload = parse_workload(spec, DOMAIN)
    settings = mwem_by_rule(workload, n=500, epsilon=1.0, T=2)
    rounds = tuple(settings.rounds(ORIGINAL, workload, noise=Seeded(1)))
    table = accuracy(Run(workload, settings, "default", rounds, 1), ORIGINAL, ORIGINAL)
    assert len(table) == metrics
    for rows, model, uniform in table.values():
        assert float(rows) == 0
        assert float(model) > 0
        assert float(uniform) > 0
    assert len(SOURCES) == 3


def test_the_model_and_the_uniform_table_have_the_errors_of_the_last_and_first_round(czech, czech_run):
    run, rows = czech_run
    errors = errors_by_round(run, czech)
    of_rows, of_model, of_uniform = (float(text) for text in accuracy(run, rows, czech)["mean total variation, 0 to 1"])
    assert of_rows < of_uniform / 5
    assert of_model == pytest.approx(errors[-1].mean_tv, rel=0.05)
    assert of_uniform == pytest.approx(errors[0].mean_tv, rel=0.05)
