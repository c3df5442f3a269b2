"""Amounts of privacy loss as exact rationals: what releases cost together, and the cap they must not exceed.

OpenDP converts between ρ-zCDP and (ε, δ)-differential privacy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from types import ModuleType
from typing import Literal

from mwem_core.base import check_positive

MAX_CONVERSIONS = 10_000  # conversions, which others may ask for again
CAP_DELTA = 1e-9  # of a cap for which no δ is stated
MIN_CONVERTED = Fraction(1, 10**6)  # a smaller ε is not converted to ρ: it pays for nothing


@lru_cache(maxsize=1)
def opendp() -> ModuleType:
    """OpenDP with its vetted constructors. Imported late, as it takes 0.3 s: by runs with δ > 0 and by releases."""
    import opendp
    from opendp import combinators, domains, measurements, measures, metrics, mod  # noqa: F401 - attributes of `opendp`

    mod.enable_features("contrib")
    return opendp


@lru_cache(maxsize=MAX_CONVERSIONS)
def epsilon_of(rho: float, delta: float) -> float:
    """The ε for which ρ-zCDP implies (ε, δ)-DP, by OpenDP's audited conversion; inf if that overflows (ρ ~ 10⁵)."""
    dp = opendp()
    numbers = dp.domains.atom_domain(T=float, nan=False), dp.metrics.absolute_distance(T=float)
    gaussian_of_rho = dp.measurements.make_gaussian(*numbers, scale=1 / math.sqrt(2 * rho))
    try:
        return float(dp.combinators.make_zCDP_to_approxDP(gaussian_of_rho).map(1.0).epsilon(delta))
    except dp.mod.OpenDPException:
        return math.inf


@lru_cache(maxsize=MAX_CONVERSIONS)
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


@dataclass(frozen=True)
class Amount:
    """What one release costs: an ε of pure differential privacy, or a ρ of zCDP."""

    value: Fraction
    unit: Literal["ε", "ρ"]

    @classmethod
    def of(cls, epsilon: float, delta: float = 0.0) -> Amount:
        """The cost of an (ε, δ)-release: ε if δ = 0, else the largest ρ for which ρ-zCDP implies (ε, δ)-DP.

        >>> Amount.of(0.1).value
        Fraction(1, 10)
        """
        exact = decimal(epsilon)
        return cls(exact, "ε") if delta == 0 else cls(Fraction(rho_of(at_most(exact), delta)), "ρ")

    def __str__(self) -> str:
        return f"{self.unit} = {at_least(self.value):.6g}"


@dataclass(frozen=True)
class TotalCost:
    """What several releases cost together: `epsilon` is Σε, `rho` is Σρ, `squares` is Σε²/2.

    The sums do not depend on the order of the releases.
    """

    epsilon: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)
    squares: Fraction = Fraction(0)

    @classmethod
    def by(cls, amounts: Iterable[Amount]) -> TotalCost:
        """The sums over these amounts."""
        amounts = list(amounts)
        pure = [amount.value for amount in amounts if amount.unit == "ε"]
        rho = sum((amount.value for amount in amounts if amount.unit == "ρ"), Fraction(0))
        return cls(sum(pure, Fraction(0)), rho, sum((epsilon**2 / 2 for epsilon in pure), Fraction(0)))

    def __add__(self, other: TotalCost) -> TotalCost:
        return TotalCost(self.epsilon + other.epsilon, self.rho + other.rho, self.squares + other.squares)

    def at(self, delta: float) -> Fraction | float:
        """The least ε we can prove for which all releases together are (ε, δ)-DP; inf for a ρ at δ = 0.

        Two totals are valid, and the smaller counts. With E = Σε, R = Σρ, and f(ρ) the ε of ρ-zCDP at this δ:

        1. E + f(R). The privacy loss L of the pure releases is at most E in every outcome. So
           (1 - e^(E + f(R) - L - L'))₊ <= (1 - e^(f(R) - L'))₊, L' the loss of the others, whose mean is at most δ: the
           conversion f bounds it by the moments of L' alone, and these obey ρ-zCDP also given the pure outcomes.
        2. f(R + Σε²/2). An ε-DP release is (ε²/2)-zCDP, and ρ adds up (Bun & Steinke 2016, Proposition 1.4, Lemma 1.7).
           This is smaller for many small ε.

        Releases may depend on what earlier ones gave. If also their amounts do, a cap still holds where all are ε or
        all are ρ (Rogers et al. 2016; Whitehouse et al. 2023); for a mixture, fix the amounts beforehand.
        """
        return min(self._totals(delta))

    def sum_at(self, delta: float) -> Fraction | float:
        """The first of the two totals: the ε of pure releases as they add up, and the others' ρ as an ε at this δ."""
        return next(self._totals(delta))

    def times(self, count: int) -> TotalCost:
        """What so many times these releases cost together."""
        return TotalCost(self.epsilon * count, self.rho * count, self.squares * count)

    def within(self, epsilon: Fraction, delta: float) -> bool:
        """Whether all releases together are provably (ε, δ)-DP: exact, without tolerance."""
        return any(total <= epsilon for total in self._totals(delta))

    def _totals(self, delta: float) -> Iterator[Fraction | float]:
        yield self.epsilon + _epsilon(self.rho, delta)
        if delta:
            yield _epsilon(self.rho + self.squares, delta)


@dataclass(frozen=True)
class Cap:
    """The most that all releases of a data set may cost together: (ε, δ).

    Raises ValueError for an ε that is not positive, and for a δ outside [0, 1).
    """

    epsilon: Fraction
    delta: float = CAP_DELTA

    def __post_init__(self) -> None:
        if not self.epsilon > 0:
            raise ValueError("the cap's epsilon must be positive")
        if not 0 <= self.delta < 1:
            raise ValueError("the cap's delta must be at least 0 and less than 1: 0, or well below 1/n")

    @classmethod
    def of(cls, epsilon: float, delta: float = CAP_DELTA) -> Cap:
        """The cap of a decimal ε, which need not be a float: 0.1 is 1/10."""
        check_positive(epsilon=epsilon)
        return cls(decimal(epsilon), delta)

    def holds(self, spent: TotalCost) -> bool:
        """Whether the cap covers what was spent."""
        return spent.within(self.epsilon, self.delta)

    def check(self, before: TotalCost, amount: Amount) -> None:
        """Raise ValueError if the cap does not cover one more release of this amount."""
        after = before + TotalCost.by([amount])
        if self.holds(after):
            return
        if after.rho and not self.delta:
            raise ValueError(f"the cap of {self} is at δ = 0, and has no room for a release at δ > 0: release at δ = 0")
        total = f"{at_least(Fraction(after.at(self.delta))):.6g}"
        raise ValueError(
            f"the release would bring the cost of all to ε = {total}, above the cap of {self}:"
            f" {self.left_in_words(before)}"
        )

    def left_in_words(self, spent: TotalCost) -> str:
        """What one more release may cost: a clause."""
        left, _ = self.left(spent)
        return f"ε = {left:.3g} is left" if left > 1e-9 else "nothing is left"

    def room(self, spent: TotalCost, amount: Amount) -> int:
        """How many more releases of this amount it covers.

        >>> Cap.of(3, 0).room(TotalCost(), Amount.of(0.01)), Cap.of(3, 1e-9).room(TotalCost(), Amount.of(0.01))
        (300, 2411)
        """
        fits, high, one = 0, 1, TotalCost.by([amount])
        while self.holds(spent + one.times(high)):
            fits, high = high, 2 * high
        while high - fits > 1:
            middle = (fits + high) // 2
            fits, high = (middle, high) if self.holds(spent + one.times(middle)) else (fits, middle)
        return fits

    def left(self, spent: TotalCost) -> tuple[float, float]:
        """The largest ε, or else the largest ρ, that one more release may cost, to ten digits; at least 0."""
        rest, whole = self.epsilon - spent.epsilon, self._rho(self.epsilon)
        squares_left = float(whole - spent.rho - spent.squares)
        pure = float(rest - _epsilon(spent.rho, self.delta))
        rho = max(float(self._rho(rest) - spent.rho), squares_left)
        return max(pure, math.sqrt(2 * max(squares_left, 0)), 0.0), max(rho, 0.0)

    def __str__(self) -> str:
        epsilon = f"ε = {at_most(self.epsilon):.6g}"
        return f"{epsilon} at δ = {self.delta:g}" if self.delta else epsilon

    def _rho(self, epsilon: Fraction) -> Fraction:
        if self.delta == 0 or epsilon < MIN_CONVERTED:
            return Fraction(0)
        return Fraction(rho_of(at_most(epsilon), self.delta))


def decimal(number: float) -> Fraction:
    """The decimal that a float is written as: 0.1 is 1/10, and ten of it are 1. A run may spend `at_most` of it."""
    return Fraction(repr(float(number)))


def at_most(value: Fraction) -> float:
    """The largest float that does not exceed a rational."""
    nearest = float(value)
    return nearest if Fraction(nearest) <= value else math.nextafter(nearest, -math.inf)


def at_least(value: Fraction) -> float:
    """The smallest float that is not below a rational; inf if there is none."""
    return 0.0 - at_most(-value)  # zero without a sign


def _epsilon(rho: Fraction, delta: float) -> Fraction | float:
    """f(ρ), from ρ rounded up; inf if that overflows, and for δ = 0."""
    epsilon = (epsilon_of(at_least(rho), delta) if delta else math.inf) if rho else 0.0
    return Fraction(epsilon) if epsilon < math.inf else math.inf
