"""Privacy budgets, what a part of one buys, and the ledger of what was spent."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol

import numpy as np

from mwem_core.checks import check_positive
from mwem_core.privacy.conversion import epsilon_of, rho_of
from mwem_core.privacy.mechanisms import gaussian, laplace
from mwem_core.privacy.noise import NoiseSource

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
