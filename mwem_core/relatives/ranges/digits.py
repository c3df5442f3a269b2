"""Noisy counts of a number by its digits, from the first digit to the last: only what is heavy is told apart further.

Each digit is a level of intervals [k 10^j, (k + 1) 10^j), and has the same share of the budget, as in the hierarchy of
Hay et al. (PVLDB 2010), with ten branches: near the best for Laplace noise (Qardaji, Yang & Li, PVLDB 2013), and people
round their numbers to the ends of such intervals.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from mwem_core.privacy import Accountant, Budget
from mwem_core.workload import to_simplex

HEAVY = 2.0  # standard deviations of the noise, above which an interval is told apart further


@dataclass(frozen=True, eq=False)
class Counted:
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


def count_digits(counts: np.ndarray, least: int, *, cost: Budget, account: Accountant) -> Counted:
    """Measure the counts of consecutive whole numbers from `least` on, (values,), at this cost.

    A record is in one interval of each level, so that a level is a measurement of sensitivity 1. Which intervals the
    next level tells apart depends on noisy counts alone. The noisy counts of an interval's parts are projected on those
    that add up to its own with none below zero. The first level's sum is taken as it is: n is not read.
    """
    running, digits = np.concatenate([[0.0], np.cumsum(counts)]), len(str(len(counts) - 1))
    of_level = cost.part(Fraction(1, digits))
    found = Counted(np.array([0, len(counts)]), np.array([np.inf]), of_level.variance_at(of_level.scale) ** 0.5)
    for digit in reversed(range(digits)):
        split = (found.counts > HEAVY * found.noise) & (found.sizes > 1)
        bounds = [_parts(*ends, least, 10**digit) for ends in _pairs(found.bounds, split)]
        exact = [np.diff(running[cut]) for cut in bounds]
        noisy = account.measure(np.concatenate([*exact, np.zeros(int(not exact))]), cost=of_level, purpose="start")
        found = _told_apart(found, split, bounds, noisy)
    return found


def _told_apart(found: Counted, split: np.ndarray, bounds: list[np.ndarray], noisy: np.ndarray) -> Counted:
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
    return Counted(np.concatenate([*new, found.bounds[-1:]]), np.concatenate(counts), found.noise)


def _pairs(bounds: np.ndarray, chosen: np.ndarray) -> list[tuple[int, int]]:
    """The ends of the intervals of a mask."""
    return [ends for ends, wanted in zip(pairwise(bounds.tolist()), chosen, strict=True) if wanted]


def _parts(first: int, end: int, least: int, width: int) -> np.ndarray:
    """An interval's ends, and the values between them at which `width` divides the number: (parts + 1,)."""
    inside = np.arange(-(-(first + least + 1) // width), -(-(end + least) // width)) * width - least
    return np.concatenate([[first], inside, [end]])
