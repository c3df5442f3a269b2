"""One column as bars, and the errors of a run's rows."""

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
    describe_marginal,
    marginal_bars,
    pair_distances,
    tv,
)
from mwem_core import Domain, Records, Run, Seeded, mwem_by_rule, parse_workload
from mwem_core.domain import Attribute
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
