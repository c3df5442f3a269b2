"""What every algorithm shares: settings that yield rounds, what a round released, and what was released can do."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar, runtime_checkable

import numpy as np

from mwem_core.base import check_choices, check_kind, got
from mwem_core.domain import Domain, Records, Table, check_not_empty
from mwem_core.model import Measurement, Omissions
from mwem_core.privacy import Accountant, AnyGuarantee, Guarantee, Ledger, NoiseSource
from mwem_core.weighted import Model, Single
from mwem_core.workload import Workload


class AnswerSource(Protocol):
    """A released result that can answer a workload. Models can; a list of answers can for its own workload."""

    @property
    def total(self) -> float:
        """The number of records that its answers add up to."""
        ...

    def answers(self, Q: Workload) -> np.ndarray:
        """q(A) for every query: (|Q|,), in records."""
        ...


@runtime_checkable
class RowSource(AnswerSource, Protocol):
    """A released result that draws its own rows. Log-linear models leave that to `release.synthesis`."""

    def draw(self, rows: int, rng: np.random.Generator) -> Records:
        """`rows` independent records."""
        ...


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers to one workload, (|Q|,) in records. There is no distribution behind them, so no rows can be drawn."""

    workload: Workload
    values: np.ndarray = field(repr=False)
    total: float

    def answers(self, Q: Workload) -> np.ndarray:
        """The values. Raises ValueError for another workload than its own."""
        if (Q.spec, Q.domain) != (self.workload.spec, self.workload.domain):
            raise ValueError(f"only {self.workload.name} were answered, not {Q.name}: run it again for those")
        return self.values


@dataclass(frozen=True, eq=False, repr=False)
class Selection:
    """What is public about a selection: nothing here is computed from the data but A, which was released.

    The score of candidate c is w_c (|q_c(B) - q_c(A)| - cost_c), with the L1 norm for a table. One record moves it by
    at most `sensitivity`, and the mechanism spent `epsilon`. `penalty` is what each answer costs: one, or of each
    part, (parts,). `weights`, (candidates,), are w, all 1 if they are None. `packed` has a bit for each candidate:
    whether it was on offer.
    """

    A: Single
    penalty: float | np.ndarray
    epsilon: float
    sensitivity: float
    weights: np.ndarray | None
    packed: np.ndarray

    def offered(self, candidates: int) -> np.ndarray:
        """Which of so many candidates were on offer: a (candidates,) mask."""
        return np.unpackbits(self.packed, count=candidates).astype(bool)

    def slack(self, beta: float) -> float:
        """By how much the best score on offer exceeds the chosen one's, but for a chance of at most `beta`.

        (2Δ/ε) ln(k/β) for k candidates on offer, by the exponential mechanism (McSherry & Talwar 2007) and by
        permute-and-flip, whose loss is never stochastically larger (McKenna & Sheldon 2020).
        """
        return 2 * self.sensitivity / self.epsilon * math.log(int(np.bitwise_count(self.packed).sum()) / beta)


M = TypeVar("M", bound=AnswerSource, covariant=True)
ReleasedModel = TypeVar("ReleasedModel", bound=AnswerSource)


@dataclass(frozen=True, eq=False)
class Round(Generic[M]):
    """What one round released. All of it may be published, as far as the ledger's budget promises.

    Round 0 is the start; a one-shot mechanism yields round 1 alone. `model` is what a release would contain now.
    Rounds of the multiplicative weights loop also hold `A`, which is A_i: weighted records once its tree is full.
    `chosen` indexes the workload's queries, or the tables offered where whole tables are measured; it is None for a
    measurement that was not selected. `selection` is None there too, and where scores are not errors. `residual` is
    the L1 norm of m_i - q_i(A_{i-1}) and `moved` that of q_i(A_i) - q_i(A_{i-1}), in records. `declined` says which
    candidates the model could not take.
    A round of a plan has `planned` measurements instead of one, and the sums over them. Where the plan measured whole
    tables, its first round has these `tables` as they were drawn. The residuals in `planned`, of this round and those
    after it, are made of them and say nothing else. `domain` is that of the model, where the run has measured its bins.
    `offsets` are sums of the offsets of numbers in each bin, in its widths, where the run has measured them.
    """

    index: int
    ledger: Ledger
    model: M
    A: Single | None = field(default=None, repr=False)
    chosen: int | None = None
    label: str = ""
    measurement: Measurement | None = field(default=None, repr=False)
    residual: float = 0.0
    moved: float = 0.0
    declined: Omissions | None = None
    planned: tuple[Measurement, ...] = field(default=(), repr=False)
    tables: tuple[Measurement, ...] = field(default=(), repr=False)
    selection: Selection | None = field(default=None, repr=False)
    domain: Domain | None = field(default=None, repr=False)
    offsets: tuple[Measurement, ...] = field(default=(), repr=False)

    @staticmethod
    def updated(
        index: int,
        ledger: Ledger,
        model: ReleasedModel,
        A_before: Single,
        A: Single,
        measurement: Measurement,
        *,
        label: str,
        chosen: int | None,
        declined: Omissions | None,
        selection: Selection | None = None,
    ) -> "Round[ReleasedModel]":
        """The round that measured `measurement` and updated A_{i-1} to A_i."""
        before, after = A_before.marginal(measurement.attrs), A.marginal(measurement.attrs)
        return Round(
            index=index,
            ledger=ledger,
            model=model,
            A=A,
            chosen=chosen,
            label=label,
            measurement=measurement,
            residual=float(np.abs(measurement.residual(before)).sum()),
            moved=float(np.abs(measurement.answer(after) - measurement.answer(before)).sum()),
            declined=declined,
            selection=selection,
        )

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """What the round measured: nothing, one query or marginal, or what was planned."""
        return self.planned if self.measurement is None else (self.measurement,)

    @property
    def planned_unit(self) -> str:
        """What each planned measurement is of."""
        if all(m.q is not None for m in self.planned):
            return "predicate"
        if all(m.levels for m in self.planned):
            return "level"
        return "marginal" if all(m.whole for m in self.planned) else "residual"

    @property
    def expected_noise(self) -> float:
        """E‖noise‖₁ of what was measured, in records: E|noise| of a number times the numbers measured."""
        return sum(self.ledger.budget.mean_noise_at(m.scale) * m.free_numbers for m in self.measurements)


class Algorithm(Protocol):
    """Frozen, keyword-only settings, checked on construction."""

    @property
    def guarantee(self) -> AnyGuarantee:
        """The privacy guarantee of a whole run."""
        ...

    def planned_rounds(self, n: float, workload: Workload) -> int | None:
        """T, or None if the run decides it."""
        ...

    def check(self, workload: Workload) -> None:
        """Refuse, by a ValueError, a workload that these settings cannot serve, before any budget is spent."""
        ...

    def rounds(self, B: Table, Q: Workload, *, noise: NoiseSource) -> Iterator[Round[AnswerSource]]:
        """Run on the private table B for the workload Q.

        The call checks the workload; each round spends its budget when it is asked for. Every round is a new object,
        and a function of the noise source's outputs and of public values alone.
        """
        ...


def check_task(settings: Algorithm, B: Table, Q: Workload) -> None:
    """Raise ValueError for a workload that the settings cannot serve, or for B without records of its attributes."""
    check_kind(Q, Workload, "a run needs a workload, as parse_workload makes it")
    settings.check(Q)
    if getattr(getattr(B, "domain", None), "names", None) != Q.domain.names:
        raise ValueError(f"a run needs records of the workload's attributes, as encode makes them, {got(B)}")
    check_not_empty(B)


class OneShot(Algorithm, Protocol[M]):
    """An algorithm of one round. A subclass has an ε, or a guarantee of its own; it says what it checks and releases.

    Raises ValueError for an ε or a δ out of range, and for a choice that there is not.
    """

    def __post_init__(self) -> None:
        if isinstance(self.guarantee, Guarantee):
            check_choices(self)

    @property
    def guarantee(self) -> AnyGuarantee:
        """The (ε, δ) that a run satisfies; δ is 0 where the settings have none."""
        return Guarantee(getattr(self, "epsilon"), getattr(self, "delta", 0.0))  # noqa: B009 - not in the protocol

    def planned_rounds(self, n: float, workload: Workload) -> int:  # noqa: ARG002
        """One."""
        return 1

    def rounds(self, B: Table, Q: Workload, *, noise: NoiseSource) -> Iterator[Round[M]]:
        """The one round; see `Algorithm.rounds`."""
        check_task(self, B, Q)
        return self._rounds(B, Q, noise)

    def release(self, B: Table, Q: Workload, noise: NoiseSource) -> Round[M]:
        """Spend all of the budget."""
        ...

    def _rounds(self, B: Table, Q: Workload, noise: NoiseSource) -> Iterator[Round[M]]:
        yield self.release(B, Q, noise)


class Spender(ABC):
    """An algorithm that can spend any account, so that it can be a part of another algorithm."""

    @property
    @abstractmethod
    def guarantee(self) -> Guarantee:
        """The (ε, δ) that a run satisfies."""

    @abstractmethod
    def planned_rounds(self, n: float, workload: Workload) -> int | None:
        """T, or None if the run decides it."""

    @abstractmethod
    def check(self, workload: Workload) -> None:
        """Refuse, by a ValueError, a workload that these settings cannot serve, before any budget is spent."""

    @abstractmethod
    def spend(self, B: Table, Q: Workload, account: Accountant) -> "Iterator[Round[Model]]":
        """Run on B for a workload that was checked, with all that this account has: round 0, then the others."""

    def rounds(self, B: Table, Q: Workload, *, noise: NoiseSource) -> "Iterator[Round[Model]]":
        """Spend the budget of the guarantee; see `Algorithm.rounds`."""
        check_task(self, B, Q)
        return self.spend(B, Q, Accountant(self.guarantee.budget, noise))

    def measured(self, workload: Workload) -> Workload:
        """What is measured: the workload itself, unless a subclass says otherwise."""
        return workload


@dataclass(frozen=True, kw_only=True)
class Private(Spender):
    """A spender with an ε and a δ of its own. Raises ValueError for those out of range."""

    epsilon: float
    delta: float = 0.0

    def __post_init__(self):
        Guarantee(self.epsilon, self.delta)  # checks both
        check_choices(self)

    @property
    def guarantee(self) -> Guarantee:
        """The (ε, δ) that a run satisfies."""
        return Guarantee(self.epsilon, self.delta)
