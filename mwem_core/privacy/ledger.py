"""The ledger of a run: it records what the run spends and refuses to exceed the budget."""

from dataclasses import dataclass

from mwem_core.privacy.budget import Budget


@dataclass(frozen=True)
class Ledger:
    """What a run has spent on each purpose, in the budget's unit. Spending returns a new ledger."""

    budget: Budget
    select: float = 0.0
    measure: float = 0.0
    start: float = 0.0  # on the total and the starting histogram

    @property
    def spent(self) -> float:
        """The amount spent, at most the budget: a rounding error in the last digit of the sum is cut off."""
        return min(self.start + self.select + self.measure, self.budget.amount)

    def spend(self, *, select: float = 0.0, measure: float = 0.0, start: float = 0.0) -> "Ledger":
        """The ledger after spending these amounts.

        Raises ValueError for a negative amount, and if the sum exceeds the budget by more than a rounding error.
        """
        if not all(amount >= 0 for amount in (select, measure, start)):
            raise ValueError(f"amounts to spend must be at least 0, got {select:g}, {measure:g} and {start:g}")
        after = Ledger(self.budget, self.select + select, self.measure + measure, self.start + start)
        total = after.start + after.select + after.measure
        if not total <= self.budget.amount * (1 + 1e-9):
            budget, unit = self.budget.amount, self.budget.unit
            raise ValueError(
                f"the budget is {budget:g} {unit}, and this would bring the amount spent to {total:g} {unit}"
            )
        return after
