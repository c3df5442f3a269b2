"""The bins of a number, from noisy counts of its digits.

`count_digits` counts from the first digit to the last, and tells only heavy intervals apart further. Each digit is a
level of intervals [k 10^j, (k + 1) 10^j), and has the same share of the budget, as in the hierarchy of Hay et al.
(PVLDB 2010), with ten branches: near the best for Laplace noise (Qardaji, Yang & Li, PVLDB 2013), and people round
their numbers to the ends of such intervals.

`first_of_bins` puts each heavy value in a bin of its own, and divides the rest by the root of its frequency. Bins of
equal width leave a skewed number's mass in one of them, and bins of equal mass leave its tail in one. Bins over which
the root of the density adds up to the same amount lie between: they minimise Σ mass × width, by which the mean of rows
can be off, and with it the variance within bins (Dalenius & Hodges, "Minimum Variance Stratification", 1959).
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from mwem_core.privacy import Accountant, Budget
from mwem_core.workload import to_simplex

HEAVY = 2.0  # standard deviations of the noise, above which an interval is told apart further
LEAST_COUNT = 0.1  # standard deviations of the noise: so many records may be in any interval, whatever was counted
SIGNIFICANT = 3.0  # standard deviations of the noise, above which a heavy value is no accident
MAX_SHIFT = 0.1  # of the distance to the nearer neighbour, by which an edge may move to a rounder number


@dataclass(frozen=True, eq=False)
class IntervalCounts:
    """Consecutive intervals of the values 0, 1, ...: where they begin and end, (k + 1,), and their noisy counts, (k,).

    `noise` is the standard deviation of the noise of a measured count, in records.
    """

    bounds: np.ndarray
    counts: np.ndarray
    noise: float

    @property
    def sizes(self) -> np.ndarray:
        """The number of values in each interval: (k,)."""
        return np.diff(self.bounds)


def count_digits(counts: np.ndarray, least: int, *, cost: Budget, account: Accountant) -> IntervalCounts:
    """Measure the counts of consecutive whole numbers from `least` on, (values,), at this cost.

    A record is in one interval of each level, so that a level is a measurement of sensitivity 1. Which intervals the
    next level tells apart depends on noisy counts alone. The noisy counts of an interval's parts are projected on those
    that add up to its own with none below zero. The first level's sum is taken as it is: n is not read.
    """
    running, digits = np.concatenate([[0.0], np.cumsum(counts)]), len(str(len(counts) - 1))
    of_level = cost.part(Fraction(1, digits))
    found = IntervalCounts(np.array([0, len(counts)]), np.array([np.inf]), of_level.variance_at(of_level.scale) ** 0.5)
    for digit in reversed(range(digits)):
        split = (found.counts > HEAVY * found.noise) & (found.sizes > 1)
        bounds = [_parts(*ends, least, 10**digit) for ends in _pairs(found.bounds, split)]
        exact = [np.diff(running[cut]) for cut in bounds]
        noisy = account.measure(np.concatenate([*exact, np.zeros(int(not exact))]), cost=of_level, purpose="start")
        found = _divide(found, split, bounds, noisy)
    return found


def _divide(found: IntervalCounts, split: np.ndarray, bounds: list[np.ndarray], noisy: np.ndarray) -> IntervalCounts:
    """The intervals after those of the mask were measured in parts, whose noisy counts stand one after another."""
    new, counts, used = list[np.ndarray](), list[np.ndarray](), 0
    parts = iter(bounds)
    for first, own, is_split in zip(found.bounds, found.counts, split, strict=False):
        cut = next(parts) if is_split else None
        if cut is None:
            new.append(np.array([first]))
            counts.append(np.array([own]))
            continue
        measured = noisy[used : used + len(cut) - 1]
        used += len(cut) - 1
        total = own if np.isfinite(own) else max(measured.sum(), 1.0)
        new.append(cut[:-1])
        counts.append(to_simplex(measured[None], total)[0])
    return IntervalCounts(np.concatenate([*new, found.bounds[-1:]]), np.concatenate(counts), found.noise)


def _pairs(bounds: np.ndarray, chosen: np.ndarray) -> list[tuple[int, int]]:
    """The ends of the intervals of a mask."""
    return [ends for ends, wanted in zip(pairwise(bounds.tolist()), chosen, strict=True) if wanted]


def _parts(first: int, end: int, least: int, width: int) -> np.ndarray:
    """An interval's ends, and the values between them at which `width` divides the number: (parts + 1,)."""
    inside = np.arange(-(-(first + least + 1) // width), -(-(end + least) // width)) * width - least
    return np.concatenate([[first], inside, [end]])


def first_of_bins(found: IntervalCounts, bins: int, least: int) -> np.ndarray:
    """The first value of each bin, ascending from 0: (bins,). `least` is the number that value 0 stands for.

    A single value with more than 1/bins of all records is a bin by itself. There must be as many values as bins.
    """
    alone = _heavy(found, bins)
    free = _between(alone, len(found.counts))
    roots = np.sqrt((found.counts + LEAST_COUNT * found.noise) * found.sizes)
    masses = np.array([roots[part].sum() for part in free])
    values = np.array([found.sizes[part].sum() for part in free])
    firsts = [found.bounds[alone]]
    for part, number in zip(free, _bins_of_runs(masses, values, bins - len(alone)), strict=True):
        bounds = found.bounds[part.start : part.stop + 1]
        running = np.concatenate([[0.0], np.cumsum(roots[part])])
        cuts = np.interp(np.arange(number + 1) * (running[-1] / number), running, bounds)
        firsts.append(_increasing(_rounder(cuts, least), int(bounds[0]), int(bounds[-1])))
    return np.sort(np.concatenate(firsts))


def _heavy(found: IntervalCounts, bins: int) -> np.ndarray:
    """The single values that are a bin each, ascending, as few as leave a bin for what lies between them."""
    enough = max(found.counts.sum() / bins, SIGNIFICANT * found.noise)
    heavy = np.flatnonzero((found.sizes == 1) & (found.counts > enough))
    heavy = heavy[np.argsort(-found.counts[heavy], kind="stable")]
    while len(heavy) + len(_between(np.sort(heavy), len(found.counts))) > bins:
        heavy = heavy[:-1]
    return np.sort(heavy)


def _between(alone: np.ndarray, intervals: int) -> list[slice]:
    """The runs of intervals before, between and after these."""
    ends = zip([0, *(alone + 1).tolist()], [*alone.tolist(), intervals], strict=True)
    return [slice(a, b) for a, b in ends if a < b]


def _bins_of_runs(masses: np.ndarray, values: np.ndarray, bins: int) -> np.ndarray:
    """Bins for each run: at least one, at most one a value, and each further one where a bin has most mass."""
    numbers = np.ones(len(masses), int)
    while numbers.sum() < bins:
        numbers[np.argmax(np.where(numbers < values, masses / numbers, -1.0))] += 1
    return numbers


def _rounder(cuts: np.ndarray, least: int) -> np.ndarray:
    """The cuts but for the last, as whole values, where possible of a number that ends in zeros."""
    gaps = np.diff(cuts)
    near, found = MAX_SHIFT * np.minimum(gaps, np.append(np.inf, gaps[:-1])), np.round(cuts[:-1])
    for digit in range(1, len(str(int(cuts[-1])))):
        rounder = np.round((cuts[:-1] + least) / 10**digit) * 10**digit - least
        found = np.where(np.abs(rounder - cuts[:-1]) <= near, rounder, found)
    return found.astype(np.int64)


def _increasing(cuts: np.ndarray, first: int, end: int) -> np.ndarray:
    """Whole values that increase from `first` on, all below `end`, as near to the cuts as that allows."""
    steps = np.arange(len(cuts))
    ascending = np.maximum.accumulate(np.append(first, cuts[1:]) - steps) + steps
    return np.minimum(ascending, end - len(cuts) + steps)
