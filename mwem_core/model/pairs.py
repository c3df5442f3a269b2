"""The marginals of all pairs of a junction tree's attributes, computed together as one matrix."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mwem_core.model.junction_tree import JunctionTree


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
