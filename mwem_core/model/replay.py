"""Improve a model so that it agrees with noisy measurements: multiplicative weights, swept over a junction tree."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from mwem_core.model.component import Component
from mwem_core.model.loglinear import LogLinear
from mwem_core.model.sums import broadcast, onto, spread
from mwem_core.model.triangulation import JunctionTree
from mwem_core.source import Attrs

TINY = 1e-280  # a share that a replay leaves a cell with: what noise drove to nothing can still come back
FAINT = 1e-250  # a share so small that its cells may hold less than that
STILL = 1e-30  # squared residuals, of shares, that are rounding errors
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
    place, inside = A.place.tolist(), {}
    for measurement in measurements:
        inside.setdefault(place[measurement.attrs[0]], []).append(measurement)
    newest, components = place[measurements[-1].attrs[0]], list(A.components)
    for c, own in inside.items():
        component = components[c]
        if c == newest or not component.settled or any(m.attrs not in component.theta for m in own):
            components[c] = _replayed(component, A.total, own, step, sweeps, tolerance, in_order)
    return LogLinear(A.sizes, A.total, tuple(components))


def _replayed(
    A: Component,
    total: float,
    measurements: Sequence[Measurement],
    step: float,
    sweeps: int,
    tolerance: float,
    in_order: bool,
) -> Component:
    tree = A.tree
    theta = {S: table.copy() for S, table in A.theta.items()}
    beliefs = [table.copy() for table in A.beliefs]
    pivot = tree.order[0]  # the clique that has heard all news

    def move(k: int) -> None:
        """Bring the news to clique k: only messages between the pivot and k are out of date."""
        nonlocal pivot
        if pivot != k:
            for source, target in pairwise(tree.path(pivot, k)):
                pass_message(tree, beliefs, source, target)
            pivot = k

    visits = [_Visit.to(measurement, A, total, theta) for measurement in measurements]
    if not in_order:
        rank = {k: i for i, k in enumerate(tree.order)}
        visits.sort(key=lambda visit: rank[visit.k])
    before, settled = np.inf, False
    for _ in range(sweeps):
        squares = 0.0
        for visit in visits:
            move(visit.k)
            squares += visit.update(beliefs[visit.k], step)
        if squares < STILL or abs(before - squares) < tolerance * squares:
            settled = True
            break
        before = squares
    for k in tree.order:  # first to the root, then from parents to children
        if tree.parent[k] < 0:
            move(k)
        else:
            pass_message(tree, beliefs, tree.parent[k], k)
    return Component(A.sizes, theta, tree, tuple(beliefs), settled)


def pass_message(tree: JunctionTree, beliefs: list[np.ndarray], source: int, target: int) -> None:
    """Give `target`, a neighbour, what `source` believes of their separator: multiply by new over old, in place."""
    S, clique = tree.separator[source if tree.parent[source] == target else target], tree.cliques[target]
    new, old = onto(beliefs[source], tree.cliques[source], S), onto(beliefs[target], clique, S)
    if old.min() < FAINT:
        np.maximum(beliefs[target], TINY, out=beliefs[target])
        old = onto(beliefs[target], clique, S)
    beliefs[target] *= spread(new / old, S, clique)


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
    def to(cls, measurement: Measurement, A: Component, total: float, theta: dict[Attrs, np.ndarray]) -> "_Visit":
        S, sizes = measurement.attrs, A.sizes
        k = A.tree.home_of(S)
        clique = A.tree.cliques[k]
        return cls(
            k,
            list(range(len(clique))),
            [clique.index(a) for a in S],
            *broadcast(S, clique, [sizes[a] for a in S]),
            measurement.value / total,
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
