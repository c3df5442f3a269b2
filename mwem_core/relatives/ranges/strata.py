"""Where to put so many bins, given noisy counts: each heavy value by itself, the rest by the root of its frequency.

Bins of equal width leave a skewed number's mass in one of them, and bins of equal mass leave its tail in one. Bins over
which the root of the density adds up to the same amount lie between: they minimise Σ mass × width, by which the mean of
rows can be off, and with it the variance within bins (Dalenius & Hodges, "Minimum Variance Stratification", 1959).
"""

import numpy as np

from mwem_core.relatives.ranges.digits import Counted

HIDDEN = 0.1  # standard deviations of the noise: so many records may be in any interval, whatever was counted
SURE = 3.0  # standard deviations of the noise, above which a heavy value is no accident
ROUNDED = 0.1  # of the distance to the nearer neighbour, by which an edge may move to a rounder number


def first_of_bins(found: Counted, bins: int, least: int) -> np.ndarray:
    """The first value of each bin, ascending from 0: (bins,). `least` is the number that value 0 stands for.

    A single value with more than 1/bins of all records is a bin by itself. There must be as many values as bins.
    """
    alone = _heavy(found, bins)
    free = _between(alone, len(found.counts))
    roots = np.sqrt((found.counts + HIDDEN * found.noise) * found.sizes)
    masses = np.array([roots[part].sum() for part in free])
    values = np.array([found.sizes[part].sum() for part in free])
    firsts = [found.bounds[alone]]
    for part, number in zip(free, _shared(masses, values, bins - len(alone)), strict=True):
        bounds = found.bounds[part.start : part.stop + 1]
        running = np.concatenate([[0.0], np.cumsum(roots[part])])
        cuts = np.interp(np.arange(number + 1) * (running[-1] / number), running, bounds)
        firsts.append(_apart(_rounder(cuts, least), int(bounds[0]), int(bounds[-1])))
    return np.sort(np.concatenate(firsts))


def _heavy(found: Counted, bins: int) -> np.ndarray:
    """The single values that are a bin each, ascending, as few as leave a bin for what lies between them."""
    enough = max(found.counts.sum() / bins, SURE * found.noise)
    heavy = np.flatnonzero((found.sizes == 1) & (found.counts > enough))
    heavy = heavy[np.argsort(-found.counts[heavy], kind="stable")]
    while len(heavy) + len(_between(np.sort(heavy), len(found.counts))) > bins:
        heavy = heavy[:-1]
    return np.sort(heavy)


def _between(alone: np.ndarray, intervals: int) -> list[slice]:
    """The runs of intervals before, between and after these."""
    ends = zip([0, *(alone + 1).tolist()], [*alone.tolist(), intervals], strict=True)
    return [slice(a, b) for a, b in ends if a < b]


def _shared(masses: np.ndarray, values: np.ndarray, bins: int) -> np.ndarray:
    """Bins for each run: at least one, at most one a value, and each further one where a bin has most mass."""
    numbers = np.ones(len(masses), int)
    while numbers.sum() < bins:
        numbers[np.argmax(np.where(numbers < values, masses / numbers, -1.0))] += 1
    return numbers


def _rounder(cuts: np.ndarray, least: int) -> np.ndarray:
    """The cuts but for the last, as whole values, where possible of a number that ends in zeros."""
    gaps = np.diff(cuts)
    near, found = ROUNDED * np.minimum(gaps, np.append(np.inf, gaps[:-1])), np.round(cuts[:-1])
    for digit in range(1, len(str(int(cuts[-1])))):
        rounder = np.round((cuts[:-1] + least) / 10**digit) * 10**digit - least
        found = np.where(np.abs(rounder - cuts[:-1]) <= near, rounder, found)
    return found.astype(np.int64)


def _apart(cuts: np.ndarray, first: int, end: int) -> np.ndarray:
    """Whole values that increase from `first` on, all below `end`, as near to the cuts as that allows."""
    steps = np.arange(len(cuts))
    ascending = np.maximum.accumulate(np.append(first, cuts[1:]) - steps) + steps
    return np.minimum(ascending, end - len(cuts) + steps)
