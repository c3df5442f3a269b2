"""Boosting for queries: each synopsis is for the queries that the earlier ones served worst; their median answers.

MWEM's weights are on the domain's cells; these are on the queries, so no domain is too large. The output is answers
only (Dwork, Rothblum & Vadhan 2010; with relaxed projection for the synopses, as in section 5 of Dwork, Nikolov &
Talwar 2014). The aim is the worst query, not the average one.

The boosted queries are the M parities behind the workload: no cell of a marginal errs by more than the worst of its
parities. Round t of T draws queries from D_t, and relaxed projection with the draws' frequencies as weights answers all
queries, also those not drawn. A synopsis serves a query by a_t = 1 if it errs by at most λ, by -1 from
λ + μ on, and linearly between: that is the attenuation. D_{t+1} ∝ exp(-α Σ_{s<=t} a_s).

Privacy. One record moves an error by at most 1, hence each a_s by at most 2/μ and the sum of t of them by at most 2t/μ.
So a draw from D_{t+1} is an exponential mechanism of ε = 2α · 2t/μ, and costs ρ = ε²/8. The first draws are from the
uniform distribution and cost nothing. μ is chosen so that the draws of all rounds cost their share of the budget.

Utility. Let r = √(1 - M^(-2/T)) and α = ½ ln((1+r)/(1-r)). If D_t's mean of a_t is above r in every round, the median
of T answers errs by less than λ + μ everywhere. Otherwise half of a query's a_t are -1, so Σ a_t <= 0 and
exp(-α Σ a_t) >= 1; but over all queries these sum to less than M (cosh α - r sinh α)^T = M (1 - r²)^(T/2) = 1.

If every parity can be measured, boosting costs more than it gains: it pays for queries that a synopsis has to guess.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mwem_core.algorithm import Answers, Round, check_task
from mwem_core.base import is_whole
from mwem_core.domain import Table
from mwem_core.privacy import Accountant, Budget, Guarantee, NoiseSource
from mwem_core.relatives.parity_body import Parities, RelaxedBody
from mwem_core.relatives.relaxed_projection import synopsis
from mwem_core.workload import Workload

SPLIT = 0.1  # of the budget, for the draws of several rounds
MAX_DRAW_READS = 4 * 10**7  # draws of a round, times the M weights that each draw reads: seconds


@dataclass(frozen=True, kw_only=True)
class Boosting:
    """Settings: ε and δ, and T synopses of `draws` queries each. The draws have the share `SPLIT` of the budget.

    (ε, δ)-differential privacy under adding or removing one record, the total n taken as public. Raises ValueError for
    δ = 0 (the noise is Gaussian) and for a setting out of its range.
    """

    epsilon: float
    delta: float
    draws: int
    T: int = 5

    def __post_init__(self):
        if self.guarantee.delta == 0:
            raise ValueError("boosting adds Gaussian noise, which needs delta > 0: well below 1/n is usual")
        for name in ("draws", "T"):
            if not is_whole(value := getattr(self, name)) or value < 1:
                raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")

    @property
    def guarantee(self) -> Guarantee:
        """The (ε, δ) this run satisfies."""
        return Guarantee(self.epsilon, self.delta)

    @property
    def measurement_budget(self) -> Budget:
        """The cost of each round's measurement. A single round needs no draws that read the data."""
        _, measuring = self.guarantee.budget.split(SPLIT)
        return (measuring if self.T > 1 else self.guarantee.budget).part(Fraction(1, self.T))

    def draw_budget(self, t: int) -> Budget:
        """The cost of each draw after round t < T, so that the draws of all rounds cost their share; see `mu`."""
        squares = sum(s * s for s in range(1, self.T))
        return self.guarantee.budget.part(SPLIT).part(Fraction(t * t, squares * self.draws))

    def alpha(self, M: int) -> float:
        """α, for the least advantage r that T rounds turn into all of M queries; one query counts as two."""
        return math.atanh(math.sqrt(1 - max(M, 2) ** (-2 / self.T)))

    def mu(self, M: int) -> float:
        """μ, in records, at which Σ_{t<T} draws · (4αt/μ)²/8 is the share of ρ for the draws."""
        squares = sum(t * t for t in range(1, self.T))
        return self.alpha(M) * math.sqrt(2 * self.draws * squares / (SPLIT * self.guarantee.budget.amount))

    def lam(self, n: float) -> float:
        """λ, in records: the error that the noise alone makes for queries drawn evenly, √draws σ; at most n."""
        return min(math.sqrt(self.draws) * self.measurement_budget.scale, n)

    def planned_rounds(self, n: float, workload: Workload) -> int:  # noqa: ARG002
        """T."""
        return self.T

    def check(self, workload: Workload) -> None:
        """Refuse workloads other than parities or marginals of bits, and those that are too large."""
        RelaxedBody(Parities.behind(workload))

    def rounds(self, B: Table, Q: Workload, *, noise: NoiseSource) -> Iterator[Round[Answers]]:
        """T rounds, each with the median of the synopses so far."""
        check_task(self, B, Q)
        return self._run(B, Q, noise)

    def _run(self, B: Table, Q: Workload, noise: NoiseSource) -> Iterator[Round[Answers]]:
        queries, n = Parities.behind(Q), float(B.total)
        exact, body, M = queries.workload.answers(B), RelaxedBody(queries), queries.size
        account, synopses, served = Accountant(self.guarantee.budget, noise), [], np.zeros(M)
        drawn = np.random.default_rng(0).integers(M, size=self.draws)  # from the uniform D_1, which is public
        for t in range(1, self.T + 1):
            p = np.bincount(drawn, minlength=M) / self.draws
            found = synopsis(exact, p, n, body, account, cost=self.measurement_budget)
            synopses.append(np.clip(found.values, -n, n))
            label = f"{found.measured:,} of {M:,} parities"
            values = np.median(synopses, axis=0)
            yield Round(t, account.ledger, Answers(Q, queries.answers(Q, values, n), n), label=label)
            if t < self.T:
                served = served + attenuation(np.abs(synopses[-1] - exact), self.lam(n), self.mu(M))
                cost, sensitivity = self.draw_budget(t), 2 * t / self.mu(M)
                drawn = [account.choose(-served, cost=cost, sensitivity=sensitivity) for _ in range(self.draws)]


def attenuation(error: np.ndarray, lam: float, mu: float) -> np.ndarray:
    """a: 1 for errors up to λ, -1 from λ + μ on, linear between. It moves by at most 2/μ if an error moves by 1."""
    return np.clip(1 - 2 * (error - lam) / mu, -1, 1)


def boosting_preset(workload: Workload, *, epsilon: float, delta: float, T: int | None = None) -> Boosting:
    """Four draws for each parity, fewer if M is large; five rounds, and a tenth of ρ for the draws.

    The paper fixes orders of magnitude only. These values of T, draws and `SPLIT` were best on two tables of 6 and 16
    bits.
    """
    M = Parities.behind(workload).size
    return Boosting(epsilon=epsilon, delta=delta, T=5 if T is None else T, draws=min(4 * M, MAX_DRAW_READS // M))
