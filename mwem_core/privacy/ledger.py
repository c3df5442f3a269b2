"""The ledger of what a run has spent."""

from dataclasses import dataclass

from mwem_core.privacy.budget import Budget


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
