"""The exponential mechanism over a list of candidates, with any score and any base measure.

MWEM chooses queries with `mechanisms.exponential`. Here a candidate may be anything that a score ranks: a price, a
median, a whole table (McSherry & Talwar 2007).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from mwem_core.base import check_positive
from mwem_core.privacy.mechanisms import exponential
from mwem_core.privacy.noise import NoiseSource, Seeded, Witness

PrivateData = TypeVar("PrivateData", contravariant=True)
Outcome = TypeVar("Outcome", covariant=True)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ExponentialMechanism(Generic[PrivateData, Outcome]):
    """Choose a candidate r with probability proportional to μ(r) exp(ε s(B, r) / 2Δ).

    `score` gives s(B, r) for all candidates at once, (candidates,). `base` is μ, (candidates,), uniform by default. It
    counts as 2Δ/ε · ln μ(r) in the score: a public number, which no record moves.
    ε-DP if one record moves each score by at most Δ = `sensitivity`, and if the candidates and `base` are public.
    """

    candidates: Sequence[Outcome] | np.ndarray
    score: Callable[[PrivateData], np.ndarray]
    epsilon: float
    sensitivity: float = 1.0
    base: np.ndarray | None = None

    def __post_init__(self):
        check_positive(epsilon=self.epsilon, sensitivity=self.sensitivity)
        if not len(self.candidates):
            raise ValueError("there is nothing to choose from: list at least one candidate")
        if self.base is not None:
            if np.shape(self.base) != (len(self.candidates),):
                raise ValueError(
                    f"the base measure needs one number per candidate: {len(self.candidates):,},"
                    f" got {np.size(self.base):,}"
                )
            if not (np.isfinite(self.base).all() and np.min(self.base) >= 0 and np.max(self.base) > 0):
                raise ValueError("the base measure must be finite, at least 0, and above 0 for some candidate")

    def choose(self, B: PrivateData, *, noise: NoiseSource) -> Outcome:
        """Choose one candidate; ε-DP."""
        return self.candidates[self._choose(self._scores(B), noise)]

    def probabilities(self, B: PrivateData) -> np.ndarray:
        """The probability of each candidate, (candidates,), summing to 1. Not private: for exploring only."""
        witness = Witness(Seeded(0))
        self._choose(self._scores(B), witness)
        return witness.probabilities()

    def _scores(self, B: PrivateData) -> np.ndarray:
        scores = np.asarray(self.score(B), float)
        if scores.shape != (len(self.candidates),):
            raise ValueError(
                f"the score must give one number per candidate: {len(self.candidates):,}, got {scores.size:,}"
            )
        return scores

    def _choose(self, scores: np.ndarray, noise: NoiseSource) -> int:
        if self.base is not None:
            with np.errstate(divide="ignore"):  # a candidate of no mass is excluded by a score of -inf
                scores = scores + 2 * self.sensitivity / self.epsilon * np.log(self.base)
        return exponential(scores, epsilon=self.epsilon, sensitivity=self.sensitivity, noise=noise)
