"""What a user takes away from a run: rows, weights, measurements, a manifest and a script that repeats it."""

import math
from dataclasses import dataclass
from typing import Any

from mwem_core.algorithm import Round
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
class Run:
    """A finished, or stopped, run: what is written down below. All of it but the seed is public or released."""

    workload: Workload
    settings: Any  # the algorithm's own dataclass
    preset: str  # of MWEM, else the name of the system
    rounds: tuple[Round[Any], ...]
    seed: int | None = None
    table: str = "table.csv"  # the name of the file the records came from

    @property
    def domain(self) -> Domain:
        """The public schema."""
        return self.workload.domain

    @property
    def model(self) -> Any:
        """What the last round released: it answers, and may give rows, as `synthesis.gives_rows` knows."""
        return self.rounds[-1].model

    @property
    def epsilon_spent(self) -> float:
        """The ε spent, at the settings' δ."""
        return self.settings.guarantee.epsilon_of(self.rounds[-1].ledger.spent)

    @property
    def statement(self) -> str:
        """Whether the run may be called private, in a sentence."""
        if math.isinf(self.settings.guarantee.epsilon):
            return STATEMENT_EXACT
        return STATEMENT_EXPLORING if self.seed is None else STATEMENT_SEEDED
