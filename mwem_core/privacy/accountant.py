"""The accountant of a run, which draws noise and charges for it in one call, and the ledger of what it has spent.

A run has one accountant, and no other way to the noise source. So no draw is made without a charge, and none beyond the
budget. A charge comes before its draw: whatever goes wrong after it, it counts as spent.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

import numpy as np

from mwem_core.base import got
from mwem_core.privacy.budget import Budget, Exact, whole_shares
from mwem_core.privacy.mechanisms import exponential, noisy_costs, permute_and_flip
from mwem_core.privacy.noise import NoiseSource
from mwem_core.privacy.opendp_noise import ReleaseNoise

Purpose = Literal["start", "select", "measure"]  # start: on the total and the starting histogram
SelectionName = Literal["exponential", "permute-and-flip"]


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


class Accountant:
    """Draws from a noise source, within a budget. `ledger` has what was spent so far.

    Costs may depend on what earlier draws returned: amounts of ε, or of ρ, add up also if they are chosen as the run
    goes along, as long as their sum stays below a budget fixed before (Rogers, Roth, Ullman & Vadhan 2016; for zCDP,
    Whitehouse, Ramdas, Rogers & Wu 2023). Each method raises ValueError, before its draw, if the budget is exceeded.
    """

    def __init__(self, budget: Budget, noise: NoiseSource):
        if isinstance(noise, int | str | type | np.random.Generator | None):
            raise ValueError(f"noise must be a source such as Seeded(), {got(noise)}")
        self.ledger = Ledger(budget)
        self._noise = noise

    @property
    def left(self) -> Budget:
        """What is not spent yet."""
        return self.ledger.left

    def part(self, budget: Budget) -> "Accountant":
        """An accountant of its own for a part of what is left. What it spends is added by `Ledger.plus`, not here."""
        return Accountant(budget, self._noise)

    def share_after(self, cost: Budget) -> float:
        """The share of the budget that is spent once this cost is, or once all of it is."""
        return min(1.0, float((self.ledger.exact + cost.exact) / self.ledger.budget.exact))

    def choose(
        self, scores: np.ndarray, *, cost: Budget, sensitivity: float = 1.0, by: SelectionName = "exponential"
    ) -> int:
        """An index of the scores, if one record moves each by at most the sensitivity; see `privacy.mechanisms`.

        Under pure ε a release always selects by permute-and-flip: see `ReleaseNoise`. It is never worse.
        """
        self._charge(cost, "select")
        flips = by == "permute-and-flip" or (cost.unit == "ε" and isinstance(self._noise, ReleaseNoise))
        mechanism = permute_and_flip if flips else exponential
        return mechanism(scores, epsilon=cost.selection_epsilon, sensitivity=sensitivity, noise=self._noise)

    def measure(
        self,
        exact: np.ndarray,
        *,
        cost: Budget,
        sensitivity: float = 1.0,
        purpose: Purpose = "measure",
        counts: bool = False,
    ) -> np.ndarray:
        """Noisy answers, if one record moves them by Δ in L1, or under zCDP by √Δ in L2; see `Budget.measure`."""
        self._charge(cost, purpose)
        return cost.measure(exact, self._noise, sensitivity=sensitivity, counts=counts)

    def measure_each(
        self,
        tables: Sequence[np.ndarray],
        *,
        cost: Budget,
        shares: np.ndarray,
        sensitivities: Sequence[float],
        counts: bool = False,
    ) -> list[np.ndarray]:
        """Noisy tables, each at its share of the cost, and of its own sensitivity; see `measure`.

        Tables of equal share and sensitivity get their noise in one draw, as one vector: k tables at k times the cost
        of one, and of k times its Δ. So the noise is the same.
        """
        weights, noisy = whole_shares(shares), [np.empty(0)] * len(tables)
        groups, total = defaultdict(list), sum(weights)
        for i, key in enumerate(zip(weights, sensitivities, strict=True)):
            groups[key].append(i)
        for (weight, sensitivity), members in groups.items():
            together, k = np.concatenate([tables[i].ravel() for i in members]), len(members)
            part = cost.part(Fraction(k * weight, total))
            drawn = self.measure(together, cost=part, sensitivity=k * sensitivity, counts=counts)
            ends = np.cumsum([tables[i].size for i in members])
            for i, values in zip(members, np.split(drawn, ends[:-1]), strict=True):
                noisy[i] = values.reshape(tables[i].shape)
        return noisy

    def measure_together(self, answers: np.ndarray, sensitivity: float) -> tuple[np.ndarray, float]:
        """Spend what is left on all of these answers at once: noisy answers, (|Q|,), and the scale of the noise.

        One record moves the answers by at most Δ, the `sensitivity`, in L1. It moves none by more than 1, so that this
        is at most √Δ in L2. Either way, noise as for a single query at a share 1/Δ of the budget is enough.
        """
        budget = self.left
        return self.measure(answers, cost=budget, sensitivity=sensitivity), budget.part(1 / sensitivity).scale

    def noisy_costs(self, exact: np.ndarray, *, cost: Budget, sensitivity: float) -> np.ndarray:
        """Noisy costs of solutions, of which only the cheapest may be released; see `mechanisms.noisy_costs`."""
        self._charge(cost, "select")
        return noisy_costs(exact, epsilon=cost.selection_epsilon, sensitivity=sensitivity, noise=self._noise)

    def choose_freely(self, count: int) -> int:
        """Choose one of `count` candidates uniformly, whatever the data: it costs nothing."""
        return self._noise.choose(np.zeros(count), 1.0, 1.0)

    def _charge(self, cost: Budget, purpose: Purpose) -> None:
        if cost.unit != self.ledger.budget.unit:
            raise ValueError(f"a cost in {cost.unit} cannot be charged to a budget in {self.ledger.budget.unit}")
        if cost.exact == 0:
            raise ValueError(f"a draw must cost more than 0 {cost.unit}: {self.left.amount:g} of the budget is left")
        self.ledger = self.ledger.spend(**{purpose: cost.exact})
