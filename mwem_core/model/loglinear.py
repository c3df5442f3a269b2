"""The approximating distribution: a product of independent components, each log-linear on a junction tree."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import chain, combinations

import numpy as np

from mwem_core.domain.source import Attrs, Source, as_sets
from mwem_core.model.component import Component
from mwem_core.model.sums import in_order
from mwem_core.model.triangulation import connected

MANY = 64  # pairs of attributes within a component, above which all its pairs are computed together


@dataclass(frozen=True, eq=False)
class LogLinear(Source):
    """A(x) = total · Π_c p_c(x), each p_c log-linear over attributes of its own; one component is the dense case.

    `sizes[a]` is the number of values of attribute a. By the update rule of multiplicative weights log A is a sum of
    one table per measured attribute set, so this is A itself and no approximation of it (Hardt, Ligett & McSherry
    2012, section 4, who factor it over the components; a junction tree in each takes it further). A component that a
    round leaves alone is the same object in the next model.
    """

    sizes: tuple[int, ...]
    total: float
    components: tuple[Component, ...]

    @classmethod
    def uniform(cls, sizes: Sequence[int], total: float) -> "LogLinear":
        """A_0: every cell of the domain weighs the same."""
        return cls.of(sizes, total, {})

    @classmethod
    def of(
        cls, sizes: Sequence[int], total: float, theta: Mapping[Attrs, np.ndarray], cover: Iterable[Attrs] = ()
    ) -> "LogLinear":
        """Calibrate exp(Σ θ) on trees whose cliques also cover the sets in `cover`."""
        return cls(tuple(sizes), total, _components(sizes, range(len(sizes)), theta, list(cover)))

    def covering(self, sets: Sequence[Attrs]) -> "LogLinear":
        """The same distribution, each of `sets` held by a clique; only components that one of them touches change."""
        A = self
        for S in sets:
            if not A.covers(S):
                touched = [component for component, _ in A.apart(S)]
                held = [component for component in A.components if component not in touched]
                A = LogLinear(A.sizes, A.total, (*held, Component.taking(touched, S)))
        return A

    @cached_property
    def theta(self) -> dict[Attrs, np.ndarray]:
        """Log-weights by measured attribute set, of all components."""
        return {S: table for component in self.components for S, table in component.theta.items()}

    @cached_property
    def place(self) -> np.ndarray:
        """Which component each attribute is in: (d,)."""
        place = np.empty(len(self.sizes), np.intp)
        place[self._attrs] = np.repeat(np.arange(len(self.components)), [len(c.attrs) for c in self.components])
        return place

    @cached_property
    def _attrs(self) -> np.ndarray:
        """The attributes in the order of the components."""
        return np.fromiter(chain.from_iterable(component.attrs for component in self.components), np.intp)

    @property
    def cells(self) -> int:
        """Cells held: the sum of the clique tables' sizes."""
        return sum(component.cells for component in self.components)

    def covers(self, S: Attrs) -> bool:
        """Whether a clique holds all of S."""
        return not S or self.components[self.place[S[0]]].covers(S)

    def apart(self, S: Attrs) -> list[tuple[Component, Attrs]]:
        """S split by component, with the part that lies in each."""
        parts: dict[int, list[int]] = {}
        for a in S:
            parts.setdefault(int(self.place[a]), []).append(a)
        return [(self.components[c], tuple(attrs)) for c, attrs in parts.items()]

    def differs(self, before: "LogLinear") -> np.ndarray:
        """Which attributes lie in a component that `before` did not have: (d,)."""
        held = set(map(id, before.components))
        return np.array([id(component) not in held for component in self.components])[self.place]

    def marginals(self, sets: Sequence[Attrs]) -> list[np.ndarray]:
        """The marginal on each of `sets`, in records, computed together where they share partial sums."""
        split = {S: self.apart(S) for S in sets}
        asked: dict[Component, list[Attrs]] = {}
        for parts in split.values():
            for component, part in parts:
                asked.setdefault(component, []).append(part)
        shares = {component: component.marginals(list(dict.fromkeys(parts))) for component, parts in asked.items()}
        return [self.total * _product([(part, shares[c][part]) for c, part in split[S]]) for S in sets]

    def tables(self, blocks: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Marginals end to end, by the array: independent attributes multiply, pairs of a component are one matrix."""
        return [self.total * self._cells(block) for block in blocks]

    def probability(self, codes: Sequence[np.ndarray]) -> np.ndarray:
        """A/total at each record: one (m,) array of codes an attribute -> (m,) shares of the total."""
        p = np.ones(len(codes[0]))
        for component in self.components:
            p *= component.probability(codes)
        return p

    def entropy(self) -> float:
        """-Σ p ln p in nats."""
        return sum(component.entropy() for component in self.components)

    @cached_property
    def _single(self) -> tuple[np.ndarray, np.ndarray]:
        """The one-way marginals end to end, in shares, and where each attribute's begins."""
        sizes = np.array(self.sizes)[self._attrs]
        start = np.empty(len(sizes), np.intp)
        start[self._attrs] = np.cumsum(sizes) - sizes
        return np.concatenate([component.single for component in self.components]), start

    def _cells(self, sets: np.ndarray) -> np.ndarray:
        """The marginals of an (m, k) array of attribute sets, end to end, in shares."""
        sizes, place = np.array(self.sizes)[sets], self.place[sets]
        cells = np.multiply.reduce(sizes.T)
        start = np.cumsum(cells) - cells
        found = np.empty(cells.sum())
        left = share_a_component(self, sets)
        for rows, shape in _by_shape(sizes, np.flatnonzero(~left)):
            found[start[rows, None] + np.arange(cells[rows[0]])] = self._independent(sets[rows], shape)
        within = left & np.logical_and.reduce([place[:, 0] == c for c in place.T])
        for c in np.unique(place[within, 0]):
            component, inside = self.components[c], np.flatnonzero(within & (place[:, 0] == c))
            if sets.shape[1] == 2 and len(inside) > MANY and len(component.tree.cliques) > 1:
                for rows, shape in _by_shape(sizes, inside):
                    tables = component.pairs.tables(sets[rows], shape)
                    found[start[rows, None] + np.arange(cells[rows[0]])] = tables.reshape(len(rows), -1)
            else:
                asked = as_sets(sets[inside])
                tables = component.marginals(asked)
                for low, high, S in zip(start[inside], (start + cells)[inside], asked, strict=True):
                    found[low:high] = tables[S].ravel()
        rows = np.flatnonzero(left & ~within)
        for row, table in zip(rows, self.marginals(as_sets(sets[rows])), strict=True):
            found[start[row] : start[row] + cells[row]] = table.ravel() / self.total
        return found

    def _independent(self, sets: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        """Products of one-way marginals for sets of attributes from different components: (m, k) -> (m, cells)."""
        single, start = self._single
        product = np.ones((len(sets), 1))
        for attrs, size in zip(sets.T, shape, strict=True):
            product = (product[:, :, None] * single[start[attrs, None] + np.arange(size)][:, None, :]).reshape(
                len(sets), -1
            )
        return product


def share_a_component(A: LogLinear, sets: np.ndarray) -> np.ndarray:
    """Which of the (m, k) attribute sets have two attributes in one component: (m,)."""
    columns = [A.place[a] for a in sets.T]
    return np.logical_or.reduce([np.zeros(len(sets), bool), *(a == b for a, b in combinations(columns, 2))])


def _components(
    sizes: Sequence[int], attrs: Sequence[int], theta: Mapping[Attrs, np.ndarray], cover: Sequence[Attrs]
) -> tuple[Component, ...]:
    """`attrs` as independent components, as few as hold all the sets."""
    sets = [*theta, *cover]
    groups = connected(sets, attrs)
    where = {a: g for g, group in enumerate(groups) for a in group}
    tables: list[dict[Attrs, np.ndarray]] = [{} for _ in groups]
    covers: list[list[Attrs]] = [[] for _ in groups]
    for S, table in theta.items():
        tables[where[S[0]]][S] = table
    for S in cover:
        covers[where[S[0]]].append(S)
    return tuple(Component.of(sizes, *each) for each in zip(groups, tables, covers, strict=True))


def _product(parts: Sequence[tuple[Attrs, np.ndarray]]) -> np.ndarray:
    """The outer product of independent marginals, its axes in the attributes' order."""
    attrs = [a for part, _ in parts for a in part]
    tables = [table for _, table in parts]
    return reduce(np.multiply.outer, tables, np.ones(())).transpose(in_order(attrs)) if len(tables) != 1 else tables[0]


def _by_shape(sizes: np.ndarray, rows: np.ndarray) -> list[tuple[np.ndarray, tuple[int, ...]]]:
    """Rows whose marginals have one shape, with that shape; `sizes` is (m, k)."""
    if not len(rows):
        return []
    shapes = sizes[rows]
    if (shapes == shapes[0]).all():
        return [(rows, tuple(shapes[0].tolist()))]
    kinds, which = np.unique(shapes, axis=0, return_inverse=True)
    return [(rows[which.ravel() == i], tuple(kind.tolist())) for i, kind in enumerate(kinds)]
