"""One column as bars, original beside synthetic."""

import numpy as np
import pytest
from synthetic_rows import ORIGINAL, SYNTHETIC

from mwem_app.base import EXPLORING, PRIVATE, share
from mwem_app.charts import AMBER, TEAL
from mwem_app.run.accuracy import tv
from mwem_app.run.bars import MAX_BARS, MAX_LINE_POINTS, MAX_SMALL_BARS, describe_marginal, marginal_bars
from mwem_core import Domain, Records
from mwem_core.domain import Attribute
from mwem_core.values import Edges, Values


def bars(a, original=ORIGINAL, **options):
    return marginal_bars(a, SYNTHETIC, original, EXPLORING, **options)


@pytest.mark.parametrize("a", [0, 1, 2])
def test_a_chart_that_shows_the_original_is_marked_private(a):
    assert bars(a).badge == PRIVATE


@pytest.mark.parametrize("chart", [bars(0, None), bars(2, None, small=True)], ids=["bars", "small line"])
def test_without_the_original_a_chart_has_the_rows_alone(chart):
    assert chart.badge == EXPLORING
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
