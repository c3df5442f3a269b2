"""A part of the model that is independent of all others: log-linear, calibrated on a junction tree."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from mwem_core.domain.source import Attrs, end_to_end
from mwem_core.model.contraction import bundles, contract
from mwem_core.model.junction_tree import JunctionTree
from mwem_core.model.pairs import Pairs, all_pairs
from mwem_core.model.sums import in_order, onto, partial_sums, spread
from mwem_core.model.triangulation import Clique

DENSE = 2**18  # below this many cells, many marginals are cheapest summed from one joint table
BUNDLE = 2**14  # cells of a joint table that serves several marginals no clique holds
LARGE = 32  # cliques of a tree, above which only what a new set touches is triangulated anew
KEEP = 2**20  # cells of marginals that are remembered, so that scoring and charts do not both compute them


@dataclass(frozen=True, eq=False)
class Component:
    """p(x) ∝ exp(Σ_S θ_S(x_S)) over `attrs`, held as calibrated clique tables.

    `sizes[a]` is the number of values of attribute a of the domain; `theta` maps attribute sets to tables of
    log-weights; `beliefs[k]` is p's marginal on clique k, in shares. `settled` says that a replay of the measurements
    in it came to its end: nothing moves until there is a new one.
    """

    sizes: tuple[int, ...]
    theta: Mapping[Attrs, np.ndarray]
    tree: JunctionTree
    beliefs: tuple[np.ndarray, ...]
    settled: bool = True
    _known: dict[Attrs, np.ndarray] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, sizes: Sequence[int], attrs: Iterable[int], theta: Mapping[Attrs, np.ndarray], cover: Iterable[Attrs] = ()
    ) -> "Component":
        """Calibrate exp(Σ θ) over `attrs` on a tree whose cliques also cover the sets in `cover`."""
        tree = JunctionTree.over([*theta, *cover], sizes, attrs)
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
        return cls(tuple(sizes), theta, tree, tuple(map(np.exp, beliefs)), settled=not theta)

    @classmethod
    def taking(cls, components: Sequence["Component"], S: Attrs) -> "Component":
        """The product of some components, on a tree with S in one clique. Cliques that stay keep their tables."""
        sizes = components[0].sizes
        tree = tree_taking(components, S)
        held = {
            clique: table
            for component in components
            for clique, table in zip(component.tree.cliques, component.beliefs, strict=True)
        }
        beliefs = tuple(held[C] if C in held else _product_marginal(components, C) for C in tree.cliques)
        theta = {T: table for component in components for T, table in component.theta.items()}
        theta[S] = np.zeros([sizes[a] for a in S])
        return cls(sizes, theta, tree, beliefs, settled=all(component.settled for component in components))

    @cached_property
    def attrs(self) -> Attrs:
        """The attributes it is about."""
        return tuple(sorted(self.tree.holding))

    @cached_property
    def messages(self) -> tuple[np.ndarray, ...]:
        """p's marginal on each clique's separator, in shares."""
        return tuple(map(onto, self.beliefs, self.tree.cliques, self.tree.separator))

    @cached_property
    def conditionals(self) -> tuple[np.ndarray, ...]:
        """p(clique | separator) for each clique: their product is p."""
        return tuple(
            np.divide(table, below, out=np.zeros_like(table), where=below > 0)
            for table, below in (
                (table, spread(message, S, clique))
                for table, message, S, clique in zip(
                    self.beliefs, self.messages, self.tree.separator, self.tree.cliques, strict=True
                )
            )
        )

    @cached_property
    def single(self) -> np.ndarray:
        """The one-way marginals of `attrs`, end to end, in shares."""
        found = self.marginals([(a,) for a in self.attrs])
        return end_to_end([found[(a,)] for a in self.attrs])

    @cached_property
    def cells(self) -> int:
        """Cells held: the sum of the clique tables' sizes."""
        return sum(belief.size for belief in self.beliefs)

    def covers(self, S: Attrs) -> bool:
        """Whether a clique holds all of S."""
        return S in self.theta or self.tree.home(S) is not None

    def marginals(self, sets: Sequence[Attrs]) -> dict[Attrs, np.ndarray]:
        """The marginal on each of `sets`, in shares, computed together where they share partial sums."""
        missing = [S for S in sets if S not in self._known]
        fresh = self._shares(missing) if missing else {}
        if sum(table.size for table in fresh.values()) <= KEEP:
            self._known.update(fresh)
        return {S: fresh[S] if S in fresh else self._known[S] for S in sets}

    @cached_property
    def pairs(self) -> Pairs:
        """The marginals of all pairs of its attributes, as one matrix."""
        return all_pairs(self.sizes, self.tree, self.beliefs)

    def probability(self, codes: Sequence[np.ndarray]) -> np.ndarray:
        """p at each record: one (m,) array of codes for every attribute of the domain -> (m,) shares."""
        p = np.ones(len(codes[0]))
        for k, clique in enumerate(self.tree.cliques):
            p *= self.conditionals[k][tuple(codes[a] for a in clique)]
        return p

    def entropy(self) -> float:
        """-Σ p ln p in nats: cliques less separators."""

        def of(table: np.ndarray) -> float:
            seen = table[table > 0]
            return float(-(seen * np.log(seen)).sum())

        return sum(map(of, self.beliefs)) - sum(
            of(m) for m, S in zip(self.messages, self.tree.separator, strict=True) if S
        )

    def widened(self, S: Attrs) -> int:
        """Cells more if every clique that lies between S's attributes were to hold S: a triangulation, if not the best.

        0 where a clique holds S.
        """
        if self.tree.home(S) is not None:
            return 0
        return sum(
            self.beliefs[k].size * (math.prod(self.sizes[a] for a in S if a not in self.tree.cliques[k]) - 1)
            for k in self.tree.subtree(S)
        )

    def _shares(self, sets: Sequence[Attrs]) -> dict[Attrs, np.ndarray]:
        """Marginals as shares: a set within a clique by summing it, others over the least subtree that holds them."""
        at_home: dict[int, list[Attrs]] = {}
        abroad: list[Attrs] = []
        for S in sets:
            k = self.tree.home(S)
            if k is None:
                abroad.append(S)
            else:
                at_home.setdefault(k, []).append(S)
        if len(abroad) > 1 and math.prod(self.sizes[a] for a in self.attrs) <= DENSE:
            return partial_sums(self._joint(self.attrs), self.attrs, sets)
        found: dict[Attrs, np.ndarray] = {}
        for k, near in at_home.items():
            found |= partial_sums(self.beliefs[k], self.tree.cliques[k], near)
        for union, far in bundles(abroad, self.sizes, BUNDLE):
            found |= partial_sums(self._joint(union), union, far)
        return found

    def _joint(self, attrs: Attrs) -> np.ndarray:
        """The marginal over `attrs`, contracted over the cliques between them: p(top) Π p(clique | separator)."""
        members = self.tree.subtree(attrs)
        inside = set(members)
        parts = []
        for k in members:
            table = self.conditionals[k] if self.tree.parent[k] in inside else self.beliefs[k]
            clique = self.tree.cliques[k]
            used = [a for a in clique if a in attrs or any(a in self.tree.cliques[j] for j in inside if j != k)]
            parts.append((table.sum(axis=tuple(i for i, a in enumerate(clique) if a not in used)), used))
        return contract(parts, attrs)


def tree_taking(components: Sequence[Component], S: Attrs) -> JunctionTree:
    """A tree for the product of some components and for S: a small one triangulated anew, a large one where need be."""
    sizes, trees = components[0].sizes, [component.tree for component in components]
    if sum(len(tree.cliques) for tree in trees) > LARGE:
        return JunctionTree.forest(trees).taking(S, sizes)
    sets = [*(T for component in components for T in component.theta), S]
    return JunctionTree.over(sets, sizes, [a for component in components for a in component.attrs])


def _product_marginal(components: Sequence[Component], clique: Clique) -> np.ndarray:
    """The marginal on a clique, its axes in the clique's order, of independent components."""
    attrs: list[int] = []
    product = np.ones(())
    for component in components:
        if part := tuple(a for a in sorted(clique) if a in component.tree.holding):
            product = np.multiply.outer(product, component.marginals([part])[part])
            attrs += part
    return np.ascontiguousarray(product.transpose([attrs.index(a) for a in clique]))


def _log_sum(table: np.ndarray, clique: Clique, S: Attrs) -> np.ndarray:
    """The logarithm of `onto`, from a table of logarithms."""
    axes = tuple(i for i, a in enumerate(clique) if a not in S)
    top = table.max(axis=axes, keepdims=True)
    logs = np.log(np.exp(table - top).sum(axis=axes)) + top.squeeze(axis=axes)
    return logs.transpose(in_order([a for a in clique if a in S]))
