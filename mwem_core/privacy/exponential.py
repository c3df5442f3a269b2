"""The exponential mechanism as a thing of its own: any score, any base measure, over a list of candidates.

MWEM chooses queries with it; here it may choose anything that a score can rank: a price, a median, a whole table
(McSherry & Talwar 2007).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from mwem_core.checks import check_positive
from mwem_core.privacy.mechanisms import exponential
from mwem_core.privacy.noise import NoiseSource, Seeded, Witness

Data = TypeVar("Data", contravariant=True)
Candidate = TypeVar("Candidate", covariant=True)


@dataclass(frozen=True, eq=False, kw_only=True)
class ExponentialMechanism(Generic[Data, Candidate]):
    """Chooses a candidate r with probability proportional to μ(r) exp(ε s(B, r) / 2Δ).

    `score` gives s(B, r) for all candidates at once, (candidates,); one record must move each by at most Δ =
    `sensitivity`. `base` is μ, (candidates,), not negative, uniform by default; it is public, as the candidates are.
    ε-differential privacy.
    """

    candidates: Sequence[Candidate] | np.ndarray
    score: Callable[[Data], np.ndarray]
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
                    f"the base measure needs a number a candidate, {len(self.candidates):,}, got {np.size(self.base):,}"
                )
            if not (np.isfinite(self.base).all() and np.min(self.base) >= 0 and np.max(self.base) > 0):
                raise ValueError("the base measure must be numbers of at least 0, and not all of them 0")

    def choose(self, B: Data, *, noise: NoiseSource) -> Candidate:
        """One candidate, by the mechanism."""
        return self.candidates[self._choose(self._scores(B), noise)]

    def probabilities(self, B: Data) -> np.ndarray:
        """Each candidate's chance, (candidates,), summing to 1. NOT private: for exploring only."""
        witness = Witness(Seeded(0))
        self._choose(self._scores(B), witness)
        return witness.probabilities()

    def failure(self, B: Data, t: float) -> float:
        """A bound on the chance of a score of at most OPT - 2t, for t > 0: exp(-εt/2Δ) / μ(S_t). NOT private.

        OPT is the best score among candidates with μ > 0, S_t those of a score above OPT - t, μ taken to sum to 1. The
        chance of the bad, against that of S_t, is at most the ratio of their masses times exp(-εt/2Δ).
        """
        check_positive(t=t)
        scores, base = self._scores(B), np.ones(len(self.candidates)) if self.base is None else self.base
        good = base[scores > scores[base > 0].max() - t].sum() / base.sum()
        return float(np.exp(-self.epsilon * t / (2 * self.sensitivity)) / good)

    def _scores(self, B: Data) -> np.ndarray:
        scores = np.asarray(self.score(B), float)
        if scores.shape != (len(self.candidates),):
            raise ValueError(f"the score must give a number a candidate, {len(self.candidates):,}, got {scores.size:,}")
        return scores

    def _choose(self, scores: np.ndarray, noise: NoiseSource) -> int:
        return exponential(scores, epsilon=self.epsilon, sensitivity=self.sensitivity, noise=noise, base=self.base)
