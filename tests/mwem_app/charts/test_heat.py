"""Heat maps of two columns, and of all pairs."""

import numpy as np
import pytest
from synthetic_rows import ORIGINAL, SYNTHETIC

from mwem_app.base import EXPLORATION, PRIVATE
from mwem_app.charts.chart import AMBER, TEAL, rgba
from mwem_app.charts.heat import (
    MAX_ACROSS,
    MAX_DOWN,
    describe_pair,
    distance_map,
    pair_heat,
)
from mwem_core import Domain, Records
from mwem_core.domain import Attribute
from mwem_core.values import Values


def heats(pair, original=ORIGINAL):
    return pair_heat(pair, SYNTHETIC, original, EXPLORATION)


def test_the_maps_that_read_the_original_are_private_and_the_synthetic_one_keeps_its_badge():
    assert [chart.badge for chart in heats((0, 1))] == [PRIVATE, EXPLORATION, PRIVATE]


def test_without_the_original_there_is_the_synthetic_map_alone():
    (chart,) = heats((0, 1), None)
    assert chart.badge == EXPLORATION
    assert "original" not in chart.figure.to_json().lower() + chart.alt.lower() + chart.note


@pytest.mark.parametrize("pair", [(0, 1), (0, 2), (1, 2)])
def test_the_longer_side_of_a_pair_stands_upright_and_the_difference_is_synthetic_minus_original(pair):
    original, synthetic, difference = (np.array(chart.figure.data[0].z) for chart in heats(pair))
    assert original.shape[0] >= original.shape[1]
    assert difference == pytest.approx(synthetic - original)
    scales = [chart.figure.data[0] for chart in heats(pair)]
    assert scales[0].zmax == scales[1].zmax == scales[2].zmax == -scales[2].zmin


def test_the_closer_the_rows_are_the_paler_is_the_difference():
    """On a scale of its own, a difference of a thousandth would have the colours of one of a half."""

    def strongest(rows):
        trace = pair_heat((0, 1), rows, ORIGINAL, EXPLORATION)[2].figure.data[0]
        widest = np.abs(trace.z).max() / trace.zmax
        places, colors = zip(*trace.colorscale, strict=True)
        alphas = [float(color.rpartition(",")[2].rstrip(")")) for color in colors]
        return np.interp((1 + widest) / 2, places[len(places) // 2 :], alphas[len(places) // 2 :])

    near = Records(ORIGINAL.domain, tuple(np.append(codes, codes[:1]) for codes in ORIGINAL.codes))
    assert 0 < strongest(near) < strongest(SYNTHETIC) / 2


def test_more_values_than_can_be_drawn_are_merged_with_their_neighbours():
    drawn = heats((1, 2))[1].figure.data[0]
    down, across = np.shape(drawn.z)
    assert (down <= MAX_DOWN, across <= MAX_ACROSS) == (True, True)
    assert np.sum(drawn.z) == pytest.approx(1)


@pytest.mark.parametrize(
    ("sizes", "drawn"), [((2, 2), (2, 2)), ((30, 16), (30, 16)), ((100, 60), (MAX_DOWN, MAX_ACROSS))]
)
def test_every_category_of_a_pair_has_its_name(sizes, drawn):
    domain = Domain(tuple(Attribute(f"a{i}", Values(tuple(f"v{j}" for j in range(k)))) for i, k in enumerate(sizes)))
    rng = np.random.default_rng(0)
    rows = Records(domain, tuple(rng.integers(k, size=900).astype(np.uint16) for k in sizes))
    for chart in pair_heat((0, 1), rows, rows, PRIVATE):
        assert np.shape(chart.figure.data[0].z) == drawn
        named = len(chart.figure.layout.yaxis.ticktext), len(chart.figure.layout.xaxis.ticktext)
        assert named == drawn
        assert (chart.figure.layout.xaxis.ticktext[-1] == "37 others") is (sizes[1] == 60)


def test_the_original_is_amber_and_the_synthetic_side_teal():
    original, synthetic, _ = (chart.figure.data[0].colorscale[-1][1] for chart in heats((0, 1)))
    assert (original, synthetic) == (rgba(AMBER, 1), rgba(TEAL, 1))


def test_a_colour_bar_is_labelled_at_its_ends():
    for chart in heats((0, 1)):
        bar = chart.figure.data[0].colorbar
        assert {chart.figure.data[0].zmin, 0.0, chart.figure.data[0].zmax} == set(bar.tickvals)
        assert len(set(bar.ticktext)) == len(bar.tickvals)


def test_long_names_are_cut_on_axes():
    for chart in heats((0, 1)):
        title = chart.figure.layout.yaxis.title.text
        assert len(title) == 30
        assert title.endswith("…")
    short = Domain(tuple(Attribute(f"{name} of a very long name", Values(("no", "yes"))) for name in "ab"))
    rows = Records(short, (np.zeros(9, np.uint8), np.ones(9, np.uint8)))
    for chart in pair_heat((0, 1), rows, rows, PRIVATE):
        assert 7 * len(chart.figure.layout.yaxis.title.text) <= 115 < chart.figure.layout.height


@pytest.mark.parametrize(("attributes", "numbers"), [(3, 6), (12, 0)])
def test_a_small_map_of_pairs_writes_its_numbers_out(attributes, numbers):
    values = np.where(np.tri(attributes, dtype=bool), 0.04, np.nan)
    figure = distance_map([f"a{i}" for i in range(attributes)], values).figure
    assert len(figure.layout.annotations) == numbers
    assert {">.040<" in note.text for note in figure.layout.annotations} <= {True}
    assert figure.data[0].showscale == (numbers == 0)


def test_alternative_texts_name_the_largest_values():
    labels = ("yes", "no")
    assert describe_pair("original", ("a", "b"), (labels, labels), np.array([[0.1, 0.2], [0.3, 0.4]])) == (
        "a × b: original, shares of the rows by cell. Largest: no × no 40.00%; no × yes 30.00%; yes × no 20.00%."
    )
    assert distance_map(("a", "b"), np.array([[0.01, np.nan], [0.03, 0.02]])).alt == (
        "Total variation between original and synthetic rows for each column and pair: "
        "mean 0.020, largest 0.030 for a × b."
    )
