"""How numbers lie inside their cell: to a stated precision, in a stated form, as dense as their neighbours, heaped.

The law. A cell holds the grid points first..last, w = last − first + 1 of them, and some rows, d rows per point. Over
all cells the density is continuous, and linear in each half of a cell. Where two cells meet, with densities a and b and
widths v and w, it is interpolated between their middles, and at most twice the smaller of the two:

    g = min((w·a + v·b) / (v + w), 2a, 2b)

In the middle of a cell with ends g and g' it is m = 2d − (g + g')/2. So its integral, w·(g + 2m + g')/4 = w·d, keeps
the cell's rows exactly; g and g' are at most 2d, so m is not negative. The outer half of the first and of the last cell
goes on as its inner half does: g' = 2d − g. A cell of a single point is an atom, such as a bin for zero: it has no
density, and its neighbours look past it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Any

import numpy as np

from mwem_core.base import is_whole
from mwem_core.values.number_forms import number_form

MAX_EXACT_FLOAT64 = 2**53  # float64 represents every integer up to here exactly
MAX_DECIMALS = 15


@dataclass(frozen=True)
class Inside:
    """How numbers are written: with `decimals`, a share `heaped` rounded to multiples of `heaps`, and in a `form`.

    A heaped number moves to the nearest multiple in its own cell; in a cell without a multiple it stays. The form is
    one of `domain.number_forms`; without one, numbers are as short as they can be.
    """

    decimals: int = 0
    heaps: float | None = None
    heaped: float | None = None
    form: str = ""

    def __post_init__(self) -> None:
        if not is_whole(self.decimals) or not 0 <= self.decimals <= MAX_DECIMALS:
            raise ValueError(f"decimals must be a whole number from 0 to {MAX_DECIMALS}, got {self.decimals!r}")
        if self.form:
            number_form(self.form)
        if (self.heaps is None) != (self.heaped is None):
            raise ValueError("heaps and heaped go together: heaps = 10 and heaped = 0.3 round 30% to multiples of 10")
        if self.heaps is None or self.heaped is None:
            return
        if not _is_finite(self.heaps) or not 0 < self.heaps <= MAX_EXACT_FLOAT64 or self.scaled(self.heaps) % 1:
            raise ValueError(
                f"heaps must be a positive number of at most {self.decimals} decimals, as declared, got {self.heaps!r}"
            )
        if not _is_finite(self.heaped) or not 0 < self.heaped <= 1:
            raise ValueError(f"heaped must be a share above 0 and at most 1, got {self.heaped!r}")

    def scaled(self, number: float) -> Decimal:
        """The number in units of the last decimal, exactly as it is written."""
        return Decimal(str(number)).scaleb(self.decimals)

    def grid(self, edges: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
        """First and last grid points of bins, (size,) int64 each, in units of the last decimal; the last bin is closed.

        Raises ValueError for a bin without a number of these decimals.
        """
        if max(abs(edges[0]), abs(edges[-1])) * 10.0**self.decimals > MAX_EXACT_FLOAT64:
            raise ValueError(f"numbers up to {edges[-1]} with {self.decimals} decimals have too many digits")
        starts = [int(self.scaled(edge).to_integral_value(ROUND_CEILING)) for edge in edges]
        last = [*(start - 1 for start in starts[1:-1]), math.floor(self.scaled(edges[-1]))]
        for low, high, a, b in zip(edges, edges[1:], starts, last, strict=False):
            if a > b:
                raise ValueError(f"no number of {self.decimals} decimals lies between the edges {low} and {high}")
        return np.array(starts[:-1], np.int64), np.array(last, np.int64)

    def draw(
        self, first: np.ndarray, last: np.ndarray, codes: np.ndarray, rows: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """A number for each code, (m,) -> (m,): texts in the form, or whole numbers without decimals, or floats.

        `first` and `last` are the cells' grid points and `rows` their numbers of rows, (size,) each.
        """
        points = drawn_points(first, last, codes, rows, rng)
        if self.heaps is not None and self.heaped is not None:
            heaped = rng.random(len(codes)) < self.heaped
            points = np.where(heaped, _heap(points, first[codes], last[codes], int(self.scaled(self.heaps))), points)
        return self.as_written(points)

    def as_written(self, points: np.ndarray) -> np.ndarray:
        """Numbers in units of the last decimal as the table writes them, (m,) -> (m,)."""
        if not self.form:
            return points if self.decimals == 0 else points / 10**self.decimals
        different, at = np.unique(points, return_inverse=True)
        written = number_form(self.form).written
        return np.array([written(Decimal(point).scaleb(-self.decimals)) for point in different.tolist()], object)[at]

    def shown(self, number: float) -> str:
        """A number in a label: a duration in its form, any other as it is."""
        form = number_form(self.form) if self.form else None
        return form.written(Decimal(str(number))) if form and form.units else str(number)

    def declaration(self) -> dict[str, Any]:
        """The keys that declare this in a schema file."""
        heaps = {} if self.heaps is None else {"heaps": self.heaps, "heaped": self.heaped}
        return {"decimals": self.decimals, **heaps, **({"form": self.form} if self.form else {})}


def drawn_points(
    first: np.ndarray, last: np.ndarray, codes: np.ndarray, rows: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """A grid point for each code, (m,) -> (m,) int64, by the law above.

    The rows of a cell are spread evenly over its law's quantiles and in random order, so that their mean and quantiles
    differ from the law's far less than those of independent draws.
    """
    width = last - first + 1
    low, middle, high = densities(first, last, rows)[codes].T
    share, lower = _even_shares(codes, len(first), rng), (low + middle) / 4  # of a cell's rows, in its lower half
    in_lower = share < lower
    u = np.where(in_lower, _quantile(low, middle, 2 * share), 1 + _quantile(middle, high, 2 * (share - lower))) / 2
    return first[codes] + np.clip((u * width[codes]).astype(np.int64), 0, width[codes] - 1)


def densities(first: np.ndarray, last: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The density at the lower end, the middle and the upper end of each cell, relative to its mean: (size, 3).

    `rows` are the cells' numbers of rows, (size,). A cell without rows has 1 everywhere.
    """
    relative = np.ones((len(first), 3))
    wide = np.flatnonzero(last > first)
    if len(wide) < 2:
        return relative
    w = (last - first + 1)[wide].astype(float)
    d = rows[wide] / w
    a, b, v, w = d[:-1], d[1:], w[:-1], w[1:]
    g = np.minimum((w * a + v * b) / (v + w), 2 * np.minimum(a, b))
    low, high = np.append(2 * d[0] - g[0], g), np.append(g, 2 * d[-1] - g[-1])
    filled = d > 0
    ends = np.stack([low, high])[:, filled] / d[filled]
    relative[wide[filled]] = np.stack([ends[0], 2 - ends.sum(axis=0) / 2, ends[1]], axis=1)
    return relative


def _quantile(start: np.ndarray, end: np.ndarray, share: np.ndarray) -> np.ndarray:
    """x in [0, 1] with start·x + (end − start)·x²/2 = share, in the form that does not cancel: all (m,)."""
    below = start + np.sqrt(np.maximum(start**2 + 2 * (end - start) * share, 0))
    return np.divide(2 * share, below, out=np.zeros(len(share)), where=below > 0)


def _even_shares(codes: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """A number in [0, 1) for each code, (m,): one in each k-th part for the k rows of a code, in random order."""
    order = np.lexsort([rng.random(len(codes)), codes])
    times = np.bincount(codes, minlength=size)
    nth = np.arange(len(codes)) - np.repeat(np.cumsum(times) - times, times)
    share = np.empty(len(codes))
    share[order] = (nth + rng.random(len(codes))) / np.repeat(times, times)
    return np.minimum(share, np.nextafter(1.0, 0.0))


def _heap(points: np.ndarray, first: np.ndarray, last: np.ndarray, step: int) -> np.ndarray:
    """The nearest multiples of `step` from `first` to `last`; a point with none in its cell stays. All (m,)."""
    low, high = -(-first // step) * step, last // step * step
    nearest = (points + step // 2) // step * step
    return np.where(low <= high, np.clip(nearest, low, np.maximum(low, high)), points)


def _is_finite(value: object) -> bool:
    return is_whole(value) or (isinstance(value, float) and math.isfinite(value))
