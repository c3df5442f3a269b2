"""A finished run: its settings and its rounds, from which all files are made, and whether it is private."""

import math
from dataclasses import dataclass
from typing import Generic

from mwem_core.algorithm import Algorithm, M, Round
from mwem_core.domain.domain import Domain
from mwem_core.workload.workload import Workload

STATEMENT_SEEDED = (
    "NOT PRIVATE: drawn from a known seed, which takes the noise away again. For teaching, tests and public data."
)
STATEMENT_EXACT = "NOT PRIVATE: it reads exact answers, and adds no noise to them. For teaching, tests and public data."
STATEMENT_EXPLORING = (
    "EXPLORATORY: ε covers this run alone, not settings chosen by looking at errors, nor other runs on the same "
    "table. Its noise comes from floating-point samplers, whose low bits can leak: good for exploring, not yet a "
    "vetted publication."
)


@dataclass(frozen=True, eq=False)
class Run(Generic[M]):
    """A run that has finished or was stopped. Everything in it except the seed is public or released.

    `preset` is MWEM's preset, or the name of another system. `table` is the name of the file with the records.
    """

    workload: Workload
    settings: Algorithm
    preset: str
    rounds: tuple[Round[M], ...]
    seed: int | None = None
    table: str = "table.csv"

    @property
    def domain(self) -> Domain:
        """The public schema."""
        return self.workload.domain

    @property
    def model(self) -> M:
        """The last round's model. It answers the workload; `gives_rows` says whether it also gives rows."""
        return self.rounds[-1].model

    @property
    def epsilon_spent(self) -> float:
        """The ε spent, at the settings' δ."""
        return self.settings.guarantee.epsilon_of(self.rounds[-1].ledger.spent)

    @property
    def statement(self) -> str:
        """A sentence that says whether the run may be called private."""
        if math.isinf(self.settings.guarantee.epsilon):
            return STATEMENT_EXACT
        return STATEMENT_EXPLORING if self.seed is None else STATEMENT_SEEDED
