"""Conversion between ρ-zCDP and (ε, δ)-differential privacy, by OpenDP."""

import math
from collections.abc import Callable
from functools import lru_cache
from types import ModuleType

KEPT = 10_000  # conversions, which others may ask for again


@lru_cache(maxsize=1)
def opendp() -> ModuleType:
    """OpenDP with its vetted constructors. Imported late, as it takes 0.3 s: by runs with δ > 0 and by releases."""
    import opendp
    from opendp import combinators, domains, measurements, measures, metrics, mod  # noqa: F401 - attributes of `opendp`

    mod.enable_features("contrib")
    return opendp


@lru_cache(maxsize=KEPT)
def epsilon_of(rho: float, delta: float) -> float:
    """The ε for which ρ-zCDP implies (ε, δ)-DP, by OpenDP's audited conversion; inf if that overflows (ρ ~ 10⁵)."""
    dp = opendp()
    numbers = dp.domains.atom_domain(T=float, nan=False), dp.metrics.absolute_distance(T=float)
    gaussian_of_rho = dp.measurements.make_gaussian(*numbers, scale=1 / math.sqrt(2 * rho))
    try:
        return float(dp.combinators.make_zCDP_to_approxDP(gaussian_of_rho).map(1.0).epsilon(delta))
    except dp.mod.OpenDPException:
        return math.inf


@lru_cache(maxsize=KEPT)
def rho_of(epsilon: float, delta: float) -> float:
    """The largest ρ ≤ ε, to 12 digits, for which ρ-zCDP implies (ε, δ)-DP: the inverse of `epsilon_of`."""
    return bisect(lambda rho: epsilon_of(rho, delta) <= epsilon, 1e-16, epsilon)


def bisect(holds: Callable[[float], bool], low: float, high: float) -> float:
    """The largest x in [low, high], to 12 digits, where `holds` is true; it must hold at `low` and change only once."""
    while high / low - 1 > 1e-12:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def cap(epsilon: float, delta: float = 0.0) -> float:
    """The largest share of even bets on a person's membership that (ε, δ)-DP lets anyone win: (e^ε + δ)/(1 + e^ε).

    Let p and q be the probabilities of saying "was in it" with and without the person; bets won are (p + 1 - q)/2. The
    guarantee gives p <= e^ε q + δ and 1 - q <= e^ε (1 - p) + δ. Their sum bounds p - q by (e^ε - 1 + 2δ)/(e^ε + 1).
    """
    return (math.exp(epsilon) + delta) / (1 + math.exp(epsilon))
