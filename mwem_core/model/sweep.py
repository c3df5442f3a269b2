"""A component of the model's tree while measurements are swept over it: one pass of multiplicative weights."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from mwem_core.domain.source import Attrs
from mwem_core.model.junction_tree import JunctionTree
from mwem_core.model.triangulation import Clique

TINY = 1e-280  # a share that cells are raised to, so that what noise drove to nothing can still come back
FAINT = 1e-250  # a share so small that its cells may hold less than that
REACH = 10.0  # that a leap changes log-weights by at most, so that no table sinks to nothing
UNION = 2**14  # cells of a table that several measurements are taken on: it fits a core's own cache
LARGE = 2**12  # cells of a clique from which measurements are better taken several at a time


@dataclass(frozen=True, eq=False)
class View:
    """The marginal on S of a table over U."""

    every: list[int]  # U's axes
    axes: list[int]  # those of S
    order: list[int]  # of a table's axes over S in U
    index: tuple[slice | None, ...]  # that lets it multiply U's

    @classmethod
    def of(cls, S: Attrs, U: Sequence[int]) -> "View":
        """Where S lies in U, worked out once."""
        index = tuple(slice(None) if a in S else None for a in U)
        return cls(list(range(len(U))), [U.index(a) for a in S], [S.index(a) for a in U if a in S], index)

    def read(self, table: np.ndarray) -> np.ndarray:
        """Sum over all but S, in shares; never nothing, for which the table's own cells are raised."""
        marginal = np.einsum(table, self.every, self.axes)
        if marginal.min() < FAINT:
            np.maximum(table, TINY, out=table)
            marginal = np.einsum(table, self.every, self.axes)
        return marginal

    def scale(self, table: np.ndarray, factor: np.ndarray) -> None:
        """Multiply, in place, by a factor for each cell of S."""
        table *= factor.transpose(self.order)[self.index]


@dataclass(frozen=True, eq=False)
class Visit:
    """A measurement m of the marginal on S, or of the query q on it, in shares, and the weight of its error."""

    S: Attrs
    view: View
    m: np.ndarray
    q: np.ndarray | None
    weight: float = 1.0

    def update(self, table: np.ndarray, theta: dict[Attrs, np.ndarray], step: float) -> float:
        """p ∝ p exp(step · weight · q · (m - q(p))) in place; the weighted squared residual before it."""
        now = self.view.read(table)
        error = self.m - (now if self.q is None else np.vdot(self.q, now))
        change = step * self.weight * error if self.q is None else step * self.weight * error * self.q
        factor = np.exp(change - change.max())
        factor /= np.vdot(factor, now)  # the table sums to 1 again
        self.view.scale(table, factor)
        theta[self.S] = theta[self.S] + change
        return self.weight * float(np.vdot(error, error))


@dataclass(frozen=True, eq=False)
class Desk:
    """Measurements taken together at clique k: on a small marginal of its table that holds them all, or on the table.

    The same updates one after another, but the clique's many cells are summed and multiplied once for all of them.
    """

    k: int
    view: View | None  # of the small marginal
    visits: list[Visit]

    def update(self, table: np.ndarray, theta: dict[Attrs, np.ndarray], step: float) -> float:
        """Every visit's update of the clique's table, in place; the sum of their squared residuals."""
        if self.view is None:
            return sum(visit.update(table, theta, step) for visit in self.visits)
        before = self.view.read(table)
        small = before.copy()
        squares = sum(visit.update(small, theta, step) for visit in self.visits)
        self.view.scale(table, small / before)
        return squares

    def tilt(self, table: np.ndarray, change: dict[Attrs, np.ndarray]) -> None:
        """Multiply the clique's table by exp of the changes in log-weights, and let it sum to 1."""
        before = None if self.view is None else self.view.read(table)
        small = table if before is None else np.ones_like(before)
        for S, view in {visit.S: visit.view for visit in self.visits}.items():
            view.scale(small, np.exp(change[S] - change[S].max()))
        if self.view is None or before is None:
            table /= table.sum()
        else:
            self.view.scale(table, small / np.vdot(before, small))


def together(sets: Iterable[Attrs], clique: Clique, sizes: Sequence[int]) -> list[Attrs]:
    """Few attribute sets that hold all of `sets`, each far smaller than a large clique where it can.

    First fit: each of `sets` joins the first union that stays small with it.
    """

    def cells(U: Iterable[int]) -> int:
        return math.prod(sizes[a] for a in U)

    everything = tuple(sorted(clique))
    if cells(clique) < LARGE:
        return [everything]
    most = min(cells(clique) // 8, UNION)
    unions: list[set[int]] = []
    for S in sets:
        if cells(S) <= most:
            for U in unions:
                if cells(U | set(S)) <= most:
                    U.update(S)
                    break
            else:
                unions.append(set(S))
    return [*(tuple(sorted(U)) for U in unions), everything]


@dataclass(eq=False)
class Sweep:
    """Connected cliques with the measurements at home in them, while these are swept over.

    Its clique tables are changed in place, theta's not. `shared[k]` is the marginal that clique k and its parent last
    agreed on. `at` is the clique that has heard all news: only the messages on the way from it are out of date.
    """

    tree: JunctionTree
    members: list[int]  # parents before children
    desks: list[Desk]
    theta: dict[Attrs, np.ndarray]
    beliefs: dict[int, np.ndarray]
    shared: dict[int, np.ndarray]
    views: dict[tuple[int, int], View]  # (i, j): of what clique i shares with its neighbour j
    at: int

    @classmethod
    def of(
        cls, tree: JunctionTree, members: list[int], desks: list[Desk], theta: dict[Attrs, np.ndarray], beliefs
    ) -> "Sweep":
        """Of calibrated `beliefs`, which are copied."""
        views = {}
        for k in members[1:]:
            for i, j in ((k, tree.parent[k]), (tree.parent[k], k)):
                views[i, j] = View.of(tree.separator[k], tree.cliques[i])
        own = {k: beliefs[k].copy() for k in members}
        shared = {k: views[k, tree.parent[k]].read(own[k]) for k in members[1:]}
        return cls(tree, members, desks, theta, own, shared, views, members[0])

    def sweep(self, step: float) -> float:
        """Update by every measurement once; the sum of the squared residuals met on the way."""
        squares = 0.0
        for desk in self.desks:
            self.move(desk.k)
            squares += desk.update(self.beliefs[desk.k], self.theta, step)
        return squares

    def leapt(self, earlier: dict[Attrs, np.ndarray], far: float) -> "Sweep":
        """A copy whose log-weights have gone on from `earlier` through the present, `far` times that way at most."""
        change = {S: table - earlier[S] for S, table in self.theta.items()}
        far = min(far, REACH / max(TINY, *(np.abs(table).max() for table in change.values())))
        change = {S: far * table for S, table in change.items()}
        theta = {S: table + change[S] for S, table in self.theta.items()}
        beliefs = {k: table.copy() for k, table in self.beliefs.items()}
        for desk in self.desks:
            desk.tilt(beliefs[desk.k], change)
        new = Sweep(self.tree, self.members, self.desks, theta, beliefs, dict(self.shared), self.views, self.members[0])
        for k in reversed(self.members[1:]):
            new.message(k, self.tree.parent[k])
        return new

    def calibrated(self) -> dict[int, np.ndarray]:
        """The clique tables, once all have heard all news."""
        self.move(self.members[0])
        for k in self.members[1:]:
            self.message(self.tree.parent[k], k)
        return self.beliefs

    def move(self, k: int) -> None:
        """Bring the news to clique k."""
        if self.at != k:
            for source, target in pairwise(self.tree.path(self.at, k)):
                self.message(source, target)
            self.at = k

    def message(self, source: int, target: int) -> None:
        """Give `target` what `source`, its neighbour, believes of what they share: multiply by new over old."""
        edge = source if self.tree.parent[source] == target else target
        new = self.views[source, target].read(self.beliefs[source])
        self.views[target, source].scale(self.beliefs[target], new / self.shared[edge])
        self.shared[edge] = new
