"""Relaxed projection: noise on every parity at once, then the nearest point of a convex body that holds the truth.

Unlike MWEM it chooses nothing and has no distribution over the domain: it works at any number of attributes, and gives
answers only (Dwork, Nikolov & Talwar, "Efficient algorithms for privately releasing marginals via convex relaxations",
2014). Attributes of more than two values are refused: as bits, each would add its own number of bits to the order of a
parity, and the error grows with the order.

Utility (theorem 3.4). The noise alone makes M parities err by σ√M each. Projected, their squared errors weighted by p
sum to at most 2 n σ (w + √(2 ln(1/β))) and the certified gap, with probability at least 1 - β: the less, the fewer the
records beside the parities. w is the mean width of √p L, of the order of d^(⌈k/2⌉/2) for d bits and k-way parities.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mwem_core.algorithm import Answers, OneShot, Round
from mwem_core.data.table import Table
from mwem_core.privacy.budget import Guarantee
from mwem_core.privacy.ledger import Ledger
from mwem_core.privacy.noise import NoiseSource
from mwem_core.relatives.projection.convex_bodies import Body, Exact, Relaxed
from mwem_core.relatives.projection.frank_wolfe import most_steps, project, steps_of
from mwem_core.relatives.projection.parities import Parities
from mwem_core.workload.workload import Workload


@dataclass(frozen=True, kw_only=True)
class RelaxedProjection(OneShot[Answers]):
    """Settings: the guarantee, and whether to project on L, at any number of bits, or on K, at most 20 of them.

    (ε, δ)-differential privacy under adding or removing one record, the total n taken as public; the projection is
    post-processing. Raises ValueError for δ = 0: the noise is Gaussian.
    """

    epsilon: float
    delta: float
    body: Literal["relaxed", "exact"] = "relaxed"

    def __post_init__(self):
        if self.guarantee.delta == 0:
            raise ValueError("relaxed projection adds Gaussian noise, which needs delta > 0: well below 1/n is usual")
        if self.body not in ("relaxed", "exact"):
            raise ValueError(f"body must be relaxed or exact, got {self.body!r}")

    @property
    def guarantee(self) -> Guarantee:
        """The (ε, δ) that a run satisfies."""
        return Guarantee(self.epsilon, self.delta)

    def check(self, workload: Workload) -> None:
        """Refuse what is not parities or marginals of bits, and what does not fit."""
        self._body(Parities.behind(workload))

    def _body(self, queries: Parities) -> Body:
        return Relaxed(queries) if self.body == "relaxed" else Exact(queries)

    def release(self, B: Table, Q: Workload, noise: NoiseSource) -> Round[Answers]:
        """Measure, project, answer. Its label says how near to the nearest point, certified.

        Where that is no nearer than the noise, or takes too many steps, the answers are as measured.
        """
        queries, budget, n = Parities.behind(Q), self.guarantee.budget, float(B.total)
        body, p = self._body(queries), queries.weights(Q)
        # one record moves the parities by ±1 each, so √p · parities by √Σp = 1
        y = budget.measure(np.sqrt(p) * queries.workload.answers(B), noise)
        values, how = y / np.sqrt(p), "as measured"
        steps = steps_of(n * np.sqrt(p), body, budget.scale)
        if steps <= most_steps(body):  # more are needed where there is little noise beside n, and little to gain
            found = project(y, n * np.sqrt(p), body, steps)
            within = math.sqrt(max(0.0, found.certified) / queries.size) / budget.scale
            if within <= 1:  # else the steps left out may cost more than the noise that they would take away
                values, how = n * found.x, f"projected in {len(found.gaps)} steps, to within {within:.2g} of the noise"
        ledger = Ledger(budget).spend(measure=budget.amount)
        return Round(1, ledger, Answers(Q, queries.answers(Q, values, n), n), label=f"{queries.size:,} parities, {how}")
