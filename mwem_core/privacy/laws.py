"""The laws of the draws: the scale of noise, and the probability of each candidate in a selection.

A selection reads the scores s through the weights w[j] = ε · s[j] / 2Δ.
"""

import math
from fractions import Fraction

import numpy as np

Real = float | Fraction  # an exact amount of privacy is a rational

NODES = 32  # of the quadrature; see `permute_and_flip_law`
NEGLIGIBLE = 40.0  # exp(-40) is below half a unit in the last place


def laplace_scale(epsilon: Real, sensitivity: Real) -> float:
    """Δ₁/ε: the scale of Laplace noise that makes an answer of L1 sensitivity Δ₁ ε-DP (Dwork et al. 2006)."""
    return float(sensitivity / epsilon)


def gaussian_scale(rho: Real, sensitivity: Real) -> float:
    """Δ₂/√(2ρ): the standard deviation that makes an answer of L2 sensitivity Δ₂ ρ-zCDP (Bun & Steinke 2016)."""
    return float(sensitivity) / math.sqrt(2 * rho)


def selection_weights(scores: np.ndarray, epsilon: Real, sensitivity: Real) -> np.ndarray:
    """ε · scores / 2Δ: (candidates,) -> (candidates,)."""
    return scores * float(epsilon / (2 * sensitivity))


def exponential_law(weights: np.ndarray) -> np.ndarray:
    """Pr[j] ∝ exp(w[j]), the exponential mechanism: (candidates,) -> (candidates,)."""
    p = np.exp(weights - weights.max())
    return p / p.sum()


def permute_and_flip_law(weights: np.ndarray) -> np.ndarray:
    """Pr[j] that w[j] + E_j is the largest, for independent exponential E_j: (candidates,) -> (candidates,).

    With p_i = exp(w[i] - max w) and u = exp(max w - x), the integral over the values x of the largest sum is
    Pr[j] = p_j ∫_0^1 Π_{i≠j} (1 - p_i u) du.
    The integrand is at most exp((p_j - s) u), s = Σ p_i, so beyond u = 40/s nothing counts. Below, Gauss-Legendre with
    32 nodes is exact to rounding: on the ellipse of parameter 4 around [0, U], sU <= 40, the polynomial is at most
    exp(22.5), so the error of the rule is below U · 10⁻²⁷.
    """
    p = np.exp(weights - weights.max())
    end = min(1.0, NEGLIGIBLE / p.sum())
    nodes, shares = np.polynomial.legendre.leggauss(NODES)
    integral = np.zeros(len(p))
    for u, share in zip((nodes + 1) * end / 2, shares * end / 2, strict=True):
        integral += share * np.exp(np.log1p(-p * u).sum()) / (1 - p * u)
    return p * integral
