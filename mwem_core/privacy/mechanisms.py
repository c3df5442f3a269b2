"""The differentially private mechanisms and where their randomness comes from: no noise is drawn elsewhere."""

import math

import numpy as np

from mwem_core.checks import check_positive
from mwem_core.privacy.noise import NoiseSource


def exponential(
    scores: np.ndarray, *, epsilon: float, sensitivity: float, noise: NoiseSource, base: np.ndarray | None = None
) -> int:
    """Choose j with probability proportional to base[j] · exp(ε · scores[j] / 2Δ); a score of -inf is never chosen.

    ε-DP, and (ε²/8)-zCDP, when one record moves each score by at most Δ = `sensitivity`, given that `base` (a measure,
    uniform by default) and which scores are -inf are public (McSherry & Talwar 2007).
    """
    check_positive(epsilon=epsilon, sensitivity=sensitivity)
    weights = scores * (epsilon / (2 * sensitivity))
    if base is not None:
        with np.errstate(divide="ignore", invalid="ignore"):
            weights = weights + np.log(base)
    most = weights.max(initial=-np.inf)  # not a number, if any of them is none
    if np.isnan(most) or most == np.inf:
        raise ValueError("scores must be numbers, or -inf for what is excluded, and a base measure not negative")
    if most == -np.inf:
        raise ValueError("there is nothing to choose from: every candidate is excluded")
    return noise.choose(weights)


def laplace(exact: np.ndarray, *, epsilon: float, sensitivity: float, noise: NoiseSource) -> tuple[np.ndarray, float]:
    """`exact` plus Laplace noise of scale Δ₁/ε, and that scale.

    ε-DP when one record moves `exact` by at most Δ₁ = `sensitivity` in L1.
    """
    check_positive(epsilon=epsilon, sensitivity=sensitivity)
    scale = sensitivity / epsilon
    return noise.laplace(exact, scale), scale


def gaussian(exact: np.ndarray, *, rho: float, sensitivity: float, noise: NoiseSource) -> tuple[np.ndarray, float]:
    """`exact` plus Gaussian noise of σ = Δ₂/√(2ρ), and σ.

    ρ-zCDP when one record moves `exact` by at most Δ₂ = `sensitivity` in L2.
    """
    check_positive(rho=rho, sensitivity=sensitivity)
    scale = sensitivity / math.sqrt(2 * rho)
    return noise.gaussian(exact, scale), scale
