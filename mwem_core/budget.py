"""Privacy budgets, what a part of one buys, and the ledger of what was spent."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, Protocol

import numpy as np

from mwem_core.mechanisms import NoiseSource, check_positive, gaussian, laplace

SMALLEST, LARGEST = 1e-6, 1e6  # an ε outside says a slip of the pen: no noise to speak of, or nothing but noise


class Budget(Protocol):
    """An amount of privacy loss that adds up under composition."""

    @property
    def amount(self) -> float:
        """How much, in `unit`."""
        ...

    @property
    def unit(self) -> str:
        """ε for pure differential privacy, ρ for zCDP."""
        ...

    def part(self, share: float) -> "Budget":
        """A share of it, 0 < share <= 1."""
        ...

    @property
    def selection_epsilon(self) -> float:
        """The ε of an exponential mechanism that costs all of it."""
        ...

    @property
    def scale(self) -> float:
        """Noise scale, in records, of a measurement of sensitivity 1 that costs all of it."""
        ...

    @property
    def mean_noise(self) -> float:
        """Mean |noise| of that measurement, in records."""
        ...

    def measure(self, exact: np.ndarray, noise: NoiseSource) -> np.ndarray:
        """Answers of sensitivity 1 with the noise that costs all of it."""
        ...


@dataclass(frozen=True)
class Pure:
    """ε-differential privacy: Laplace noise, and the ε of parts add up."""

    amount: float
    unit: Literal["ε"] = "ε"

    def part(self, share: float) -> "Pure":
        """A share of ε."""
        return Pure(self.amount * share)

    @property
    def selection_epsilon(self) -> float:
        """All of ε."""
        return self.amount

    @property
    def scale(self) -> float:
        """Laplace's b = 1/ε."""
        return 1 / self.amount

    @property
    def mean_noise(self) -> float:
        """Mean |Laplace(b)| = b."""
        return self.scale

    def measure(self, exact: np.ndarray, noise: NoiseSource) -> np.ndarray:
        """The Laplace mechanism."""
        return laplace(exact, epsilon=self.amount, sensitivity=1, noise=noise)[0]


@dataclass(frozen=True)
class ZCDP:
    """ρ-zero-concentrated differential privacy: Gaussian noise, and the ρ of parts add up (Bun & Steinke 2016)."""

    amount: float
    unit: Literal["ρ"] = "ρ"

    def part(self, share: float) -> "ZCDP":
        """A share of ρ."""
        return ZCDP(self.amount * share)

    @property
    def selection_epsilon(self) -> float:
        """An ε-DP selection costs ρ = ε²/8."""
        return math.sqrt(8 * self.amount)

    @property
    def scale(self) -> float:
        """The Gaussian's σ = 1/√(2ρ)."""
        return 1 / math.sqrt(2 * self.amount)

    @property
    def mean_noise(self) -> float:
        """Mean |N(0, σ²)| = σ√(2/π)."""
        return self.scale * math.sqrt(2 / math.pi)

    def measure(self, exact: np.ndarray, noise: NoiseSource) -> np.ndarray:
        """The Gaussian mechanism."""
        return gaussian(exact, rho=self.amount, sensitivity=1, noise=noise)[0]


class Promise(Protocol):
    """What a whole run satisfies."""

    @property
    def epsilon(self) -> float:
        """ε."""
        ...

    @property
    def delta(self) -> float:
        """δ, 0 for pure differential privacy."""
        ...

    @property
    def budget(self) -> Pure | ZCDP:
        """What may be spent."""
        ...

    def epsilon_of(self, spent: float) -> float:
        """The ε, at this δ, of an amount spent in the budget's unit."""
        ...


@dataclass(frozen=True)
class Trivial:
    """What costs nothing to promise: ε = 0 of what reads no data, ε = ∞ of what keeps nothing back."""

    epsilon: float
    delta: float = 0.0

    @property
    def budget(self) -> Pure:
        """All of ε."""
        return Pure(self.epsilon)

    def epsilon_of(self, spent: float) -> float:
        """Itself."""
        return spent


@dataclass(frozen=True)
class Guarantee:
    """(ε, δ)-differential privacy under adding or removing one record; δ = 0 is pure.

    Raises ValueError for an ε that is not a number between 10⁻⁶ and 10⁶, or a δ outside [0, 1).
    """

    epsilon: float
    delta: float = 0.0

    def __post_init__(self):
        check_positive(epsilon=self.epsilon)
        if not SMALLEST <= self.epsilon <= LARGEST:
            raise ValueError(
                f"epsilon must lie between {SMALLEST:g} and {LARGEST:g}, got {self.epsilon:g}: 0.1 to 10 is usual"
            )
        if isinstance(self.delta, bool) or not isinstance(self.delta, int | float) or not 0 <= self.delta < 1:
            raise ValueError(f"delta must be at least 0 and less than 1, got {self.delta!r}: 0, or well below 1/n")

    @cached_property
    def budget(self) -> Pure | ZCDP:
        """What may be spent: ε where δ = 0, else the ρ whose zCDP implies (ε, δ)."""
        return Pure(self.epsilon) if self.delta == 0 else ZCDP(rho_of(self.epsilon, self.delta))

    def epsilon_of(self, spent: float) -> float:
        """The ε, at this δ, of an amount spent in the budget's unit."""
        if self.delta == 0 or spent == 0:
            return spent
        return epsilon_of(spent, self.delta)


def epsilon_of(rho: float, delta: float) -> float:
    """The ε for which ρ-zCDP implies (ε, δ)-DP, by OpenDP's audited conversion; inf where that overflows (ρ ~ 10⁵)."""
    from opendp import combinators, domains, measurements, metrics, mod  # 0.3 s: only runs with δ > 0 pay it

    mod.enable_features("contrib")
    numbers = domains.atom_domain(T=float, nan=False), metrics.absolute_distance(T=float)
    gaussian_of_rho = measurements.make_gaussian(*numbers, scale=1 / math.sqrt(2 * rho))
    try:
        return float(combinators.make_zCDP_to_approxDP(gaussian_of_rho).map(1.0).epsilon(delta))
    except mod.OpenDPException:
        return math.inf


@lru_cache
def rho_of(epsilon: float, delta: float) -> float:
    """The largest ρ up to ε, to 12 digits, for which ρ-zCDP implies (ε, δ)-DP: the inverse of `epsilon_of`."""
    return bisect(lambda rho: epsilon_of(rho, delta) <= epsilon, 1e-16, epsilon)


def bisect(holds: Callable[[float], bool], low: float, high: float) -> float:
    """The largest x, to 12 digits, at which `holds`, given that it holds at `low` and changes once below `high`."""
    while high / low - 1 > 1e-12:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


@dataclass(frozen=True)
class Ledger:
    """What a run has spent, in its budget's unit, split by what for. Spending returns a new ledger."""

    budget: Budget
    select: float = 0.0
    measure: float = 0.0
    start: float = 0.0  # on the total and the starting histogram

    @property
    def spent(self) -> float:
        """All spent so far; the last digit of a sum that rounding took past the budget is cut."""
        return min(self.start + self.select + self.measure, self.budget.amount)

    def spend(self, *, select: float = 0.0, measure: float = 0.0, start: float = 0.0) -> "Ledger":
        """With more spent; refuses to pass the budget (but for rounding in the last digits)."""
        after = Ledger(self.budget, self.select + select, self.measure + measure, self.start + start)
        total = after.start + after.select + after.measure
        if not 0 <= min(select, measure, start) <= total <= self.budget.amount * (1 + 1e-9):
            raise ValueError(
                f"the budget is {self.budget.amount:g} {self.budget.unit}, this would make {total:g} spent"
            )
        return after
