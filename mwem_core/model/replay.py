"""Improve a model so that it agrees with noisy measurements: multiplicative weights, swept over a junction tree."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from mwem_core.model.loglinear import TINY, LogLinear, broadcast, pass_message
from mwem_core.model.triangulation import Attrs

STRONG = -5.0  # a change of log-weights that may leave cells with nothing


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

    step = 1/2 is the paper's. Stops once a sweep changes the sum of squared residuals by less than `tolerance` of
    itself, or nothing is left to move. `in_order` takes the measurements as given (the paper's Figure 8); otherwise as
    the tree lies, which passes fewer messages. Reads nothing but its arguments, so it costs no privacy.
    """
    A = A.covering([measurement.attrs for measurement in measurements])
    tree = A.tree
    theta = {S: table.copy() for S, table in A.theta.items()}
    beliefs = [table.copy() for table in A.beliefs]
    pivots = list(tree.root)  # by component: the clique that has heard all news

    def move(k: int) -> None:
        """Bring the news to clique k: only messages between the pivot and k are out of date."""
        if pivots[tree.root[k]] != k:
            for source, target in pairwise(tree.path(pivots[tree.root[k]], k)):
                pass_message(tree, beliefs, source, target)
            pivots[tree.root[k]] = k

    visits = [_Visit.to(measurement, A, theta) for measurement in measurements]
    if not in_order:
        rank = {k: i for i, k in enumerate(tree.order)}
        visits.sort(key=lambda visit: rank[visit.k])
    before = np.inf
    for _ in range(sweeps):
        squares = 0.0
        for visit in visits:
            move(visit.k)
            squares += visit.update(beliefs[visit.k], step)
        if squares == 0.0 or abs(before - squares) < tolerance * squares:
            break
        before = squares
    for k in tree.order:  # first to the roots, then from parents to children
        if tree.parent[k] < 0:
            move(k)
        else:
            pass_message(tree, beliefs, tree.parent[k], k)
    return LogLinear(A.sizes, A.total, theta, tree, tuple(beliefs))


@dataclass(frozen=True, eq=False)
class _Visit:
    """A measurement at home in a clique, in shares: what each sweep needs, worked out once."""

    k: int
    every: list[int]  # the clique's axes
    axes: list[int]  # those that are measured
    order: list[int]  # of a measured table's axes in the clique
    shape: list[int]  # that lets it multiply the clique's
    m: np.ndarray
    q: np.ndarray | None
    theta: np.ndarray  # updated in place

    @classmethod
    def to(cls, measurement: Measurement, A: LogLinear, theta: dict[Attrs, np.ndarray]) -> "_Visit":
        S, sizes = measurement.attrs, A.sizes
        k = A.tree.home_of(S)
        clique = A.tree.cliques[k]
        return cls(
            k,
            list(range(len(clique))),
            [clique.index(a) for a in S],
            *broadcast(S, clique, [sizes[a] for a in S]),
            measurement.value / A.total,
            measurement.q,
            theta.setdefault(S, np.zeros([sizes[a] for a in S])),
        )

    def update(self, belief: np.ndarray, step: float) -> float:
        """One step of multiplicative weights on the clique's table, in place; the squared residual before it."""
        now = np.einsum(belief, self.every, self.axes)
        error = self.m - (now if self.q is None else np.vdot(self.q, now))
        change = step * error if self.q is None else step * error * self.q
        np.add(self.theta, change, out=self.theta)
        change = change - change.max()
        if change.min() < STRONG:  # a cell that noise drove to nothing must still be able to come back
            np.maximum(belief, TINY, out=belief)
            now = np.einsum(belief, self.every, self.axes)
        factor = np.exp(change)
        factor /= np.vdot(factor, now)  # the table sums to 1 again
        belief *= factor.transpose(self.order).reshape(self.shape)
        return float(np.vdot(error, error))
