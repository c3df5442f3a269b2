"""The marginals of all pairs of attributes of a junction tree at once, as one matrix."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mwem_core.model.junction_tree import JunctionTree


@dataclass(frozen=True, eq=False)
class Pairs:
    """`shares[i, j]` is the chance that two attributes have certain values; `first[a]` numbers a's first value."""

    shares: np.ndarray
    first: np.ndarray

    def tables(self, pairs: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
        """The marginals of pairs of attributes, all of one shape: (m, 2) -> (m, *shape)."""
        rows = self.first[pairs[:, 0], None, None] + np.arange(shape[0])[:, None]
        return self.shares[rows, self.first[pairs[:, 1], None, None] + np.arange(shape[1])]


def all_pairs(sizes: Sequence[int], tree: JunctionTree, beliefs: Sequence[np.ndarray]) -> Pairs:
    """P(x_a = v, x_b = w) for all values of all attributes of a connected tree.

    One pass from the leaves up. Of each clique C it knows R[v, c] = P(v, C = c) for every value v below. What comes
    from different children is independent given C, so P(v, w) = Σ_c R[v, c] R[w, c] / P(c): one product a child.
    Two attributes meet so exactly once, in the first clique that lies between them.
    """
    first, end = np.zeros(len(sizes), int), 0
    start: list[int] = [0] * len(tree.cliques)  # numbered from the root, values below a clique follow one another
    own: list[list[int]] = [[]] * len(tree.cliques)
    children: list[list[int]] = [[] for _ in tree.cliques]
    for k in tree.order:
        start[k] = end
        own[k] = [a for a in tree.cliques[k] if a not in tree.separator[k]]
        for a in own[k]:
            first[a], end = end, end + sizes[a]
        if tree.parent[k] >= 0:
            children[tree.parent[k]].append(k)
    J = np.zeros((end, end))
    below: dict[int, np.ndarray] = {}  # of a clique: P(v, separator), (values, *separator)
    for k in reversed(tree.order):
        clique, table, S = tree.cliques[k], beliefs[k], tree.separator[k]
        rows = [np.zeros((0, *table.shape))]
        for a in own[k]:
            axis = clique.index(a)
            is_v = np.eye(sizes[a]).reshape([sizes[a], *(sizes[a] if i == axis else 1 for i in range(len(clique)))])
            rows.append(is_v * table)
        for child in children[k]:
            U, shared = below.pop(child), tree.separator[child]
            total = np.einsum(table, range(len(clique)), [clique.index(a) for a in shared])
            given = np.divide(U, total, out=np.zeros_like(U), where=total > 0)
            rows.append(_spread_rows(given, shared, clique) * table)
        R: np.ndarray = np.concatenate(rows)
        flat, size = R.reshape(len(R), -1), table.ravel()
        given = np.divide(flat, size, out=np.zeros_like(flat), where=size > 0)
        done = sum(sizes[a] for a in own[k])
        J[start[k] : start[k] + done, start[k] : start[k] + done] = given[:done] @ flat[:done].T
        for block in rows[1 + len(own[k]) :]:
            met = slice(start[k] + done, start[k] + done + len(block))
            J[start[k] : met.start, met] = given[:done] @ flat[done : done + len(block)].T
            J[met, start[k] : met.start] = J[start[k] : met.start, met].T
            done += len(block)
        if tree.parent[k] >= 0:
            axes = [1 + clique.index(a) for a in S]
            below[k] = np.einsum(R, list(range(1 + len(clique))), [0, *axes])
    return Pairs(J, first)


def _spread_rows(tables: np.ndarray, S: Sequence[int], clique: Sequence[int]) -> np.ndarray:
    """Many tables over S, their axes moved and shaped so that each multiplies one over `clique`."""
    order = [1 + S.index(a) for a in clique if a in S]
    shape = [tables.shape[1 + S.index(a)] if a in S else 1 for a in clique]
    return tables.transpose([0, *order]).reshape([len(tables), *shape])
