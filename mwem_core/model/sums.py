"""Tables over cliques of attributes: sums down to some of them, shapes to multiply by, many sums at once."""

from collections.abc import Sequence
from itertools import product

import numpy as np

from mwem_core.domain.source import Attrs
from mwem_core.model.triangulation import Clique

MANY = 8  # marginals of a table of bits, above which transforming it is faster than summing it


def partial_sums(table: np.ndarray, attrs: Clique, sets: Sequence[Attrs]) -> dict[Attrs, np.ndarray]:
    """The marginals of `table`, whose axes are `attrs` in any order, on each of `sets`.

    Walks the attributes once: those sets that lack the next one share the table summed over it. Of a table of bits,
    many marginals come from one transform.
    """
    if len(sets) > MANY and set(table.shape) == {2}:
        return _from_parities(table, attrs, sets)
    found: dict[Attrs, np.ndarray] = {}

    def walk(table: np.ndarray, axis: int, attrs: Clique, sets: Sequence[Attrs]) -> None:
        if len(sets) == 1:
            (S,) = sets
            kept = table.sum(axis=tuple(i for i, a in enumerate(attrs) if a not in S))
            found[S] = kept.transpose(in_order([a for a in attrs if a in S]))
            return
        while axis < len(attrs):
            without = [S for S in sets if attrs[axis] not in S]
            if without:
                walk(table.sum(axis=axis), axis, attrs[:axis] + attrs[axis + 1 :], without)
                sets = [S for S in sets if attrs[axis] in S]
            if not sets:
                return
            axis += 1
        found[sets[0]] = table.transpose(in_order(attrs))

    if sets:
        walk(table, 0, attrs, list(dict.fromkeys(sets)))
    return found


def _from_parities(table: np.ndarray, attrs: Clique, sets: Sequence[Attrs]) -> dict[Attrs, np.ndarray]:
    """The marginals of a table of bits, from the parities of their subsets: one Walsh-Hadamard transform has them all.

    marginal_S(x) = 2^-|S| Σ_{R ⊆ S} (-1)^(x·R) parity_R.
    """
    parity = table.ravel()
    for _ in attrs:  # each pass transforms the last axis and puts it first
        pairs = parity.reshape(-1, 2)
        parity = np.concatenate([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]])
    bit = {a: 1 << i for i, a in enumerate(reversed(attrs))}
    found: dict[Attrs, np.ndarray] = {}
    for k in {len(S) for S in sets}:
        alike = [S for S in sets if len(S) == k]
        subsets = np.array(list(product((0, 1), repeat=k)), int).T
        signs = (-1.0) ** (subsets.T @ subsets) / 2**k
        asked = np.array([[bit[a] for a in S] for S in alike], int).reshape(len(alike), k) @ subsets
        cells = np.maximum(parity[asked] @ signs, 0.0)  # rounding leaves an empty cell at ±1e-17
        found |= dict(zip(alike, cells.reshape(-1, *(2,) * k), strict=True))
    return found


def in_order(attrs: Sequence[int]) -> list[int]:
    """The order of axes that sorts a table's attributes."""
    return sorted(range(len(attrs)), key=attrs.__getitem__)


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
