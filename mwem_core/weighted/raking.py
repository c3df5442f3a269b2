"""Raking: weights are scaled to given sums of groups (iterative proportional fitting, Deming & Stephan 1940)."""

from collections.abc import Sequence

import numpy as np

SWEEPS = 400  # at most
Margin = tuple[np.ndarray, np.ndarray]  # the number of the group that each weight is in, and the sum of each group


def raked(weights: np.ndarray, margins: Sequence[Margin], *, tolerance: float) -> np.ndarray:
    """The weights nearest to these, in KL, with the sums of every margin: (weights,).

    If margins contradict each other, the last one is met. A group without weight stays empty, and the sums of the other
    groups are scaled to the total of the weights. Stops after a sweep in which no sum was off by more than `tolerance`,
    in the weights' unit, or after `SWEEPS`.
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
