"""A component of the model: a log-linear distribution over some attributes, independent of all other attributes."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from mwem_core.domain import Attrs, flatten, nonempty_subsets
from mwem_core.model.contraction import PairMarginals, contract, grouped_by_union, pair_marginals
from mwem_core.model.junction_tree import JunctionTree
from mwem_core.model.possible import possible_in
from mwem_core.model.sums import align, centre, marginalise, sorted_axes, table_marginals
from mwem_core.model.triangulation import Clique, eliminate, order_cliques, with_edges

MAX_COMPONENT_JOINT_CELLS = 2**18  # of a component's joint table, from which marginals outside of cliques are summed
MAX_GROUP_JOINT_CELLS = 2**14  # of a joint table for a group of such marginals, where the component's is too large
MAX_SMALL_TREE_CLIQUES = 32  # of a tree that is triangulated and swept as a whole; of a larger tree only a part is
MIN_SHARE = 1e-280  # sweeps raise cells to this share, so that a cell that noise drove to nothing can grow again
MAX_CACHED_CELLS = 2**20  # of marginals that one call may add to the cache, which scoring and charts share


@dataclass(frozen=True, eq=False, repr=False)
class Component:
    """p(x) ∝ exp(Σ_S θ_S(x_S)) over `attrs`, stored as calibrated clique tables (Lauritzen & Spiegelhalter 1988).

    `sizes[a]` is the number of values of the domain's attribute a. `theta` maps attribute sets to tables of
    log-weights. `beliefs[k]` is p's marginal on clique k, in shares. `converged` is true if the last replay of its
    measurements converged: another would change nothing before a new measurement.

    `possible` maps attribute sets of rules to the cells that they leave possible. p is 0 in all others, exactly.
    """

    sizes: tuple[int, ...]
    theta: Mapping[Attrs, np.ndarray]
    tree: JunctionTree
    beliefs: tuple[np.ndarray, ...]
    converged: bool = True
    possible: Mapping[Attrs, np.ndarray] = field(default_factory=dict)
    _cache: dict[Attrs, np.ndarray] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        sizes: Sequence[int],
        attrs: Iterable[int],
        theta: Mapping[Attrs, np.ndarray],
        cover: Iterable[Attrs] = (),
        possible: Mapping[Attrs, np.ndarray] | None = None,
    ) -> "Component":
        """Calibrate exp(Σ θ) over the `possible` cells of `attrs`, on a tree.

        Each of the sets in `theta`, `cover` and `possible` lies in one clique.

        Messages go from the leaves to the root and back, on logarithms.
        """
        possible = possible or {}
        tree = JunctionTree.over([*theta, *cover, *possible], sizes, attrs)
        logs = [np.zeros([sizes[a] for a in clique]) for clique in tree.cliques]
        for S, table in theta.items():
            k = tree.clique_for(S)
            logs[k] += align(table, S, tree.cliques[k])
        for log, cells in zip(logs, possible_in(tree, tuple(sizes), possible), strict=True):
            if cells is not None:
                log[~cells] = -np.inf
        for k in reversed(tree.order):
            logs[k] -= _log_sum(logs[k], tree.cliques[k], ())
            if (parent := tree.parent[k]) >= 0:
                S = tree.separator[k]
                logs[parent] += align(_log_sum(logs[k], tree.cliques[k], S), S, tree.cliques[parent])
        for k in tree.order:
            if (parent := tree.parent[k]) >= 0:
                S, clique = tree.separator[k], tree.cliques[k]
                new, old = _log_sum(logs[parent], tree.cliques[parent], S), _log_sum(logs[k], clique, S)
                change = np.subtract(new, old, out=np.zeros_like(new), where=old > -np.inf)
                logs[k] += align(change, S, clique)
        return cls(tuple(sizes), theta, tree, tuple(map(np.exp, logs)), not theta, possible)

    @classmethod
    def product(cls, components: Sequence["Component"], sets: Sequence[Attrs]) -> "Component":
        """Their product, on a tree with each of `sets` in one clique. Cliques that remain keep their tables."""
        sizes = components[0].sizes
        tree = product_tree(components, sets)
        calibrated = {
            clique: table
            for component in components
            for clique, table in zip(component.tree.cliques, component.beliefs, strict=True)
        }
        beliefs = tuple(calibrated[C] if C in calibrated else _product_marginal(components, C) for C in tree.cliques)
        theta = {T: table for component in components for T, table in component.theta.items()}
        theta |= {S: np.zeros([sizes[a] for a in S]) for S in sets}
        possible = {T: table for component in components for T, table in component.possible.items()}
        return cls(sizes, theta, tree, beliefs, all(component.converged for component in components), possible)

    def updated(
        self, beliefs: Mapping[int, np.ndarray], theta: Mapping[Attrs, np.ndarray], converged: bool
    ) -> "Component":
        """The component with these calibrated tables, one per clique, and with these log-weights replaced."""
        tables = tuple(beliefs[k] for k in range(len(self.tree.cliques)))
        return Component(self.sizes, {**self.theta, **theta}, self.tree, tables, converged, self.possible)

    def in_residuals(self) -> "Component":
        """The same distribution, with a log-weight for each subset of θ's sets, centred along every axis.

        A function is the sum of its centred means over the other attributes of its set.
        """
        theta: dict[Attrs, np.ndarray] = {}
        for S, table in self.theta.items():
            for A, weights in table_marginals(table, S, nonempty_subsets(S)).items():
                theta[A] = theta.get(A, 0.0) + centre(weights) * (weights.size / table.size)
        return replace(self, theta=theta, converged=False, _cache={})

    @cached_property
    def attrs(self) -> Attrs:
        """The component's attributes, sorted."""
        return tuple(sorted(self.tree.cliques_with))

    @cached_property
    def graph(self) -> dict[int, set[int]]:
        """Each attribute's neighbours in a set of θ or of a rule, which a triangulation makes complete."""
        return with_edges({a: set() for a in self.attrs}, [*self.theta, *self.possible])

    @cached_property
    def possible_cells(self) -> tuple[np.ndarray | None, ...]:
        """For each clique, which of its cells are possible; None where all are."""
        return possible_in(self.tree, self.sizes, self.possible)

    @cached_property
    def messages(self) -> tuple[np.ndarray, ...]:
        """p's marginal on each clique's separator, in shares."""
        return tuple(map(marginalise, self.beliefs, self.tree.cliques, self.tree.separator))

    @cached_property
    def conditionals(self) -> tuple[np.ndarray, ...]:
        """p(clique | separator) for each clique, in shares: their product is p."""
        totals = map(align, self.messages, self.tree.separator, self.tree.cliques)
        return tuple(
            np.divide(table, total, out=np.zeros_like(table), where=total > 0)
            for table, total in zip(self.beliefs, totals, strict=True)
        )

    @cached_property
    def one_way(self) -> np.ndarray:
        """The one-way marginals of `attrs`, end to end, in shares."""
        marginals = self.marginals([(a,) for a in self.attrs])
        return flatten([marginals[(a,)] for a in self.attrs])

    @cached_property
    def cells(self) -> int:
        """The number of cells of all clique tables."""
        return sum(belief.size for belief in self.beliefs)

    def covers(self, S: Attrs) -> bool:
        """Whether a clique contains S."""
        return S in self.theta or self.tree.find_clique(S) is not None

    def marginals(self, sets: Sequence[Attrs]) -> dict[Attrs, np.ndarray]:
        """The marginal on each of `sets`, in shares. Sums are shared between them, and results between calls."""
        missing = [S for S in sets if S not in self._cache]
        fresh = self._shares(missing) if missing else {}
        if sum(table.size for table in fresh.values()) <= MAX_CACHED_CELLS:
            self._cache.update(fresh)
        return {S: fresh[S] if S in fresh else self._cache[S] for S in sets}

    @cached_property
    def pairs(self) -> PairMarginals:
        """The marginals of all pairs of its attributes, as one matrix of shares."""
        return pair_marginals(self.sizes, self.tree, self.beliefs)

    @property
    def pairs_work(self) -> int:
        """The most multiplications that `pairs` takes: every value of an attribute by every cell of a clique."""
        return sum(self.sizes[a] for a in self.attrs) * self.cells

    def probability(self, codes: Sequence[np.ndarray]) -> np.ndarray:
        """p at each record: one (m,) array of codes for each attribute of the domain -> (m,) shares."""
        p = np.ones(len(codes[0]))
        for k, clique in enumerate(self.tree.cliques):
            p *= self.conditionals[k][tuple(codes[a] for a in clique)]
        return p

    @property
    def vanishes(self) -> bool:
        """Whether a possible cell has a share below `MIN_SHARE`: its log-weights then say less than its share.

        Sweeps raise such a share, so what they add to its log-weights would be added to a larger one.
        """
        return any(
            (belief if possible is None else belief[possible]).min() < MIN_SHARE
            for belief, possible in zip(self.beliefs, self.possible_cells, strict=True)
        )

    def entropy(self) -> float:
        """-Σ p ln p in nats: the entropies of the cliques minus those of the separators."""

        def of(table: np.ndarray) -> float:
            positive = table[table > 0]
            return float(-(positive * np.log(positive)).sum())

        return sum(map(of, self.beliefs)) - sum(
            of(m) for m, S in zip(self.messages, self.tree.separator, strict=True) if S
        )

    def widening_cells(self, S: Attrs) -> int:
        """The number of cells added if every clique of the subtree between S's attributes takes in S.

        The widened cliques are a triangulation, though not always the smallest. 0 if a clique already contains S.
        """
        if self.tree.find_clique(S) is not None:
            return 0
        return sum(
            self.beliefs[k].size * (math.prod(self.sizes[a] for a in S if a not in self.tree.cliques[k]) - 1)
            for k in self.tree.subtree(S)
        )

    def _shares(self, sets: Sequence[Attrs]) -> dict[Attrs, np.ndarray]:
        """Marginals in shares: a set in a clique is summed from its table, others over the least subtree with them."""
        in_clique: dict[int, list[Attrs]] = {}
        in_no_clique: list[Attrs] = []
        for S in sets:
            k = self.tree.find_clique(S)
            if k is None:
                in_no_clique.append(S)
            else:
                in_clique.setdefault(k, []).append(S)
        if len(in_no_clique) > 1 and math.prod(self.sizes[a] for a in self.attrs) <= MAX_COMPONENT_JOINT_CELLS:
            return table_marginals(self._joint(self.attrs), self.attrs, sets)
        marginals: dict[Attrs, np.ndarray] = {}
        for k, group in in_clique.items():
            marginals |= table_marginals(self.beliefs[k], self.tree.cliques[k], group)
        for union, group in grouped_by_union(in_no_clique, self.sizes, MAX_GROUP_JOINT_CELLS):
            marginals |= table_marginals(self._joint(union), union, group)
        return marginals

    def _joint(self, attrs: Attrs) -> np.ndarray:
        """The marginal on `attrs`, in shares, from the subtree between them: p(root clique) Π p(clique | separator)."""
        members = self.tree.subtree(attrs)
        inside = set(members)
        tables = [self.conditionals[k] if self.tree.parent[k] in inside else self.beliefs[k] for k in members]
        return contract([(table, self.tree.cliques[k]) for k, table in zip(members, tables, strict=True)], attrs)


def product_tree(components: Sequence[Component], sets: Sequence[Attrs]) -> JunctionTree:
    """A tree for the product of some components, with each of `sets` in one clique.

    A small tree is triangulated again as a whole, a large one only between a set's attributes.
    """
    if not _are_large(components):
        return JunctionTree.joining(order_cliques(_triangulated(components, sets), components[0].sizes))
    tree = JunctionTree.forest([component.tree for component in components])
    for S in sets:
        if tree.find_clique(S) is None:
            tree = tree.covering(S, components[0].sizes)
    return tree


def product_cells(components: Sequence[Component], S: Attrs) -> int:
    """The number of cells of `product_tree`, with S in one clique, without joining it, which takes as long again."""
    large, sizes = _are_large(components), components[0].sizes
    cliques = product_tree(components, [S]).cliques if large else _triangulated(components, [S])
    return sum(math.prod([sizes[a] for a in clique]) for clique in cliques)


def _triangulated(components: Sequence[Component], sets: Sequence[Attrs]) -> list[set[int]]:
    """The cliques of their product, triangulated as a whole, with each of `sets` in one clique."""
    graph = {a: set(others) for component in components for a, others in component.graph.items()}
    return eliminate(with_edges(graph, sets), components[0].sizes)


def _are_large(components: Sequence[Component]) -> bool:
    return sum(len(component.tree.cliques) for component in components) > MAX_SMALL_TREE_CLIQUES


def _product_marginal(components: Sequence[Component], clique: Clique) -> np.ndarray:
    """The marginal of a product of components on a clique, in shares, its axes in the clique's order."""
    attrs: list[int] = []
    product = np.ones(())
    for component in components:
        if part := tuple(a for a in sorted(clique) if a in component.tree.cliques_with):
            product = np.multiply.outer(product, component.marginals([part])[part])
            attrs += part
    return np.ascontiguousarray(product.transpose([attrs.index(a) for a in clique]))


def _log_sum(table: np.ndarray, clique: Clique, S: Attrs) -> np.ndarray:
    """`marginalise` on logarithms: a table of log-weights over `clique` -> the logarithm of its sums over S."""
    axes = tuple(i for i, a in enumerate(clique) if a not in S)
    top = table.max(axis=axes, keepdims=True)
    top = np.where(top > -np.inf, top, 0.0)  # sums over impossible cells alone
    with np.errstate(divide="ignore"):
        logs = np.log(np.exp(table - top).sum(axis=axes)) + top.squeeze(axis=axes)
    return logs.transpose(sorted_axes([a for a in clique if a in S]))
