"""One-way marginals measured once, then MWEM's rounds with the rest of the budget."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from mwem_core.algorithm import Round, Spender
from mwem_core.automatic.planned.planned import planned
from mwem_core.automatic.planned.sizes import check_plan
from mwem_core.base import is_whole
from mwem_core.domain import Table
from mwem_core.mwem import MWEM, HistogramStart
from mwem_core.prior import MAX_FITTED_CELLS
from mwem_core.privacy import Accountant, Guarantee
from mwem_core.weighted import Model, Single
from mwem_core.workload import Workload

TOLERANCE = 0.01  # of the first fit, which the rounds go on with


@dataclass(frozen=True, kw_only=True)
class Staged(Spender):
    """A share of the budget measures the one-way marginals once; the rounds of `then` select with the rest.

    `then` has the ε and δ of the whole run. Raises ValueError for a share that is not above 0 and below 1, and for
    rounds whose number is not given, that measure one-way marginals first themselves, or that start from a histogram.
    """

    share: float
    then: MWEM

    def __post_init__(self):
        if not 0 < self.share < 1:
            raise ValueError(f"share is a share of the budget, above 0 and below 1, got {self.share!r}")
        if not is_whole(self.then.T):
            raise ValueError(f"rounds after one-way marginals need a number, got {self.then.T!r}")
        if self.then.candidates.one_way_first or isinstance(self.then.start, HistogramStart):
            raise ValueError("one-way marginals are measured before the rounds: leave one_way_first and histogram out")

    @property
    def guarantee(self) -> Guarantee:
        """The (ε, δ) that a run satisfies."""
        return self.then.guarantee

    def measured(self, workload: Workload) -> Workload:
        """The workload whose marginals are candidates."""
        return self.then.measured(workload)

    def planned_rounds(self, n: float, workload: Workload) -> int:  # noqa: ARG002
        """One for the one-way marginals, and those that select."""
        return 1 + int(self.T)

    @property
    def T(self) -> int:
        """The number of rounds that select."""
        assert isinstance(self.then.T, int)
        return self.then.T

    def check(self, workload: Workload) -> None:
        """Refuse, by a ValueError, a workload that one of the stages cannot serve."""
        check_plan("one-way", self.measured(workload), self.guarantee.budget)
        self.then.check(workload)

    def spend(self, B: Table, Q: Workload, account: Accountant) -> Iterator[Round[Model]]:
        """Round 0, a round of one-way marginals, then T rounds that select."""
        start = self.then.start.begin(B, Q, account, MAX_FITTED_CELLS)
        yield start
        of_ones, share = self.measured(Q), Fraction(self.share)
        (ones,) = planned("one-way", B, of_ones, account, start, share=share, tolerance=TOLERANCE)
        yield ones
        yield from self.then.spend_after(cast(Round[Single], ones), start.model, B, Q, account)
