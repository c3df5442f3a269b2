"""Raking: weights that are moved to sums which are known (iterative proportional fitting, Deming & Stephan 1940)."""

from collections.abc import Sequence

import numpy as np

SWEEPS = 400  # at most
Margin = tuple[np.ndarray, np.ndarray]  # the number of the group that each weight is in, and the sum of each group


def raked(weights: np.ndarray, margins: Sequence[Margin], *, tolerance: float) -> np.ndarray:
    """The weights of the least KL from these that have the sums of every margin, as far as weights can: (weights,).

    Margins that contradict each other are fitted in turn, and the last one is met. A group without weight stays empty,
    and the others of its margin are scaled so that all sums are of the same total. Ends once a sweep meets no sum that
    is off by more than `tolerance`, in the weights' unit.
    """
    total, reachable = weights.sum(), []
    for group, wanted in margins:
        wanted = np.where(np.bincount(group, weights, minlength=len(wanted)) > 0, wanted, 0.0)
        if wanted.sum() > 0:
            reachable.append((group, wanted * (total / wanted.sum())))
    for _ in range(SWEEPS):
        off = 0.0
        for group, wanted in reachable:
            own = np.bincount(group, weights, minlength=len(wanted))
            off = max(off, float(np.abs(own - wanted).max()))
            weights = weights * np.divide(wanted, own, out=np.zeros_like(own), where=own > 0)[group]
        if off <= tolerance:
            break
    return weights
