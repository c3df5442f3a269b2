"""Measurements of weighted rows in batches: the rows are counted, and their weights multiplied, once for a batch."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mwem_core.domain import Attrs
from mwem_core.model import MIN_SHARE, MarginalView, Measurement, centre, grouped_by_union
from mwem_core.weighted.weighted_records import WeightedRecords

DAMPING = 300.0  # noise scales added to a cell's count where the count sets the step
MIN_DAMPING = 1e-3  # records, where there is no noise
MAX_CHANGE = 2.0  # of a log-weight in one update
# Of a batch's table, unless it has one set: updating it costs less than counting the rows.
MAX_BATCH_CELLS = 2**13


@dataclass(frozen=True, eq=False)
class CountedMeasurement:
    """A measurement in shares. `damping` is the share of records added to a count that sets the step.

    `view` reads S from the table that is updated.
    """

    S: Attrs
    view: MarginalView
    m: np.ndarray
    q: np.ndarray | None
    weight: float
    damping: float
    centred: bool

    @classmethod
    def of(cls, m: Measurement, U: Attrs, total: float, least: float) -> "CountedMeasurement":
        """On a table over U, in shares of `total` records; `least` is the least noise scale of all measurements."""
        weight = 1.0 if m.scale == least else (least / m.scale) ** 2
        damping = max(DAMPING * least, MIN_DAMPING) / total
        return cls(m.attrs, MarginalView.of(m.attrs, U), m.value / total, m.q, weight, damping, m.centred)

    def update(self, table: np.ndarray, theta: dict[Attrs, np.ndarray], step: float) -> float:
        """Multiply the table of shares, in place, and add to theta; weight · (m - q(p))² before it."""
        factor, square = self.factor(table if self.view.same else self.view.sum(table), theta, step)
        self.view.scale(table, factor)
        return square

    def factor(self, marginal: np.ndarray, theta: dict[Attrs, np.ndarray], step: float) -> tuple[np.ndarray, float]:
        """What the update multiplies the marginal's shares by, after adding it to theta; weight · (m - q(p))²."""
        if self.q is None:
            error = self.m - (centre(marginal) if self.centred else marginal)
            change = error / (marginal + self.damping)
        else:
            error = self.m - np.vdot(self.q, marginal)
            change = error / (np.vdot(self.q**2, marginal) + self.damping) * self.q
        change *= step * self.weight
        np.minimum(change, MAX_CHANGE, out=change)  # the two take a third of np.clip's time on small tables
        np.maximum(change, -MAX_CHANGE, out=change)
        factor = np.exp(change)
        held = float(np.vdot(factor, marginal))
        factor /= held  # p sums to 1 again
        change -= math.log(held)
        theta[self.S] = theta[self.S] + change
        return factor, self.weight * float(np.vdot(error, error))


@dataclass(frozen=True, eq=False)
class CountedBatch:
    """Measurements whose sets are all within U, the shape of U's marginal, and each row's cell of it: (rows,).

    Their updates are made one after another on that marginal, which has far fewer cells than there are rows.
    """

    shape: tuple[int, ...]
    cell: np.ndarray
    measurements: list[CountedMeasurement]

    @property
    def work(self) -> int:
        """The rows and cells that one sweep goes through."""
        return len(self.cell) + len(self.measurements) * math.prod(self.shape)

    def update(self, p: np.ndarray, theta: dict[Attrs, np.ndarray], step: float) -> list[float]:
        """Multiply the rows' shares p, (rows,), in place, and add to theta; the squared residual of each update.

        Cells without rows count as `MIN_SHARE`, so that they have a factor too.
        """
        before = np.bincount(self.cell, p, minlength=math.prod(self.shape)).reshape(self.shape)
        np.maximum(before, MIN_SHARE, out=before)
        if len(self.measurements) == 1 and self.measurements[0].view.same:
            factor, square = self.measurements[0].factor(before, theta, step)
            squares = [square]
        else:
            factor = before.copy()
            squares = [m.update(factor, theta, step) for m in self.measurements]
            factor /= before
        p *= factor.take(self.cell)
        return squares


def in_groups(measurements: Sequence[Measurement], sizes: Sequence[int]) -> list[tuple[Attrs, list[Measurement]]]:
    """The measurements in groups, each with the attributes it reads, whose table is no larger than a batch's may be."""
    by_set: dict[Attrs, list[Measurement]] = {}
    for m in measurements:
        by_set.setdefault(m.attrs, []).append(m)
    return [
        (U, [m for S in sets for m in by_set[S]]) for U, sets in grouped_by_union(list(by_set), sizes, MAX_BATCH_CELLS)
    ]


def batches(A: WeightedRecords, groups: Sequence[tuple[Attrs, Sequence[Measurement]]]) -> Iterator[CountedBatch]:
    """A batch for each group."""
    least = min(m.scale for _, together in groups for m in together)
    for U, together in groups:
        counted = [CountedMeasurement.of(m, U, A.total, least) for m in together]
        yield CountedBatch(tuple(A.sizes[a] for a in U), A.cell(U), counted)
