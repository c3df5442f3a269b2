"""Guarantees of (ε, δ)-differential privacy for a unit of privacy, a record or a person; the budgets they allow."""

import math
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Context
from functools import cached_property

from mwem_core.base import check_positive, is_whole
from mwem_core.privacy.amounts import decimal, epsilon_of, rho_of
from mwem_core.privacy.budget import ZCDP, Budget, Pure

MAX_RECORDS = 10_000  # of a person: the noise grows with it, and hides everything long before
MIN_EPSILON, MAX_EPSILON = 1e-6, 1e6  # an ε outside is a typing error: only noise below, almost none above
ROUNDING = 2.0**-45  # of an ε that is converted to ρ and back


@dataclass(frozen=True)
class Unit:
    """A record; or a person, named by a column of the table, of whom at most `records` records are kept.

    Raises ValueError for a limit that is not a whole number from 1 to 10,000, and for one above 1 without a column.

    >>> Unit.parse("patient:3").neighbours
    "add or remove one person, named by column 'patient', of whom at most 3 records are kept"
    """

    column: str = ""  # names the person of each record; empty if the unit is a record
    records: int = 1  # c, the most of a person that are kept

    def __post_init__(self) -> None:
        if not is_whole(self.records) or not 1 <= self.records <= MAX_RECORDS:
            raise ValueError(
                f"the records of a person must be a whole number from 1 to {MAX_RECORDS:,}, got {self.records!r}"
            )
        if self.records > 1 and not self.column:
            raise ValueError("a limit of records needs the column that names the person of each record")

    @classmethod
    def parse(cls, text: str) -> "Unit":
        """The unit of the text COLUMN:C. Raises ValueError for another text."""
        column, _, records = text.rpartition(":")
        if not column.strip() or not (records.isascii() and records.isdecimal()):
            raise ValueError(f"the unit must be COLUMN:C, such as patient:3 for at most 3 records each, got {text!r}")
        return cls(column.strip(), int(records))

    @property
    def neighbours(self) -> str:
        """What two neighbouring tables differ by, for manifests and pages."""
        if not self.column:
            return "add or remove one record"
        kept = f"at most {self.records:,} record{'' if self.records == 1 else 's'}"
        plural = "is" if self.records == 1 else "are"
        return f"add or remove one person, named by column {self.column!r}, of whom {kept} {plural} kept"


RECORD = Unit()


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
