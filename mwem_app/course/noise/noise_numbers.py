"""Noise: what one noisy count tells about one person.

D has the person and answers `truth` + 1; D′ is D without the person and answers `truth`. A guesser sees one noisy
answer and says which of the two it is from; both are equally likely beforehand. The best guess is the nearer one.
"""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from mwem_core.domain import Records
from mwem_core.privacy import NoiseSource, Seeded, cap, mechanisms, rho_of

Kind = Literal["laplace", "gaussian", "discrete"]
KINDS: tuple[Kind, ...] = ("laplace", "gaussian", "discrete")
DELTA = 1e-5  # of Gaussian noise


def leave_out(B: Records, row: int) -> Records:
    """B without one of its rows, of which each must be one record: a neighbour of B."""
    return Records(B.domain, tuple(np.delete(column, row) for column in B.codes))


def noisy_counts(kind: Kind, exact: np.ndarray, epsilon: float, noise: NoiseSource) -> np.ndarray:
    """Noisy answers to the exact counts, (N,) -> (N,). Each is ε-DP; with Gaussian noise, (ε, 10⁻⁵)-DP."""
    if kind == "laplace":
        return mechanisms.laplace(exact, epsilon=epsilon, sensitivity=1, noise=noise)[0]
    if kind == "gaussian":
        return mechanisms.gaussian(exact, rho=rho_of(epsilon, DELTA), sensitivity=1, noise=noise)[0]
    return mechanisms.discrete_laplace(exact, epsilon=epsilon, sensitivity=1, noise=noise)


def mean_noise(kind: Kind, epsilon: float) -> float:
    """Mean size of the noise, in records: 1/ε, σ√(2/π), and 2r / (1 - r²) with r = e^-ε."""
    if kind == "laplace":
        return 1 / epsilon
    if kind == "gaussian":
        return _sigma(epsilon) * math.sqrt(2 / math.pi)
    r = math.exp(-epsilon)
    return 2 * r / (1 - r**2)


def chance(kind: Kind, epsilon: float) -> float:
    """The chance that an answer is nearer to the right truth than to the wrong one: of the best guess to be right.

    1 - e^(-ε/2)/2 for Laplace, Φ(1/2σ) for Gaussian noise. Discrete answers lie at one truth or beyond, and reach the
    cap e^ε / (1 + e^ε).
    """
    if kind == "laplace":
        return 1 - math.exp(-epsilon / 2) / 2
    if kind == "gaussian":
        return 0.5 * math.erfc(-1 / (2 * math.sqrt(2) * _sigma(epsilon)))
    return cap(epsilon)


def chance_of_mean(epsilon: float, count: int) -> float:
    """The chance that the mean of `count` Laplace answers, each at ε, is nearer to the right truth than to the wrong.

    From the characteristic function of their noise, (1 + v²)^-count at the frequency εv (Gil-Pelaez 1951).
    """
    v = (np.arange(40_000) + 0.5) / 100
    return 0.5 + float((np.sin(epsilon * count / 2 * v) / v * (1 + v**2) ** -count).sum()) / 100 / math.pi


def dots(kind: Kind, truth: int, epsilons: Sequence[float], *, count: int, seed: int) -> np.ndarray:
    """Answers to D′ and to D at each ε, (epsilons, 2, count), from the same randomness at every ε."""
    exact = np.repeat([[truth], [truth + 1.0]], count, axis=1)
    return np.array([noisy_counts(kind, exact, epsilon, Seeded(seed)) for epsilon in epsilons])


def bets(kind: Kind, truth: int, epsilons: Sequence[float], *, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Sides, 1 for D, (count,), and an answer to each at each ε, (epsilons, count)."""
    noise = Seeded(seed)
    sides = np.array([noise.choose(np.zeros(2), 1.0, 1.0) for _ in range(count)])
    return sides, np.array([noisy_counts(kind, truth + sides, epsilon, Seeded(seed + 1)) for epsilon in epsilons])


def _sigma(epsilon: float) -> float:
    return 1 / math.sqrt(2 * rho_of(epsilon, DELTA))
