"""Privacy guarantees, the budgets they allow, and the noise scale that a part of a budget pays for."""

import math
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Context
from fractions import Fraction
from functools import cached_property
from typing import Literal, Protocol, Self

import numpy as np

from mwem_core.checks import check_positive
from mwem_core.privacy.amounts import decimal
from mwem_core.privacy.conversion import epsilon_of, rho_of
from mwem_core.privacy.mechanisms import discrete_laplace, gaussian, laplace
from mwem_core.privacy.noise import NoiseSource
from mwem_core.privacy.unit import RECORD, Unit

MIN_EPSILON, MAX_EPSILON = 1e-6, 1e6  # an ε outside is a typing error: only noise below, almost none above
ROUNDING = 2.0**-45  # of an ε that is converted to ρ and back
LEAST_SCALE = 2.0**-20  # records
PRECISION = 2**40  # of the shares that a budget is divided in

Exact = Fraction | float  # a rational, or the float inf for no privacy


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

    def mean_count_error(self, counts: np.ndarray) -> np.ndarray:
        """Mean error of that measurement of each of these counts, if answers below zero are taken as zero."""
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

    def mean_count_error(self, counts: np.ndarray) -> np.ndarray:
        """b (1 - e^(-c/b) / 2) for a count c: noise below -c errs by c alone, ½ b e^(-c/b) less in the mean."""
        return self.scale * (1 - np.exp(-counts / self.scale) / 2)

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

    def mean_count_error(self, counts: np.ndarray) -> np.ndarray:
        """σ√(2/π) - σφ(c/σ) + cΦ(-c/σ) for a count c: noise below -c errs by c alone."""
        from scipy.special import ndtr  # imported late: it takes a fifth of a second

        z = counts / self.scale
        spared = math.sqrt(1 / (2 * math.pi)) * np.exp(-(z**2) / 2) - z * ndtr(-z)
        return self.mean_noise - self.scale * spared

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


@dataclass(frozen=True)
class TrivialGuarantee:
    """ε-differential privacy at an extreme: ε = 0 if no data is read, ε = ∞ if no noise is added."""

    epsilon: float
    delta: float = 0.0
    unit: Unit = RECORD

    @property
    def budget(self) -> Pure:
        """The budget ε."""
        return Pure(self.epsilon)

    def epsilon_of(self, spent: float) -> float:
        """`spent`, which is an ε."""
        return spent

    def for_unit(self, unit: Unit) -> "TrivialGuarantee":
        """The same for any unit: none or all of c records' ε."""
        return replace(self, unit=unit)


@dataclass(frozen=True)
class Guarantee:
    """(ε, δ)-differential privacy under adding or removing one unit: a record or a person. With δ = 0 it is ε-DP.

    Raises ValueError for an ε that is not a number from 10⁻⁶ to 10⁶, and for a δ outside [0, 1).
    """

    epsilon: float
    delta: float = 0.0
    unit: Unit = RECORD

    def __post_init__(self):
        check_positive(epsilon=self.epsilon)
        if not MIN_EPSILON <= self.epsilon <= MAX_EPSILON:
            limits = f"between {MIN_EPSILON:g} and {MAX_EPSILON:g}"
            raise ValueError(f"epsilon must lie {limits}, got {self.epsilon:g}: 0.1 to 10 is usual")
        if isinstance(self.delta, bool) or not isinstance(self.delta, int | float) or not 0 <= self.delta < 1:
            raise ValueError(f"delta must be at least 0 and less than 1, got {self.delta!r}: 0, or well below 1/n")

    @cached_property
    def budget(self) -> Pure | ZCDP:
        """The budget of the whole run: ε if δ = 0, otherwise the largest ρ for which ρ-zCDP implies (ε, δ)-DP.

        It is stated for a record. A person of at most c records has c times its ε, or c² times its ρ.
        """
        if self.unit.records > 1:
            return self.of_a_record.budget
        return Pure(self.epsilon) if self.delta == 0 else ZCDP(rho_of(self.epsilon, self.delta))

    def epsilon_of(self, spent: float) -> float:
        """The ε for the unit of privacy, at this δ, of an amount spent in the budget's unit."""
        if self.delta == 0 or spent == 0:
            return spent * self.unit.records
        return epsilon_of(spent * self.unit.records**2, self.delta)

    def reserve(self, share: float) -> tuple[Budget, "Guarantee"]:
        """What a measurement costs that is to have this share of the budget, and the guarantee of what follows it.

        The rest is rounded, and the cost is what it leaves, so that both add up to the whole.
        """
        rest = Guarantee(self.epsilon_of(self.budget.amount * (1 - share)), self.delta, self.unit)
        return self.budget.less(rest.budget.exact), rest

    @property
    def of_a_record(self) -> "Guarantee":
        """The guarantee for each record that keeps this one for its unit: at ε/c, or at ρ/c² in ρ, rounded down.

        The tables of two neighbours differ by at most c records. Between them are c steps of one record, so that
        ε-DP of a step is cε-DP in all (Dwork & Roth 2014, Theorem 2.2), and ρ-zCDP of a step is c²ρ-zCDP (Bun &
        Steinke 2016, Proposition 1.9). Where δ > 0 the ε is at most ε/c too, as a run may be ε-DP all the same.
        Raises ValueError where too little is left for a record. It is not cached, as `budget` needs it and it needs a
        `budget`: threads would wait for each other's locks.
        """
        c, whole = self.unit.records, Guarantee(self.epsilon, self.delta)
        if c == 1:
            return whole
        power = 1 if self.delta == 0 else 2
        epsilon = min(whole.epsilon / c, float(whole.epsilon_of(whole.budget.amount / c**power)))
        while epsilon >= MIN_EPSILON:
            record = Guarantee(epsilon, self.delta)
            if record.budget.exact * c**power <= whole.budget.exact and decimal(epsilon) * c <= decimal(whole.epsilon):
                return record
            epsilon = math.nextafter(epsilon * (1 - ROUNDING), 0)
        raise ValueError(
            f"epsilon {self.epsilon:g} for a person of up to {c:,} records leaves next to nothing for each of them: "
            "keep fewer records of a person, or raise epsilon"
        )

    def for_unit(self, unit: Unit) -> "Guarantee":
        """What this guarantee for each record is for a unit of up to c records, rounded up: the inverse of the above.

        >>> Guarantee(0.5).for_unit(Unit("patient", 3)).epsilon
        1.5
        """
        if unit.records == 1:
            return replace(self, unit=unit)
        exact = replace(self, unit=unit).epsilon_of(self.budget.amount)
        return Guarantee(
            float(Context(prec=9, rounding=ROUND_CEILING).create_decimal_from_float(exact)), self.delta, unit
        )


AnyGuarantee = Guarantee | TrivialGuarantee
