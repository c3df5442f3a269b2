"""Sums of a table over some of its axes, and the axis orders that let tables multiply each other."""

from collections.abc import Sequence
from functools import cache
from itertools import product

import numpy as np

from mwem_core.domain import Attrs
from mwem_core.model.triangulation import Clique

MAX_CENTRING = 48  # values of attributes that matrices centre, in half the time of sums
MAX_SUMMED_SETS = 8  # of a table of bits; the marginals of more sets are faster read off one transform


def centre(table: np.ndarray, first_axis: int = 0) -> np.ndarray:
    """Subtract the mean along every axis in turn: the residual of a marginal. Axes before `first_axis` are left out."""
    if first_axis == 0 and max(table.shape, default=0) <= MAX_CENTRING:
        shape = table.shape
        for size in shape:  # each pass centres the first axis and puts it last
            table = table.reshape(size, -1).T.dot(_centring(size))
        return table.reshape(shape)
    for axis in range(first_axis, table.ndim):
        table = table - np.add.reduce(table, axis, keepdims=True) / table.shape[axis]  # half the time of `mean`
    return table


@cache
def _centring(size: int) -> np.ndarray:
    """The symmetric matrix that takes a vector's mean away: (size, size)."""
    return np.eye(size) - 1 / size


def table_marginals(table: np.ndarray, attrs: Clique, sets: Sequence[Attrs]) -> dict[Attrs, np.ndarray]:
    """The marginals of `table` on each of `sets`, in the table's unit. Its axes are `attrs`, in any order.

    Goes through the attributes once. All sets without an attribute share the table summed over it. Many marginals of a
    table of bits come from one Walsh-Hadamard transform.
    """
    if len(sets) > MAX_SUMMED_SETS and set(table.shape) == {2}:
        return _from_parities(table, attrs, sets)
    marginals: dict[Attrs, np.ndarray] = {}

    def walk(table: np.ndarray, axis: int, attrs: Clique, sets: Sequence[Attrs]) -> None:
        if len(sets) == 1:
            (S,) = sets
            marginal = table.sum(axis=tuple(i for i, a in enumerate(attrs) if a not in S))
            marginals[S] = marginal.transpose(sorted_axes([a for a in attrs if a in S]))
            return
        while axis < len(attrs):
            without = [S for S in sets if attrs[axis] not in S]
            if without:
                walk(table.sum(axis=axis), axis, attrs[:axis] + attrs[axis + 1 :], without)
                sets = [S for S in sets if attrs[axis] in S]
            if not sets:
                return
            axis += 1
        marginals[sets[0]] = table.transpose(sorted_axes(attrs))

    if sets:
        walk(table, 0, attrs, list(dict.fromkeys(sets)))
    return marginals


def _from_parities(table: np.ndarray, attrs: Clique, sets: Sequence[Attrs]) -> dict[Attrs, np.ndarray]:
    """The marginals of a table of bits from its parities, which one Walsh-Hadamard transform computes.

    marginal_S(x) = 2^-|S| Σ_{R ⊆ S} (-1)^(x·R) parity_R (Barak et al. 2007).
    """
    parities, counts = table.ravel(), table.min() >= 0
    for _ in attrs:  # each pass transforms the last axis and puts it first
        pairs = parities.reshape(-1, 2)
        parities = np.concatenate([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]])
    bit = {a: 1 << i for i, a in enumerate(reversed(attrs))}
    marginals: dict[Attrs, np.ndarray] = {}
    for k in {len(S) for S in sets}:
        sets_of_k = [S for S in sets if len(S) == k]
        subsets = np.array(list(product((0, 1), repeat=k)), int).T
        signs = (-1.0) ** (subsets.T @ subsets) / 2**k
        R = np.array([[bit[a] for a in S] for S in sets_of_k], int).reshape(len(sets_of_k), k) @ subsets
        cells = parities[R] @ signs
        if counts:
            np.maximum(cells, 0.0, out=cells)  # rounding leaves an empty cell at ±1e-17
        marginals |= dict(zip(sets_of_k, cells.reshape(-1, *(2,) * k), strict=True))
    return marginals


def sorted_axes(attrs: Sequence[int]) -> list[int]:
    """The order of axes that sorts a table's attributes."""
    return sorted(range(len(attrs)), key=attrs.__getitem__)


def align(table: np.ndarray, S: Attrs, clique: Clique) -> np.ndarray:
    """Transpose and reshape a table over S so that NumPy broadcasts it against a table over `clique`."""
    axes = [S.index(a) for a in clique if a in S]
    return table.transpose(axes).reshape([table.shape[S.index(a)] if a in S else 1 for a in clique])


def marginalise(table: np.ndarray, clique: Clique, S: Attrs) -> np.ndarray:
    """Sum a table over `clique` down to S; einsum is two to five times as fast as sum where short axes come last."""
    return np.einsum(table, range(len(clique)), [clique.index(a) for a in S])
