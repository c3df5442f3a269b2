"""Frank and Wolfe's projection onto a convex body, of which only the furthest point in a direction can be computed."""

import math
from dataclasses import dataclass, field

import numpy as np

from mwem_core.algorithm import Answers, OneShot, Round
from mwem_core.domain import Table
from mwem_core.privacy import Accountant, Budget, NoiseSource
from mwem_core.relatives.parity_body import Parities, RelaxedBody
from mwem_core.workload import Workload

MAX_PROJECTION_STEPS = 1000
MAX_WORK = 1e10  # multiplications in all steps, at one alternation each; a step takes about ten, so half a minute


@dataclass(frozen=True, eq=False)
class Projection:
    """A point x of the body, (M,), the gap before each step, and a certified upper bound on the gap after the last.

    The gap max_v ⟨y - z, v - z⟩, with z = scale · x, bounds |z - z*|², and ½|y - z|² less its least value.
    """

    x: np.ndarray
    gaps: np.ndarray
    certified: float


def project(y: np.ndarray, scale: np.ndarray, body: RelaxedBody, steps: int) -> Projection:
    """An x of the body whose |y - scale · x| is nearly least: (M,), (M,) -> (M,).

    It starts from 0. Each step goes to the best point on the segment to the furthest vertex. With exact vertices the
    least gap of the first t steps is at most 6.75 D²/(t + 2), D the diameter of scale · body (Jaggi 2013).
    """
    x, vertex, gaps = np.zeros(len(y)), None, []
    for _ in range(steps):
        a = scale * (y - scale * x)
        vertex = body.furthest(a, vertex)
        direction = vertex.x - x
        gaps.append(float(a @ direction))
        length = float(((scale * direction) ** 2).sum())
        if gaps[-1] <= 0 or length == 0:
            break
        x = x + min(1.0, gaps[-1] / length) * direction
    a = scale * (y - scale * x)
    return Projection(x, np.array(gaps), body.bound(a, body.furthest(a, vertex)) - float(a @ x))


def needed_steps(scale: np.ndarray, body: RelaxedBody, sigma: float) -> int:
    """n/(σ · width): after so many steps the gap is below the cost of the noise. `scale` is n√p.

    The mean width of the body is E max_x ⟨√p g, x⟩ for Gaussian g; one draw, from a public seed, is close to it.
    """
    n = np.linalg.norm(scale)
    a = scale / n * np.random.default_rng(0).normal(size=len(scale))
    return math.ceil(n / (sigma * float(a @ body.furthest(a).x)))


def max_steps(body: RelaxedBody) -> int:
    """The most steps that are affordable."""
    return max(1, min(MAX_PROJECTION_STEPS, int(MAX_WORK / body.work)))


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
    """Settings: ε and δ. (ε, δ)-differential privacy under adding or removing one record, the total n taken as public.

    The projection is post-processing. Raises ValueError for δ = 0, as the noise is Gaussian.
    """

    epsilon: float
    delta: float

    def __post_init__(self):
        super().__post_init__()
        if self.delta == 0:
            raise ValueError("relaxed projection adds Gaussian noise, which needs delta > 0: well below 1/n is usual")

    def check(self, workload: Workload) -> None:
        """Refuse workloads other than parities or marginals of bits, and those too large."""
        RelaxedBody(Parities.behind(workload))

    def release(self, B: Table, Q: Workload, noise: NoiseSource) -> Round[Answers]:
        """Measure, project, answer. The label says how near the nearest point the projection is certified to be."""
        queries, budget, n = Parities.behind(Q), self.guarantee.budget, float(B.total)
        exact, p, account = queries.workload.answers(B), queries.weights(Q), Accountant(budget, noise)
        found = synopsis(exact, p, n, RelaxedBody(queries), account, cost=budget)
        answers = Answers(Q, queries.answers(Q, found.values, n), n)
        return Round(1, account.ledger, answers, label=found.label)
