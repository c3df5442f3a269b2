"""The ledger of a run: what it has spent, exactly, and of what budget."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from mwem_core.privacy.budget import Budget, Exact

Purpose = Literal["start", "select", "measure"]  # start: on the total and the starting histogram


@dataclass(frozen=True)
class Ledger:
    """What a run has spent on each purpose, in the budget's unit. Spending returns a new ledger.

    The amounts are exact rationals, and there is no tolerance at the budget. `start`, `select`, `measure` and `spent`
    are the nearest floats, for files and screens.
    """

    budget: Budget
    charges: tuple[tuple[Purpose, Exact], ...] = ()  # each purpose once, with its sum

    def spend(self, *, select: Exact = 0, measure: Exact = 0, start: Exact = 0) -> "Ledger":
        """The ledger after spending these amounts. A float is an amount as the budget's unit reads it (`Budget`).

        Raises ValueError for a negative amount, and if the sum exceeds the budget.
        """
        amounts: dict[Purpose, Exact] = {"start": start, "select": select, "measure": measure}
        if not all(amount >= 0 for amount in amounts.values()):
            asked = ", ".join(f"{float(amount):g}" for amount in amounts.values())
            raise ValueError(f"amounts to spend must be at least 0, got {asked}")
        sums = {purpose: self._of(purpose) + type(self.budget)(amount).exact for purpose, amount in amounts.items()}
        after = replace(self, charges=tuple(sums.items()))
        if not after.exact <= self.budget.exact:
            budget, unit = self.budget.amount, self.budget.unit
            raise ValueError(
                f"the budget is {budget:g} {unit}, and this would bring the amount spent to {after.spent:g} {unit}"
            )
        return after

    def plus(self, other: "Ledger") -> "Ledger":
        """The ledger after spending what the other one has spent."""
        return self.spend(**dict(other.charges))

    @property
    def exact(self) -> Exact:
        """The amount spent, at most the budget."""
        return sum((amount for _, amount in self.charges), Fraction(0))

    @property
    def left(self) -> Budget:
        """What is not spent yet."""
        return self.budget.less(self.exact)

    @property
    def is_spent(self) -> bool:
        """Whether nothing of the budget is left."""
        return self.exact >= self.budget.exact

    @property
    def spent(self) -> float:
        """The amount spent."""
        return float(self.exact)

    @property
    def start(self) -> float:
        """The amount spent on the total and the starting histogram."""
        return float(self._of("start"))

    @property
    def select(self) -> float:
        """The amount spent on selections."""
        return float(self._of("select"))

    @property
    def measure(self) -> float:
        """The amount spent on measurements."""
        return float(self._of("measure"))

    def _of(self, purpose: Purpose) -> Exact:
        return dict(self.charges).get(purpose, Fraction(0))
