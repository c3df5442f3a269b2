"""Tables that are known twice, noisy as measured and as a model has them: what to expect of every cell."""

import math
from collections.abc import Container, Sequence
from dataclasses import dataclass

import numpy as np

from mwem_core.domain.source import Attrs
from mwem_core.matrix.consistency import consistent_projection, nearest_possible, to_simplex
from mwem_core.model.average import Single
from mwem_core.model.loglinear import LogLinear
from mwem_core.model.measurement import Measurement
from mwem_core.mwem.prior import MIN_STRENGTH, UNCERTAINTY, typical_strength
from mwem_core.workload.workload import Workload

STRENGTHS = 20  # tried
MAX_EVIDENCE = 10**5  # cells that the strength is found from: they say enough, and within a tenth of a second
# The five-point Gauss-Hermite rule for a standard normal variable.
NODES = np.array([-2.8569700, -1.3556262, 0.0, 1.3556262, 2.8569700])
NODE_WEIGHTS = np.array([0.0112574, 0.2220759, 0.5333333, 0.2220759, 0.0112574])


@dataclass(frozen=True, eq=False)
class KnownTwice:
    """Cells of tables, (cells,): what was measured less what the model has, the noise variance, and the prior's spread.

    A cell of which the model has a records varies around them by n a / λ: KL is ½ Σ (p - base)² / base to second order.
    Cells differ: their λ is log-normal around a typical one. So a measured cell that is far from the model's is taken
    to be of small λ, and is believed.
    """

    gap: np.ndarray
    noise: np.ndarray
    spread: np.ndarray

    @classmethod
    def of(
        cls, marginals: Sequence[np.ndarray], measured: Sequence[Measurement], unit_variance: float, n: float
    ) -> "KnownTwice":
        """All cells of the tables, in order."""
        gaps = [m.residual(table).ravel() for m, table in zip(measured, marginals, strict=True)]
        noise = [np.full(m.value.size, unit_variance * m.scale**2) for m in measured]
        spread = n * np.concatenate([table.ravel() for table in marginals])
        return cls(np.concatenate(gaps), np.concatenate(noise), spread)

    def strength(self, typical: float, n: float) -> float:
        """The most probable typical λ; it is log-normal itself, around that of typical tables."""
        strengths = np.geomspace(MIN_STRENGTH, max(n, 1.0), STRENGTHS)
        far = (np.log(strengths / typical) / UNCERTAINTY) ** 2
        step = math.ceil(self.gap.size / MAX_EVIDENCE)
        some = KnownTwice(self.gap[::step], self.noise[::step], self.spread[::step])
        evidence = [step * some._evidence(each) for each in strengths.tolist()]
        return float(strengths[(np.array(evidence) - far / 2).argmax()])

    def posterior(self, strength: float) -> tuple[np.ndarray, np.ndarray]:
        """The mean of what the model's cells lack, and its variance: (cells,) each.

        For a known λ it is the gap times v / (v + noise), for v = n a / λ; here it is the mean over all λ.
        """
        variance, logs = self._log_densities(strength)
        weights = np.exp(logs - logs.max(axis=0))
        weights /= weights.sum(axis=0)
        kept = variance / (variance + self.noise)
        mean = (weights * kept).sum(axis=0) * self.gap
        square = (weights * (kept * self.noise + (kept * self.gap) ** 2)).sum(axis=0)
        return mean, np.maximum(square - mean**2, 0.0)

    def _evidence(self, strength: float) -> float:
        _, logs = self._log_densities(strength)
        largest = logs.max(axis=0)
        return float((largest + np.log(np.exp(logs - largest).sum(axis=0))).sum())

    def _log_densities(self, strength: float) -> tuple[np.ndarray, np.ndarray]:
        """The prior variances and the logarithms of weight times density of the gap, at each node: (5, cells)."""
        variance = self.spread / (strength * np.exp(UNCERTAINTY * NODES[:, None]))
        total = variance + self.noise
        return variance, np.log(NODE_WEIGHTS)[:, None] - 0.5 * (np.log(total) + self.gap**2 / total)


def expected_tables(A: Single, measured: Sequence[Measurement], unit_variance: float) -> list[Measurement]:
    """The expected tables, given A's and the measured ones, with the standard deviation of what is not known of a cell.

    The typical table of k attributes carries the information of its k (k - 1) / 2 pairs; its λ for each of its cells is
    that of a residual with as many coordinates a pair. The deviation is the root of the mean variance.
    """
    marginals = A.marginals([m.attrs for m in measured])
    cells = KnownTwice.of(marginals, measured, unit_variance, A.total)
    k, size = len(measured[0].attrs), np.array([table.size for table in marginals]).mean(keepdims=True)
    typical = typical_strength(2, size / max(1, math.comb(k, 2)), A.total).item()
    means, variances = cells.posterior(cells.strength(typical, A.total))
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
