"""Marginals as sums over products of tables: of one attribute set, of sets that share a sum, of all pairs at once."""

import math
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from opt_einsum.paths import greedy

from mwem_core.domain import Attrs
from mwem_core.model.junction_tree import JunctionTree

GREEDY: Any = greedy  # its hints ask for text, but any label of an axis serves

Factor = tuple[np.ndarray, Sequence[int]]  # a table, and the attributes of its axes


def contract(factors: Sequence[Factor], attrs: Attrs) -> np.ndarray:
    """Multiply tables and sum over all attributes but `attrs`.

    Two tables at a time, in the order of `_pairs`. An attribute is summed as soon as no other table has it.
    """
    users = Counter(a for _, own in factors for a in own)
    left = [_summed(factor, [a for a in factor[1] if users[a] > 1 or a in attrs]) for factor in factors]
    sizes = {a: size for table, own in left for a, size in zip(own, table.shape, strict=True)}
    for pair in _pairs([frozenset(own) for _, own in left], frozenset(attrs), sizes):
        second, first = (left.pop(i) for i in sorted(pair, reverse=True))
        left.append(_product(first, second, {*attrs, *(a for _, own in left for a in own)}))
    ((table, own),) = left
    return table.transpose([own.index(a) for a in attrs])


def _pairs(sets: Sequence[frozenset[int]], attrs: frozenset[int], sizes: Mapping[int, int]) -> list[tuple[int, ...]]:
    """Which two tables to multiply next, with the product put last: as opt_einsum's greedy search finds it.

    Two tables need no search, and of three the two with the smallest product come first: that takes a quarter of the
    search's time.
    """
    if len(sets) > 3:
        return GREEDY(sets, attrs, sizes)

    def cells(third: int) -> int:
        first, second = (S for i, S in enumerate(sets) if i != third)
        return math.prod(sizes[a] for a in (first | second) & (attrs | sets[third]))

    if len(sets) == 3:
        third = min(range(3), key=cells)
        return [tuple(i for i in range(3) if i != third), (0, 1)]
    return [(0, 1)] * (len(sets) - 1)


def _summed(factor: Factor, kept: Sequence[int]) -> Factor:
    """Sum a table over all attributes but those kept, in its order."""
    table, own = factor
    if len(kept) == len(own):
        return factor
    return np.einsum(table, range(len(own)), [own.index(a) for a in kept]), kept


def _product(first: Factor, second: Factor, kept: Container[int]) -> Factor:
    """The product of two tables, summed over the attributes of both that are not kept.

    For each cell of the shared attributes that are kept, it is a matrix product: all of them take a third of einsum's
    time. Where nothing is summed, einsum is as fast.
    """
    (a, A), (b, B) = first, second
    size = dict(zip([*A, *B], [*a.shape, *b.shape], strict=True))
    both, summed = [x for x in A if x in B and x in kept], [x for x in A if x in B and x not in kept]
    rows, columns = [x for x in A if x not in B], [x for x in B if x not in A]
    axes = [*both, *rows, *columns]
    if not summed:
        place = axes.index  # einsum takes labels below 52
        return np.einsum(a, list(map(place, A)), b, list(map(place, B)), range(len(axes))), axes

    def stacked(table: np.ndarray, own: Sequence[int], *parts: Sequence[int]) -> np.ndarray:
        """The table with an axis for the attributes of each part."""
        order = [own.index(x) for part in parts for x in part]
        return table.transpose(order).reshape([math.prod(size[x] for x in part) for part in parts])

    product = stacked(a, A, both, rows, summed) @ stacked(b, B, both, summed, columns)
    return product.reshape([size[x] for x in axes]), axes


def grouped_by_union(sets: Sequence[Attrs], sizes: Sequence[int], max_cells: int) -> list[tuple[Attrs, list[Attrs]]]:
    """Attribute sets in groups, each with its union: one joint table over the union has all marginals of the group.

    A union has at most `max_cells` cells; a larger set is a group of its own. Greedy: a union starts with the first
    set left. It then takes the attribute that completes the most sets, relative to its size; where no attribute
    completes a set, it takes in the set that adds the fewest cells.
    """
    if not sets:
        return []
    used = sorted({a for S in sets for a in S})
    column = {a: i for i, a in enumerate(used)}
    member = np.zeros((len(sets), len(used)), bool)
    for row, S in zip(member, sets, strict=True):
        row[[column[a] for a in S]] = True
    bits = np.log2([sizes[a] for a in used])
    left, groups = np.arange(len(sets)), []
    while len(left):
        union = member[left[0]].copy()
        while True:
            missing = member[left] & ~union
            count = missing.sum(axis=1)
            fits = ~union & (bits + bits @ union <= math.log2(max_cells))
            gain = np.where(fits, missing[count == 1].sum(axis=0) / bits, 0.0)
            if gain.any():
                union[gain.argmax()] = True
                continue
            extra = np.where(count > 0, missing @ bits, np.inf)
            if extra.min(initial=np.inf) + bits @ union > math.log2(max_cells):
                break
            union |= missing[extra.argmin()]
        inside = count == 0
        groups.append((tuple(used[i] for i in np.flatnonzero(union)), [sets[j] for j in left[inside]]))
        left = left[~inside]
    return groups


@dataclass(frozen=True, eq=False, repr=False)
class PairMarginals:
    """P(x_a = v, x_b = w) for all values v, w of all pairs of attributes a, b.

    `shares[first[a] + v, first[b] + w]` is that probability: the values of all attributes are numbered in a row, those
    of attribute a from `first[a]` on.
    """

    shares: np.ndarray
    first: np.ndarray

    def tables(self, pairs: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
        """The marginals of pairs of attributes, all of one shape, in shares: (m, 2) -> (m, *shape)."""
        rows = self.first[pairs[:, 0], None, None] + np.arange(shape[0])[:, None]
        return self.shares[rows, self.first[pairs[:, 1], None, None] + np.arange(shape[1])]


def pair_marginals(sizes: Sequence[int], tree: JunctionTree, beliefs: Sequence[np.ndarray]) -> PairMarginals:
    """The marginals of all pairs of attributes of a connected tree; `beliefs[k]` is clique k's marginal, in shares.

    One pass from the leaves to the root. At clique C it computes R[v, c] = P(v, C = c) for every value v of an
    attribute in C's subtree. Attributes of different children are independent given C, so
    P(v, w) = Σ_c R[v, c] R[w, c] / P(c): one matrix product for each child. Each pair of attributes is computed once,
    at the lowest clique whose subtree contains both.
    """
    first, end = np.zeros(len(sizes), int), 0
    start: list[int] = [0] * len(tree.cliques)  # values are numbered from the root: a subtree's values are contiguous
    own: list[list[int]] = [[]] * len(tree.cliques)  # the attributes whose highest clique it is
    children: list[list[int]] = [[] for _ in tree.cliques]
    for k in tree.order:
        start[k] = end
        own[k] = [a for a in tree.cliques[k] if a not in tree.separator[k]]
        for a in own[k]:
            first[a], end = end, end + sizes[a]
        if tree.parent[k] >= 0:
            children[tree.parent[k]].append(k)
    J = np.zeros((end, end))
    messages: dict[int, np.ndarray] = {}  # clique -> P(v, separator) of its subtree's values v: (values, *separator)
    for k in reversed(tree.order):
        clique, table, S = tree.cliques[k], beliefs[k], tree.separator[k]
        blocks = [np.zeros((0, *table.shape))]
        for a in own[k]:
            axis = clique.index(a)
            is_v = np.eye(sizes[a]).reshape([sizes[a], *(sizes[a] if i == axis else 1 for i in range(len(clique)))])
            blocks.append(is_v * table)
        for child in children[k]:
            message, separator = messages.pop(child), tree.separator[child]
            total = np.einsum(table, range(len(clique)), [clique.index(a) for a in separator])
            given = np.divide(message, total, out=np.zeros_like(message), where=total > 0)
            blocks.append(_align_rows(given, separator, clique) * table)
        R: np.ndarray = np.concatenate(blocks)
        flat, size = R.reshape(len(R), -1), table.ravel()
        given = np.divide(flat, size, out=np.zeros_like(flat), where=size > 0)
        done = sum(sizes[a] for a in own[k])
        J[start[k] : start[k] + done, start[k] : start[k] + done] = given[:done] @ flat[:done].T
        for block in blocks[1 + len(own[k]) :]:
            new = slice(start[k] + done, start[k] + done + len(block))
            J[start[k] : new.start, new] = given[:done] @ flat[done : done + len(block)].T
            J[new, start[k] : new.start] = J[start[k] : new.start, new].T
            done += len(block)
        if tree.parent[k] >= 0:
            axes = [1 + clique.index(a) for a in S]
            messages[k] = np.einsum(R, list(range(1 + len(clique))), [0, *axes])
    return PairMarginals(J, first)


def _align_rows(tables: np.ndarray, S: Sequence[int], clique: Sequence[int]) -> np.ndarray:
    """`sums.align` for tables over S stacked along a first axis."""
    order = [1 + S.index(a) for a in clique if a in S]
    shape = [tables.shape[1 + S.index(a)] if a in S else 1 for a in clique]
    return tables.transpose([0, *order]).reshape([len(tables), *shape])
