"""Noise sources: the random draws of the mechanisms."""

from collections.abc import Callable
from typing import Protocol

import numpy as np

from mwem_core.privacy.laws import (
    Real,
    exponential_law,
    gaussian_scale,
    laplace_scale,
    permute_and_flip_law,
    selection_weights,
)

LIGHT = 2.0**-30  # of the largest mass: a running sum of a million keeps the lighter ones apart
RARE = 2.0**-30  # a uniform draw below this is drawn again, as so much of a finer one
MAX_DRAW = 20.0  # an exponential draw above this is drawn again beyond it


class NoiseSource(Protocol):
    """Random draws for `privacy.mechanisms`.

    A source receives what a proof of privacy needs: exact scores or values, ε or ρ, and the sensitivity. It returns the
    choice or the noisy values, so that it may sample an exact discrete distribution.
    """

    def choose(self, scores: np.ndarray, epsilon: Real, sensitivity: Real) -> int:
        """An index j with probability proportional to exp(ε · scores[j] / 2Δ)."""
        ...

    def permute_and_flip(self, scores: np.ndarray, epsilon: Real, sensitivity: Real) -> int:
        """The index of the largest scores[j] + E_j, with an independent exponential E_j of mean 2Δ/ε for each."""
        ...

    def laplace(self, exact: np.ndarray, epsilon: Real, sensitivity: Real) -> np.ndarray:
        """`exact` plus an independent Laplace draw of scale Δ₁/ε for each value."""
        ...

    def discrete_laplace(self, exact: np.ndarray, epsilon: Real, sensitivity: Real) -> np.ndarray:
        """`exact`, whole numbers, plus an independent whole z with Pr[z] ∝ exp(-ε |z| / Δ₁) for each value."""
        ...

    def gaussian(self, exact: np.ndarray, rho: Real, sensitivity: Real) -> np.ndarray:
        """`exact` plus an independent Gaussian draw of standard deviation Δ₂/√(2ρ) for each value."""
        ...


class Seeded:
    """NumPy's generator, for teaching, tests and public data. Whoever knows the seed can subtract the noise.

    Choices, their rare events and noise are three streams spawned from the seed. None of them is the stream of
    `np.random.default_rng(seed)`, which draws synthetic rows: rows from the noise's own stream would tell the noise.
    Without a seed it starts from the operating system's entropy. Its floating-point samplers still leak information in
    their low bits (Mironov 2012), so it suits exploring, not a release.
    """

    def __init__(self, seed: int | None = None):
        self.seed = seed
        streams = np.random.SeedSequence(seed).spawn(3)
        self._choices, self._rare, self._noise = map(np.random.default_rng, streams)

    def choose(self, scores: np.ndarray, epsilon: Real, sensitivity: Real) -> int:
        """Invert the cumulative distribution at one uniform draw: faster than one Gumbel draw per score.

        A running sum loses masses far below the largest. So whether the choice is among those is decided first, by
        their own sum, which is computed only where the draw is small enough to need it.
        """
        return self._inverted(selection_weights(scores, epsilon, sensitivity))

    def _inverted(self, weights: np.ndarray) -> int:
        masses, draw = np.exp(weights - weights.max()), self._fine_uniform()
        if draw < len(masses) * LIGHT:  # the most that all light masses together can have of the whole
            light = masses < LIGHT
            sum_of_light = masses[light].sum()
            if draw * (sum_of_light + masses[~light].sum()) < sum_of_light:
                return int(np.flatnonzero(light)[self._inverted(weights[light])])
        cumulative = np.cumsum(masses)
        while True:
            j = np.searchsorted(cumulative, self._choices.random() * cumulative[-1], side="right")
            if j < len(masses) and masses[j] >= LIGHT:
                return int(j)

    def permute_and_flip(self, scores: np.ndarray, epsilon: Real, sensitivity: Real) -> int:
        """Add one exponential draw to each weight."""
        weights = selection_weights(scores, epsilon, sensitivity)
        return int(np.argmax(weights + self._exponentials(len(weights))))

    def laplace(self, exact: np.ndarray, epsilon: Real, sensitivity: Real) -> np.ndarray:
        """Add NumPy's Laplace draws."""
        return exact + self._noise.laplace(scale=laplace_scale(epsilon, sensitivity), size=np.shape(exact))

    def discrete_laplace(self, exact: np.ndarray, epsilon: Real, sensitivity: Real) -> np.ndarray:
        """Add the difference of two geometric draws.

        The size of a Laplace draw is exponential; rounded down it is geometric.
        """
        zeros = np.zeros(np.shape(exact))
        up, down = (np.floor(np.abs(self.laplace(zeros, epsilon, sensitivity))) for _ in range(2))
        return exact + up - down

    def gaussian(self, exact: np.ndarray, rho: Real, sensitivity: Real) -> np.ndarray:
        """Add NumPy's normal draws."""
        return exact + self._noise.normal(scale=gaussian_scale(rho, sensitivity), size=np.shape(exact))

    def _fine_uniform(self) -> float:
        """A uniform draw on [0, 1) that is fine near 0 too: with the chance p, to nine digits, it is below any p."""
        draw, size = self._rare.random(), 1.0
        while draw < RARE and size:
            draw, size = self._rare.random(), size * RARE
        return draw * size

    def _exponentials(self, count: int) -> np.ndarray:
        """Exponential draws of mean 1. NumPy's end at 44: one above 20 is 20 plus another draw."""
        draws, most = self._choices.exponential(size=count), MAX_DRAW
        while (high := np.flatnonzero(draws > most)).size:
            draws[high], most = most + self._choices.exponential(size=high.size), most + MAX_DRAW
        return draws


class Witness:
    """A noise source that records its last inputs, which are private: for exploring only.

    With it, a screen shows the probability of a choice, and the exact answer beside the noisy one. A round carries
    neither.
    """

    def __init__(self, source: NoiseSource):
        self._source = source
        self._law: Callable[[np.ndarray], np.ndarray] = exponential_law
        self._weights: np.ndarray | None = None
        self.scores: np.ndarray | None = None
        self.exact: np.ndarray | None = None

    def choose(self, scores: np.ndarray, epsilon: Real, sensitivity: Real) -> int:
        """Record the scores and let the source choose."""
        self.scores, self._law = scores, exponential_law
        self._weights = selection_weights(scores, epsilon, sensitivity)
        return self._source.choose(scores, epsilon, sensitivity)

    def permute_and_flip(self, scores: np.ndarray, epsilon: Real, sensitivity: Real) -> int:
        """Record the scores and let the source choose."""
        self.scores, self._law = scores, permute_and_flip_law
        self._weights = selection_weights(scores, epsilon, sensitivity)
        return self._source.permute_and_flip(scores, epsilon, sensitivity)

    def laplace(self, exact: np.ndarray, epsilon: Real, sensitivity: Real) -> np.ndarray:
        """Record the exact values and let the source add noise."""
        self.exact = exact
        return self._source.laplace(exact, epsilon, sensitivity)

    def discrete_laplace(self, exact: np.ndarray, epsilon: Real, sensitivity: Real) -> np.ndarray:
        """Record the exact values and let the source add noise."""
        self.exact = exact
        return self._source.discrete_laplace(exact, epsilon, sensitivity)

    def gaussian(self, exact: np.ndarray, rho: Real, sensitivity: Real) -> np.ndarray:
        """Record the exact values and let the source add noise."""
        self.exact = exact
        return self._source.gaussian(exact, rho, sensitivity)

    def probabilities(self) -> np.ndarray:
        """Probability of each candidate in the last selection, (candidates,), summing to 1."""
        if self._weights is None:
            raise ValueError("nothing was selected yet: run a round first")
        return self._law(self._weights)
