"""What every algorithm shares: settings that yield rounds, and what a round has released."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, runtime_checkable

import numpy as np

from mwem_core.data.records import Records
from mwem_core.data.table import Table, refuse_empty
from mwem_core.model.loglinear import LogLinear
from mwem_core.model.measurement import Measurement
from mwem_core.privacy.budget import Guarantee, Promise
from mwem_core.privacy.ledger import Ledger
from mwem_core.privacy.noise import NoiseSource
from mwem_core.workload.workload import Workload


class Answering(Protocol):
    """What was released can answer a workload. Models do, and so does a list of answers, to its own workload."""

    @property
    def total(self) -> float:
        """Records that its answers are about."""
        ...

    def answers(self, Q: Workload) -> np.ndarray:
        """q(A) for every query: (|Q|,), in records."""
        ...


@runtime_checkable
class Drawn(Answering, Protocol):
    """What was released makes rows by itself. Log-linear models do too, by `synthesis`."""

    def draw(self, rows: int, rng: np.random.Generator) -> Records:
        """`rows` independent records."""
        ...


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers to one workload, (|Q|,) in records, and no distribution behind them: no rows can be drawn from them."""

    workload: Workload
    values: np.ndarray
    total: float

    def answers(self, Q: Workload) -> np.ndarray:
        """The values. Raises ValueError for another workload than its own."""
        if (Q.spec, Q.domain) != (self.workload.spec, self.workload.domain):
            raise ValueError(f"only {self.workload.name} were answered, not {Q.name}: run it again for those")
        return self.values


M = TypeVar("M", bound=Answering, covariant=True)


@dataclass(frozen=True)
class Declined:
    """Candidates not offered in a round, as the model would have outgrown the cells it may hold by then.

    A public matter: it depends on past outputs only. `example` is one that would take the least, `price` what the
    model would have held with it, when last looked at.
    """

    count: int
    held: int
    allowed: int
    example: str = ""
    price: int = 0

    @property
    def reason(self) -> str:
        """In a sentence; empty where none was declined."""
        if not self.count:
            return ""
        return (
            f"{self.count:,} not offered: the model holds {self.held:,} cells of the {self.allowed:,} it may hold by "
            f"now, and {self.example} would make it {self.price:,}"
        )


@dataclass(frozen=True, eq=False)
class Round(Generic[M]):
    """One round's outcome, all of it released: it may leave the room as far as its ledger's budget promises.

    Round 0 is the start; a mechanism of one shot yields one round, 1. `model` is what would be released now. Rounds of
    the multiplicative weights loop also hold A, which is A_i; `chosen` indexes the workload's queries, or the tables
    offered where whole ones are measured, and is None of those that come first; `residual` is the L1 norm of
    m_i - q_i(A_{i-1}) and `moved` that of q_i(A_i) - q_i(A_{i-1}), in records; `declined` tells which candidates the
    model could not take.
    """

    index: int
    ledger: Ledger
    model: M
    A: LogLinear | None = None
    chosen: int | None = None
    label: str = ""
    measurement: Measurement | None = None
    residual: float = 0.0
    moved: float = 0.0
    declined: Declined | None = None


class Algorithm(Protocol):
    """Frozen, keyword-only settings, checked on construction."""

    @property
    def guarantee(self) -> Promise:
        """What a whole run satisfies."""
        ...

    def planned_rounds(self, n: float, workload: Workload) -> int | None:
        """T, as far as it is known before the run."""
        ...

    def check(self, workload: Workload) -> None:
        """Refuse, by a ValueError, a workload these settings cannot serve, before anything is spent."""
        ...

    def rounds(self, B: Table, Q: Workload, *, noise: NoiseSource) -> Iterator[Round[Answering]]:
        """Run on the private table B for the workload Q. Checked on the call; budget is spent as rounds are asked for.

        Every round is a new object, and a function of what the noise source returned and of public things alone.
        """
        ...


class OneShot(ABC, Generic[M]):
    """An algorithm of one round. A subclass is a dataclass of settings, with a `delta` where it takes one above 0."""

    epsilon: float

    @property
    def guarantee(self) -> Guarantee:
        """The (ε, δ) that it satisfies."""
        return Guarantee(self.epsilon, getattr(self, "delta", 0.0))

    def planned_rounds(self, n: float, workload: Workload) -> int:  # noqa: ARG002
        """One."""
        return 1

    @abstractmethod
    def check(self, workload: Workload) -> None:
        """Refuse what it cannot serve."""

    def rounds(self, B: Table, Q: Workload, *, noise: NoiseSource) -> Iterator[Round[M]]:
        """Its one round, as of every `Algorithm`."""
        self.check(Q)
        refuse_empty(B)
        return (self._round(B, Q, noise) for _ in range(1))

    @abstractmethod
    def _round(self, B: Table, Q: Workload, noise: NoiseSource) -> Round[M]:
        """Spend all of the budget."""
