"""Randomised response: each person flips coins before answering a yes/no question (Warner 1965).

No curator is trusted: an answer is private before it leaves its person. Here neighbours differ in one person's true
answer, and everyone is asked, so the number of people n is public.
"""

import math
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from mwem_core.base import check_positive, is_whole
from mwem_core.privacy.noise import NoiseSource

DIGITS = 9  # of a likelihood ratio's logarithm: ratios that are equal by symmetry differ by rounding


@dataclass(frozen=True)
class RandomisedResponse:
    """Say the truth with probability p = e^ε / (1 + e^ε), else the opposite: ε-DP for each person.

    Warner (1965) spins a pointer with this p. Two coins have the same law: the first shows heads with probability
    2p - 1 and then asks for the truth, else a second, fair coin gives the answer. At ε = ln 3 both coins are fair.
    """

    epsilon: float

    def __post_init__(self):
        check_positive(epsilon=self.epsilon)

    @classmethod
    def of_coins(cls, first: float) -> "RandomisedResponse":
        """Two coins, of which the first shows heads with this probability: ε = ln((1 + first) / (1 - first)).

        >>> round(RandomisedResponse.of_coins(1 / 2).epsilon, 3)
        1.099
        """
        if not 0 < first < 1:
            raise ValueError(f"the first coin must show heads with a probability between 0 and 1, got {first!r}")
        return cls(math.log1p(first) - math.log1p(-first))

    @cached_property
    def truth(self) -> float:
        """p, the probability of a true answer."""
        return 1 / (1 + math.exp(-self.epsilon))

    @property
    def first_coin(self) -> float:
        """2p - 1 = tanh(ε/2), the probability that the first of two coins asks for the truth."""
        return math.tanh(self.epsilon / 2)

    @property
    def odds(self) -> float:
        """e^ε: one answer moves the odds about a person's truth by this factor."""
        return math.exp(self.epsilon)

    def answers(self, truths: np.ndarray, *, noise: NoiseSource) -> np.ndarray:
        """The answers of m people, (m,) -> (m,), both booleans; ε-DP for each of them.

        An exponential mechanism between no and yes, the true one of score 1. Another truth swaps the two scores, so
        the probabilities have the same denominator, and half of the usual sensitivity is enough.
        """
        scores = {False: np.array([1.0, 0.0]), True: np.array([0.0, 1.0])}
        return np.array([noise.choose(scores[bool(truth)], self.epsilon, 0.5) == 1 for truth in truths], bool)

    def estimate(self, yes: int, n: int) -> float:
        """The share of people whose truth is yes, from the count of their answers; unbiased, so it may leave [0, 1].

        If x people would truly say yes, the count is Bin(x, p) + Bin(n - x, 1 - p), with mean n(1 - p) + x(2p - 1).
        """
        _check_count(yes, n)
        return (yes / n - (1 - self.truth)) / (2 * self.truth - 1)

    def standard_error(self, n: int) -> float:
        """Standard deviation of the estimated share: √(p(1 - p) / n) / (2p - 1), whatever the true share is."""
        return math.sqrt(self.truth * (1 - self.truth) / n) / (2 * self.truth - 1)

    def interval(self, yes: int, n: int, *, level: float = 0.95) -> tuple[float, float]:
        """The least and the largest true share that a test at this level does not reject.

        The people are fixed and only the coins are random. For each x the test orders the counts by their likelihood
        ratio, P(count | x) / max P(count | x'), so the interval lies in [0, 1] and is never empty (Feldman & Cousins
        1998). It takes mid-P values, half of the probability of the count itself: counts are few, and the full
        probability would cover too often (Lancaster 1961). On the mean over x, 95% intervals cover 94 to 97%
        in classes of 5 to 200 people; for a single x, 91 to 99% in classes of 5, 93 to 97% in classes of 200 (ε from
        0.5 to 3, by exact sums).
        """
        _check_count(yes, n)
        low, high = _intervals(self.truth, n, level)
        return low[yes] / n, high[yes] / n

    def belief(self, prior: float, *, answer: bool) -> float:
        """The probability that a person's truth is yes, after the answer, for who believed `prior` before."""
        yes, no = (self.truth, 1 - self.truth) if answer else (1 - self.truth, self.truth)
        return prior * yes / (prior * yes + (1 - prior) * no)


def count_law(truth: float, n: int) -> np.ndarray:
    """The probability of each count of yes, for each number of people whose truth is yes: (n + 1, n + 1), row by row.

    Row x is the law of Bin(x, p) + Bin(n - x, 1 - p), p = `truth`. Sums of positive terms, so exact to rounding.
    """
    honest, flipped = _binomials(truth, n), _binomials(1 - truth, n)
    return np.array([np.convolve(honest[x], flipped[n - x]) for x in range(n + 1)])


@cache
def _intervals(truth: float, n: int, level: float) -> tuple[np.ndarray, np.ndarray]:
    """The ends of the interval for every count of yes, in people: two arrays of (n + 1,)."""
    law = count_law(truth, n)
    with np.errstate(divide="ignore"):  # a probability may underflow; its ratio is then -inf
        ratios = np.round(np.log(law / law.max(axis=0)), DIGITS)
    kept = np.array([_mid_p(row, ratio) for row, ratio in zip(law, ratios, strict=True)]) > 1 - level
    return kept.argmax(axis=0), n - kept[::-1].argmax(axis=0)


def _mid_p(law: np.ndarray, order: np.ndarray) -> np.ndarray:
    """P(lower in the order) + P(equal) / 2 for each count: (n + 1,)."""
    by_order = np.argsort(order)
    below, ordered = np.append(0.0, np.cumsum(law[by_order])), order[by_order]
    return (below[np.searchsorted(ordered, order)] + below[np.searchsorted(ordered, order, side="right")]) / 2


def _binomials(p: float, n: int) -> list[np.ndarray]:
    """The laws of Bin(m, p) for m = 0 .. n, each by one trial more than the last."""
    laws = [np.ones(1)]
    for _ in range(n):
        laws.append((1 - p) * np.append(laws[-1], 0.0) + p * np.append(0.0, laws[-1]))
    return laws


def _check_count(yes: int, n: int) -> None:
    """Refuse, by a ValueError, a count that no class of n people gives."""
    if not (is_whole(n) and n >= 1):
        raise ValueError(f"the number of answers must be a whole number of at least 1, got {n!r}")
    if not (is_whole(yes) and 0 <= yes <= n):
        raise ValueError(f"the count of yes must be a whole number from 0 to {n}, got {yes!r}")
