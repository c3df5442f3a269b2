"""One component's clique tables while measurements are swept over them: the multiplicative update, and messages."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from mwem_core.domain import Attrs
from mwem_core.model.component import MIN_SHARE, Component
from mwem_core.model.junction_tree import JunctionTree
from mwem_core.model.measurement import Measurement, Prior
from mwem_core.model.possible import marginal_possible
from mwem_core.model.sums import centre

MAX_EXPONENT = 100.0  # a change of log-weights up to this is raised to a power as it is
NO_ERROR = 1e-30  # a sum of squared residuals, in shares, so small that no update moves anything
MIN_MARGINAL_SHARE = 1e-250  # a marginal below this share may have cells below MIN_SHARE


@dataclass(frozen=True, eq=False)
class MarginalView:
    """The marginal on S of a table over U: its axes, worked out once.

    `possible` says which cells of the table are possible, and `kept` which of the marginal; None where all are.
    """

    every: list[int]  # U's axes
    axes: list[int]  # those of S
    order: list[int]  # the order of U, for the axes of a table over S
    index: tuple[slice | None, ...]  # broadcasts that table over U
    same: bool  # whether a table over S is one over U
    summed: int | None  # the axis to sum, if U has two and S has one
    possible: np.ndarray | None = None
    kept: np.ndarray | None = None

    @classmethod
    def of(cls, S: Attrs, U: Sequence[int], possible: np.ndarray | None = None) -> "MarginalView":
        """The view of S in a table whose axes are U."""
        index = tuple(slice(None) if a in S else None for a in U)
        kept = None if possible is None else marginal_possible(possible, tuple(U), S)
        every, axes, order = list(range(len(U))), [U.index(a) for a in S], [S.index(a) for a in U if a in S]
        summed = 1 - axes[0] if len(U) == 2 and len(S) == 1 else None
        return cls(every, axes, order, index, axes == every, summed, possible, kept)

    def read(self, table: np.ndarray) -> np.ndarray:
        """The marginal on S, in shares. It is never 0 in a possible cell: the table's own are raised to prevent that.

        It is exactly 0 in an impossible one.
        """
        marginal = self.sum(table)
        if np.minimum.reduce(marginal if self.kept is None else marginal[self.kept], None) < MIN_MARGINAL_SHARE:
            np.maximum(table, MIN_SHARE, out=table, where=True if self.possible is None else self.possible)
            marginal = self.sum(table)
        return marginal

    def sum(self, table: np.ndarray) -> np.ndarray:
        """The table summed over all axes but those of S, as a new array; a small table's few sums take no einsum."""
        if self.same:
            return table.copy()
        if self.summed is not None:
            return np.add.reduce(table, self.summed)
        return np.einsum(table, self.every, self.axes)

    def ratio(self, new: np.ndarray, old: np.ndarray) -> np.ndarray:
        """new / old for two marginals on S; 0 in impossible cells."""
        if self.kept is None:
            return new / old
        return np.divide(new, old, out=np.zeros_like(new), where=self.kept)

    def scale(self, table: np.ndarray, factor: np.ndarray) -> None:
        """Multiply the table, in place, by a factor for each cell of S."""
        table *= factor if self.same else factor.transpose(self.order)[self.index]


@dataclass(frozen=True, eq=False)
class PlacedMeasurement:
    """A measurement m of the query q on S, or of S's whole marginal if q is None, in shares, placed at a clique.

    `view` reads S from the table that is updated: the clique's own, or a smaller one. `weight` is (least / scale)², for
    the least noise scale of all. With a prior `ridge` is its κ and `base` its θ (`replay`).
    """

    clique: int
    S: Attrs
    view: MarginalView
    m: np.ndarray
    q: np.ndarray | None
    weight: float = 1.0
    centred: bool = False
    ridge: float = 0.0
    base: np.ndarray | float = 0.0

    @classmethod
    def of(
        cls,
        m: Measurement,
        *,
        clique: int,
        axes: Sequence[int],
        total: float,
        least: float,
        prior: Prior | None,
        possible: np.ndarray | None = None,
    ) -> "PlacedMeasurement":
        """Place m in a table over `axes`, of which these cells are possible; None if all are."""
        weight = 1.0 if m.scale == least else (least / m.scale) ** 2
        placed = clique, m.attrs, MarginalView.of(m.attrs, axes, possible), m.value / total, m.q, weight, m.centred
        if prior is None:
            return cls(*placed)
        return cls(*placed, prior.ridge(m, total), prior.base.get(m.attrs, 0.0))

    def update(self, p: np.ndarray, theta: dict[Attrs, np.ndarray], step: float) -> float:
        """The multiplicative update: p(x) ∝ p(x) exp(step · weight · q(x) · (m - q(p))), in place.

        `p` is a table of shares; `theta` takes the change in log-weights. Returns weight · (m - q(p))² before it. With
        a prior, the gradient of the dual takes the place of m - q(p), and step / (1 + step κ) that of step · weight.
        """
        marginal = self.view.read(p)
        error = self._error(marginal, theta[self.S])
        if self.view.kept is not None and self.q is None and not self.centred:
            error = np.where(self.view.kept, error, 0.0)  # what was measured there is noise: the cell is known to be 0
        square = float(np.vdot(error, error))
        rate = step / (1 + step * self.ridge) if self.ridge else step * self.weight
        change = rate * error if self.q is None else rate * error * self.q
        most = rate * math.sqrt(square)  # no cell changes by more, as |q| <= 1
        factor = np.exp(change if most < MAX_EXPONENT else change - change.max())
        factor /= np.vdot(factor, marginal)  # p sums to 1 again
        self.view.scale(p, factor)
        theta[self.S] = theta[self.S] + change
        return self.weight * square

    def _error(self, marginal: np.ndarray, theta: np.ndarray) -> np.ndarray:
        """m - q(p), or with a prior the gradient of the concave dual, m - q(p) - κθ, for the θ beyond the prior's base.

        The mean of a whole table's gradient is left out, because it changes no p.
        """
        if not self.ridge:
            return self.m - (marginal if self.q is None else np.vdot(self.q, marginal))
        beyond = theta - self.base
        if self.q is not None:
            along_q = np.vdot(self.q, np.broadcast_to(beyond, self.q.shape)) / np.vdot(self.q, self.q)
            return self.m - np.vdot(self.q, marginal) - self.ridge * along_q
        gradient = self.m - (centre(marginal) if self.centred else marginal) - self.ridge * beyond
        gradient -= np.add.reduce(gradient, None) / gradient.size
        return gradient


@dataclass(eq=False)
class CliqueTables:
    """The tables of connected cliques, changed in place, and log-weights theta, whose arrays are not.

    `shared[k]` is the marginal on which clique k and its parent last agreed. `informed` is the clique whose table has
    received every change; only the messages on the way from it are out of date.
    """

    tree: JunctionTree
    members: list[int]  # cliques, parents before children
    theta: dict[Attrs, np.ndarray]
    tables: dict[int, np.ndarray]
    shared: dict[int, np.ndarray]
    views: dict[tuple[int, int], MarginalView]  # (i, j): of the separator in clique i towards its neighbour j
    informed: int

    @classmethod
    def of(cls, component: Component, members: list[int], theta: dict[Attrs, np.ndarray]) -> "CliqueTables":
        """Copies of a calibrated component's tables, for some connected cliques."""
        tree, possible, views = component.tree, component.possible_cells, {}
        for k in members[1:]:
            for i, j in ((k, tree.parent[k]), (tree.parent[k], k)):
                views[i, j] = MarginalView.of(tree.separator[k], tree.cliques[i], possible[i])
        tables = {k: component.beliefs[k].copy() for k in members}
        shared = {k: views[k, tree.parent[k]].read(tables[k]) for k in members[1:]}
        return cls(tree, members, theta, tables, shared, views, members[0])

    def informed_table(self, k: int) -> np.ndarray:
        """Clique k's table, after it received every change made elsewhere."""
        if self.informed != k:
            for source, target in pairwise(self.tree.path(self.informed, k)):
                self.send(source, target)
            self.informed = k
        return self.tables[k]

    def calibrated(self) -> dict[int, np.ndarray]:
        """All tables, after each received every change."""
        self.informed_table(self.members[0])
        for k in self.members[1:]:
            self.send(self.tree.parent[k], k)
        return self.tables

    def send(self, source: int, target: int) -> None:
        """Send a message to a neighbour: multiply its table by the new over the old marginal on their separator."""
        edge = source if self.tree.parent[source] == target else target
        new = self.views[source, target].read(self.tables[source])
        self.views[target, source].scale(self.tables[target], self.views[target, source].ratio(new, self.shared[edge]))
        self.shared[edge] = new
