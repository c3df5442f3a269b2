"""Choosing in private: what the lesson on the exponential mechanism shows, asks and verifies."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from mwem_core.data.records import Records
from mwem_core.lessons.check import Check
from mwem_core.model.loglinear import LogLinear
from mwem_core.privacy import mechanisms
from mwem_core.privacy.noise import NoiseSource, Seeded, Witness
from mwem_core.workload.families import predicates

SPINS = 200
DRAWS = 2000  # of a check, with one person and without
EQUALS = 20  # candidates of a check, all with the same score
DEVIATIONS = 3  # sampling margin of a check


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


def check(noise: NoiseSource, *, epsilon: float = 2.0) -> Check:
    """Run the exponential mechanism on two neighbours, and compare how often it takes one candidate with e^ε.

    All candidates are equal, until one person raises one score by 1 and lowers all others by 1: (1 + Δ) - (1 - Δ) is
    the largest move that a sensitivity of 1 allows. `measured` is the ratio of the two shares. `limit` is e^ε times a
    sampling margin of 3 standard deviations of the ratio's logarithm.
    """
    without = np.zeros(EQUALS)
    favoured = without - 1
    favoured[0] = 1

    def taken(scores: np.ndarray) -> int:
        chosen = (mechanisms.exponential(scores, epsilon=epsilon, sensitivity=1.0, noise=noise) for _ in range(DRAWS))
        return max(1, sum(j == 0 for j in chosen))

    more, fewer = taken(favoured), taken(without)
    deviation = math.sqrt(1 / more + 1 / fewer - 2 / DRAWS)
    return Check(more / fewer, math.exp(epsilon + DEVIATIONS * deviation))
