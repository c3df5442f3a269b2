"""How much an attribute X depends on parents Π: the scores I and R, and what one record can change about each.

A score reads tables of counts c, (m, |X|, |Π|), and gives (m,) numbers in records, the paper's scores times n. Only c
is private; n is a public constant, the same for two neighbours, one of which has a record more or less. With x and π
for the margins of c and N for its sum:

    I   mutual information in nats, N · I(X; Π) = φ(N) + Σ φ(c) - Σ φ(x) - Σ φ(π), with φ(t) = t ln t
    R   ½ Σ |c - x π / n|, the distance from independence
    F   in `closeness`, for X of two values
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mwem_core.relatives.bayes.closeness import closeness


@dataclass(frozen=True)
class Score:
    """A score and its sensitivity in records, both for a public n, under adding or removing one record.

    The exponential mechanism's chances do not change when all scores rise alike: so the sensitivity it may be given is
    half of the range in which one record moves scores, and no more than the largest move.
    """

    of: Callable[[np.ndarray, float], np.ndarray]
    sensitivity: Callable[[float], float]


def mutual_information(counts: np.ndarray, n: float) -> np.ndarray:
    """N · I(X; Π) in nats: (m, |X|, |Π|) -> (m,)."""

    def phi(t: np.ndarray) -> np.ndarray:
        return t * np.log(np.maximum(t, 1))  # counts are whole: 0 ln 0 = 0

    x, parents = phi(counts.sum(axis=2)).sum(axis=1), phi(counts.sum(axis=1)).sum(axis=1)
    return phi(counts.sum(axis=(1, 2))) + phi(counts).sum(axis=(1, 2)) - x - parents


def mutual_information_sensitivity(n: float) -> float:
    """G(n), with G(t) = φ(t + 1) - φ(t): the paper's constant for two-valued X or Π, at n + 1 records, but for all.

    A record more in cell (x, π) moves I by G(N) + G(c) - G(x) - G(π). G grows from 0 and c <= x, π <= N, so that lies
    between -G(N) and G(N); and N <= n before it.
    """
    return float((n + 1) * np.log1p(n) - n * np.log(n))


def from_independence(counts: np.ndarray, n: float) -> np.ndarray:
    """½ Σ |c - x π / n|: (m, |X|, |Π|) -> (m,)."""
    x, parents = counts.sum(axis=2, keepdims=True), counts.sum(axis=1, keepdims=True)
    return np.abs(counts - x * parents / n).sum(axis=(1, 2)) / 2


def from_independence_sensitivity(n: float) -> float:
    """3/2, half of the paper's 3 + 2/n for replacing a record.

    A record more in (x, π) moves that cell's term by |1 - (x + π + 1)/n|, the rest of its column by (N - x)/n in all,
    of its row by (N - π)/n. With N <= n that is at most 3 - 1/n, at x = π = 0, and half of it is the score's.
    """
    return 1.5


def closeness_sensitivity(n: float) -> float:
    """1/2: one record more raises every F, by at most 1, or leaves it; so all moves lie in a range of 1.

    It adds to K₀ or to K₁ of an assignment, or to neither, and F is a largest -[(n/2 - K₀)₊ + (n/2 - K₁)₊].
    """
    return 0.5


SCORES = {
    "I": Score(mutual_information, mutual_information_sensitivity),
    "F": Score(closeness, closeness_sensitivity),
    "R": Score(from_independence, from_independence_sensitivity),
}
