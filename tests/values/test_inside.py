"""The law inside a cell: it keeps every cell's rows, follows the cells beside it, and writes what is declared."""

import numpy as np
import pytest
from messages import exactly

from mwem_core.domain import Attribute, Domain
from mwem_core.forms import NumberStyle
from mwem_core.values import Edges, Range, places_by_rows
from mwem_core.values.inside import FINE, densities, drawn_points, tilted_variances, tilts


def cells(*edges):
    return np.array(edges[:-1]), np.array(edges[1:]) - 1


def widths(first, last):
    return np.where(last > first, last - first + 1, 0)


def test_a_line_is_found_again():
    """Cells of any width that a linear density fills have its values at their ends and in their middles."""
    first, last = cells(0, 40, 100, 120, 200, 400)
    width = last - first + 1
    for slope in (0, 3):
        line = 100 + slope * (np.arange(400) + 0.5)  # a point stands for the unit from it to the next
        rows = np.array([line[a : b + 1].sum() for a, b in zip(first, last, strict=True)])
        found = densities(widths(first, last), rows) * (rows / width)[:, None]
        assert found == pytest.approx(100 + slope * np.stack([first, first + width / 2, last + 1], axis=1))


@pytest.mark.parametrize("seed", range(20))
def test_the_density_is_continuous_never_negative_and_keeps_each_cell(seed):
    rng = np.random.default_rng(seed)
    first, last = cells(0, *np.cumsum(rng.integers(2, 50, size=12)))
    rows = np.floor(rng.lognormal(2, 2, size=12))
    mean = rows / (last - first + 1)
    density = densities(widths(first, last), rows) * mean[:, None]
    assert (density >= 0).all()
    assert density @ [0.25, 0.5, 0.25] == pytest.approx(mean)
    meeting, beside = density[:-1, 2], np.stack([mean[:-1], mean[1:]])
    filled = rows[1:] * rows[:-1] > 0
    assert meeting[filled] == pytest.approx(density[1:, 0][filled])
    assert (meeting >= beside.min(axis=0) - 1e-9)[filled].all()
    assert (meeting <= beside.max(axis=0) + 1e-9)[filled].all()


def test_numbers_gather_where_a_cell_meets_a_fuller_one():
    values = Edges((0, 100, 200, 300), NumberStyle(0)).decode(
        np.repeat([0, 1, 2], [900, 300, 100]), np.random.default_rng(0)
    )
    assert values[900:1200].mean() < 145
    peak = Edges((0, 100, 200, 300), NumberStyle(0)).decode(
        np.repeat([0, 1, 2], [100, 900, 100]), np.random.default_rng(0)
    )
    assert np.abs(peak[100:1000] - 150).mean() < 22  # 25 if even


def test_a_cell_of_one_number_has_no_density_and_its_neighbours_look_past_it():
    first, last = cells(0, 1, 10, 20, 21, 30, 40)
    found = densities(widths(first, last), np.array([900, 9, 20, 500, 27, 40]))
    without = densities(np.array([9, 10, 9, 10]), np.array([9, 20, 27, 40]))
    assert (found[[0, 3]] == 1).all()
    assert found[[1, 2, 4, 5]].tolist() == without.tolist()


def test_points_follow_the_law_to_within_a_row():
    """The rows of a cell are spread over its quantiles: their distribution is off by one row at most at every point."""
    first, last = cells(0, 50, 120, 200)
    rows = np.array([4000, 2000, 200])
    codes = np.repeat(np.arange(3), rows)
    points = drawn_points(first, last, codes, np.random.default_rng(0), rows)
    for code, (low, middle, high) in enumerate(densities(widths(first, last), rows)):
        own, width = points[codes == code] - first[code], last[code] - first[code] + 1
        u = 2 * np.arange(1, width + 1) / width  # of the way to the middle, and on from there
        to, past = np.minimum(u, 1), np.maximum(u - 1, 0)
        law = (low * to + (middle - low) * to**2 / 2 + middle * past + (high - middle) * past**2 / 2) / 2
        counted = np.cumsum(np.bincount(own, minlength=width))
        assert np.abs(counted - rows[code] * law).max() <= 1


def test_the_law_without_a_mean_has_the_mean_of_its_points():
    first, last = cells(0, 1, 50, 120, 200)
    rows = np.array([7, 40_000, 20_000, 2_000])
    codes = np.repeat(np.arange(4), rows)
    points = drawn_points(first, last, codes, np.random.default_rng(0), rows)
    means = np.array(
        [points[codes == code].mean() + 0.5 for code in range(4)]
    )  # a point stands for the unit from it on
    assert places_by_rows(widths(first, last), rows) == pytest.approx((means - first) / (last - first + 1), abs=1e-4)


def test_points_of_a_cell_are_in_random_order():
    rows = np.array([3000, 1000])
    codes = np.repeat([0, 1], rows)
    points = drawn_points(*cells(0, 1000, 2000), codes, np.random.default_rng(1), rows)[:3000]
    assert abs(np.corrcoef(np.arange(3000), points)[0, 1]) < 0.06  # standard deviation 1/√2999 = .018


@pytest.mark.parametrize(
    "value_set",
    [
        Edges((0, 0.1, 2.5, 29.4, 100), NumberStyle(1)),
        Edges((-1.5, -0.25, 0, 1e-2, 3), NumberStyle(2)),
        Edges((0, 1, 100, 1000), NumberStyle(0)),
        Edges((0.5, 2.5, 9.5), NumberStyle(0)),
        Edges((0, 35, 90), NumberStyle(0)),
        Edges((0, 0.3, 0.7, 1.0), NumberStyle(2)),
        Edges((0, 1, 10**12), NumberStyle(3)),
        Range(-7, 90, 10, NumberStyle(0)),
    ],
    ids=repr,
)
def test_numbers_have_the_decimals_declared_and_stay_in_their_cell(value_set):
    attribute = Attribute("x", value_set, missing="?")
    codes = np.repeat(np.arange(attribute.size), 400)
    texts = attribute.decode(codes, np.random.default_rng(0)).tolist()
    assert (attribute.encode(texts) == codes).all()
    decimals = value_set.inside.decimals
    own = [text for text in texts if text != "?"]
    assert all(len(text.partition(".")[2]) <= max(1, decimals) and "e" not in text for text in own)
    assert decimals or not any("." in text for text in own)
    assert Domain.from_toml(Domain((attribute,)).to_toml()).attributes[0] == attribute


def test_whole_numbers_and_floats_keep_their_types():
    codes = np.zeros(3, int)
    rng = np.random.default_rng(0)
    assert Edges((0, 10, 20), NumberStyle(0)).decode(codes, rng).dtype == np.int64
    assert Edges((0, 10, 20), NumberStyle(1)).decode(codes, rng).dtype == np.float64


def test_without_decimals_numbers_fill_their_bin_as_version_0_3_drew_them():
    """Older schemas give the same rows: these numbers are those that version 0.3 drew."""
    rng = np.random.default_rng(5)
    assert Edges((0, 10, 1000)).decode(np.array([0, 1, 1, 0]), rng).tolist() == OLD_INTEGERS
    assert Edges((0.0, 0.5, 4.0)).decode(np.array([0, 1, 1, 0]), rng).tolist() == OLD_FLOATS
    assert Range(0, 99, 10).decode(np.array([0, 9, 5, 0]), rng).tolist() == OLD_CELLS


OLD_INTEGERS = [6, 807, 32, 8]
OLD_FLOATS = [0.257662780521071, 1.5003048303084956, 0.6887574583357975, 0.19168444039275911]
OLD_CELLS = [5, 94, 51, 0]


@pytest.mark.parametrize(
    ("edges", "inside", "message"),
    [
        ((0, 1), {"decimals": -1}, "decimals must be a whole number from 0 to 15, got -1"),
        ((0, 1), {"decimals": True}, "decimals must be a whole number from 0 to 15, got True"),
        ((0, 0.25, 0.5, 1), {"decimals": 0}, "no number of 0 decimals lies between the edges 0.25 and 0.5"),
        ((0, 10**12), {"decimals": 6}, "numbers up to 1000000000000 with 6 decimals have too many digits"),
    ],
)
def test_a_form_that_no_number_has_is_refused(edges, inside, message):
    with pytest.raises(ValueError, match=exactly(message)):
        Edges(edges, NumberStyle(**inside))


def test_a_range_has_no_decimals():
    message = "a range has whole numbers, so decimals must be 0, got 1; use edges"
    with pytest.raises(ValueError, match=exactly(message)):
        Range(0, 9, 2, NumberStyle(1))


@pytest.mark.parametrize(
    ("points", "place"),
    [(2, 0.3), (2, 0.5), (3, 0.01), (7, 0.5), (7, 0.93), (1000, 0.2), (1000, 0.999), (FINE, 0.5), (FINE, 0.1)],
)
def test_a_tilted_law_has_its_mean_and_variance(points, place):
    """Of few points by adding up over them; of very many by the integral of e^(θu), in closed form."""
    (tilt,) = tilts(np.array([place]), np.array([points]))
    (variance,) = tilted_variances(np.array([place]), np.array([points]))
    if points < FINE:
        k = np.arange(points) / max(points - 1, 1)
        weights = np.exp(tilt * (points - 1) / points * (k - (tilt > 0)))
        mean = weights @ k / weights.sum()
        expected = weights @ (k - mean) ** 2 / weights.sum()
    elif abs(tilt) < 1e-3:
        mean, expected = 0.5, 1 / 12
    else:
        mean, expected = 1 / -np.expm1(-tilt) - 1 / tilt, 1 / tilt**2 - 1 / (4 * np.sinh(tilt / 2) ** 2)
    assert mean == pytest.approx(place, abs=0.003)  # as near to an end as the largest tilt comes
    assert variance == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(
    "value_set",
    [
        Edges((0, 1, 3, 10, 60), NumberStyle(0)),
        Edges((0, 1, 3, 10, 60)),
        Edges((0.0, 0.5, 3, 10, 60)),
        Edges((0, 1, 3, 10, 60), NumberStyle(2)),
        Range(0, 79, 20),
    ],
)
def test_drawn_numbers_have_the_means_of_their_bins_and_stay_in_them(value_set):
    low, high, _ = value_set.cells()
    means = np.array([0.0, 1.2, 3.9, 22.0]) if isinstance(value_set, Edges) else np.array([1.0, 25, 58, 70.5])
    if value_set.size == 4 and value_set == Edges((0.0, 0.5, 3, 10, 60)):
        means[0] = 0.1
    codes = np.repeat(np.arange(4), 4000)
    drawn = value_set.decode(codes, np.random.default_rng(0), means=means).reshape(4, 4000)
    assert (drawn >= low[:, None]).all()
    assert (drawn <= high[:, None]).all()
    assert drawn.mean(axis=1) == pytest.approx(means, abs=0.02 * (high - low).max() / 50 + 0.006)


def test_a_mean_at_an_end_leaves_all_numbers_there():
    first, last = cells(0, 10, 20)
    points = drawn_points(first, last, np.repeat([0, 1], 500), np.random.default_rng(0), means=np.array([0.0, 19.0]))
    assert set(points[:500]) == {0}
    assert set(points[500:]) == {19}
