"""Improve a model so that it agrees with noisy measurements: multiplicative weights, swept over a junction tree."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from mwem_core.model.loglinear import LogLinear, onto, pass_message, spread
from mwem_core.model.triangulation import Attrs

TINY = 1e-280  # of the total: what a cell keeps, far below any share that matters


@dataclass(frozen=True, eq=False)
class Measurement:
    """What a mechanism returned for a query, or for every cell of a marginal.

    `q` holds the query's values on the cells of the marginal over `attrs`, in [-1, 1], and `value` its noisy answer;
    where `q` is None the whole marginal was measured and `value` has a number a cell. `value` and `scale` (of the
    noise: b for Laplace, σ for Gaussian) are in records.
    """

    attrs: Attrs
    value: np.ndarray
    scale: float
    q: np.ndarray | None = None

    def answer(self, marginal: np.ndarray) -> np.ndarray:
        """q(A) from A's marginal over `attrs`, in its unit: a number, or the whole marginal."""
        return marginal if self.q is None else np.asarray(np.vdot(self.q, marginal))

    def residual(self, marginal: np.ndarray) -> np.ndarray:
        """m - q(A), in records."""
        return self.value - self.answer(marginal)


def replay(
    A: LogLinear,
    measurements: Sequence[Measurement],
    *,
    step: float,
    sweeps: int,
    tolerance: float = 0.0,
    in_order: bool = False,
) -> LogLinear:
    """Sweep A(x) ∝ A(x) exp(step · q(x) · (m - q(A)) / n) over the measurements, at most `sweeps` times.

    step = 1/2 is the paper's. Stops once a sweep changes the worst residual by less than `tolerance` of itself, or
    moves nothing. `in_order` takes the measurements as given (the paper's Figure 8); otherwise as the tree lies, which
    passes fewer messages. Reads nothing but its arguments, so it costs no privacy.
    """
    A = A.covering([measurement.attrs for measurement in measurements])
    tree, n = A.tree, A.total
    theta = {S: table.copy() for S, table in A.theta.items()}
    beliefs, messages = [table.copy() for table in A.beliefs], list(A.messages)
    pivots = list(tree.root)  # by component: the clique that has heard all news

    def move(k: int) -> None:
        """Bring the news to clique k: only messages between the pivot and k are out of date."""
        path = tree.path(pivots[tree.root[k]], k)
        for source, target in pairwise(path):
            pass_message(tree, beliefs, messages, source, target)
        pivots[tree.root[k]] = k

    def update(measurement: Measurement, k: int) -> float:
        S, clique = measurement.attrs, tree.cliques[k]
        error = measurement.residual(onto(beliefs[k], clique, S) * n) / n
        change = step * error if measurement.q is None else step * error * measurement.q
        theta[S] = theta[S] + change if S in theta else change
        beliefs[k] *= spread(np.exp(change - change.max()), S, clique)
        beliefs[k] /= beliefs[k].sum()
        np.maximum(beliefs[k], TINY, out=beliefs[k])  # a cell that noise drove to nothing can still come back
        return float(np.abs(error).sum())

    rank = {k: i for i, k in enumerate(tree.order)}
    visits = [(measurement, tree.home_of(measurement.attrs)) for measurement in measurements]
    if not in_order:
        visits.sort(key=lambda visit: rank[visit[1]])
    before = np.inf
    for _ in range(sweeps):
        worst = 0.0
        for measurement, k in visits:
            move(k)
            worst = max(worst, update(measurement, k))
        if worst == 0.0 or abs(before - worst) < tolerance * worst:
            break
        before = worst
    for k in tree.order:  # first to the roots, then from parents to children
        if tree.parent[k] < 0:
            move(k)
        else:
            pass_message(tree, beliefs, messages, tree.parent[k], k)
    return LogLinear(A.sizes, n, theta, tree, tuple(beliefs), tuple(messages))
