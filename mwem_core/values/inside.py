"""Where the numbers of a cell lie, where its mean is not known, and where it is.

Without a mean they are as dense as the numbers of the cells beside it. A cell holds the grid points first..last,
w = last − first + 1 of them, and some rows, d rows per point. Over all cells the density is continuous, and linear in
each half of a cell. Where two cells meet, with densities a and b and widths v and w, it is interpolated between their
middles, and at most twice the smaller of the two:

    g = min((w·a + v·b) / (v + w), 2a, 2b)

In the middle of a cell with ends g and g' it is m = 2d − (g + g')/2. So its integral, w·(g + 2m + g')/4 = w·d, keeps
the cell's rows exactly; g and g' are at most 2d, so m is not negative. The outer half of the first and of the last cell
goes on as its inner half does: g' = 2d − g. A cell of a single point is an atom, such as a bin for zero: it has no
density, and its neighbours look past it.

With a mean they have the law of most entropy that has it: point k of w has a chance proportional to e^(θk/w), a uniform
law that is tilted. It is the continuous one of density e^(θu), rounded down, so its quantiles have a closed form.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

MAX_TILT = 500.0  # of θ: at most e^-500 of a cell's rows are at its other end
HALVINGS = 60
SMALL = 1e-2  # θ below which a series of two terms is exact to eight digits
FINE = 2**30  # points of a cell of real numbers
OfCells = np.ndarray | None  # a number for each cell, (size,), if they are known


def drawn_points(
    first: np.ndarray, last: np.ndarray, codes: np.ndarray, rng: Generator, rows: OfCells = None, means: OfCells = None
) -> np.ndarray:
    """A grid point for each code, (m,) -> (m,) int64: by the law of all cells' `means`, (size,), or without these.

    `rows` are the cells' numbers of rows, (size,); by default those of the codes. The rows of a cell are spread evenly
    over its law's quantiles and in random order, so that their mean and quantiles differ from the law's far less than
    those of independent draws.
    """
    width, share = last - first + 1, _even_shares(codes, len(first), rng)
    if means is not None:
        tilt = tilts((means - first) / np.maximum(last - first, 1), width)[codes]
        flat = np.where(tilt == 0, 1.0, tilt)
        u = np.where(tilt == 0, share, np.log1p(share * np.expm1(flat)) / flat)
    else:
        rows = np.bincount(codes, minlength=len(first)) if rows is None else rows
        low, middle, high = densities(np.where(width > 1, width, 0), rows)[codes].T
        lower = (low + middle) / 4  # of a cell's rows, in its lower half
        in_lower = share < lower
        u = np.where(in_lower, _quantile(low, middle, 2 * share), 1 + _quantile(middle, high, 2 * (share - lower))) / 2
    return first[codes] + np.clip((u * width[codes]).astype(np.int64), 0, width[codes] - 1)


def densities(widths: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The density at the lower end, the middle and the upper end of each cell, relative to its mean: (size, 3).

    `widths` are the cells', in any unit, 0 for one of a single point, and `rows` their numbers of rows, (size,). A cell
    without rows has 1 everywhere.
    """
    relative = np.ones((len(widths), 3))
    wide = np.flatnonzero(widths)
    if len(wide) < 2:
        return relative
    w = widths[wide].astype(float)
    d = rows[wide] / w
    a, b, v, w = d[:-1], d[1:], w[:-1], w[1:]
    g = np.minimum((w * a + v * b) / (v + w), 2 * np.minimum(a, b))
    low, high = np.append(2 * d[0] - g[0], g), np.append(g, 2 * d[-1] - g[-1])
    filled = d > 0
    ends = np.stack([low, high])[:, filled] / d[filled]
    relative[wide[filled]] = np.stack([ends[0], 2 - ends.sum(axis=0) / 2, ends[1]], axis=1)
    return relative


def places_by_rows(widths: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Where the law without a mean has its mean, from 0 at the lower end of a cell to 1: (size,) as in `densities`.

    >>> places_by_rows(np.array([5, 5, 5]), np.array([60, 20, 10])).round(2)
    array([0.44, 0.4 , 0.42])
    """
    return densities(widths, rows) @ (1, 6, 5) / 24


def tilts(place: np.ndarray, points: np.ndarray) -> np.ndarray:
    """θ of the tilted law of so many points whose mean is at this place, from 0 at the first to 1 at the last: (k,)."""
    low, high = np.full(len(place), -MAX_TILT), np.full(len(place), MAX_TILT)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        below = _place(middle, points) < place
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.where(points > 1, (low + high) / 2, 0.0)


def tilted_variances(place: np.ndarray, points: np.ndarray) -> np.ndarray:
    """The variance of that law, where the first point is 0 and the last one 1: (k,).

    >>> tilted_variances(np.array([0.5, 0.5, 0.2]), np.array([2, 2**30, 2])).round(4)
    array([0.25  , 0.0833, 0.16  ])
    """
    tilt = np.abs(tilts(place, points))
    flat = tilt < SMALL
    of = np.where(flat, 1.0, tilt)
    variance = 1 / (4 * np.sinh(of / points / 2) ** 2) - points**2 / (4 * np.sinh(np.minimum(of, MAX_TILT) / 2) ** 2)
    variance = np.where(flat, (points**2 - 1.0) / 12, variance)
    return np.where(points > 1, variance / np.maximum(points - 1.0, 1.0) ** 2, 0.0)


def _place(tilt: np.ndarray, points: np.ndarray) -> np.ndarray:
    """The mean of the law of this θ: that of k is w / (1 - e^-θ) - 1 / (1 - e^-(θ/w))."""
    of = np.where(np.abs(tilt) < SMALL, 1.0, tilt)
    mean = points / -np.expm1(-of) - 1 / -np.expm1(-of / points)
    mean = np.where(np.abs(tilt) < SMALL, (points - 1) / 2 + tilt * (points - 1 / points) / 12, mean)
    return mean / np.maximum(points - 1, 1)


def _quantile(start: np.ndarray, end: np.ndarray, share: np.ndarray) -> np.ndarray:
    """x in [0, 1] with start·x + (end − start)·x²/2 = share, in the form that does not cancel: all (m,)."""
    below = start + np.sqrt(np.maximum(start**2 + 2 * (end - start) * share, 0))
    return np.divide(2 * share, below, out=np.zeros(len(share)), where=below > 0)


def _even_shares(codes: np.ndarray, size: int, rng: Generator) -> np.ndarray:
    """A number in [0, 1) for each code, (m,): one in each k-th part for the k rows of a code, in random order."""
    order = np.lexsort([rng.random(len(codes)), codes])
    times = np.bincount(codes, minlength=size)
    nth = np.arange(len(codes)) - np.repeat(np.cumsum(times) - times, times)
    share = np.empty(len(codes))
    share[order] = (nth + rng.random(len(codes))) / np.repeat(times, times)
    return np.minimum(share, np.nextafter(1.0, 0.0))
