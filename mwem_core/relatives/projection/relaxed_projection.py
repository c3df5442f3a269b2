"""Relaxed projection: noise on every parity at once, then the nearest point of a convex body that contains the truth.

Unlike MWEM it selects nothing and has no distribution over the domain. It works for any number of attributes, and gives
answers only (Dwork, Nikolov & Talwar, "Efficient algorithms for privately releasing marginals via convex relaxations",
2014). Attributes of more than two values are refused: written as bits they would raise the order of the parities, and
the error grows with the order.

The paper takes any public distribution p on the parities, and so does `synopsis`. A distribution on marginals becomes
one on parities (theorem 2.6): each marginal's weight goes to the parities of its subsets.

Utility (theorem 3.4). The noise alone makes M parities err by σ√M each. After projection, their squared errors weighted
by p sum to at most 2 n σ (w + √(2 ln(1/β))) plus the certified gap, with probability at least 1 - β. So the projection
helps most if there are few records for the number of parities. w is the mean width of √p L, of the order of
d^(⌈k/2⌉/2) for d bits and k-way parities.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from mwem_core.algorithm import Answers, OneShot, Round
from mwem_core.domain import Table
from mwem_core.privacy import Accountant, Budget, Guarantee, NoiseSource
from mwem_core.relatives.projection.convex_body import RelaxedBody
from mwem_core.relatives.projection.frank_wolfe import max_steps, needed_steps, project
from mwem_core.relatives.projection.parities import Parities
from mwem_core.workload import Workload


@dataclass(frozen=True, eq=False)
class Synopsis:
    """The values of all M parities in records, (M,), how many of them were measured, and how they came about."""

    values: np.ndarray = field(repr=False)
    measured: int
    outcome: str

    @property
    def label(self) -> str:
        """The number of parities and the outcome, for a round."""
        M = len(self.values)
        count = f"{M:,}" if self.measured == M else f"{self.measured:,} of {M:,}"
        return f"{count} parities, {self.outcome}"


def synopsis(
    exact: np.ndarray, p: np.ndarray, n: float, body: RelaxedBody, account: Accountant, *, cost: Budget
) -> Synopsis:
    """Measure √p times the parities `exact`, project, and answer all M; p is public, its shares sum to 1.

    One record moves each parity by 1 at most, so √p · parities by √Σp = 1 in L2. A parity of share 0 is not measured:
    its value is that of the projection. The others stay as measured if the projection is not certified to be nearer
    than the noise. If all are measured and the projection would take too many steps, it is left out.
    """
    measured, root, sigma = p > 0, np.sqrt(p), cost.scale
    count = int(np.count_nonzero(measured))
    y = np.zeros(len(p))
    y[measured] = account.measure(root[measured] * exact[measured], cost=cost)
    steps, most = needed_steps(n * root, body, sigma), max_steps(body)
    if steps > most and count == len(p):  # the noise is small beside n, and there is little to gain
        return Synopsis(y / root, count, "as measured")
    projection = project(y, n * root, body, min(steps, most))
    values = n * projection.x
    distance = math.sqrt(max(0.0, projection.certified) / count) / sigma
    if distance <= 1:  # else the steps left out may cost more than the noise that the projection removes
        outcome = f"projected in {len(projection.gaps)} steps, to within {distance:.2g} of the noise"
        return Synopsis(values, count, outcome)
    values[measured] = y[measured] / root[measured]
    return Synopsis(values, count, "as measured")


@dataclass(frozen=True, kw_only=True)
class RelaxedProjection(OneShot[Answers]):
    """Settings: ε and δ, and `weights`, a public number for each part of the workload, a marginal or a parity.

    The squared errors of a part's queries count as often as its weight says; only the ratios matter, and None counts
    all alike. (ε, δ)-differential privacy under adding or removing one record, the total n taken as public; the
    projection is post-processing. Raises ValueError for δ = 0 (the noise is Gaussian), and for weights that are
    negative, not finite, or all zero.
    """

    epsilon: float
    delta: float
    weights: tuple[float, ...] | None = None

    def __post_init__(self):
        if self.guarantee.delta == 0:
            raise ValueError("relaxed projection adds Gaussian noise, which needs delta > 0: well below 1/n is usual")
        weights = (1.0,) if self.weights is None else self.weights
        if not all(math.isfinite(weight) and weight >= 0 for weight in weights) or not any(weights):
            raise ValueError("weights must be finite numbers of at least 0, and one above 0: change them")

    @property
    def guarantee(self) -> Guarantee:
        """The (ε, δ) that a run satisfies."""
        return Guarantee(self.epsilon, self.delta)

    def check(self, workload: Workload) -> None:
        """Refuse workloads other than parities or marginals of bits, those too large, and another number of weights."""
        RelaxedBody(Parities.behind(workload))
        if self.weights is not None and len(self.weights) != workload.parts:
            raise ValueError(
                f"the workload has {workload.parts:,} parts, but weights has {len(self.weights):,} numbers: give one "
                "for each marginal or parity, in the workload's order"
            )

    def release(self, B: Table, Q: Workload, noise: NoiseSource) -> Round[Answers]:
        """Measure, project, answer. The label says how near the nearest point the projection is certified to be."""
        queries, budget, n = Parities.behind(Q), self.guarantee.budget, float(B.total)
        p = queries.weights(Q, None if self.weights is None else np.array(self.weights, float))
        account = Accountant(budget, noise)
        found = synopsis(queries.workload.answers(B), p, n, RelaxedBody(queries), account, cost=budget)
        answers = Answers(Q, queries.answers(Q, found.values, n), n)
        return Round(1, account.ledger, answers, label=found.label)
