"""Relaxed projection: noise on every parity at once, then the nearest point of a convex body that contains the truth.

Unlike MWEM it selects nothing and has no distribution over the domain. It works for any number of attributes, and gives
answers only (Dwork, Nikolov & Talwar, "Efficient algorithms for privately releasing marginals via convex relaxations",
2014). Attributes of more than two values are refused: written as bits they would raise the order of the parities, and
the error grows with the order.

Utility (theorem 3.4). The noise alone makes M parities err by σ√M each. After projection, their squared errors weighted
by p sum to at most 2 n σ (w + √(2 ln(1/β))) plus the certified gap, with probability at least 1 - β. So the projection
helps most if there are few records for the number of parities. w is the mean width of √p L, of the order of
d^(⌈k/2⌉/2) for d bits and k-way parities.
"""

import math
from dataclasses import dataclass

import numpy as np

from mwem_core.algorithm import Answers, OneShot, Round
from mwem_core.data.table import Table
from mwem_core.privacy.accountant import Accountant
from mwem_core.privacy.guarantee import Guarantee
from mwem_core.privacy.noise import NoiseSource
from mwem_core.relatives.projection.convex_body import RelaxedBody
from mwem_core.relatives.projection.frank_wolfe import max_steps, needed_steps, project
from mwem_core.relatives.projection.parities import Parities
from mwem_core.workload.workload import Workload


@dataclass(frozen=True, kw_only=True)
class RelaxedProjection(OneShot[Answers]):
    """Settings: ε and δ.

    (ε, δ)-differential privacy under adding or removing one record, the total n taken as public; the projection is
    post-processing. Raises ValueError for δ = 0: the noise is Gaussian.
    """

    epsilon: float
    delta: float

    def __post_init__(self):
        if self.guarantee.delta == 0:
            raise ValueError("relaxed projection adds Gaussian noise, which needs delta > 0: well below 1/n is usual")

    @property
    def guarantee(self) -> Guarantee:
        """The (ε, δ) that a run satisfies."""
        return Guarantee(self.epsilon, self.delta)

    def check(self, workload: Workload) -> None:
        """Refuse workloads other than parities or marginals of bits, and those that are too large."""
        RelaxedBody(Parities.behind(workload))

    def release(self, B: Table, Q: Workload, noise: NoiseSource) -> Round[Answers]:
        """Measure, project, answer. The label says how near the nearest point the projection is certified to be.

        If it is no nearer than the noise, or would take too many steps, the answers are as measured.
        """
        queries, budget, n = Parities.behind(Q), self.guarantee.budget, float(B.total)
        body, p = RelaxedBody(queries), queries.weights(Q)
        account = Accountant(budget, noise)
        # One record moves each parity by 1 at most, so √p · parities by √Σp = 1 in L2.
        y = account.measure(np.sqrt(p) * queries.workload.answers(B), cost=budget)
        values, outcome = y / np.sqrt(p), "as measured"
        steps = needed_steps(n * np.sqrt(p), body, budget.scale)
        if steps <= max_steps(body):  # if more are needed, the noise is small beside n, and there is little to gain
            projection = project(y, n * np.sqrt(p), body, steps)
            distance = math.sqrt(max(0.0, projection.certified) / queries.size) / budget.scale
            if distance <= 1:  # else the steps left out may cost more than the noise that the projection removes
                values = n * projection.x
                outcome = f"projected in {len(projection.gaps)} steps, to within {distance:.2g} of the noise"
        answers = Answers(Q, queries.answers(Q, values, n), n)
        return Round(1, account.ledger, answers, label=f"{queries.size:,} parities, {outcome}")
