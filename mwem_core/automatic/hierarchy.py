"""Count intervals once, at the levels of the least expected error for the ranges asked.

Hay, Rastogi, Miklau & Suciu (PVLDB 2010) measure every level of a tree of intervals; Qardaji, Yang & Li (PVLDB 2013)
fewer of them. Here, as for marginals (`plans`), whatever is measured is kept as what it says of each level's
differences (`model.measurement`): white noise on counts is independent white noise on the differences of all coarser
levels.
"""

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, reduce

import numpy as np

from mwem_core.base import constants
from mwem_core.domain import Table
from mwem_core.model import Levels, Measurement, bounds, counts, differences, heights, up_to, values
from mwem_core.privacy import Accountant, Budget
from mwem_core.workload import Boxes, Workload, squares_by_level

MAX_ATTRIBUTES = 2  # of the ranges: the rounds refine counts along one attribute, and along two
MAX_INTERVALS = 2**18  # of the finest level: two seconds


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Which levels of each attribute are measured; of several attributes, every combination of them.

    Each of these tables of counts gets the same share of the budget, for a record is in one interval of each.
    """

    boxes: Boxes
    squares: np.ndarray  # of the boxes, by level (`matrix.halvings`)
    measured: tuple[Levels, ...]  # for each attribute its levels, ascending
    budget: Budget

    @property
    def tables(self) -> list[Levels]:
        """The levels of each measured table of counts."""
        return list(itertools.product(*self.measured))

    @property
    def finest(self) -> Levels:
        """The finest level that is measured of each attribute."""
        return tuple(levels[-1] for levels in self.measured)

    @property
    def rounds(self) -> int:
        """One for each halving down to the finest level."""
        return max(self.finest)

    @property
    def part(self) -> Budget:
        """Of the budget, for one table of counts."""
        return self.budget.part(Fraction(1, math.prod(map(len, self.measured))))

    @cached_property
    def precisions(self) -> np.ndarray:
        """1 / variance, in records⁻², along a unit vector of each level's differences: (h_1 + 1, h_2 + 1, ...).

        A unit vector of a coarser level is constant on the v values of an interval, and reads its count with the weight
        1/√v, so with 1/v of its variance. Of several measurements the precisions add up.
        """
        by_axis = []
        for levels, size in zip(self.measured, self.boxes.sizes, strict=True):
            widths = np.array([size / min(2**level, size) for level in levels])
            reads = np.arange(heights([size])[0] + 1)[:, None] <= np.array(levels)
            by_axis.append((widths * reads).sum(axis=1))
        return reduce(np.multiply.outer, by_axis) / self.part.variance_at(self.part.scale)

    def squared_error(self, n: float) -> float:
        """The expected squared error of a range, in records², with a prior as strong as for one-way marginals.

        A unit vector's variance before it is measured is n² / (λ cells). The total n is known.
        """
        prior = constants.ONE_WAY_STRENGTH * math.prod(self.boxes.sizes) / n**2
        return float((self.squares / (prior + self.precisions)).ravel()[1:].sum())

    def measure(self, B: Table, Q: Workload, account: Accountant) -> dict[Levels, Measurement]:
        """Spend the whole budget; by level, the mean of what all tables say of its differences, weighted by precision.

        The scale is that of the noise on each difference, the root of its mean square where both halves have values.
        """
        (S,), sizes = Q.sets, self.boxes.sizes
        table, noisy = B.marginal(S).reshape(sizes), {}
        for levels in self.tables:
            noisy[levels] = counts(table, levels).astype(float)
            exist = counts(np.ones(sizes), levels) > 0
            noisy[levels][exist] = account.measure(noisy[levels][exist], cost=self.part)
        measurements = {}
        for k in up_to(self.finest):
            weights = self.weights(k)
            said = np.stack([differences(noisy[levels], k, sizes) for levels in weights])
            precisions = np.array(list(weights.values()))
            value = np.tensordot(precisions / precisions.sum(), said, 1)
            measurements[k] = Measurement(S, value, self.part.scale * float(precisions.sum()) ** -0.5, levels=k)
        return measurements

    def weights(self, k: Levels) -> dict[Levels, float]:
        """For each table that reads the differences of level k, how precisely: 1 / their variance at noise of 1."""
        return {
            levels: 1 / math.prod(map(_noise_in_difference, self.boxes.sizes, levels, k))
            for levels in self.tables
            if all(level >= at for level, at in zip(levels, k, strict=True))
        }


@lru_cache(maxsize=8)
def best_hierarchy(Q: Workload, budget: Budget, n: float) -> Hierarchy:
    """The levels of the least expected squared error for these ranges: evenly spaced ones, down to any finest one.

    Reads public numbers alone. A single level of single values is noise on cells, so that it is never worse than that.
    """
    boxes = boxes_of(Q)
    squares = squares_by_level(boxes)
    combinations = itertools.product(*map(_evenly_spaced, heights(boxes.sizes)))
    return min(
        (Hierarchy(boxes, squares, each, budget) for each in combinations), key=lambda plan: plan.squared_error(n)
    )


def boxes_of(Q: Workload) -> Boxes:
    """The ranges of a workload that the plan can serve; raises ValueError for any other."""
    operator = Q.blocks[0].operator
    if Q.terms or not isinstance(operator, Boxes) or len(operator.sizes) > MAX_ATTRIBUTES:
        asked = "ranges of more" if Q.family == "ranges" else Q.families
        raise ValueError(f"counts of intervals are for ranges of one or two attributes, not {asked}")
    if (intervals := 2 ** sum(heights(operator.sizes))) > MAX_INTERVALS:
        raise ValueError(
            f"there would be up to {intervals:,} intervals to count of {Q.domain.label(Q.attrs(0))}, more than "
            f"{MAX_INTERVALS:,}: declare coarser bins, or choose MWEM"
        )
    return operator


def serves(Q: Workload) -> bool:
    """Whether the plan can serve the workload."""
    try:
        boxes_of(Q)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=1024)
def _noise_in_difference(size: int, level: int, k: int) -> float:
    """The variance of a difference of level k along an axis, from counts of `level` with a noise of variance 1 each."""
    exist = (np.diff(bounds(size, level)) > 0).astype(float)
    if k == 0:
        return float(exist.sum())
    own, halves = values(size, k), counts(exist, (k,)).reshape(-1, 2)
    share = own[:, 0] / own.sum(axis=1)
    variances = halves[:, 0] * (1 - share) ** 2 + halves[:, 1] * share**2
    return float(variances[own.min(axis=1) > 0].mean())


def _evenly_spaced(height: int) -> list[Levels]:
    """All choices of evenly spaced levels, down to any finest one."""
    if not height:
        return [(0,)]
    return sorted(
        {
            tuple(sorted({-(-finest * i // number) for i in range(1, number + 1)}))
            for finest in range(1, height + 1)
            for number in range(1, finest + 1)
        }
    )
