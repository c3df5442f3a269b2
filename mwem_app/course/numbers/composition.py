"""Composition: what several private answers cost together.

Scene 1 spends a purse of ε on four counts, in presses of equal ε; answers to one count are averaged. Scene 2 accounts
one transcript of MWEM, T selections and T measurements, in three ways.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mwem_core.domain import Records
from mwem_core.mwem import figure_1
from mwem_core.privacy import Ledger, NoiseSource, Seeded, epsilon_of, mechanisms
from mwem_core.workload import Workload


def running_means(counts: Sequence[float], each: float, presses: int, noise: NoiseSource) -> np.ndarray:
    """Means of the first 1 .. `presses` answers to each count, (counts, presses). Each answer is `each`-DP."""
    exact = np.repeat(np.asarray(counts, float)[:, None], presses, axis=1)
    noisy, _ = mechanisms.laplace(exact, epsilon=each, sensitivity=1, noise=noise)
    return np.cumsum(noisy, axis=1) / np.arange(1, presses + 1)


def noise_of_mean(each: float, presses: int) -> np.ndarray:
    """Mean size of the noise, in records, in the mean of the first k = 1 .. `presses` Laplace answers at ε = `each`.

    2 C(2k, k) / 4^k / `each`: the sum of k Laplace draws is the difference of two gamma draws of shape k.
    """
    return np.array([2 * math.comb(2 * k, k) / 4**k / each for k in range(1, presses + 1)])


def noise_at_once(each: float, presses: int) -> np.ndarray:
    """Mean size of the noise, in records, of one Laplace answer at the ε of k = 1 .. `presses`: 1 / (k · `each`)."""
    return 1 / (np.arange(1, presses + 1) * each)


class Totals(NamedTuple):
    """ε of a transcript of 1 .. T rounds, (T,) each, by three accounts; the last two hold with probability 1 - δ."""

    pure: np.ndarray
    k_fold: np.ndarray
    zcdp: np.ndarray


def totals(rounds: int, each: float, delta: float) -> Totals:
    """ε of MWEM's transcript whose 2T mechanisms, T selections and T Laplace measurements, are `each`-DP.

    Pure: the sum. k-fold: √(2k ln(1/δ)) ε + k ε (e^ε - 1) for k = 2T (Dwork & Roth 2014, Theorem 3.20). zCDP: a
    selection costs ρ = ε²/8, a measurement that is ε-DP costs ε²/2 (Bun & Steinke 2016), converted by OpenDP.
    """
    T = np.arange(1, rounds + 1)
    k = 2 * T
    k_fold = np.sqrt(2 * k * math.log(1 / delta)) * each + k * each * math.expm1(each)
    zcdp = [epsilon_of(t * (each**2 / 8 + each**2 / 2), delta) for t in T]
    return Totals(k * each, k_fold, np.array(zcdp))


def ledgers(B: Records, Q: Workload, *, epsilon: float, rounds: int, seed: int) -> list[Ledger]:
    """The ledger of MWEM (Figure 1) at its start and after each round. The run is ε-DP, with n public."""
    settings = figure_1(epsilon=epsilon, T=rounds)
    return [released.ledger for released in settings.rounds(B, Q, noise=Seeded(seed))]


def noise_of_round(B: Records, Q: Workload, *, epsilon: float, rounds: int, seed: int) -> float:
    """Mean size of the noise, in records, in what a round of MWEM (Figure 1) measures: 2T/ε, read off a measurement."""
    settings = figure_1(epsilon=epsilon, T=rounds)
    measurements = (m for released in settings.rounds(B, Q, noise=Seeded(seed)) for m in released.measurements)
    return next(measurements).scale
