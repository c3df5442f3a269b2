"""How much an attribute X depends on parents Π: the scores F and R, and how far one record can move each.

A score maps tables of counts c, (m, |X|, |Π|), to (m,) numbers in records: the paper's scores times n. Only c is
private. n is a public constant, the same for neighbours, though one of them has a record more or less. A noisy n may
also be far less than the number of records. With x and π for the margins of c and N for its sum:

    F   for X of two values and N = n: minus half the L1 distance to the nearest table of the greatest possible mutual
        information, in which both values of X are equally frequent and each value of Π occurs with only one of them
    R   ½ Σ |c - x π / n|, the distance from independence; ½ Σ |c - x π / N| under a noisy n
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Score:
    """A score at a public n and its sensitivity Δ, both in records, under adding or removing one record.

    The exponential mechanism is ε-DP at Δ if, between any two neighbours, the moves of all scores lie in a range of 2Δ:
    its probabilities do not change when all scores move alike. It suffices that no score moves by more than Δ.
    """

    of: Callable[[np.ndarray, float], np.ndarray]
    sensitivity: float


def closeness(counts: np.ndarray, n: float) -> np.ndarray:
    """max -[(n/2 - K₀)₊ + (n/2 - K₁)₊] over all assignments of the values π to X = 0 or X = 1: (m, 2, |Π|) -> (m,).

    K₀ sums c(0, π) over the π assigned to X = 0, and K₁ sums c(1, π) over the others.
    """
    return -np.array([_smallest_gap(c, n) for c in counts])


def _smallest_gap(c: np.ndarray, n: float) -> float:
    """The paper's dynamic program: column by column, the greatest K₁ for each possible K₀; at most n 2^k steps.

    A column with an empty cell is assigned to the other value of X. Two choices keep the values of K₀ few: X = 0 is the
    rarer value, and columns are ordered by how much they can add to K₀.
    """
    c = c[np.argsort(c.sum(axis=1))]
    undecided = c.all(axis=0)
    decided = c[:, ~undecided].sum(axis=1)
    columns = c[:, undecided][:, np.argsort(c[0, undecided])]
    K1 = np.full(int(columns[0].sum()) + 1, -np.inf)  # K1[j] where K₀ = decided[0] + j
    K1[0] = decided[1]
    reach = 1  # the columns so far reach j < reach
    for a, b in zip(columns[0].astype(int).tolist(), columns[1].tolist(), strict=True):
        before = K1[:reach].copy()
        K1[:reach] += b
        np.maximum(K1[a : a + reach], before, out=K1[a : a + reach])
        reach += a
    K0 = decided[0] + np.arange(len(K1))
    return float((np.maximum(n / 2 - K0, 0) + np.maximum(n / 2 - K1, 0)).min())


def from_independence(counts: np.ndarray, n: float) -> np.ndarray:
    """½ Σ |c - x π / n|: (m, |X|, |Π|) -> (m,)."""
    x, parents = counts.sum(axis=2, keepdims=True), counts.sum(axis=1, keepdims=True)
    return np.abs(counts - x * parents / n).sum(axis=(1, 2)) / 2


def from_own_independence(counts: np.ndarray, n: float) -> np.ndarray:  # noqa: ARG001 - scores are called alike
    """½ Σ |c - x π / N|: (m, |X|, |Π|) -> (m,)."""
    return np.array([from_independence(c[None], max(1.0, c.sum()))[0] for c in counts])


# F: 1/2, although F itself may move by 1 = 2Δ: all moves lie in a range of 2Δ, as the exponential mechanism needs. F is
# the maximum of -[(n/2 - K₀)₊ + (n/2 - K₁)₊] over assignments. One more record adds 1 to K₀, to K₁ or to neither in
# each, so every F moves by between 0 and 1. One record fewer moves every F by between -1 and 0.
#
# R: 3/2, less than half of the paper's 3 + 2/n for replacing a record. One more record in cell (x, π) moves that cell's
# term by |1 - (x + π + 1)/n|, the other terms of its column by (N - x)/n in total and those of its row by (N - π)/n.
# With N <= n the sum is at most 3 - 1/n, reached at x = π = 0. The score moves by half of it.
SCORES = {"F": Score(closeness, 0.5), "R": Score(from_independence, 1.5)}

# Under a noisy n no sensitivity may rely on there being at most n records. R: 2, whatever n and N are. One more record
# in cell (x, π) moves that cell's term by t = (N - x)(N - π) / N(N + 1), the other terms of its column by t in total,
# those of its row by t, and all others by t. Of these 4t < 4 the score moves by half.
SCORES_OF_NOISY_N = {"F": SCORES["F"], "R": Score(from_own_independence, 2.0)}
