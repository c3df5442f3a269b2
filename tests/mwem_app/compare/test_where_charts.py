"""Maps and bars of where systems are wrong."""

import numpy as np

from mwem_app.charts import BLUE, RED, STROKES, rgba
from mwem_app.compare.where_charts import error_maps, group_bars

NAMES = ("age", "sex")
MWEM, LAPLACE = np.array([[0.1, np.nan], [0.4, 0.2]]), np.array([[0.2, np.nan], [0.1, 0.2]])


def test_two_systems_share_a_scale_and_get_a_map_of_their_difference():
    first, second, difference = error_maps(NAMES, "mean error", {"MWEM": MWEM, "Laplace": LAPLACE})
    assert first.figure.data[0].zmax == second.figure.data[0].zmax == 0.4
    assert difference.title == "MWEM − Laplace"
    assert np.array_equal(np.array(difference.figure.data[0].z), MWEM - LAPLACE, equal_nan=True)
    assert difference.alt == (
        "MWEM − Laplace: difference in mean error by pair of attributes, largest 0.30 for age × sex. "
        "Blue: the error of MWEM is larger. Red: it is smaller."
    )
    low, *_, high = difference.figure.data[0].colorscale
    assert (low[1], high[1]) == (rgba(RED, 0.5), rgba(BLUE, 0.5))


def test_one_system_has_one_map():
    (chart,) = error_maps(NAMES, "mean error", {"MWEM": MWEM})
    assert chart.alt == "MWEM: mean error by pair of attributes, largest 0.40 for age × sex."


def test_groups_are_bars_side_by_side_in_each_system_s_stroke():
    errors = {"MWEM": (np.array([0.1, 0.3]), STROKES["mwem"]), "AIM": (np.array([0.2, 0.1]), STROKES["aim"])}
    chart = group_bars(["0 to 0.1", "0.1 to 1"], "queries by their true share of n", "mean error", errors)
    assert [list(bar.x) for bar in chart.figure.data] == [[0.1, 0.3], [0.2, 0.1]]
    assert chart.figure.layout.barmode == "group"
    assert chart.alt == "Mean error by group of queries; largest: MWEM 0.3; AIM 0.2."
