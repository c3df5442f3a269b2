"""The approximating distribution A: a product of independent components, each log-linear on a junction tree."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from itertools import chain, combinations

import numpy as np

from mwem_core.domain import Attrs, Source, attribute_sets
from mwem_core.model.component import Component, product_cells
from mwem_core.model.sums import sorted_axes
from mwem_core.model.triangulation import connected_components

MATRIX_WORK = 10**5  # values times cells of a component, for each pair asked, up to which all come from one matrix


@dataclass(frozen=True, eq=False)
class LogLinear(Source):
    """A(x) = total · Π_c p_c(x), with p_c log-linear over the attributes of component c, and no attribute in two.

    `sizes[a]` is the number of values of attribute a. The model is A itself, not an approximation of it: by the update
    rule of multiplicative weights, log A is a sum of one table for each measured attribute set. Hardt, Ligett &
    McSherry (2012, section 4) factor A over the components; a junction tree in each component factors it further. With
    a single clique the model is the dense table. An update keeps the objects of the components it does not change.
    """

    sizes: tuple[int, ...]
    total: float
    components: tuple[Component, ...] = field(repr=False)

    @classmethod
    def uniform(
        cls, sizes: Sequence[int], total: float, possible: Mapping[Attrs, np.ndarray] | None = None
    ) -> "LogLinear":
        """A_0: the same weight on every cell of the domain, or on every cell that rules leave `possible`."""
        return cls.of(sizes, total, {}, possible=possible)

    @classmethod
    def of(
        cls,
        sizes: Sequence[int],
        total: float,
        theta: Mapping[Attrs, np.ndarray],
        cover: Iterable[Attrs] = (),
        possible: Mapping[Attrs, np.ndarray] | None = None,
    ) -> "LogLinear":
        """Calibrate exp(Σ θ) over the `possible` cells, on trees.

        Each of the sets in `theta`, `cover` and `possible` lies in one clique. Raises ValueError if no cell is left.
        """
        return cls(tuple(sizes), total, _components(sizes, range(len(sizes)), theta, list(cover), possible or {}))

    def covering(self, sets: Sequence[Attrs]) -> "LogLinear":
        """The same distribution with each of `sets` in one clique; components without their attributes are kept.

        A new tree may divide a set that happened to be within a clique of the old tree. It is then covered by weights
        of its own, which every later tree keeps in one clique.
        """
        A = self
        while missing := [S for S in sets if not A.covers(S)]:
            kept: list[Component] = []
            joined: list[Component] = []
            linked = [tuple(A.component_of[list(S)].tolist()) for S in missing]
            for group in connected_components(linked, range(len(A.components))):
                within = [S for S, parts in zip(missing, linked, strict=True) if parts[0] in group]
                members = [A.components[c] for c in group]
                if within:
                    joined.append(Component.product(members, within))
                else:
                    kept += members
            A = LogLinear(A.sizes, A.total, (*kept, *joined))
        return A

    def cells_with(self, S: Attrs, limit: float) -> int:
        """The cells A would hold if a clique also held S: exact if over `limit`, else possibly an upper bound."""
        if self.covers(S):
            return self.cells
        parts = self.component_parts(S)
        joint = math.prod(self.sizes[a] for a in S) if len(parts) > 1 else 0
        widened = self.cells + joint + sum(component.widening_cells(part) for component, part in parts)
        if widened <= limit:
            return widened
        merged = [component for component, _ in parts]
        return self.cells - sum(component.cells for component in merged) + product_cells(merged, S)

    def in_residuals(self) -> "LogLinear":
        """The same distribution, with a centred log-weight for each subset of the sets that θ had."""
        return replace(self, components=tuple(component.in_residuals() for component in self.components))

    @cached_property
    def theta(self) -> dict[Attrs, np.ndarray]:
        """The log-weights of all components: attribute set -> table."""
        return {S: table for component in self.components for S, table in component.theta.items()}

    @property
    def possible(self) -> dict[Attrs, np.ndarray]:
        """The attribute sets of rules, each with the cells that they leave possible."""
        return {S: table for component in self.components for S, table in component.possible.items()}

    @cached_property
    def component_of(self) -> np.ndarray:
        """The index of each attribute's component: (d,)."""
        component_of = np.empty(len(self.sizes), np.intp)
        component_of[self._attrs] = np.repeat(
            np.arange(len(self.components)), [len(component.attrs) for component in self.components]
        )
        return component_of

    @cached_property
    def _attrs(self) -> np.ndarray:
        """All attributes, component by component: (d,)."""
        return np.fromiter(chain.from_iterable(component.attrs for component in self.components), np.intp)

    @property
    def cells(self) -> int:
        """The number of cells of all clique tables."""
        return sum(component.cells for component in self.components)

    def covers(self, S: Attrs) -> bool:
        """Whether a clique contains S."""
        return not S or self.components[self.component_of[S[0]]].covers(S)

    def component_parts(self, S: Attrs) -> list[tuple[Component, Attrs]]:
        """The components with attributes of S, each with its part of S."""
        parts: dict[int, list[int]] = {}
        for a in S:
            parts.setdefault(int(self.component_of[a]), []).append(a)
        return [(self.components[c], tuple(attrs)) for c, attrs in parts.items()]

    def changed_since(self, before: Source) -> np.ndarray:
        """Which attributes lie in a component that `before` does not have: (d,)."""
        unchanged = set(map(id, before.components)) if isinstance(before, LogLinear) else set()
        return np.array([id(component) not in unchanged for component in self.components])[self.component_of]

    def marginals(self, sets: Sequence[Attrs]) -> list[np.ndarray]:
        """The marginal on each of `sets`, in records. Each component computes its factors of all of them together."""
        split = {S: self.component_parts(S) for S in sets}
        wanted: dict[Component, list[Attrs]] = {}
        for parts in split.values():
            for component, part in parts:
                wanted.setdefault(component, []).append(part)
        shares = {component: component.marginals(list(dict.fromkeys(parts))) for component, parts in wanted.items()}
        return [self.total * _outer_product([(part, shares[c][part]) for c, part in split[S]]) for S in sets]

    def flat_marginals(self, blocks: Sequence[np.ndarray]) -> list[np.ndarray]:
        """For each (m, k) array of attribute sets, the cells of their marginals in one vector, in records.

        Independent attributes are multiplied as arrays, and all pairs of a component come from one matrix.
        """
        return [np.multiply(cells, self.total, out=cells) for cells in map(self._cells, blocks)]

    def probability(self, codes: Sequence[np.ndarray]) -> np.ndarray:
        """A/total at each record: one (m,) array of codes for each attribute -> (m,) shares."""
        p = np.ones(len(codes[0]))
        for component in self.components:
            p *= component.probability(codes)
        return p

    def entropy(self) -> float:
        """-Σ p ln p in nats, with p = A/total."""
        return sum(component.entropy() for component in self.components)

    @cached_property
    def _one_way(self) -> tuple[np.ndarray, np.ndarray]:
        """The one-way marginals in one vector, in shares, and the index of each attribute's first value: (d,)."""
        sizes = np.array(self.sizes)[self._attrs]
        first = np.empty(len(sizes), np.intp)
        first[self._attrs] = np.cumsum(sizes) - sizes
        return np.concatenate([component.one_way for component in self.components]), first

    def _cells(self, sets: np.ndarray) -> np.ndarray:
        """The cells of the marginals of an (m, k) array of attribute sets in one vector, in shares."""
        sizes, component_of = np.array(self.sizes)[sets], self.component_of[sets]
        cells = np.multiply.reduce(sizes.T)
        start = np.cumsum(cells) - cells
        shares = np.empty(cells.sum())
        dependent = share_a_component(self, sets)
        for rows, shape in _by_shape(sizes, np.flatnonzero(~dependent)):
            shares[start[rows, None] + np.arange(cells[rows[0]])] = self._independent(sets[rows], shape)
        within_one = dependent & np.logical_and.reduce([component_of[:, 0] == c for c in component_of.T])
        for c in np.unique(component_of[within_one, 0]):
            component, inside = self.components[c], np.flatnonzero(within_one & (component_of[:, 0] == c))
            joined = len(component.tree.cliques) > 1 and component.pairs_work <= MATRIX_WORK * len(inside)
            if sets.shape[1] == 2 and joined:
                for rows, shape in _by_shape(sizes, inside):
                    tables = component.pairs.tables(sets[rows], shape)
                    shares[start[rows, None] + np.arange(cells[rows[0]])] = tables.reshape(len(rows), -1)
            else:
                sets_inside = attribute_sets(sets[inside])
                marginals = component.marginals(sets_inside)
                for low, high, S in zip(start[inside], (start + cells)[inside], sets_inside, strict=True):
                    shares[low:high] = marginals[S].ravel()
        across = np.flatnonzero(dependent & ~within_one)
        for row, table in zip(across, self.marginals(attribute_sets(sets[across])), strict=True):
            shares[start[row] : start[row] + cells[row]] = table.ravel() / self.total
        return shares

    def _independent(self, sets: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        """Products of one-way marginals, for sets whose attributes lie in different components: (m, k) -> (m, cells).

        `shape` is that of every one of these marginals; the result is in shares.
        """
        one_way, first = self._one_way
        product = np.ones((len(sets), 1))
        for attrs, size in zip(sets.T, shape, strict=True):
            factor = one_way[first[attrs, None] + np.arange(size)]
            product = (product[:, :, None] * factor[:, None, :]).reshape(len(sets), -1)
        return product


def share_a_component(A: LogLinear, sets: np.ndarray) -> np.ndarray:
    """Which of the attribute sets have two attributes in the same component: (m, k) -> (m,)."""
    columns = [A.component_of[a] for a in sets.T]
    return np.logical_or.reduce([np.zeros(len(sets), bool), *(a == b for a, b in combinations(columns, 2))])


def _components(
    sizes: Sequence[int],
    attrs: Sequence[int],
    theta: Mapping[Attrs, np.ndarray],
    cover: Sequence[Attrs],
    possible: Mapping[Attrs, np.ndarray],
) -> tuple[Component, ...]:
    """The finest split of `attrs` into components in which each of these sets lies within one."""
    groups = connected_components([*theta, *cover, *possible], attrs)
    group_of = {a: g for g, group in enumerate(groups) for a in group}
    thetas: list[dict[Attrs, np.ndarray]] = [{} for _ in groups]
    rules: list[dict[Attrs, np.ndarray]] = [{} for _ in groups]
    covers: list[list[Attrs]] = [[] for _ in groups]
    for S, table in theta.items():
        thetas[group_of[S[0]]][S] = table
    for S in cover:
        covers[group_of[S[0]]].append(S)
    for S, table in possible.items():
        rules[group_of[S[0]]][S] = table
    return tuple(Component.of(sizes, *parts) for parts in zip(groups, thetas, covers, rules, strict=True))


def _outer_product(factors: Sequence[tuple[Attrs, np.ndarray]]) -> np.ndarray:
    """The outer product of marginals of independent components, its axes in the order of the attributes."""
    if len(factors) == 1:
        return factors[0][1]
    attrs = [a for part, _ in factors for a in part]
    tables = [table for _, table in factors]
    return reduce(np.multiply.outer, tables, np.ones(())).transpose(sorted_axes(attrs))


def _by_shape(sizes: np.ndarray, rows: np.ndarray) -> list[tuple[np.ndarray, tuple[int, ...]]]:
    """`rows` grouped by the shape of their marginals, each group with its shape; `sizes` is (m, k)."""
    if not len(rows):
        return []
    shapes = sizes[rows]
    if (shapes == shapes[0]).all():
        return [(rows, tuple(shapes[0].tolist()))]
    distinct, index = np.unique(shapes, axis=0, return_inverse=True)
    return [(rows[index.ravel() == i], tuple(shape.tolist())) for i, shape in enumerate(distinct)]
