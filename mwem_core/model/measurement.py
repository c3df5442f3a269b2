"""A noisy measurement of one query, of a whole marginal, of its residual, or of its halves at some levels.

A level l cuts the n values of an ordered attribute into 2^l intervals of nearly equal size, of which some are empty
where 2^l > n. For several attributes `levels` has one level for each, and an interval is a box. The differences of the
halves at all levels are the (unbalanced) Haar wavelets of a table: orthogonal, as the residuals of marginals are, and
together with the total they determine it.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from mwem_core.domain import Attrs, nonempty_subsets
from mwem_core.model.sums import centre, table_marginals

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


@dataclass(frozen=True, eq=False)
class Measurement:
    """What a mechanism returned for a query, or for every cell of a marginal.

    `q` holds the query's values on the cells of the marginal over `attrs`, in [-1, 1], and `value` its noisy answer;
    where `q` is None the whole marginal was measured and `value` has a number a cell. `value` and `scale` (of the
    noise: b for Laplace, σ for Gaussian) are in records.

    Where `centre`, only the marginal's residual was measured: the marginal centred along every axis. `value` is
    centred too, and `scale` is that of the noise along every unit vector of the residual's space.

    With `levels`, one for each attribute, the differences of halves at these levels were measured.
    """

    attrs: Attrs
    value: np.ndarray = field(repr=False)
    scale: float
    q: np.ndarray | None = field(default=None, repr=False)
    centred: bool = False
    levels: Levels = ()

    def answer(self, marginal: np.ndarray) -> np.ndarray:
        """q(A) from A's marginal over `attrs`, in its unit: a number, the marginal, or what was measured of it."""
        if self.levels:
            return differences(marginal, self.levels, marginal.shape)
        if self.centred:
            return centre(marginal)
        return marginal if self.q is None else np.asarray(np.vdot(self.q, marginal))

    @property
    def whole(self) -> bool:
        """Whether every cell of the marginal was measured, and not a query or a part of it."""
        return self.q is None and not self.centred and not self.levels

    @property
    def query(self) -> tuple[Attrs, bytes | None, bool, Levels]:
        """What was measured: equal for measurements of the same thing."""
        return self.attrs, None if self.q is None else self.q.tobytes(), self.centred, self.levels

    @property
    def free_numbers(self) -> float:
        """The numbers measured; of c cells of a residual of r coordinates, √(c r), as each has the variance r/c."""
        if not self.centred:
            return float(np.size(self.value))
        return math.sqrt(self.value.size * math.prod(size - 1 for size in self.value.shape))

    @property
    def of_residuals(self) -> bool:
        """Whether it tells residuals alone: of a table, or the one of a parity, which has a single coordinate."""
        if self.levels:
            return False
        q = self.q
        return q is None or bool((np.abs(q) == 1).all() and set(q.shape) == {2} and np.array_equal(centre(q), q))

    def residuals(self, sets: Sequence[Attrs]) -> Iterator[tuple[Attrs, np.ndarray, float]]:
        """The residuals that it tells, of a whole table those on `sets`; each with the precision of a coordinate.

        A precision is 1 / variance, in units of noise of scale 1. White noise on a table is independent white noise on
        each of its residuals.
        """
        precision = self.scale**-2
        if self.q is not None:
            yield self.attrs, self.q * (self.value / self.q.size), precision * self.q.size
        elif self.centred:
            yield self.attrs, self.value, precision
        else:
            for A, marginal in table_marginals(self.value, self.attrs, sets).items():
                yield A, centre(marginal), precision * marginal.size / self.value.size

    def residual(self, marginal: np.ndarray) -> np.ndarray:
        """m - q(A), in records."""
        return self.value - self.answer(marginal)


@dataclass(frozen=True, eq=False)
class Prior:
    """λ KL(A || base) between shares: `strength` λ in records, and the log-weights θ of a log-linear base.

    `unit_variance` is the variance of noise of scale 1: 2 for Laplace, 1 for Gaussian. An empty base is the uniform
    table.
    """

    strength: float
    unit_variance: float
    base: Mapping[Attrs, np.ndarray]

    def ridge(self, m: Measurement, total: float) -> float:
        """κ = λ variance / n², the strength of the prior against a measurement."""
        return self.strength * self.unit_variance * (m.scale / total) ** 2


def pool(measurements: Sequence[Measurement]) -> list[Measurement]:
    """One measurement for each thing that was measured: repeated ones are averaged with weights 1/scale²."""
    by_query: dict[tuple, list[Measurement]] = {}
    for m in measurements:
        by_query.setdefault(m.query, []).append(m)
    return [_average(group) if len(group) > 1 else group[0] for group in by_query.values()]


def pool_residuals(
    measurements: Sequence[Measurement], sets: Callable[[Attrs], Sequence[Attrs]] = nonempty_subsets
) -> list[Measurement]:
    """One measurement for each residual that these tell, of a whole table for those on `sets` of its attributes.

    One that several tell is their mean, weighted by precision.
    """
    sums: dict[Attrs, np.ndarray] = {}
    precisions: dict[Attrs, float] = {}
    for m in measurements:
        for A, value, precision in m.residuals(sets(m.attrs)):
            sums[A] = sums.get(A, 0.0) + precision * value
            precisions[A] = precisions.get(A, 0.0) + precision
    return [Measurement(A, total / precisions[A], precisions[A] ** -0.5, centred=True) for A, total in sums.items()]


def _average(repeated: Sequence[Measurement]) -> Measurement:
    precisions = np.array([m.scale**-2 for m in repeated])
    value = sum(precision * m.value for precision, m in zip(precisions, repeated, strict=True)) / precisions.sum()
    return replace(repeated[0], value=value, scale=float(precisions.sum() ** -0.5))
