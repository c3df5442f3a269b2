"""How counts split into halves: what a noisy difference of halves says, given what splits of its level are like.

The splits of a level come from a mixture: some are exactly as expected from the coarser levels, some leave a part
empty, the others vary around what is expected, with several strengths λ. The weights of the mixture are learned from
the noisy differences of the level (empirical Bayes). A level whose splits are noise keeps to what is expected, which
joins intervals as DAWA's buckets do; one with structure follows what was measured, and single splits may differ.
"""

import math
from dataclasses import dataclass

import numpy as np

STRENGTHS = np.geomspace(
    0.5, 5e6, 15
)  # λ: a split varies as the mean of λ coins does, from anything to next to nothing
NEARLY_EMPTY = 4.0 ** -np.arange(1, 9)  # mean counts of a part that is nearly empty, as shares of the whole
STEEPEST = 100.0  # a mean that is this many times smaller than the noise is nothing
ITERATIONS = 50  # of expectation and maximisation: their weights move by less than a hundredth after them
PSEUDO_COUNT = 1.0  # split that the weights of the coarser level count for
MAX_MISS = 5.0  # standard deviations by which a measurement may lie outside of what is possible
COMPONENTS = len(STRENGTHS) + 1 + len(NEARLY_EMPTY)
EQUAL_WEIGHTS = np.full(COMPONENTS, 1 / COMPONENTS)


@dataclass(frozen=True, eq=False)
class Splits:
    """Unknown counts, each between `low` and `high`, and `expected` from the coarser levels: (splits,), in records.

    `spread` is the variance of a count about what is expected at λ = 1.
    """

    low: np.ndarray
    high: np.ndarray
    expected: np.ndarray
    spread: np.ndarray

    def __getitem__(self, chosen: np.ndarray) -> "Splits":
        """Some of them."""
        return Splits(self.low[chosen], self.high[chosen], self.expected[chosen], self.spread[chosen])

    def posterior(self, measured: np.ndarray, deviation: float, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The mean of each count once measured with normal noise, and the mixture's weights, learned from all of them.

        `weights`, those of a coarser level, count for `PSEUDO_COUNT` splits.
        """
        measured = np.clip(measured, self.low - MAX_MISS * deviation, self.high + MAX_MISS * deviation)
        densities, means = self._components(measured, deviation)
        learned = weights
        for _ in range(ITERATIONS):
            learned = _shares(densities, learned).sum(axis=0) + PSEUDO_COUNT * weights
            learned /= learned.sum()
        return (_shares(densities, learned) * means).sum(axis=1), learned

    def _components(self, measured: np.ndarray, deviation: float) -> tuple[np.ndarray, np.ndarray]:
        """The density of what was measured, up to a factor for each split, and the mean count: (splits, components)."""
        varying, varying_means = self._varying(measured, deviation)
        exactly = _density(measured - self.expected, deviation)
        at_low, above_low = _exponential(measured - self.low, self.high - self.low, deviation)
        at_high, below_high = _exponential(self.high - measured, self.high - self.low, deviation)
        either = at_low + at_high
        ends = (at_low * (self.low[:, None] + above_low) + at_high * (self.high[:, None] - below_high)) / either
        densities = np.column_stack([varying, exactly, either / 2])
        densities /= densities.max(axis=1, keepdims=True)
        return densities, np.column_stack([varying_means, self.expected, ends])

    def _varying(self, measured: np.ndarray, deviation: float) -> tuple[np.ndarray, np.ndarray]:
        """Of the components with a strength λ: normal around what is expected, cut off where it is not possible.

        The product of two normal densities is normal, and what it has between two bounds is Φ at one less at the other.
        """
        from scipy.special import ndtr  # imported late: it takes a fifth of a second

        low, high, expected, m = (x[:, None] for x in (self.low, self.high, self.expected, measured))
        noise, prior = deviation**2, np.maximum(self.spread[:, None] / STRENGTHS, 1e-12 * deviation**2)
        centre, width = (m * prior + expected * noise) / (prior + noise), np.sqrt(prior * noise / (prior + noise))
        a, b, tiny = (low - centre) / width, (high - centre) / width, np.finfo(float).tiny
        inside = np.maximum(ndtr(b) - ndtr(a), tiny)
        before = np.maximum(ndtr((high - expected) / np.sqrt(prior)) - ndtr((low - expected) / np.sqrt(prior)), tiny)
        means = centre + width**2 * (_density(a * width, width) - _density(b * width, width)) / inside
        return _density(m - expected, np.sqrt(prior + noise)) * inside / before, np.clip(means, low, high)


def _exponential(measured: np.ndarray, most: np.ndarray, deviation: float) -> tuple[np.ndarray, np.ndarray]:
    """Of counts that are exponentially distributed, with shares of `most` as means: (splits, means) each.

    The density of what was measured, and the mean count. Given the measurement, the count is normal, shifted by its
    variance over the mean, and cut off at zero.
    """
    from scipy.special import log_ndtr  # imported late: it takes a fifth of a second

    rate = np.minimum(1 / (most[:, None] * NEARLY_EMPTY), STEEPEST / deviation)
    m = measured[:, None]
    centre = (m - rate * deviation**2) / deviation
    inside = log_ndtr(centre)
    mean = np.maximum(deviation * (centre + np.exp(-0.5 * centre**2 - inside) / math.sqrt(2 * math.pi)), 0.0)
    exponent = -rate * m + 0.5 * (rate * deviation) ** 2 + inside
    return np.maximum(rate * np.exp(exponent), np.finfo(float).tiny), np.minimum(mean, most[:, None])


def _shares(densities: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The probability that a split is of each component: (splits, components)."""
    shares = densities * weights
    return shares / shares.sum(axis=1, keepdims=True)


def _density(x: np.ndarray, deviation: np.ndarray | float) -> np.ndarray:
    """The normal density."""
    return np.exp(-0.5 * (x / deviation) ** 2) / (deviation * math.sqrt(2 * math.pi))
