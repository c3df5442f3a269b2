"""A lower bound on a mechanism's ε, from outputs on two neighbouring inputs alone: no knowledge of how it draws.

(ε, δ)-DP says that every event E has P(E on B) <= e^ε P(E on B') + δ. So any event with a large P on B and a small one
on B' proves that ε is at least ln((P - δ) / P'). One half of the outputs chooses the event: a set of outputs where the
ratio of the two likelihoods is largest, as Neyman and Pearson's lemma says. The other half bounds both probabilities
by Clopper and Pearson's exact binomial intervals, so the choice cannot flatter the bound.
"""

import math
from dataclasses import dataclass

import numpy as np

FALSE_ALARM = 1e-6  # the probability that one of the two intervals does not hold its probability
MAX_VALUES = 512  # that are told apart; outputs with more are put into bins
BINS = 256  # of one column of outputs, equally full
SMOOTHING = 0.5  # added to both counts of a value, so that a likelihood ratio exists


@dataclass(frozen=True)
class LowerBound:
    """ε is at least `epsilon`; it is 0 where the outputs prove nothing.

    Outputs fall in the event with a probability of at least `p` on one side, and at most `q` on the other.
    """

    epsilon: float
    p: float
    q: float


def lower_bound(ours: np.ndarray, theirs: np.ndarray, *, delta: float = 0.0) -> LowerBound:
    """The larger of the bounds in both directions, of outputs (m,) or (m, columns) of independent runs on each side.

    It exceeds the true ε with a probability of at most 4 · 10⁻⁶.
    """
    a, b = _values(np.asarray(ours, float), np.asarray(theirs, float))
    half = len(a) // 2
    both = (_bound(a, b, half, delta), _bound(b, a, half, delta))
    return max(both, key=lambda bound: bound.epsilon)


def clopper_pearson(successes: np.ndarray, trials: int) -> tuple[np.ndarray, np.ndarray]:
    """The exact lower and upper limits of a binomial probability, each missed with probability `FALSE_ALARM` / 2."""
    from scipy.special import betaincinv  # imported late: it takes a fifth of a second

    k, alpha = np.asarray(successes, float), FALSE_ALARM / 2
    with np.errstate(invalid="ignore"):
        low = np.where(k > 0, betaincinv(k, trials - k + 1, alpha), 0.0)
        high = np.where(k < trials, betaincinv(k + 1, trials - k, 1 - alpha), 1.0)
    return low, high


def _bound(ours: np.ndarray, theirs: np.ndarray, half: int, delta: float) -> LowerBound:
    """The bound of one direction: the event of the best bound on the first half, bounded on the second."""
    kinds = int(max(ours.max(), theirs.max())) + 1
    first = [np.bincount(side[:half], minlength=kinds) for side in (ours, theirs)]
    second = [np.bincount(side[half:], minlength=kinds) for side in (ours, theirs)]
    order = np.argsort(-(first[0] + SMOOTHING) / (first[1] + SMOOTHING), kind="stable")
    low, _ = clopper_pearson(np.cumsum(first[0][order]), half)
    _, high = clopper_pearson(np.cumsum(first[1][order]), half)
    event = order[: int(np.argmax((low - delta) / high)) + 1]
    trials = len(ours) - half
    low, _ = clopper_pearson(second[0][event].sum(), trials)
    _, high = clopper_pearson(second[1][event].sum(), trials)
    ratio = (float(low) - delta) / float(high)
    return LowerBound(math.log(ratio) if ratio > 1 else 0.0, float(low), float(high))


def _values(ours: np.ndarray, theirs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both sides' outputs as whole numbers from 0: their distinct values, or the bins that they fall in, (m,) each."""
    together = np.concatenate([ours, theirs]).reshape(len(ours) + len(theirs), -1)
    columns = [_numbered(column) for column in together.T]
    _, numbers = np.unique(np.stack(columns), axis=1, return_inverse=True)
    numbers = numbers.ravel()
    return numbers[: len(ours)], numbers[len(ours) :]


def _numbered(column: np.ndarray) -> np.ndarray:
    distinct, numbers = np.unique(column, return_inverse=True)
    if len(distinct) <= MAX_VALUES:
        return numbers
    return np.searchsorted(np.quantile(column, np.arange(1, BINS) / BINS), column)
