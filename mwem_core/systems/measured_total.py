"""A run whose number of records is private: it buys a noisy n first, and everything that reads n reads the noisy one.

A preset's rule chooses T, the plan, the split and the size of the model from n. Called with the true n, it would tell
it: nobody may add noise to a number that has decided something already.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from mwem_core.algorithm import Algorithm, AnswerSource, Round
from mwem_core.base import check_positive, constants
from mwem_core.domain import OfTotal, PublicTable, Table
from mwem_core.model import LogLinear, Measurement
from mwem_core.mwem import Rounds
from mwem_core.privacy import Accountant, Budget, Guarantee, NoiseSource
from mwem_core.systems.system import System, system
from mwem_core.workload import Workload

LEAST_TOTAL = 1  # record that a noisy n may say: there are no shares of nothing


@dataclass(frozen=True, kw_only=True)
class MeasuredTotal:
    """Settings of a run of a system: a share of the budget buys a noisy n, and the rest runs what its rule then says.

    (ε, δ)-differential privacy under adding or removing one record; n is not public. The two parts of the budget add
    up: ε, or ρ where δ > 0. Which of the two it is does not depend on n.
    Raises ValueError for a system without a budget, and for a share outside of 0 to 1.
    """

    epsilon: float
    delta: float = 0.0
    system: str = "automatic"
    T: Rounds | None = None
    share: float = constants.SHARE_OF_N  # of the budget, for n
    changed: tuple[tuple[str, Any], ...] = ()  # settings that are set, whatever the rule says
    public: PublicTable | None = None  # a table to start from

    def __post_init__(self):
        if self._system.privacy in ("none", "no data"):
            raise ValueError(f"{self._system.title} has no budget to measure n with: choose a private system")
        check_positive(share=self.share)
        if self.share >= 1:
            raise ValueError(
                f"share must be less than 1, got {self.share!r}: the rest of the budget is for the queries"
            )
        Guarantee(self.epsilon, self.delta)  # checks both

    @property
    def _system(self) -> System:
        named = system(self.system)
        return replace(named, changed=(*named.changed, *self.changed))

    @property
    def guarantee(self) -> Guarantee:
        """The (ε, δ) that a run satisfies."""
        return Guarantee(self.epsilon, self._system.delta_of(self.delta))

    @cached_property
    def rest(self) -> Guarantee:
        """The guarantee of what follows the measurement of n."""
        return self.guarantee.reserve(self.share)[1]

    @cached_property
    def for_n(self) -> Budget:
        """What the measurement of n costs: all of the budget but the rest."""
        return self.guarantee.reserve(self.share)[0]

    def settings(self, workload: Workload, n: float) -> Algorithm:
        """What the system's rule chooses for this n, with those settings replaced that are set."""
        rest = self.rest
        epsilon, delta = rest.epsilon, rest.delta
        return self._system.settings(
            workload, n=n, epsilon=epsilon, delta=delta, T=self.T, noisy_n=True, public=self.public
        )

    def planned_rounds(self, n: float, workload: Workload) -> None:  # noqa: ARG002 - the true n must not be read
        """None: the run decides it once it knows its n."""
        return

    def check(self, workload: Workload) -> None:
        """Refuse, by a ValueError, a workload that the rule's settings for few records cannot serve.

        The settings for the noisy n check it again, and a refusal then comes after n was paid for.
        """
        _check(self, workload)

    def rounds(self, B: Table, Q: Workload, *, noise: NoiseSource) -> Iterator[Round[AnswerSource]]:
        """Measure n, then run on the table as if it had so many records; see `Algorithm.rounds`.

        One record moves n by 1. An empty table is not refused, as that would tell it from one of a single record.
        """
        self.check(Q)
        return self._rounds(B, Q, noise)

    def _rounds(self, B: Table, Q: Workload, noise: NoiseSource) -> Iterator[Round[AnswerSource]]:
        account = Accountant(self.guarantee.budget, noise)
        n = max(LEAST_TOTAL, round(float(account.measure(np.array(float(B.total)), cost=self.for_n, purpose="start"))))
        ledger = account.ledger
        measured = Measurement((), np.array(float(n)), self.for_n.scale)
        A_0 = LogLinear.uniform(B.domain.shape, n, B.domain.possible)
        yield Round(0, ledger, A_0, A_0, label="number of records", measurement=measured)
        for entry in self.settings(Q, n).rounds(OfTotal(B, n, self.for_n.scale), Q, noise=noise):
            if entry.index or entry.ledger.start:
                yield replace(entry, ledger=ledger.plus(entry.ledger))


@lru_cache(maxsize=4)  # a release checks before it is charged, and the run again: of 500,500 parities, .3 s each time
def _check(settings: MeasuredTotal, workload: Workload) -> None:
    settings.settings(workload, LEAST_TOTAL).check(workload)
