"""Budgets of ε or of ρ, and the noise that a part of one pays for."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Protocol, Self

import numpy as np

from mwem_core.privacy.amounts import decimal
from mwem_core.privacy.mechanisms import discrete_laplace, gaussian, laplace
from mwem_core.privacy.noise import NoiseSource

LEAST_SCALE = 2.0**-20  # records
PRECISION = 2**40  # of the shares that a budget is divided in

Exact = Fraction | float  # a rational, or the float inf for no privacy
Amounts = float | np.ndarray  # one, or several


class Budget(Protocol):
    """An amount of privacy loss, as an exact rational. The amounts of composed mechanisms add up.

    Parts are exact too, so that they add up to the whole and not a digit more.
    """

    exact: Exact

    def __init__(self, exact: Exact): ...

    @property
    def unit(self) -> Literal["ε", "ρ"]:
        """ε for pure differential privacy, ρ for zCDP."""
        ...

    @property
    def amount(self) -> float:
        """The amount, in `unit`, as the nearest float: for formulas and screens."""
        return float(self.exact)

    def part(self, share: float | Fraction) -> Self:
        """This share of the budget."""
        return type(self)(self.exact * Fraction(share))

    def split(self, share: float | Fraction) -> tuple[Self, Self]:
        """This share of the budget, and the rest of it."""
        part = self.part(share)
        return part, self.less(part.exact)

    def less(self, spent: Exact) -> Self:
        """What is left once this amount is spent."""
        return type(self)(self.exact - spent)

    @property
    def selection_epsilon(self) -> Exact:
        """The ε of a selection that costs the whole budget."""
        ...

    @property
    def scale(self) -> float:
        """Noise scale, in records, of a measurement of sensitivity 1 that costs the whole budget."""
        ...

    @property
    def scale_of_counts(self) -> float:
        """The scale of noise of the same variance as that of a measurement of whole counts: see `measure`."""
        return self.scale

    @property
    def mean_noise(self) -> float:
        """Mean |noise| of that measurement, in records."""
        return self.mean_noise_at(self.scale)

    def mean_noise_at(self, scale: float) -> float:
        """Mean |noise| of a draw of this scale, in records."""
        ...

    def scale_at(self, share: Amounts) -> Amounts:
        """The scale of that measurement, if it costs this share of the budget."""
        ...

    def variance_at(self, scale: float) -> float:
        """Variance of a draw of this scale, in records²."""
        ...

    def measure(
        self, exact: np.ndarray, noise: NoiseSource, *, sensitivity: float = 1.0, counts: bool = False
    ) -> np.ndarray:
        """Answers plus the noise that costs the whole budget, if one record moves them by at most Δ = `sensitivity`.

        That is Δ in L1 for Laplace noise, and √Δ in L2 for Gaussian noise: so far do Δ counts move, by 1 each. The
        noise is that of a measurement of sensitivity 1 at a share 1/Δ of the budget. Whole `counts` need less noise
        under ε: it is whole too.
        """
        ...


@dataclass(frozen=True)
class Pure(Budget):
    """A budget of ε-differential privacy, spent with Laplace noise. The ε of composed mechanisms add up.

    A float stands for the decimal that it is written as: 0.1 is 1/10, and ten of it are 1.
    """

    exact: Exact
    unit: Literal["ε", "ρ"] = "ε"

    def __post_init__(self):
        if isinstance(self.exact, float) and self.exact < math.inf:
            object.__setattr__(self, "exact", decimal(self.exact))

    @property
    def selection_epsilon(self) -> Exact:
        """ε itself."""
        return self.exact

    @property
    def scale(self) -> float:
        """The Laplace scale b = 1/ε."""
        return 1 / self.amount

    def mean_noise_at(self, scale: float) -> float:
        """Mean |Laplace(b)| = b."""
        return scale

    def scale_at(self, share: Amounts) -> Amounts:
        """1/share times that of the whole."""
        return self.scale / share

    def variance_at(self, scale: float) -> float:
        """Variance of Laplace(b): 2b²."""
        return 2 * scale**2

    @property
    def scale_of_counts(self) -> float:
        """1 / (2 sinh(ε/2)), below 1/ε: of discrete Laplace noise, whose variance is 1 / (2 sinh²(ε/2)).

        With r = e^-ε that is 2r / (1 - r)². Noise below `LEAST_SCALE` is as good as none.
        """
        return max(math.exp(-self.amount / 2) / -math.expm1(-self.amount), LEAST_SCALE)

    def measure(
        self, exact: np.ndarray, noise: NoiseSource, *, sensitivity: float = 1.0, counts: bool = False
    ) -> np.ndarray:
        """The Laplace mechanism; for `counts` the geometric mechanism."""
        if counts:
            return discrete_laplace(exact, epsilon=self.exact, sensitivity=sensitivity, noise=noise)
        return laplace(exact, epsilon=self.exact, sensitivity=sensitivity, noise=noise)[0]


@dataclass(frozen=True)
class ZCDP(Budget):
    """A budget of ρ-zero-concentrated differential privacy, spent with Gaussian noise.

    The ρ of composed mechanisms add up (Bun & Steinke 2016).
    """

    exact: Exact
    unit: Literal["ε", "ρ"] = "ρ"

    def __post_init__(self):
        object.__setattr__(self, "exact", Fraction(self.exact))  # of a float, what it is in binary

    @property
    def selection_epsilon(self) -> float:
        """√(8ρ), rounded down, because an ε-DP selection by the exponential mechanism costs ρ = ε²/8."""
        root = math.sqrt(8 * self.exact)
        while Fraction(root) ** 2 > 8 * self.exact:
            root = math.nextafter(root, 0)
        return root

    @property
    def scale(self) -> float:
        """The Gaussian standard deviation σ = 1/√(2ρ)."""
        return 1 / math.sqrt(2 * self.amount)

    def mean_noise_at(self, scale: float) -> float:
        """Mean |N(0, σ²)| = σ√(2/π)."""
        return scale * math.sqrt(2 / math.pi)

    def scale_at(self, share: Amounts) -> Amounts:
        """1/√share times that of the whole."""
        return self.scale / share**0.5

    def variance_at(self, scale: float) -> float:
        """Variance of N(0, σ²): σ²."""
        return scale**2

    def measure(
        self,
        exact: np.ndarray,
        noise: NoiseSource,
        *,
        sensitivity: float = 1.0,
        counts: bool = False,  # noqa: ARG002
    ) -> np.ndarray:
        """The Gaussian mechanism, of `counts` too: a plan's noise under ρ is seldom below one record."""
        length = math.sqrt(sensitivity)
        while Fraction(length) ** 2 < sensitivity:  # rounded up
            length = math.nextafter(length, math.inf)
        return gaussian(exact, rho=self.exact, sensitivity=length, noise=noise)[0]


def whole_shares(shares: np.ndarray) -> list[int]:
    """Whole numbers in proportion to positive shares, to twelve digits of the largest, so that parts add up exactly.

    Each is at least 1.
    """
    return np.maximum(np.floor(shares / shares.max() * PRECISION), 1).astype(np.int64).tolist()
