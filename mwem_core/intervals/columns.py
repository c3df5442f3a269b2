"""What the measurements of a run say of columns and pairs by themselves, with intervals. Reads no private data.

Rows are judged by it without the truth: how far they are from what was measured, and whether noise alone makes that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mwem_core.domain import Attrs
from mwem_core.encoding import spans
from mwem_core.intervals.pooled_estimates import ALPHA, Estimates, deviations, of_counts

Interval = tuple[float, float]
MAX_NUMBER_CELLS = 20_000  # of a column whose mean and quantiles get an interval
HALVINGS = 40  # steps of a bisection: to twelve digits of the range
PLACES = 21  # of the mean within its interval, at which the deviation is bounded


@dataclass(frozen=True, eq=False)
class MeasuredTable:
    """A marginal as measured: its cells in records with an interval for each, (cells,) in any shape.

    An interval holds the true count with 95%, each by itself. `noise` is the total variation that noise alone makes
    between the measured and the true marginal, in the mean, about.
    """

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    noise: float

    def distance(self, shares: np.ndarray) -> float:
        """Total variation between what was measured and these shares; above 1 where noise makes counts negative."""
        return float(np.abs(self.value / self.value.sum() - shares).sum() / 2)

    def inside(self, shares: np.ndarray) -> float:
        """The share of cells whose number of records, by these shares, lies in its interval, to the nearest record."""
        counts = shares * max(float(self.value.sum()), 1.0)
        return float(((counts >= self.low - 0.5) & (counts <= self.high + 0.5)).mean())


def measured_table(known: Estimates, S: Attrs, unit: str) -> MeasuredTable | None:
    """The marginal over S, or None where it was not measured. `unit` is the budget's."""
    if not known.knows(S):
        return None
    value, variance = known.table(S)
    if value.sum() <= 0:
        return None
    low, high = of_counts(value.ravel(), variance**0.5, unit)
    noise = value.size * (variance * 2 / np.pi) ** 0.5 / value.sum() / 2
    return MeasuredTable(value, low.reshape(value.shape), high.reshape(value.shape), float(noise))


@dataclass(frozen=True, eq=False)
class MeasuredNumbers:
    """95% intervals for the mean, the deviation and quantiles of a measured column of numbers, each by itself.

    They hold whatever the values are within their bins, so they are at least as wide as the bins make them.
    """

    mean: Interval
    deviation: Interval
    quantiles: tuple[Interval, ...]


def measured_numbers(known: Estimates, a: int, unit: str, shares: tuple[float, ...]) -> MeasuredNumbers | None:
    """Intervals for a column of numbers, with quantiles at these shares; None where it was not measured.

    Each interval has the values that a test at 5% does not reject, so it holds the true one in 95% of runs.
    """
    kind = known.domain.attributes[a].number_set
    if kind is None or not known.knows((a,)) or kind.size > MAX_NUMBER_CELLS:
        return None
    column = _Column(known, a, unit)
    _, low, high = spans(known.domain.attributes[a])[:, : kind.size]
    first, last = column.mean(low, high, ALPHA)
    return MeasuredNumbers(
        (float(first), float(last)), column.deviation(low, high), tuple(column.quantile(low, high, p) for p in shares)
    )


def measured_correlation(known: Estimates, S: Attrs, unit: str) -> tuple[float, float, float] | None:
    """The correlation of a measured pair of number columns, and its 95% interval. Each value counts as its cell does.

    The interval is to first order in the noise. None where the pair was not measured, or noise hides the spread.
    """
    attributes = [known.domain.attributes[a] for a in S]
    if not all(a.number_set for a in attributes) or not known.knows(S):
        return None
    value, _ = known.table(S)
    places = [spans(attribute)[0] for attribute in attributes]
    x, y = (np.nan_to_num(place) for place in np.meshgrid(*places, indexing="ij"))
    both = np.isfinite(places[0])[:, None] & np.isfinite(places[1])
    n = float((value * both).sum())
    if n <= 0:
        return None
    x, y = (np.where(both, side - float((value * both * side).sum()) / n, 0.0) for side in (x, y))
    xx, yy, xy = (float((value * product).sum()) / n for product in (x * x, y * y, x * y))
    if min(xx, yy) <= 0 or abs(xy) > (xx * yy) ** 0.5:
        return None
    r = xy / (xx * yy) ** 0.5
    influence = x * y / (xx * yy) ** 0.5 - r * (x * x / xx + y * y / yy) / 2
    found = known.answer(S, np.where(both, influence, 0.0) / n)
    assert found is not None
    half = deviations(ALPHA, unit) * found[1] ** 0.5
    return r, max(-1.0, r - half), min(1.0, r + half)


def correlation_of_cells(known: Estimates, S: Attrs, shares: np.ndarray) -> float:
    """The correlation in these shares of a pair's cells; 0 where a column has one value."""
    x, y = (spans(known.domain.attributes[a])[0] for a in S)
    own = np.ix_(np.isfinite(x), np.isfinite(y))
    p = shares[own] / shares[own].sum() if shares[own].sum() else shares[own]
    x, y = x[np.isfinite(x)], y[np.isfinite(y)]
    x, y = x - p.sum(axis=1) @ x, y - p.sum(axis=0) @ y
    spread = float((p.sum(axis=1) @ x**2) * (p.sum(axis=0) @ y**2)) ** 0.5
    return float(x @ p @ y) / spread if spread else 0.0


class _Column:
    """A measured column: linear queries on the cells with a number, which come first, and their standard deviation."""

    def __init__(self, known: Estimates, a: int, unit: str):
        self.k = known.domain.attributes[a].value_set.size
        self.cells, self.unit = known.domain.shape[a], unit
        self.total, self.total_variance = known.total
        self.residual, self.variance = known.residuals[(a,)]

    def answer(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The answers to queries, (..., k), on the cells with a number, and their standard deviations: (...) each."""
        return self._answer(q.sum(axis=-1), (q**2).sum(axis=-1), q @ self.residual[: self.k])

    def up_to(self, share: float) -> tuple[np.ndarray, np.ndarray]:
        """How many records each cell and those before it have above this share of all: values and deviations, (k,)."""
        cells, own = np.arange(1, self.k + 1), self.residual[: self.k]
        squares = cells * (1 - share) ** 2 + (self.k - cells) * share**2
        return self._answer(cells - share * self.k, squares, np.cumsum(own) - share * own.sum())

    def _answer(self, sums: np.ndarray, squares: np.ndarray, read: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of queries with these sums and sums of squares, which read this of the residual."""
        around = np.maximum(squares - sums**2 / self.cells, 0.0) * self.variance
        variance = (sums / self.cells) ** 2 * self.total_variance + around
        return sums / self.cells * self.total + read, variance**0.5

    def mean(self, least: np.ndarray, most: np.ndarray, beta: float) -> tuple[np.ndarray, np.ndarray]:
        """Bounds, (...) each, of the mean of a number that lies between these in each cell, (..., k) each.

        They miss it with a chance of `beta`.

        Σ (x - c) over the records is 0 where c is the mean: c is kept while a test at `beta` / 2 a side allows that.
        """
        z, ends = deviations(beta, self.unit), (least.min(axis=-1), most.max(axis=-1))
        records, noise = self.answer(np.ones(self.k))
        if records <= z * noise:  # too few to say; else what is tested only falls as c grows
            return ends

        def too_low(c: np.ndarray) -> np.ndarray:
            value, deviation = self.answer(least - c[..., None])
            return value - z * deviation > 0

        def up_to_most(c: np.ndarray) -> np.ndarray:
            value, deviation = self.answer(most - c[..., None])
            return value + z * deviation >= 0

        return _bisect(too_low, *ends), _bisect(up_to_most, *ends)

    def deviation(self, low: np.ndarray, high: np.ndarray) -> Interval:
        """Bounds of the standard deviation: those of the mean square about the mean, wherever in its interval it is."""
        c = np.linspace(*self.mean(low, high, ALPHA / 2), PLACES)[:, None]
        ends = (low - c) ** 2, (high - c) ** 2
        least = np.where((low <= c) & (c <= high), 0.0, np.minimum(*ends))
        first, last = self.mean(least, np.maximum(*ends), ALPHA / 2)
        return float(first.min()) ** 0.5, float(last.max()) ** 0.5

    def quantile(self, low: np.ndarray, high: np.ndarray, share: float) -> Interval:
        """Bounds of a quantile: the cells in which a test does not deny that it lies."""
        z = deviations(ALPHA, self.unit)
        value, deviation = self.up_to(share)
        up_to = value + z * deviation >= 0  # the cells up to this one may have the share
        beyond = np.concatenate([[True], (value - z * deviation <= 0)[:-1]])  # those before it may have no more
        possible = np.flatnonzero(up_to & beyond)
        if not len(possible):  # noise has made the counts contradict each other
            possible = np.array([0, self.k - 1])
        return float(low[possible[0]]), float(high[possible[-1]])


def _bisect(below: Callable[[np.ndarray], np.ndarray], low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The points between `low` and `high` up to which `below` holds; an end where it holds nowhere or everywhere."""
    nowhere, everywhere, first, last = ~below(low), below(high), low, high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        holds = below(middle)
        low, high = np.where(holds, middle, low), np.where(holds, high, middle)
    return np.where(nowhere, first, np.where(everywhere, last, low))
