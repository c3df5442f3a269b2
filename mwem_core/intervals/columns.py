"""Marginals as measured, by which rows are judged without the truth: how far off they are, and what noise alone makes.

Reads no private data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mwem_core.domain import Attrs
from mwem_core.intervals.pooled_estimates import Estimates, of_counts


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
