"""Measurements of weighted rows in batches: the rows are counted, and their weights multiplied, once for a batch."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mwem_core.domain.source import Attrs
from mwem_core.model.measurement import Measurement
from mwem_core.model.sums import align, centred, marginalise
from mwem_core.model.sweep import MIN_SHARE
from mwem_core.model.weighted_records import WeightedRecords

DAMPING = 300.0  # noise scales added to a cell's count where the count sets the step
MIN_DAMPING = 1e-3  # records, where there is no noise
MAX_CHANGE = 2.0  # of a log-weight in one update
MAX_BATCH_CELLS = 2**12  # of a batch's table, unless it has one set: updating it costs far less than counting the rows


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
        marginal = marginalise(table, U, self.S)
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

    def update(self, p: np.ndarray, theta: dict[Attrs, np.ndarray], step: float) -> list[float]:
        """Multiply the rows' shares p, (rows,), in place, and add to theta; the squared residual of each update.

        Cells without rows count as `MIN_SHARE`, so that they have a factor too.
        """
        before = np.maximum(np.bincount(self.cell, p, minlength=math.prod(self.shape)), MIN_SHARE)
        table = before.reshape(self.shape).copy()
        squares = [m.update(table, self.U, theta, step) for m in self.measurements]
        p *= (table.ravel() / before)[self.cell]
        return squares


def batches(A: WeightedRecords, measurements: Sequence[Measurement]) -> Iterator[CountedBatch]:
    """The measurements in order, each in one batch with those before it while the batch's table stays small."""
    least = min(m.scale for m in measurements)
    for U, together in _together(measurements, A.sizes):
        counted = [CountedMeasurement.of(m, A.total, least) for m in together]
        yield CountedBatch(U, tuple(A.sizes[a] for a in U), A.cell(U), counted)


def _together(measurements: Sequence[Measurement], sizes: Sequence[int]) -> Iterator[tuple[Attrs, list[Measurement]]]:
    """Runs of measurements, each with the attributes that they read."""
    U, together = set(measurements[0].attrs), []
    for m in measurements:
        joined = U | set(m.attrs)
        if joined > U and math.prod(sizes[a] for a in joined) > MAX_BATCH_CELLS:
            yield tuple(sorted(U)), together
            joined, together = set(m.attrs), []
        U = joined
        together.append(m)
    yield tuple(sorted(U)), together
