"""A noisy measurement of one query, or of a whole marginal."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from mwem_core.domain import Attrs, nonempty_subsets
from mwem_core.model.dyadic import Levels, differences
from mwem_core.model.sums import centred, table_marginals


@dataclass(frozen=True, eq=False)
class Measurement:
    """What a mechanism returned for a query, or for every cell of a marginal.

    `q` holds the query's values on the cells of the marginal over `attrs`, in [-1, 1], and `value` its noisy answer;
    where `q` is None the whole marginal was measured and `value` has a number a cell. `value` and `scale` (of the
    noise: b for Laplace, σ for Gaussian) are in records.

    Where `centred`, only the marginal's residual was measured: the marginal centred along every axis. `value` is
    centred too, and `scale` is that of the noise along every unit vector of the residual's space.

    With `levels`, one for each attribute, the differences of halves at these levels were measured (`model.dyadic`).
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
            return centred(marginal)
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
        return q is None or bool((np.abs(q) == 1).all() and set(q.shape) == {2} and np.array_equal(centred(q), q))

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
                yield A, centred(marginal), precision * marginal.size / self.value.size

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


def pooled(measurements: Sequence[Measurement]) -> list[Measurement]:
    """One measurement for each thing that was measured: repeated ones are averaged with weights 1/scale²."""
    by_query: dict[tuple, list[Measurement]] = {}
    for m in measurements:
        by_query.setdefault(m.query, []).append(m)
    return [_average(group) if len(group) > 1 else group[0] for group in by_query.values()]


def pooled_residuals(
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
