"""What the measurements of a run say of columns and pairs by themselves, with intervals. Reads no private data.

Rows are judged by it without the truth: how far they are from what was measured, and whether noise alone makes that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mwem_core.domain import Attrs
from mwem_core.encoding import spans
from mwem_core.intervals.pooled_estimates import ALPHA, Estimates, deviations, of_counts


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
