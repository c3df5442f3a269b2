"""The approximating distribution: log-linear, calibrated on a junction tree; one clique makes it a dense table."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import opt_einsum

from mwem_core.model.sums import in_order, partial_sums
from mwem_core.model.triangulation import Attrs, Clique, JunctionTree

DENSE = 2**18  # below this many cells, many marginals are cheapest summed from one joint table
KEEP = 2**20  # cells of marginals a model remembers, so that scoring and charts do not both compute them
TINY = 1e-280  # a share that a replay leaves a cell with: what noise drove to nothing can still come back
FAINT = 1e-250  # a share so small that its cells may hold less than that


@dataclass(frozen=True, eq=False)
class LogLinear:
    """A(x) = total · p(x) with p(x) ∝ exp(Σ_S θ_S(x_S)), held as calibrated clique tables.

    `sizes[a]` is the number of values of attribute a; `theta` maps attribute sets to tables of log-weights;
    `beliefs[k]` is p's marginal on clique k, in shares.
    By the update rule of multiplicative weights log A is a sum of one table per measured attribute set, so this
    is A itself and no approximation of it (Hardt, Ligett & McSherry 2012, section 4, taken further).
    """

    sizes: tuple[int, ...]
    total: float
    theta: Mapping[Attrs, np.ndarray]
    tree: JunctionTree
    beliefs: tuple[np.ndarray, ...]
    _known: dict[Attrs, np.ndarray] = field(default_factory=dict, repr=False)

    @classmethod
    def uniform(cls, sizes: Sequence[int], total: float) -> "LogLinear":
        """A_0: every cell of the domain weighs the same."""
        return cls.of(sizes, total, {})

    @classmethod
    def of(
        cls, sizes: Sequence[int], total: float, theta: Mapping[Attrs, np.ndarray], cover: Iterable[Attrs] = ()
    ) -> "LogLinear":
        """Calibrate exp(Σ θ) on a tree whose cliques also cover the sets in `cover`."""
        tree = JunctionTree.over([*theta, *cover], sizes)
        beliefs = [np.zeros([sizes[a] for a in clique]) for clique in tree.cliques]  # logarithms, until all is summed
        for S, table in theta.items():
            k = tree.home_of(S)
            beliefs[k] += spread(table, S, tree.cliques[k])
        for k in reversed(tree.order):
            beliefs[k] -= _log_sum(beliefs[k], tree.cliques[k], ())
            if (parent := tree.parent[k]) >= 0:
                S = tree.separator[k]
                beliefs[parent] += spread(_log_sum(beliefs[k], tree.cliques[k], S), S, tree.cliques[parent])
        for k in tree.order:
            if (parent := tree.parent[k]) >= 0:
                S, clique = tree.separator[k], tree.cliques[k]
                news = _log_sum(beliefs[parent], tree.cliques[parent], S) - _log_sum(beliefs[k], clique, S)
                beliefs[k] += spread(news, S, clique)
        return cls(tuple(sizes), total, dict(theta), tree, tuple(map(np.exp, beliefs)))

    def covering(self, sets: Sequence[Attrs]) -> "LogLinear":
        """The same distribution on a tree with a clique for each of `sets`."""
        if all(self.tree.home(S) is not None for S in sets):
            return self
        return self.of(self.sizes, self.total, self.theta, cover=sets)

    @cached_property
    def messages(self) -> tuple[np.ndarray, ...]:
        """p's marginal on each clique's separator, in shares."""
        return tuple(map(onto, self.beliefs, self.tree.cliques, self.tree.separator))

    def marginal(self, attrs: Attrs) -> np.ndarray:
        """Weights by cell of `attrs` (a sorted tuple), in records: shape `sizes` over attrs."""
        return self.marginals([attrs])[0]

    def marginals(self, sets: Sequence[Attrs]) -> list[np.ndarray]:
        """The marginal on each of `sets`, in records, computed together where they share partial sums."""
        missing = [S for S in dict.fromkeys(sets) if S not in self._known]
        fresh = {S: table * self.total for S, table in self._shares(missing).items()}
        if sum(table.size for table in fresh.values()) <= KEEP:
            self._known.update(fresh)
        return [fresh[S] if S in fresh else self._known[S] for S in sets]

    def probability(self, codes: Sequence[np.ndarray]) -> np.ndarray:
        """p at each record: one (m,) array of codes an attribute -> (m,) shares of the total."""
        p = np.ones(len(codes[0]))
        for k, clique in enumerate(self.tree.cliques):
            p *= self.beliefs[k][tuple(codes[a] for a in clique)]
            if self.tree.separator[k]:
                below = self.messages[k][tuple(codes[a] for a in self.tree.separator[k])]
                p = np.divide(p, below, out=np.zeros_like(p), where=below > 0)
        return p

    def entropy(self) -> float:
        """-Σ p ln p in nats: cliques less separators."""

        def of(table: np.ndarray) -> float:
            seen = table[table > 0]
            return float(-(seen * np.log(seen)).sum())

        return sum(map(of, self.beliefs)) - sum(
            of(m) for m, S in zip(self.messages, self.tree.separator, strict=True) if S
        )

    @property
    def cells(self) -> int:
        """Cells held: the sum of the clique tables' sizes."""
        return sum(belief.size for belief in self.beliefs)

    def cells_with(self, S: Attrs, limit: float) -> int:
        """Cells a tree that also covers S would hold; exact where over `limit`, else possibly an upper bound.

        Widening every clique between S's attributes to hold S is a triangulation too: if it fits, no better is sought.
        """
        cells = self.cells
        if self.tree.home(S) is not None:
            return cells
        for k in self.tree.subtree(S):
            cells += self.beliefs[k].size * (math.prod(self.sizes[a] for a in S if a not in self.tree.cliques[k]) - 1)
        if cells <= limit:
            return cells
        tree = JunctionTree.over([*self.theta, S], self.sizes)
        return sum(math.prod(self.sizes[a] for a in clique) for clique in tree.cliques)

    def _shares(self, sets: Sequence[Attrs]) -> dict[Attrs, np.ndarray]:
        """Marginals as shares: a set within a clique by summing it, others over the least subtree that holds them."""
        at_home: dict[int, list[Attrs]] = {}
        abroad: dict[tuple[int, ...], list[Attrs]] = {}
        for S in sets:
            k = self.tree.home(S)
            if k is not None:
                at_home.setdefault(k, []).append(S)
            else:
                abroad.setdefault(tuple(self.tree.subtree(S)), []).append(S)
        if sum(map(len, abroad.values())) > 1 and math.prod(self.sizes) <= DENSE:
            return partial_sums(
                self._joint(tuple(range(len(self.sizes))), self.tree.order), tuple(range(len(self.sizes))), sets
            )
        found: dict[Attrs, np.ndarray] = {}
        for k, near in at_home.items():
            found |= partial_sums(self.beliefs[k], self.tree.cliques[k], near)
        for members, far in abroad.items():
            union = tuple(sorted({a for S in far for a in S}))
            if len(far) > 1 and math.prod(self.sizes[a] for a in union) <= DENSE:
                found |= partial_sums(self._joint(union, members), union, far)
            else:
                found |= {S: self._joint(S, members) for S in far}
        return found

    def _joint(self, attrs: Attrs, members: Sequence[int]) -> np.ndarray:
        """Contract the cliques in `members` to a table over `attrs`: p(top) Π p(clique | separator)."""
        inside, parts = set(members), []
        for k in members:
            table, clique = self.beliefs[k], self.tree.cliques[k]
            if self.tree.parent[k] in inside:
                below = spread(self.messages[k], self.tree.separator[k], clique)
                table = np.divide(table, below, out=np.zeros_like(table), where=below > 0)
            used = [a for a in clique if a in attrs or any(a in self.tree.cliques[j] for j in inside if j != k)]
            parts += [table.sum(axis=tuple(i for i, a in enumerate(clique) if a not in used)), used]
        return np.asarray(opt_einsum.contract(*parts, list(attrs), optimize="greedy"))


def spread(table: np.ndarray, S: Attrs, clique: Clique) -> np.ndarray:
    """A table over S, its axes moved and shaped so that it multiplies one over `clique`."""
    order, shape = broadcast(S, clique, table.shape)
    return table.transpose(order).reshape(shape)


def broadcast(S: Attrs, clique: Clique, sizes: Sequence[int]) -> tuple[list[int], list[int]]:
    """The order of axes, then the shape, in which a table of `sizes` over S multiplies one over `clique`."""
    order = [S.index(a) for a in clique if a in S]
    return order, [sizes[S.index(a)] if a in S else 1 for a in clique]


def onto(table: np.ndarray, clique: Clique, S: Attrs) -> np.ndarray:
    """Sum a table over `clique` down to S; einsum is two to five times as fast as sum where short axes come last."""
    return np.einsum(table, range(len(clique)), [clique.index(a) for a in S])


def pass_message(tree: JunctionTree, beliefs: list[np.ndarray], source: int, target: int) -> None:
    """Give `target`, a neighbour, what `source` believes of their separator: multiply by new over old, in place."""
    S, clique = tree.separator[source if tree.parent[source] == target else target], tree.cliques[target]
    new, old = onto(beliefs[source], tree.cliques[source], S), onto(beliefs[target], clique, S)
    if old.min() < FAINT:
        np.maximum(beliefs[target], TINY, out=beliefs[target])
        old = onto(beliefs[target], clique, S)
    beliefs[target] *= spread(new / old, S, clique)


def _log_sum(table: np.ndarray, clique: Clique, S: Attrs) -> np.ndarray:
    """The logarithm of `onto`, from a table of logarithms."""
    axes = tuple(i for i, a in enumerate(clique) if a not in S)
    top = table.max(axis=axes, keepdims=True)
    logs = np.log(np.exp(table - top).sum(axis=axes)) + top.squeeze(axis=axes)
    return logs.transpose(in_order([a for a in clique if a in S]))
