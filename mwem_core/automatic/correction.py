"""Tables that are known twice, noisy as measured and as a model has them: what to expect of every cell."""

import math
from collections.abc import Container, Sequence
from dataclasses import dataclass

import numpy as np

from mwem_core.base import constants
from mwem_core.domain import Attrs
from mwem_core.model import LogLinear, Measurement
from mwem_core.prior import MIN_STRENGTH, NODE_WEIGHTS, NODES, typical_strength
from mwem_core.weighted import Single
from mwem_core.workload import Workload, consistent_projection, nearest_possible, to_simplex

STRENGTHS, FACTORS = 20, 25  # tried
CELLS_AT_ONCE = 2**13  # cells: what is computed of them fits a core's own cache
MAX_EVIDENCE = 10**5  # cells that the strengths are found from: they say enough, and within a tenth of a second


@dataclass(frozen=True, eq=False)
class TwofoldCells:
    """Cells of tables: what was measured less what the model has, the noise variance, and the prior's spread.

    A cell of which the model has a records varies around them by n a / λ: KL is ½ Σ (p - base)² / base to second order.
    Cells differ: their λ is log-normal around their table's. So a measured cell that is far from the model's is taken
    to be of small λ, and is believed. `table` is the number of a cell's table. Arrays are (cells,).
    """

    gap: np.ndarray
    noise: np.ndarray
    spread: np.ndarray
    table: np.ndarray

    @classmethod
    def of(
        cls, marginals: Sequence[np.ndarray], measured: Sequence[Measurement], unit_variance: float, n: float
    ) -> "TwofoldCells":
        """All cells of the tables, in order."""
        gaps = [m.residual(table).ravel() for m, table in zip(measured, marginals, strict=True)]
        table = np.repeat(np.arange(len(gaps)), [len(gap) for gap in gaps])
        noise = unit_variance * np.array([m.scale for m in measured]) ** 2
        spread = n * np.concatenate([table.ravel() for table in marginals])
        return cls(np.concatenate(gaps), noise[table], spread, table)

    def strengths(self, typical: np.ndarray, n: float) -> np.ndarray:
        """The most probable λ of each table, around f times those of `typical` tables: (tables,) -> (tables,).

        Tables differ as the cells in them do, and f as its own table from typical ones: all are log-normal. f is the
        most probable one whatever the tables' λ are. A model that has some tables as measured, and others as if their
        attributes were independent, needs a λ for each.
        """
        tried = np.geomspace(MIN_STRENGTH, max(n, 1.0), STRENGTHS)
        factors = np.exp(constants.UNCERTAINTY * np.linspace(-3, 3, FACTORS))
        far = np.log(tried / (typical[:, None, None] * factors[:, None])) / constants.UNCERTAINTY
        logs = self._evidence(tried)[:, None] - far**2 / 2  # (tables, factors, tried)
        common = np.logaddexp.reduce(logs, axis=2).sum(axis=0) - (np.log(factors) / constants.UNCERTAINTY) ** 2 / 2
        return tried[logs[:, common.argmax()].argmax(axis=1)]

    def posterior(self, strengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The mean of what the model's cells lack, and its variance: (cells,) each, for the tables' typical λ.

        For a known λ it is the gap times v / (v + noise), for v = n a / λ; here it is the mean over all λ. Goes through
        a few cells at a time.
        """
        parts = [self._of(slice(first, first + CELLS_AT_ONCE)) for first in range(0, len(self.gap), CELLS_AT_ONCE)]
        means, variances = zip(*(part._posterior(strengths) for part in parts), strict=True)
        return np.concatenate(means), np.concatenate(variances)

    def _posterior(self, strengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        variance, logs = self._log_densities(strengths[self.table])
        weights = np.exp(logs - logs.max(axis=0))
        weights /= weights.sum(axis=0)
        kept = variance / (variance + self.noise)
        mean = (weights * kept).sum(axis=0) * self.gap
        square = (weights * (kept * self.noise + (kept * self.gap) ** 2)).sum(axis=0)
        return mean, np.maximum(square - mean**2, 0.0)

    def _of(self, cells: np.ndarray | slice) -> "TwofoldCells":
        return TwofoldCells(self.gap[cells], self.noise[cells], self.spread[cells], self.table[cells])

    def _evidence(self, tried: np.ndarray) -> np.ndarray:
        """The logarithm of the density of each table's gaps for each λ: (tables, tried), from equally many cells."""
        sizes = np.bincount(self.table)
        steps = np.ceil(sizes * len(sizes) / MAX_EVIDENCE).astype(int)
        place = np.arange(len(self.table)) - (np.cumsum(sizes) - sizes)[self.table]
        read = place % steps[self.table] == 0
        some = self._of(read)
        times, evidence = sizes / np.bincount(some.table), []
        for each in tried.tolist():
            _, logs = some._log_densities(each)
            largest = logs.max(axis=0)
            density = largest + np.log(np.exp(logs - largest).sum(axis=0))
            evidence.append(times * np.bincount(some.table, density))
        return np.stack(evidence, axis=1)

    def _log_densities(self, strength: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
        """The prior variances and the logarithms of weight times density of the gap, at each node: (5, cells)."""
        variance = self.spread / (strength * np.exp(constants.UNCERTAINTY * NODES[:, None]))
        total = variance + self.noise
        return variance, np.log(NODE_WEIGHTS)[:, None] - 0.5 * (np.log(total) + self.gap**2 / total)


def expected_tables(A: Single, measured: Sequence[Measurement], unit_variance: float) -> list[Measurement]:
    """The expected tables, given A's and the measured ones, with the standard deviation of what is not known of a cell.

    A typical table of k attributes carries the information of its k (k - 1) / 2 pairs; its λ for each of its cells is
    that of a residual with as many coordinates a pair. The deviation is the root of the mean variance.
    """
    if not measured:
        return []
    marginals = A.marginals([m.attrs for m in measured])
    cells = TwofoldCells.of(marginals, measured, unit_variance, A.total)
    pairs = np.array([max(1, math.comb(len(m.attrs), 2)) for m in measured])
    typical = typical_strength(2, np.array([table.size for table in marginals]) / pairs, A.total)
    means, variances = cells.posterior(cells.strengths(typical, A.total))
    ends = np.cumsum([table.size for table in marginals])[:-1]
    return [
        Measurement(m.attrs, table + mean.reshape(table.shape), math.sqrt(variance.mean()))
        for m, table, mean, variance in zip(
            measured, marginals, np.split(means, ends), np.split(variances, ends), strict=True
        )
    ]


def corrected_tables(
    A: Single, Q: Workload, measured: Sequence[Measurement], unit_variance: float, *, alone: Container[Attrs] = ()
) -> list[Measurement]:
    """The expected tables of all marginals of Q, made consistent, then possible: of A's total, with no cell below zero.

    These are the first two of the projections that `matrix.consistency.non_negative` alternates. Cells that rules
    forbid are 0.
    """
    tables = expected_tables(A, measured, unit_variance)
    consistent = consistent_projection(Q, A.total)(np.concatenate([m.value.ravel() for m in tables]))
    cells = np.split(nearest_possible(Q, consistent, A.total), Q.offsets[1:-1])
    for i, m in enumerate(tables):
        if m.attrs in alone:
            cells[i] = to_simplex(m.value.reshape(1, -1), A.total)[0]
    if isinstance(A, LogLinear) and A.possible:
        cells = [_where_possible(*each, A.total) for each in zip(cells, A.marginals(Q.sets), strict=True)]
    return [Measurement(m.attrs, each.reshape(m.value.shape), m.scale) for m, each in zip(tables, cells, strict=True)]


def _where_possible(cells: np.ndarray, marginal: np.ndarray, n: float) -> np.ndarray:
    """The nearest table of n records, (cells,), that has none where the model's marginal is 0."""
    possible, table = marginal.ravel() > 0, np.zeros(len(cells))
    table[possible] = to_simplex(cells[possible][None], n)[0]
    return table
