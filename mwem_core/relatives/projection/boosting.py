"""Boosting for queries: each synopsis is for the queries that those before it served worst; their median answers.

Unlike MWEM, whose weights are on the domain's cells, these are on the queries, so that no domain is too large; what
comes out are answers only (Dwork, Rothblum & Vadhan 2010; with relaxed projection for the synopses, as in section 5 of
Dwork, Nikolov & Talwar 2014). Its aim is the worst query, not the average one.

Boosted are the M parities behind the workload: no cell of a marginal errs by more than the worst of its parities.
Round t of T draws queries from D_t, measures them with Gaussian noise, projects on the body L, and so answers all of
them, the ones not drawn too. A synopsis serves a query by a_t = 1 where it errs by at most λ, -1 from λ + μ on, and
linearly between: that is the attenuation. D_{t+1} ∝ exp(-α Σ_{s<=t} a_s).

Privacy. One record moves an error by at most 1, hence each a_s by at most 2/μ and the sum of t of them by at most
2t/μ: a draw from D_{t+1} is an exponential mechanism of ε = 2α · 2t/μ, and costs ρ = ε²/8. The first draws are from
the uniform distribution and cost nothing. μ is what makes the draws of all rounds cost their share of the budget.

Utility. With r = √(1 - M^(-2/T)) and α = ½ ln((1+r)/(1-r)): if D_t's mean of a_t is above r in every round, the
median of T answers errs by less than λ + μ everywhere. Where it does not, half of the query's a_t are -1, so Σ a_t <= 0
and exp(-α Σ a_t) >= 1; but over all queries these sum to less than M (cosh α - r sinh α)^T = M (1 - r²)^(T/2) = 1.

Where every parity can be measured it costs more than it gains: a synopsis that has to guess none needs no boosting.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mwem_core.algorithm import Answers, Round
from mwem_core.checks import is_whole
from mwem_core.data.table import Table, check_not_empty
from mwem_core.privacy.budget import Budget, Guarantee
from mwem_core.privacy.ledger import Ledger
from mwem_core.privacy.mechanisms import exponential
from mwem_core.privacy.noise import NoiseSource
from mwem_core.relatives.projection.convex_bodies import Relaxed
from mwem_core.relatives.projection.frank_wolfe import most_steps, project, steps_of
from mwem_core.relatives.projection.parities import Parities
from mwem_core.workload.workload import Workload

MOST_DRAWS = 4 * 10**7  # in a round, times the M weights that each draw reads: seconds


@dataclass(frozen=True, kw_only=True)
class Boosting:
    """Settings: the guarantee, T synopses of so many `draws` each, and the share of the budget that draws them.

    (ε, δ)-differential privacy under adding or removing one record, the total n taken as public. Raises ValueError for
    δ = 0 (the noise is Gaussian) and for a setting out of its range.
    """

    epsilon: float
    delta: float
    draws: int
    T: int = 5
    split: float = 0.1

    def __post_init__(self):
        if self.guarantee.delta == 0:
            raise ValueError("boosting adds Gaussian noise, which needs delta > 0: well below 1/n is usual")
        for name in ("draws", "T"):
            if not is_whole(value := getattr(self, name)) or value < 1:
                raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")
        if not 0 < self.split < 1:
            raise ValueError(f"split must lie between 0 and 1, both excluded, got {self.split!r}")

    @property
    def guarantee(self) -> Guarantee:
        """The (ε, δ) this run satisfies."""
        return Guarantee(self.epsilon, self.delta)

    @property
    def measuring(self) -> Budget:
        """What each round's measurement costs; one round alone draws nothing by the data."""
        return self.guarantee.budget.part((1 - self.split if self.T > 1 else 1.0) / self.T)

    def alpha(self, M: int) -> float:
        """α, for the least advantage r that T rounds turn into all of M queries, and of one as of two."""
        return math.atanh(math.sqrt(1 - max(M, 2) ** (-2 / self.T)))

    def mu(self, M: int) -> float:
        """μ, in records: the one at which Σ_{t<T} draws · (4αt/μ)²/8 is the share of ρ that draws."""
        squares = sum(t * t for t in range(1, self.T))
        return self.alpha(M) * math.sqrt(2 * self.draws * squares / (self.split * self.guarantee.budget.amount))

    def lam(self, n: float) -> float:
        """λ, in records: what the noise alone does to queries drawn evenly, √draws σ; at most n."""
        return min(math.sqrt(self.draws) * self.measuring.scale, n)

    def planned_rounds(self, n: float, workload: Workload) -> int:  # noqa: ARG002
        """T."""
        return self.T

    def check(self, workload: Workload) -> None:
        """Refuse what is not parities or marginals of bits, and what does not fit."""
        Relaxed(Parities.behind(workload))

    def rounds(self, B: Table, Q: Workload, *, noise: NoiseSource) -> Iterator[Round[Answers]]:
        """T rounds, each with the median of the synopses so far."""
        self.check(Q)
        check_not_empty(B)
        return self._run(B, Q, noise)

    def _run(self, B: Table, Q: Workload, noise: NoiseSource) -> Iterator[Round[Answers]]:
        queries, n = Parities.behind(Q), float(B.total)
        exact, body, M = queries.workload.answers(B), Relaxed(queries), queries.size
        ledger, synopses, served = Ledger(self.guarantee.budget), [], np.zeros(M)
        drawn = np.random.default_rng(0).integers(M, size=self.draws)  # from the uniform D_1, which is public
        for t in range(1, self.T + 1):
            p = np.bincount(drawn, minlength=M) / self.draws
            synopses.append(n * self._synopsis(p, exact, n, body, noise))
            ledger = ledger.spend(measure=self.measuring.amount)
            label = f"{np.count_nonzero(p):,} of {M:,} parities"
            values = np.median(synopses, axis=0)
            yield Round(t, ledger, Answers(Q, queries.answers(Q, values, n), n), label=label)
            if t < self.T:
                served = served + attenuated(np.abs(synopses[-1] - exact), self.lam(n), self.mu(M))
                most = 2 * t / self.mu(M)
                epsilon = 2 * self.alpha(M) * most
                drawn = [
                    exponential(-served, epsilon=epsilon, sensitivity=most, noise=noise) for _ in range(self.draws)
                ]
                ledger = ledger.spend(select=self.draws * epsilon**2 / 8)

    def _synopsis(self, p: np.ndarray, exact: np.ndarray, n: float, body: Relaxed, noise: NoiseSource) -> np.ndarray:
        """Measure those of the queries that have weight, project, answer all: (M,) shares of n.

        Where the projection is not certified to be nearer to its goal than the noise is, those measured stay as such.
        """
        y, asked, sigma = np.zeros(len(p)), p > 0, self.measuring.scale
        y[asked] = self.measuring.measure(np.sqrt(p[asked]) * exact[asked], noise)  # one record moves it by √Σp = 1
        scale = n * np.sqrt(p)
        found = project(y, scale, body, min(steps_of(scale, body, sigma), most_steps(body)))
        x = found.x.copy()
        if found.certified > np.count_nonzero(asked) * sigma**2:
            x[asked] = np.clip(y[asked] / scale[asked], -1, 1)
        return x


def attenuated(error: np.ndarray, lam: float, mu: float) -> np.ndarray:
    """a: 1 for errors up to λ, -1 from λ + μ on, linear between: it moves by 2/μ at most where they move by 1."""
    return np.clip(1 - 2 * (error - lam) / mu, -1, 1)


def preset(workload: Workload, *, epsilon: float, delta: float, T: int | None = None) -> Boosting:
    """Four draws for each parity, fewer where M is large; five rounds, and a tenth of ρ to draw.

    The paper fixes orders of magnitude only; of T, draws and split these served best on two tables of 6 and 16 bits.
    """
    M = Parities.behind(workload).size
    return Boosting(epsilon=epsilon, delta=delta, T=5 if T is None else T, draws=min(4 * M, MOST_DRAWS // M))
