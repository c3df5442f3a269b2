"""Measurements of weighted rows in batches: the rows are counted, and their weights multiplied, once for a batch."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mwem_core.domain.source import Attrs
from mwem_core.model.component import MIN_SHARE
from mwem_core.model.contraction import grouped_by_union
from mwem_core.model.measurement import Measurement
from mwem_core.model.sums import align, centred, marginalise
from mwem_core.model.weighted_records import WeightedRecords

DAMPING = 300.0  # noise scales added to a cell's count where the count sets the step
MIN_DAMPING = 1e-3  # records, where there is no noise
MAX_CHANGE = 2.0  # of a log-weight in one update
# Of a batch's table, unless it has one set: updating it costs less than counting the rows. Flights' pairs take a tenth
# longer with 2^12, and triples of twelve small attributes with 2^14.
MAX_BATCH_CELLS = 2**13


@dataclass(frozen=True, eq=False)
class CountedMeasurement:
    """A measurement in shares. `damping` is the share of records added to a count that sets the step."""

    S: Attrs
    m: np.ndarray
    q: np.ndarray | None
    weight: float
    damping: float
    centred: bool

    @classmethod
    def of(cls, m: Measurement, total: float, least: float) -> "CountedMeasurement":
        """In shares of `total` records; `least` is the least noise scale of all measurements."""
        weight = 1.0 if m.scale == least else (least / m.scale) ** 2
        return cls(m.attrs, m.value / total, m.q, weight, max(DAMPING * least, MIN_DAMPING) / total, m.centred)

    def update(self, table: np.ndarray, U: Attrs, theta: dict[Attrs, np.ndarray], step: float) -> float:
        """Multiply the shares of a table over U, in place, and add to theta; weight · (m - q(p))² before it."""
        marginal = table if self.S == U else marginalise(table, U, self.S)
        if self.q is None:
            error = self.m - (centred(marginal) if self.centred else marginal)
            change = self.weight * error / (marginal + self.damping)
        else:
            error = self.m - np.vdot(self.q, marginal)
            change = self.weight * error / (np.vdot(self.q**2, marginal) + self.damping) * self.q
        change = np.clip(step * change, -MAX_CHANGE, MAX_CHANGE)
        factor = np.exp(change)
        held = float(np.vdot(factor, marginal))
        table *= align(factor / held, self.S, U)  # p sums to 1 again
        theta[self.S] = theta[self.S] + (change - math.log(held))
        return self.weight * float(np.vdot(error, error))


@dataclass(frozen=True, eq=False)
class CountedBatch:
    """Measurements whose sets are all within U, and each row's cell of U's marginal: (rows,).

    Their updates are made one after another on that marginal, which has far fewer cells than there are rows.
    """

    U: Attrs
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
        before = np.maximum(np.bincount(self.cell, p, minlength=math.prod(self.shape)), MIN_SHARE)
        table = before.reshape(self.shape).copy()
        squares = [m.update(table, self.U, theta, step) for m in self.measurements]
        p *= (table.ravel() / before)[self.cell]
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
        counted = [CountedMeasurement.of(m, A.total, least) for m in together]
        yield CountedBatch(U, tuple(A.sizes[a] for a in U), A.cell(U), counted)
