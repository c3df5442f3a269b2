"""Counting rows of codes into the cells of marginals."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from mwem_core.domain.source import Attrs

MAX_GROUPED_CELLS = 2**14  # of a table that is counted for several smaller ones
MAX_KEYS = int(np.iinfo(np.int64).max)  # cells of D that 64 bits can number


def count(
    codes: Sequence[np.ndarray], sizes: Sequence[int], sets: Sequence[Attrs], weights: np.ndarray | None = None
) -> Iterator[np.ndarray]:
    """The marginal over each attribute set: each cell's number of rows, or the sum of their `weights`, (m,) floats.

    `codes` holds an (m,) array for each attribute. Attributes of few values are counted in groups, if that takes half
    as many counts or fewer: one count over two groups of three attributes has nine pairs.
    """
    cells = min(MAX_GROUPED_CELLS, len(codes[0]))
    groups = _groups(sizes, cells ** (1 / max([1, *map(len, sets)])))
    group = {a: i for i, members in enumerate(groups) for a in members}
    within: dict[Attrs, list[int]] = {}  # groups -> the numbers of the sets whose attributes they hold
    for number, S in enumerate(sets):
        within.setdefault(tuple(sorted({group[a] for a in S})), []).append(number)
    if 2 * len(within) > len(sets):
        yield from _counted(codes, sizes, sets, weights)
        return
    joint_sizes = [math.prod(sizes[a] for a in members) for members in groups]
    joint = [_joint([codes[a] for a in members], [sizes[a] for a in members]) for members in groups]
    found = [np.zeros(())] * len(sets)
    for (G, numbers), table in zip(within.items(), _counted(joint, joint_sizes, list(within), weights), strict=True):
        U, last = [a for i in G for a in groups[i]], groups[G[-1]] if G else []
        table = table.reshape([sizes[a] for a in U])
        parts: dict[Attrs, np.ndarray] = {}  # the table over the last group and some attributes of those before it
        for number in numbers:
            S = sets[number]
            before = tuple(a for a in S if a not in last)
            if before not in parts:
                parts[before] = _summed(table, U, [*before, *last])
            found[number] = _summed(parts[before], [*before, *last], S)
    yield from found


def _summed(table: np.ndarray, U: Sequence[int], S: Sequence[int]) -> np.ndarray:
    """The marginal on S of a table over U."""
    return np.einsum(table, range(len(U)), [U.index(a) for a in S])


def _groups(sizes: Sequence[int], cells: float) -> list[list[int]]:
    """All attributes in order, in groups of at most so many cells; larger attributes are alone."""
    groups, size = [[]], 1
    for a, values in enumerate(sizes):
        size *= max(2, values)
        if groups[-1] and size > cells:
            groups.append([])
            size = max(2, values)
        groups[-1].append(a)
    return groups


def _joint(codes: Sequence[np.ndarray], sizes: Sequence[int]) -> np.ndarray:
    """Each row's cell of the table over a group, in row-major order, in as few bytes as hold it: (m,)."""
    return np.ravel_multi_index(codes, sizes).astype(np.min_scalar_type(math.prod(sizes) - 1))


def _counted(
    codes: Sequence[np.ndarray], sizes: Sequence[int], sets: Sequence[Attrs], weights: np.ndarray | None
) -> Iterator[np.ndarray]:
    """`count`, set by set. Two sets in a row share the cell index over the first attributes in which they agree."""
    previous: Attrs = ()
    cell = [np.zeros(len(codes[0]), dtype=np.intp)]  # cell[k]: each row's index over the first k attributes
    for S in sets:
        shared = [*(a == b for a, b in zip(previous, S, strict=False)), False].index(False)
        del cell[shared + 1 :]
        for a in S[shared:]:
            cell.append(cell[-1] * sizes[a] + codes[a])
        shape = [sizes[a] for a in S]
        counts = np.bincount(cell[-1], weights, minlength=int(np.prod(shape, dtype=np.intp)))
        yield counts.astype(float, copy=False).reshape(shape)
        previous = S


def distinct(
    codes: Sequence[np.ndarray], sizes: Sequence[int], weights: np.ndarray | None = None
) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """The distinct rows, a (k,) array for each attribute, and how many rows equal each, or the sum of their `weights`.

    (k,) floats.
    """
    if weights is None and math.prod(sizes) <= MAX_KEYS:  # sorting the keys alone takes half the time
        keys, cells = _joint(codes, sizes), math.prod(sizes)
        if cells <= len(keys):
            every = np.bincount(keys, minlength=cells)
            keys = np.flatnonzero(every)
            times = every[keys]
        else:
            keys, times = np.unique(keys, return_counts=True)
        values = np.unravel_index(keys, sizes)
        return tuple(v.astype(c.dtype) for v, c in zip(values, codes, strict=True)), times.astype(float)
    group = number_rows(codes, sizes)
    row = np.empty(int(group.max(initial=-1)) + 1, dtype=np.intp)
    row[group] = np.arange(len(group))
    return tuple(column[row] for column in codes), np.bincount(group, weights).astype(float)


def number_rows(codes: Sequence[np.ndarray], sizes: Sequence[int]) -> np.ndarray:
    """Number the k distinct rows: (m,) integers 0..k-1, equal for equal rows."""
    key, cells = np.zeros(len(codes[0]), dtype=np.int64), 1
    for column, size in zip(codes, sizes, strict=True):
        if cells * size > MAX_KEYS:  # renumber, so that the next column's codes fit into the key
            distinct, key = np.unique(key, return_inverse=True)
            cells = len(distinct)
            if cells == len(key):
                return key
        key = key * size + column
        cells *= size
    return np.unique(key, return_inverse=True)[1]
