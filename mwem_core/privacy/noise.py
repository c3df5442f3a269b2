"""Noise sources: where the randomness of the mechanisms comes from."""

from typing import Protocol

import numpy as np


class NoiseSource(Protocol):
    """Draws for the mechanisms below. Exact values enter so that a source may use an exact discrete sampler."""

    def choose(self, weights: np.ndarray) -> int:
        """An index j with probability proportional to exp(weights[j])."""
        ...

    def laplace(self, exact: np.ndarray, scale: float) -> np.ndarray:
        """Each of `exact` with its own Laplace draw added, density ∝ exp(-|z| / scale)."""
        ...

    def gaussian(self, exact: np.ndarray, scale: float) -> np.ndarray:
        """Each of `exact` with its own Gaussian draw of standard deviation `scale` added."""
        ...


class Seeded:
    """NumPy's generator. For teaching, tests and public data: who knows the seed can take the noise away again.

    Without a seed it starts from the operating system's entropy, which still leaves textbook floating-point samplers
    whose low bits leak (Mironov 2012): good for exploring, not for a release.
    """

    def __init__(self, seed: int | None = None):
        self.seed = seed
        self._rng = np.random.default_rng(seed)

    def choose(self, weights: np.ndarray) -> int:
        """By one uniform draw on the running total: a fifth of the time of a Gumbel draw for each of the weights."""
        heights = np.cumsum(np.exp(weights - weights.max()))
        j = np.searchsorted(heights, self._rng.random() * heights[-1], side="right")
        return int(min(j, np.searchsorted(heights, heights[-1])))  # rounding must not reach what has no chance

    def laplace(self, exact: np.ndarray, scale: float) -> np.ndarray:
        """Adds NumPy's Laplace draws."""
        return exact + self._rng.laplace(scale=scale, size=np.shape(exact))

    def gaussian(self, exact: np.ndarray, scale: float) -> np.ndarray:
        """Adds NumPy's normal draws."""
        return exact + self._rng.normal(scale=scale, size=np.shape(exact))


class Witness:
    """A noise source that remembers what it was last given. What it remembers is private: only for exploring.

    It lets a screen show the probability a choice had and the exact answer beside the noisy one, without any of that
    passing through a round.
    """

    def __init__(self, source: NoiseSource):
        self._source = source
        self.weights: np.ndarray | None = None
        self.exact: np.ndarray | None = None

    def choose(self, weights: np.ndarray) -> int:
        """Remembers the weights and passes them on."""
        self.weights = weights
        return self._source.choose(weights)

    def laplace(self, exact: np.ndarray, scale: float) -> np.ndarray:
        """Remembers the exact values and passes them on."""
        self.exact = exact
        return self._source.laplace(exact, scale)

    def gaussian(self, exact: np.ndarray, scale: float) -> np.ndarray:
        """Remembers the exact values and passes them on."""
        self.exact = exact
        return self._source.gaussian(exact, scale)

    def probabilities(self) -> np.ndarray:
        """What each candidate's chance was in the last selection: (candidates,), summing to 1."""
        if self.weights is None:
            raise ValueError("nothing was selected yet: run a round first")
        p = np.exp(self.weights - self.weights.max())
        return p / p.sum()
