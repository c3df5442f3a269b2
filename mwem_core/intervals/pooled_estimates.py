"""What the measurements of a run say together: an unbiased estimate and its variance, for all that they determine.

Noise is white on the cells of a measured table, and so on the residuals (`matrix.residuals`) of all its marginals,
which are orthogonal. So for every residual by itself, the mean of what was measured of it, weighted by precision, is
the least-squares estimate. An answer is a sum over residuals, and so is its variance. `deviations` says how far noise
goes, and `of_counts` where the interval of a count ends.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from mwem_core.algorithm import AnswerSource, Round
from mwem_core.domain import Attrs, Domain, nonempty_subsets
from mwem_core.model import Measurement, align, centre, table_marginals

ALPHA = 0.05  # the chance that an interval misses the true answer
NEXT = 0.5 + 2.0**-20  # records: an end so far from a whole number is rounded to the next


def deviations(beta: float, unit: str) -> float:
    """z such that noise of standard deviation σ exceeds zσ in size with a chance of at most `beta`, up to a half.

    `unit` is the budget's. ρ: a weighted sum of normal draws is normal, and z is exact.
    ε: a weighted sum of independent Laplace draws. z = ln(1/β) / √2 is exact for a single draw, and safe for a sum:
    the tails of a sum are lighter, so that a sum of many draws exceeds the z of β = 5% with a chance of 3.4%. The tests
    compare both.
    """
    if unit == "ε":
        return math.log(1 / beta) / math.sqrt(2)
    from scipy.special import ndtri  # imported late: it takes a fifth of a second

    return float(-ndtri(beta / 2))


@dataclass(frozen=True, eq=False)
class Intervals:
    """`low` and `high`, whole numbers of records, and which of them are `measured`: (|Q|,) each.

    A measured interval follows from noisy values that determine the answer. It holds the true answer in 95% of runs, in
    up to 97% where many Laplace draws add up, and in more where the noise is below one record. Any other follows from
    bounds, and holds the true answer in at least 95% of runs. Each is for its own answer, not for all at once.
    """

    low: np.ndarray
    high: np.ndarray
    measured: np.ndarray


def of_counts(value: np.ndarray, deviation: np.ndarray | float, unit: str) -> tuple[np.ndarray, np.ndarray]:
    """The ends for counts that cannot be negative, from unbiased values and their standard deviations: (counts,) each.

    With t what noise exceeds in size with a chance of 5%, and t₁ with 10%: from max(m - t, min(m / 2, m - t₁)), at
    least 0, to max(m, 0) + t. A count of μ is missed from above by an m beyond μ + t₁ if μ <= t₁, beyond 2μ if μ <= t,
    and beyond μ + t otherwise; it is missed from below by an m below μ - t if μ > t, else never. So it is held with 95
    to 97.5%, and no interval is empty, however far below zero the noise took m (after Feldman & Cousins 1998).

    Noise may be whole. Then it is not 0 with a chance of at most its variance (Chebyshev), and where that is more than
    5%, the next whole numbers are held too.
    """
    t, t1 = deviations(ALPHA, unit) * deviation, deviations(2 * ALPHA, unit) * deviation
    t = np.where(np.square(deviation) > ALPHA, np.maximum(t, NEXT), t)
    low = np.maximum(value - t, np.minimum(value / 2, value - t1))
    return np.maximum(low, 0.0), np.maximum(value, 0.0) + t


@dataclass(frozen=True, eq=False, repr=False)
class Estimates:
    """Estimates of the total, of residuals, and of single queries.

    `total` is n with its variance, 0 where n is public. A residual has the variance of a coordinate along any unit
    vector of its space. A query is known by its attributes and its values.
    """

    domain: Domain
    total: tuple[float, float]
    residuals: dict[Attrs, tuple[np.ndarray, float]]
    queries: dict[tuple[Attrs, bytes], tuple[float, float]]

    @classmethod
    def of(cls, domain: Domain, rounds: Sequence[Round[AnswerSource]]) -> "Estimates":
        """All that the measurements of these rounds say. n is public unless round 0 has measured it."""
        unit_variance, first = rounds[0].ledger.budget.variance_at(1), rounds[0].measurement
        measurements = [m for entry in rounds for m in entry.measurements]
        if first is None or first.attrs:
            return cls.by(domain, measurements, unit_variance, total=rounds[0].model.total)
        return cls.by(domain, measurements, unit_variance)

    @classmethod
    def by(
        cls, domain: Domain, measurements: Iterable[Measurement], unit_variance: float, *, total: float | None = None
    ) -> "Estimates":
        """All that these say, with noise of this variance at scale 1. Without a public `total` they must measure it."""
        totals, residuals, queries = list[tuple[np.ndarray | float, float]](), defaultdict(list), defaultdict(list)
        for m in measurements:
            precision = 1 / (unit_variance * m.scale**2)
            if m.levels:
                continue  # see `halvings`
            if m.q is not None and not m.of_residuals:
                queries[m.attrs, m.q.tobytes()].append((m.value, precision))
                continue
            if m.whole:
                totals.append((m.value.sum(), precision / m.value.size))
            for A, value, weight in m.residuals(nonempty_subsets(m.attrs)):
                residuals[A].append((value, weight / unit_variance))
        n, variance = _pooled(totals) if total is None else (total, 0.0)
        single = {query: _pooled(values) for query, values in queries.items()}
        return cls(
            domain,
            (float(n), variance),
            {A: _pooled(values) for A, values in residuals.items()},
            {query: (float(value), variance) for query, (value, variance) in single.items()},
        )

    def knows(self, S: Attrs) -> bool:
        """Whether every residual of the marginal over S is known."""
        return all(A in self.residuals for A in nonempty_subsets(S))

    def table(self, S: Attrs) -> tuple[np.ndarray, float]:
        """The marginal over S, all of whose residuals must be known, and the variance of each of its cells.

        t_S = Σ over A ⊆ S of r_A / cells(S \\ A), and 1_x has the squared length rank(A) / cells(S) in the space of A.
        """
        cells = self.domain.cells(S)
        value, variance = np.full(self.domain.sizes(S), self.total[0] / cells), self.total[1] / cells**2
        for A in nonempty_subsets(S):
            residual, of_coordinate = self.residuals[A]
            rank = math.prod(size - 1 for size in residual.shape)
            value = value + align(residual, A, S) * (residual.size / cells)
            variance += rank * of_coordinate * residual.size / cells**2
        return value, variance

    def answer(self, S: Attrs, q: np.ndarray) -> tuple[float, float] | None:
        """The answer to a query on the marginal over S and its variance, or None where it is not known.

        q · t_S = Σ q_A · r_A / cells(S \\ A), with q_A its sums on A, centred along every axis.
        """
        if found := self.queries.get((S, q.tobytes())):
            return found
        share = q.mean()
        value, variance = share * self.total[0], share**2 * self.total[1]
        for A, sums in table_marginals(q, S, nonempty_subsets(S)).items():
            read = centre(sums) * (sums.size / q.size)
            squares = float((read**2).sum())
            if squares < 1e-12 * q.size:  # but for rounding, it reads nothing of this residual
                continue
            if A not in self.residuals:
                return None
            residual, of_coordinate = self.residuals[A]
            value, variance = value + float(np.vdot(read, residual)), variance + squares * of_coordinate
        return value, variance

    def largest_within(self, S: Attrs) -> list[Attrs]:
        """The largest attribute sets within S whose tables are known; the empty one, whose table is n, if no other."""
        found: list[Attrs] = []
        for order in range(len(S), -1, -1):
            for R in combinations(S, order):
                if not any(set(R) <= set(larger) for larger in found) and self.knows(R):
                    found.append(R)
        return found


def _pooled(values: Sequence[tuple[np.ndarray | float, float]]) -> tuple[np.ndarray, float]:
    """The mean of values, each with its precision, weighted by that; and its variance."""
    precision = sum(weight for _, weight in values)
    return np.asarray(sum(weight * np.asarray(value) for value, weight in values) / precision), 1 / precision
