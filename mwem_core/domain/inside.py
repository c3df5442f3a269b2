"""How numbers are written inside their cell: to a stated precision, as dense as the cells beside it suggest, heaped.

The law. A cell holds the grid points first..last, w = last − first + 1 of them, and a number of rows, so d = rows / w
rows per point. Inside, the density is linear, d·(1 + t·(2u − 1)) at the share u ∈ [0, 1] of the way through the cell.
Its integral is d·w for every t: a cell keeps its rows exactly. With r = d·|t|, the rise from the middle to an end,
`tilts` takes van Leer's limited slope (J. Comput. Phys. 32, 1979):

    r = min(w/2 · |slope between the neighbours' middles|, |d − d_before|, |d − d_after|, d)

and r = 0 where d is above both neighbours or below both. So an end of a cell is never denser or sparser than both sides
of it, and no density is negative. The first and the last cell have one neighbour. A cell of a single point is an atom,
such as a bin for zero: it has no density, and its neighbours look past it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Any

import numpy as np

from mwem_core.checks import is_whole

MAX_EXACT_FLOAT64 = 2**53  # float64 represents every integer up to here exactly
MAX_DECIMALS = 15


@dataclass(frozen=True)
class Inside:
    """The public form of numbers: their `decimals`, and the share `heaped` that is rounded to multiples of `heaps`.

    A heaped number moves to the nearest multiple in its own cell; in a cell without a multiple it stays.
    """

    decimals: int = 0
    heaps: float | None = None
    heaped: float | None = None

    def __post_init__(self) -> None:
        if not is_whole(self.decimals) or not 0 <= self.decimals <= MAX_DECIMALS:
            raise ValueError(f"decimals must be a whole number from 0 to {MAX_DECIMALS}, got {self.decimals!r}")
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
        """A number for each code, (m,) -> (m,): whole numbers without decimals, else floats.

        `first` and `last` are the cells' grid points and `rows` their numbers of rows, (size,) each.
        """
        points = drawn_points(first, last, codes, rows, rng)
        if self.heaps is not None and self.heaped is not None:
            heaped = rng.random(len(codes)) < self.heaped
            points = np.where(heaped, _heap(points, first[codes], last[codes], int(self.scaled(self.heaps))), points)
        return points if self.decimals == 0 else points / 10**self.decimals

    def declaration(self) -> dict[str, Any]:
        """The keys that declare this in a schema file."""
        heaps = {} if self.heaps is None else {"heaps": self.heaps, "heaped": self.heaped}
        return {"decimals": self.decimals, **heaps}


def drawn_points(
    first: np.ndarray, last: np.ndarray, codes: np.ndarray, rows: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """A grid point for each code, (m,) -> (m,) int64, by the law above.

    The rows of a cell are spread evenly over its law's quantiles and in random order, so that their mean and quantiles
    differ from the law's far less than those of independent draws.
    """
    width, t = last - first + 1, tilts(first, last, rows)[codes]
    share = _even_shares(codes, len(first), rng)
    # u solves t·u² + (1 − t)·u = share, in the form that does not cancel.
    below = (1 - t) + np.sqrt((1 - t) ** 2 + 4 * t * share)
    u = np.divide(2 * share, below, out=np.zeros(len(codes)), where=below > 0)
    return first[codes] + np.minimum((u * width[codes]).astype(np.int64), width[codes] - 1)


def tilts(first: np.ndarray, last: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """t of each cell, (size,) in [-1, 1]: how much denser its upper end is than its middle, relative to the middle."""
    t = np.zeros(len(first))
    wide = np.flatnonzero(last > first)
    if len(wide) < 2:
        return t
    width = (last - first + 1)[wide].astype(float)
    middle, density = (first + last)[wide] / 2, rows[wide] / width
    steps = np.diff(density)
    before, after = np.append(steps[:1], steps), np.append(steps, steps[-1:])  # an end has one neighbour, on both sides
    apart = np.diff(middle)
    slope = (before + after) / (np.append(0.0, apart) + np.append(apart, 0.0))
    slope[[0, -1]] = steps[[0, -1]] / apart[[0, -1]]
    rise = np.minimum.reduce([np.abs(slope) * width / 2, np.abs(before), np.abs(after), density])
    rise = np.where(before * after > 0, np.sign(slope) * rise, 0.0)
    t[wide] = np.divide(rise, density, out=np.zeros(len(wide)), where=density > 0)
    return t


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
