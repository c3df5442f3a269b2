"""Choosing in private: what the lesson on the exponential mechanism shows and asks."""

from collections.abc import Callable, Sequence

import numpy as np

from mwem_core.domain import Records
from mwem_core.model import LogLinear
from mwem_core.privacy import NoiseSource, Seeded, Witness, mechanisms
from mwem_core.workload import predicates

SPINS = 200


def surprises(survey: Records, questions: Sequence[str]) -> np.ndarray:
    """|q(B) - q(A_0)| of each question, (questions,), in whole records: how wrong the uniform table A_0 is.

    q(A_0) is rounded to a whole number, so one record moves each score by at most 1.
    """
    Q = predicates(survey.domain, questions)
    guesses = np.rint(Q.answers(LogLinear.uniform(survey.domain.shape, survey.total)))
    return np.abs(Q.answers(survey) - guesses)


def law(scores: np.ndarray, *, epsilon: float, select: Callable[..., int] = mechanisms.exponential) -> np.ndarray:
    """The probability of each candidate under a selection mechanism with Δ = 1: (candidates,) -> (candidates,)."""
    witness = Witness(Seeded(0))
    select(scores, epsilon=epsilon, sensitivity=1.0, noise=witness)
    return witness.probabilities()


def gap_odds(gap: float, *, epsilon: float, sensitivity: float) -> float:
    """How many times as likely the exponential mechanism takes a candidate as one whose score is `gap` lower."""
    witness = Witness(Seeded(0))
    mechanisms.exponential(np.array([gap, 0.0]), epsilon=epsilon, sensitivity=sensitivity, noise=witness)
    leader, other = witness.probabilities()
    return float(leader / other)


def uniforms(count: int, noise: NoiseSource) -> np.ndarray:
    """Independent uniform draws on (0, 1): Laplace draws put through their distribution function."""
    z = noise.laplace(np.zeros(count), 1.0, 1.0)
    tail = np.exp(-np.abs(z)) / 2
    return np.where(z < 0, tail, 1 - tail)


def wins(probabilities: np.ndarray, spins: np.ndarray) -> np.ndarray:
    """How often each candidate is chosen if each spin, a uniform draw, inverts the cumulative law: (candidates,)."""
    cumulative = np.cumsum(probabilities)
    chosen = np.searchsorted(cumulative / cumulative[-1], spins, side="right")
    return np.bincount(chosen, minlength=len(probabilities))
