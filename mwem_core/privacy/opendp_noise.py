"""The noise source of a release: OpenDP's exact samplers on integers, with the operating system's entropy and no seed.

A draw costs at most what it was asked to cost, twice over: by the formula of this project, in rational arithmetic, and
by the map of OpenDP's measurement. The scale is the least float for which both hold, so the amount asked for is the one
to charge. Whatever an exact sampler cannot take is refused before the draw, in sentences that name no value.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from mwem_core.privacy.amounts import at_least, opendp
from mwem_core.privacy.grid import EXACT, STEP
from mwem_core.privacy.laws import Real

WHOLE = 2.0**53  # float64 holds all whole numbers below it, and their sums with noise fit into 64 bits
MAX_TRIES = 64  # of neighbouring floats for a scale: the rounding of a map is a few units in the last place

Build = Callable[[float], Any]  # from a scale to OpenDP's measurement


class ReleaseNoise:
    """Draws for a release; see `NoiseSource`. Scores must lie on the grid (`privacy.grid`), values must be whole.

    A sensitivity is rounded up to the grid, or to a whole number. `choose` is certified by its map as ε²/8-zCDP. That
    it is ε-DP as well is a theorem that no map states (McSherry & Talwar 2007), so a release under pure ε selects by
    `permute_and_flip`, whose map says ε.

    Raises ValueError, before a draw, for an ε, ρ or sensitivity that is not a positive number, for a scale that is 0 or
    infinite, for scores or values that are NaN or +inf, off the grid, or too large to be exact.
    """

    def choose(self, scores: np.ndarray, epsilon: Real, sensitivity: Real) -> int:
        """The exponential mechanism: noisy max with Gumbel noise of scale 2Δ/ε. ρ = ε²/8."""
        return _chosen(_gumbel_max, scores, epsilon, sensitivity)

    def permute_and_flip(self, scores: np.ndarray, epsilon: Real, sensitivity: Real) -> int:
        """Noisy max with exponential noise of scale 2Δ/ε. ε-DP."""
        return _chosen(_exponential_max, scores, epsilon, sensitivity)

    def laplace(self, exact: np.ndarray, epsilon: Real, sensitivity: Real) -> np.ndarray:
        """Discrete Laplace noise of scale Δ₁/ε on whole numbers: a release has no continuous noise. ε-DP."""
        return _noisy(_discrete_laplace(math.ceil(_positive(sensitivity)), _positive(epsilon)), exact)

    discrete_laplace = laplace

    def gaussian(self, exact: np.ndarray, rho: Real, sensitivity: Real) -> np.ndarray:
        """Discrete Gaussian noise of standard deviation Δ₂/√(2ρ) on whole numbers. ρ-zCDP."""
        return _noisy(_discrete_gaussian(_positive(sensitivity), _positive(rho)), exact)


def _positive(amount: Real) -> Fraction:
    """An ε, ρ or sensitivity as it is, exactly."""
    if not ((isinstance(amount, Fraction) or math.isfinite(amount)) and amount > 0):
        raise ValueError("privacy parameters and sensitivities of a release must be positive numbers")
    return Fraction(amount)


def _chosen(build: Callable[[int, Fraction], Any], scores: np.ndarray, epsilon: Real, sensitivity: Real) -> int:
    """The index of a noisy maximum. Scores of -inf, which are public, take no part.

    The sensitivity is rounded up to steps of the grid.
    """
    measurement = build(math.ceil(_positive(sensitivity) / Fraction(STEP)), _positive(epsilon))
    offered = np.flatnonzero(np.asarray(scores) != -np.inf)
    if not offered.size:
        raise ValueError("there is nothing to choose from: every candidate is excluded")
    return int(offered[_drawn(measurement, _integers(np.asarray(scores)[offered] / STEP, EXACT / STEP))])


def _noisy(measurement: Any, exact: np.ndarray) -> np.ndarray:
    """`exact` plus noise, in its shape."""
    exact = np.asarray(exact, float)
    return np.array(_drawn(measurement, _integers(exact.ravel(), WHOLE)), float).reshape(exact.shape)


def _integers(values: np.ndarray, limit: float) -> np.ndarray:
    """The values as 64-bit integers; refuses, by a ValueError, what is no whole number below the limit."""
    if not np.isfinite(values).all():
        raise ValueError("a release cannot draw noise for a value that is not a number, or is infinite")
    if np.abs(values).max(initial=0) >= limit:
        raise ValueError("a release cannot draw noise for a value that is too large to be exact")
    integers = values.astype(np.int64)
    if (integers != values).any():
        raise ValueError("a release draws noise for whole counts, and for scores on the grid of 2^-10 records only")
    return integers


def _drawn(measurement: Any, integers: np.ndarray) -> Any:
    """One draw. OpenDP's own errors can print values, so they are not shown."""
    try:
        return measurement(integers)
    except Exception:
        raise ValueError("OpenDP could not draw the noise of this release") from None


@lru_cache(maxsize=1024)
def _gumbel_max(Δ: int, ε: Fraction) -> Any:
    return _noisy_max(opendp().measures.zero_concentrated_divergence(), lambda own: own**2 / 8, Δ, ε)


@lru_cache(maxsize=1024)
def _exponential_max(Δ: int, ε: Fraction) -> Any:
    return _noisy_max(opendp().measures.max_divergence(), lambda own: own, Δ, ε)


def _noisy_max(measure: Any, cost: Callable[[Fraction], Fraction], Δ: int, ε: Fraction) -> Any:
    """Noisy max of scale 2Δ/ε, in OpenDP's measure of privacy; `cost` is the price of an ε in it."""
    dp = opendp()
    return _within(
        lambda scale: dp.measurements.make_noisy_max(
            _integer_vectors(), dp.metrics.linf_distance(T="i64"), measure, scale
        ),
        lambda: float(2 * Δ / ε),
        lambda scale: cost(2 * Δ / scale),
        Δ,
        cost(ε),
    )


@lru_cache(maxsize=1024)
def _discrete_laplace(Δ: int, ε: Fraction) -> Any:
    dp = opendp()
    input_space = _integer_vectors(), dp.metrics.l1_distance(T="i64")
    return _within(
        lambda scale: dp.measurements.make_laplace(*input_space, scale),
        lambda: float(Δ / ε),
        lambda scale: Δ / scale,
        Δ,
        ε,
    )


@lru_cache(maxsize=1024)
def _discrete_gaussian(Δ: Fraction, ρ: Fraction) -> Any:
    dp, moved = opendp(), at_least(Δ)
    input_space = _integer_vectors(), dp.metrics.l2_distance(T="f64")
    return _within(
        lambda scale: dp.measurements.make_gaussian(*input_space, scale),
        lambda: math.sqrt(Δ**2 / (2 * ρ)),
        lambda scale: Δ**2 / (2 * scale**2),
        moved,
        ρ,
    )


def _within(
    build: Build, scale: Callable[[], float], cost: Callable[[Fraction], Fraction], moved: float, amount: Fraction
) -> Any:
    """The measurement of the least scale, from this one up, that costs at most this amount by formula and by map."""
    try:
        candidate = scale()
        if not 0 < candidate < math.inf:
            raise OverflowError
        for _ in range(MAX_TRIES):
            if cost(Fraction(candidate)) <= amount:
                measurement = build(candidate)
                if Fraction(measurement.map(moved)) <= amount:
                    return measurement
            candidate = math.nextafter(candidate, math.inf)
    except Exception:
        raise ValueError("the scale of the noise is out of range: choose another epsilon, or fewer rounds") from None
    raise ValueError("no scale costs as little as asked: choose a larger epsilon, or fewer rounds")


def _integer_vectors() -> Any:
    dp = opendp()
    return dp.domains.vector_domain(dp.domains.atom_domain(T="i64"))
