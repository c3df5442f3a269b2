"""The differentially private mechanisms: selection, Laplace and Gaussian noise. All noise is added here."""

import numpy as np

from mwem_core.base import check_positive
from mwem_core.privacy.laws import Real, gaussian_scale, laplace_scale
from mwem_core.privacy.noise import NoiseSource


def exponential(scores: np.ndarray, *, epsilon: Real, sensitivity: Real, noise: NoiseSource) -> int:
    """Choose j with probability proportional to exp(ε · scores[j] / 2Δ); a score of -inf is never chosen.

    ε-DP and (ε²/8)-zCDP if one record moves each score by at most Δ = `sensitivity`, or if all moves lie in a range of
    2Δ; which scores are -inf must be public (McSherry & Talwar 2007; for ε²/8, Cesar & Rogers 2021).
    Raises ValueError for scores that are NaN or +inf, and if all candidates are excluded.
    """
    _check_selection(scores, epsilon=epsilon, sensitivity=sensitivity)
    return noise.choose(scores, epsilon, sensitivity)


def permute_and_flip(scores: np.ndarray, *, epsilon: Real, sensitivity: Real, noise: NoiseSource) -> int:
    """Try candidates in random order and take j with probability exp(ε (scores[j] - max) / 2Δ); -inf is never chosen.

    Sampled as the largest of scores[j] plus exponential noise of scale 2Δ/ε, which has the same law (Ding et al. 2021).
    ε-DP if one record moves each score by at most Δ = `sensitivity`; which scores are -inf must be public. Its mean
    score is never below that of `exponential` at the same ε (McKenna & Sheldon 2020).
    (ε²/2)-zCDP, as anything that is ε-DP, and for small ε no less: between two candidates that tie, one record moves
    the probabilities from (1/2, 1/2) to (e^-ε / 2, 1 - e^-ε / 2), in logarithms by ε one way and nearly ε the other.
    Raises ValueError for scores that are NaN or +inf, and if all candidates are excluded.
    """
    _check_selection(scores, epsilon=epsilon, sensitivity=sensitivity)
    return noise.permute_and_flip(scores, epsilon, sensitivity)


def laplace(exact: np.ndarray, *, epsilon: Real, sensitivity: Real, noise: NoiseSource) -> tuple[np.ndarray, float]:
    """`exact` plus Laplace noise of scale Δ₁/ε, and that scale.

    ε-DP if one record moves `exact` by at most Δ₁ = `sensitivity` in L1 (Dwork et al. 2006).
    """
    check_positive(epsilon=epsilon, sensitivity=sensitivity)
    return noise.laplace(exact, epsilon, sensitivity), laplace_scale(epsilon, sensitivity)


def discrete_laplace(exact: np.ndarray, *, epsilon: Real, sensitivity: Real, noise: NoiseSource) -> np.ndarray:
    """Whole counts plus discrete Laplace noise: Pr[z] ∝ exp(-ε |z| / Δ₁) on the whole numbers.

    ε-DP if one record moves `exact` by at most Δ₁ = `sensitivity` in L1, in whole numbers (the geometric mechanism;
    Ghosh, Roughgarden & Sundararajan 2009). Raises ValueError for values with fractions, which tell.
    """
    check_positive(epsilon=epsilon, sensitivity=sensitivity)
    if not np.array_equal(exact, np.rint(exact)):
        raise ValueError("discrete Laplace noise is for whole counts: add Laplace noise to values with fractions")
    return noise.discrete_laplace(exact, epsilon, sensitivity)


def gaussian(exact: np.ndarray, *, rho: Real, sensitivity: Real, noise: NoiseSource) -> tuple[np.ndarray, float]:
    """`exact` plus Gaussian noise of standard deviation σ = Δ₂/√(2ρ), and σ.

    ρ-zCDP if one record moves `exact` by at most Δ₂ = `sensitivity` in L2 (Bun & Steinke 2016).
    """
    check_positive(rho=rho, sensitivity=sensitivity)
    return noise.gaussian(exact, rho, sensitivity), gaussian_scale(rho, sensitivity)


def noisy_costs(exact: np.ndarray, *, epsilon: Real, sensitivity: Real, noise: NoiseSource) -> np.ndarray:
    """Costs with Laplace noise of scale 2Δ/ε each, for choosing the solution with the least sum of costs.

    The choice is ε-DP, and only the choice may be released, if every solution contains exactly one of the costs that a
    record moves, and the record moves it by at most Δ = `sensitivity`. Proof: fix all noise but that of the chosen
    solution's moved cost. On a neighbour, the chosen sum grows by at most Δ, and any other falls by at most Δ. So the
    same solution is chosen if that noise is lower by 2Δ, which is at most e^ε times less likely.
    """
    check_positive(epsilon=epsilon, sensitivity=sensitivity)
    return noise.laplace(exact, epsilon, 2 * sensitivity)


def _check_selection(scores: np.ndarray, *, epsilon: Real, sensitivity: Real) -> None:
    """Refuse, by a ValueError, scores that are NaN or +inf, and scores of -inf alone."""
    check_positive(epsilon=epsilon, sensitivity=sensitivity)
    largest = scores.max(initial=-np.inf)  # NaN if any score is NaN
    if np.isnan(largest) or largest == np.inf:
        raise ValueError("scores must be numbers, or -inf to exclude a candidate")
    if largest == -np.inf:
        raise ValueError("there is nothing to choose from: every candidate is excluded")
