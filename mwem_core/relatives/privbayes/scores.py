"""How much an attribute X depends on parents Π: the scores I, F and R, and what one record can change about each.

A score reads tables of counts c, (m, |X|, |Π|), and gives (m,) numbers in records, the paper's scores times n. Only c
is private; n is a public constant, the same for two neighbours, one of which has a record more or less. With x and π
for the margins of c and N for its sum:

    I   mutual information in nats, N · I(X; Π) = φ(N) + Σ φ(c) - Σ φ(x) - Σ φ(π), with φ(t) = t ln t
    F   for X of two values and N = n, minus half the L1 distance to the nearest table of the greatest I there can be:
        both values of X equally frequent, and each value of Π beside one of them only
    R   ½ Σ |c - x π / n|, the distance from independence
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


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


def closeness(counts: np.ndarray, n: float) -> np.ndarray:
    """max -[(n/2 - K₀)₊ + (n/2 - K₁)₊] over all ways to give each value of Π to X = 0 or to X = 1: (m, 2, |Π|) -> (m,).

    K₀ and K₁ are what agrees: the sums of c(0, π) and of c(1, π) over the π given to each.
    """
    return -np.array([_least_gap(c, n) for c in counts])


def _least_gap(c: np.ndarray, n: float) -> float:
    """The paper's dynamic program: column by column, for each K₀ that can be had the greatest K₁; at most n 2^k steps.

    Columns with an empty cell are given to the other one. As few K₀ as may be: X = 0 is the rarer value, and columns
    come by how much they add.
    """
    c = c[np.argsort(c.sum(axis=1))]
    either = c.all(axis=0)
    sure = c[:, ~either].sum(axis=1)
    columns = c[:, either][:, np.argsort(c[0, either])]
    K1 = np.full(int(columns[0].sum()) + 1, -np.inf)  # K1[j] where K₀ = sure[0] + j
    K1[0] = sure[1]
    reach = 1  # j so far lies below
    for a, b in zip(columns[0].astype(int).tolist(), columns[1].tolist(), strict=True):
        before = K1[:reach].copy()
        K1[:reach] += b
        np.maximum(K1[a : a + reach], before, out=K1[a : a + reach])
        reach += a
    K0 = sure[0] + np.arange(len(K1))
    return float((np.maximum(n / 2 - K0, 0) + np.maximum(n / 2 - K1, 0)).min())


def closeness_sensitivity(n: float) -> float:
    """1/2: one record more raises every F, by at most 1, or leaves it; so all moves lie in a range of 1.

    It adds to K₀ or to K₁ of an assignment, or to neither, and F is a largest -[(n/2 - K₀)₊ + (n/2 - K₁)₊].
    """
    return 0.5


def from_independence(counts: np.ndarray, n: float) -> np.ndarray:
    """½ Σ |c - x π / n|: (m, |X|, |Π|) -> (m,)."""
    x, parents = counts.sum(axis=2, keepdims=True), counts.sum(axis=1, keepdims=True)
    return np.abs(counts - x * parents / n).sum(axis=(1, 2)) / 2


def from_independence_sensitivity(n: float) -> float:
    """3/2, less than half of the paper's 3 + 2/n for replacing a record.

    A record more in (x, π) moves that cell's term by |1 - (x + π + 1)/n|, the rest of its column by (N - x)/n in all,
    of its row by (N - π)/n. With N <= n that is at most 3 - 1/n, at x = π = 0, and half of it is the score's.
    """
    return 1.5


SCORES = {
    "I": Score(mutual_information, mutual_information_sensitivity),
    "F": Score(closeness, closeness_sensitivity),
    "R": Score(from_independence, from_independence_sensitivity),
}
