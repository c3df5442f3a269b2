"""An ordered attribute halved again and again: counts of its intervals at each level, and how their halves differ.

Level l cuts n values into 2^l intervals of nearly equal size, of which some are empty where 2^l > n. For several
attributes `levels` has one level for each, and an interval is a box. The differences of all levels are the (unbalanced)
Haar wavelets of a table: orthogonal, as the residuals of marginals are, and together with the total they determine it.
"""

import itertools
from collections.abc import Sequence

import numpy as np

Levels = tuple[int, ...]  # one for each axis


def heights(sizes: Sequence[int]) -> Levels:
    """The level of single values, for each axis.

    >>> heights([1, 2, 5])
    (0, 1, 3)
    """
    return tuple((size - 1).bit_length() for size in sizes)


def bounds(size: int, level: int) -> np.ndarray:
    """The first value of each interval, and the number of values: (2^level + 1,).

    >>> bounds(5, 2).tolist(), bounds(5, 3).tolist()
    ([0, 1, 2, 3, 5], [0, 0, 1, 1, 2, 3, 3, 4, 5])
    """
    return np.arange(2**level + 1) * size >> level


def counts(table: np.ndarray, levels: Levels) -> np.ndarray:
    """The sums of a table over the intervals: (2^l_1, 2^l_2, ...). The table may be counts of finer levels."""
    for axis, level in enumerate(levels):
        cut = bounds(table.shape[axis], level)
        if len(cut) <= table.shape[axis]:  # else the intervals are single values
            totals = np.insert(table.cumsum(axis=axis), 0, 0, axis=axis)
            table = np.diff(totals.take(cut, axis=axis), axis=axis)
        elif len(cut) > table.shape[axis] + 1:
            wide = np.zeros([len(cut) - 1 if a == axis else size for a, size in enumerate(table.shape)])
            wide[(slice(None),) * axis + (np.diff(cut) > 0,)] = table
            table = wide
    return table


def values(size: int, level: int) -> np.ndarray:
    """The number of values in the lower and the upper half of each interval of the level above: (2^(level - 1), 2)."""
    return np.diff(bounds(size, level)).reshape(-1, 2)


def differences(table: np.ndarray, levels: Levels, sizes: Sequence[int]) -> np.ndarray:
    """What the lower half of each interval of the level above has more than its share of the interval's values.

    So along every axis whose level is not 0; an axis of level 0 is summed over. (2^(l-1), ...) where l > 0, else 1, for
    each axis. `sizes` are the attributes' numbers of values: the table may be counts of finer levels.
    """
    table = counts(table, levels)
    for axis, (level, size) in enumerate(zip(levels, sizes, strict=True)):
        if level:
            own = values(size, level)
            share = (own[:, 0] / own.sum(axis=1)).reshape(-1, *[1] * (table.ndim - axis - 1))
            halves = table.reshape(*table.shape[:axis], -1, 2, *table.shape[axis + 1 :])
            table = halves.take(0, axis=axis + 1) - share * halves.sum(axis=axis + 1)
    return table


def up_to(levels: Levels) -> list[Levels]:
    """All levels that are nowhere above these, but the total's, coarse ones first."""
    every = itertools.product(*(range(level + 1) for level in levels))
    return sorted((k for k in every if any(k)), key=lambda k: (max(k), sum(k), k))
