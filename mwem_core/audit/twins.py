"""Broken twins: real algorithms, tables and noise sources with one error each, and the check that must catch it.

Each error has been made in a real system. An audit that lets one pass could not be trusted with the rest."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mwem_core.algorithm import Algorithm, AnswerSource, Round
from mwem_core.audit.attacks import EPSILON, ROWS, Run, count_and_row, laplace, lower_bound
from mwem_core.audit.cases import Case
from mwem_core.audit.neighbour_replay import replay_case
from mwem_core.audit.random_inputs import neighbours, random_records, random_workload
from mwem_core.automatic import rounds_by_rule
from mwem_core.domain import Attribute, Attrs, Domain, Records, Source, Table
from mwem_core.privacy import AnyGuarantee, NoiseSource, Real, Seeded
from mwem_core.relatives import Direct, Histogram
from mwem_core.systems import MeasuredTotal
from mwem_core.values import Range
from mwem_core.workload import Workload, parse_workload


class HalfTheNoise(Seeded):
    """A noise source with half of the scale: Δ/2ε in place of Δ/ε."""

    def laplace(self, exact: np.ndarray, epsilon: Real, sensitivity: Real) -> np.ndarray:
        """Laplace noise of scale Δ/2ε."""
        return super().laplace(exact, epsilon, sensitivity / 2)


def rows_from_noise(seeds: Sequence[int]) -> np.ndarray:
    """Rows of a uniform model, each drawn from the same seed as the noise: where in its law the noise lies."""
    z = np.array([Seeded(seed).laplace(np.array(0.0), 1.0, 1.0) for seed in seeds])
    return (ROWS.size * np.where(z < 0, np.exp(-np.abs(z)) / 2, 1 - np.exp(-np.abs(z)) / 2)).astype(int)


def double_records(B: Table) -> Records:
    """The table after a join that doubles every record, so that a person moves each count by 2."""
    assert isinstance(B, Records)
    return Records(B.domain, B.codes, np.full(len(B.codes[0]), 2))


@dataclass(frozen=True, eq=False)
class MissingWeight(Source):
    """Records of which the last one's weight is missing in the file, and was read as NaN."""

    records: Records

    @property
    def domain(self) -> Domain:
        """The records' own."""
        return self.records.domain

    @property
    def total(self) -> int:
        """Their number."""
        return self.records.total

    def marginals(self, sets: Sequence[Attrs]) -> list[np.ndarray]:
        """Counts, NaN in the cell of the last record."""
        tables = self.records.marginals(sets)
        for S, table in zip(sets, tables, strict=True):
            table[tuple(int(self.records.codes[a][-1]) for a in S)] = np.nan
        return tables


@dataclass(frozen=True)
class ChangedAlgorithm(Algorithm):
    """A run with n measured, with one error."""

    settings: MeasuredTotal

    @property
    def guarantee(self) -> AnyGuarantee:
        """What it states, wrongly."""
        return self.settings.guarantee

    def planned_rounds(self, n: float, workload: Workload) -> None:
        """The rounds of the settings, which the error does not change."""
        return self.settings.planned_rounds(n, workload)

    def check(self, workload: Workload) -> None:
        """Check the workload as the settings do: the error does not change it."""
        self.settings.check(workload)


@dataclass(frozen=True)
class DomainFromData(ChangedAlgorithm):
    """Reads the range of each attribute from the data: up to the largest value that occurs."""

    def rounds(self, B: Table, Q: Workload, *, noise: NoiseSource) -> Iterator[Round[AnswerSource]]:
        """A run on the domain that the data shows."""
        assert isinstance(B, Records)
        shown = [max(1, int(codes.max())) for codes in B.codes]
        domain = Domain(
            tuple(Attribute(name, Range(0, most)) for name, most in zip(B.domain.names, shown, strict=True))
        )
        return self.settings.rounds(Records(domain, B.codes), parse_workload(Q.spec, domain), noise=noise)


@dataclass(frozen=True)
class ExactTotalInRule(ChangedAlgorithm):
    """Buys a noisy n, and then lets the rule for T read the exact one."""

    def rounds(self, B: Table, Q: Workload, *, noise: NoiseSource) -> Iterator[Round[AnswerSource]]:
        """A run with T by rule, from the number of records."""
        T = rounds_by_rule(Q, n=B.total, epsilon=self.settings.epsilon)
        return replace(self.settings, T=T).rounds(B, Q, noise=noise)


@dataclass(frozen=True)
class SpendsTwice(ChangedAlgorithm):
    """Measures twice at the whole budget, releases the mean, and writes one measurement into the ledger."""

    def rounds(self, B: Table, Q: Workload, *, noise: NoiseSource) -> Iterator[Round[AnswerSource]]:
        """One round: a histogram."""
        direct = Direct(epsilon=self.guarantee.epsilon, on="cells")
        (first,), (second,) = (direct.rounds(B, Q, noise=noise) for _ in range(2))
        assert isinstance(first.model, Histogram)
        assert isinstance(second.model, Histogram)
        mean = (first.model.cells + second.model.cells) / 2
        yield replace(second, model=Histogram(mean, second.model.total))


SOUND = MeasuredTotal(system="mwem", epsilon=1.0, T=2, changed=(("repeats", True),))
CASES = 100  # on which a twin is replayed, at most, until it is caught
MAX_RECORDS = 20
DRAWS, ROW_DRAWS = 20_000, 2_000  # of a twin under attack, on each side


@dataclass(frozen=True)
class Twin:
    """A broken twin. `caught()` says what in the audit catches it; empty if it passes."""

    name: str
    caught: Callable[[], str]


def twins() -> Sequence[Twin]:
    """All of them."""
    return (
        Twin("half of the noise", lambda: attack(laplace(HalfTheNoise(0)), DRAWS)),
        Twin("doubled sensitivity", lambda: on_cases(_joined)),
        Twin("domain read from the data", lambda: on_cases(lambda c: replace(c, settings=DomainFromData(SOUND)))),
        Twin("exact n in a rule", lambda: on_cases(lambda c: replace(c, settings=ExactTotalInRule(SOUND)))),
        Twin("spent twice, noted once", lambda: on_cases(lambda c: replace(c, settings=SpendsTwice(SOUND)))),
        Twin("NaN in the data", lambda: on_cases(_with_nan)),
        Twin("one seed for noise and rows", lambda: attack(count_and_row(rows_from_noise), ROW_DRAWS)),
    )


def attack(outputs: Run, draws: int) -> str:
    """The lower bound that gives away a mechanism that states `EPSILON`; empty if none does."""
    found = lower_bound(outputs(0, draws), outputs(1, draws))
    return f"a lower bound: ε is at least {found:.2f}, not {EPSILON:g}" if found > EPSILON else ""


def on_cases(broken: Callable[[Case], Case], limit: int = CASES) -> str:
    """The first violation that the replay finds in a twin, given what turns a sound case into it; empty if none."""
    for number in range(limit):
        for result in replay_case(broken(sound_case(number)), Seeded(number)):
            if result.violations:
                return f"a replay: {result.violations[0]}"
    return ""


def sound_case(number: int) -> Case:
    """MWEM with n measured, on marginals: no replay finds fault with it."""
    rng = np.random.default_rng([2013, number])
    Q = random_workload("marginals", rng)
    B = random_records(Q.domain, int(rng.integers(2, MAX_RECORDS)), rng)
    return Case(number, "mwem", SOUND, Q, B, list(neighbours(B, rng, n_is_public=False)))


def _joined(case: Case) -> Case:
    doubled = [replace(each, table=double_records(each.table)) for each in case.neighbours]
    return replace(case, table=double_records(case.table), neighbours=doubled)


def _with_nan(case: Case) -> Case:
    more = case.neighbours[0]
    assert isinstance(more.table, Records)
    return replace(case, neighbours=[replace(more, table=MissingWeight(more.table))])
