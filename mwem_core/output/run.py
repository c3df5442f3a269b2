"""A finished run: its settings and its rounds, from which all files are made, and whether they may be published.

Every page, file and script that says something about publishing reads it here. What is not known counts against it."""

import math
from dataclasses import dataclass, field
from typing import Any, Generic, Literal

from mwem_core.algorithm import Algorithm, M, Round
from mwem_core.automatic import rounds_in, what_ran
from mwem_core.domain import Domain
from mwem_core.privacy import RECORD, AnyGuarantee, Unit
from mwem_core.systems import MeasuredBins, MeasuredTotal, in_measured_bins
from mwem_core.tables import DEFAULT_READING, Reading
from mwem_core.workload import Workload

Provenance = Literal["built in", "file", "proposed and edited", "proposed", "unknown"]  # of a schema


@dataclass(frozen=True)
class Reason:
    """A reason not to publish, and how the user can remove it."""

    text: str
    remedy: str


@dataclass(frozen=True)
class Publication:
    """The verdict. A run explores, so there is always a reason: floating-point samplers, or no privacy at all."""

    reasons: tuple[Reason, ...]
    private: bool  # whether the run is differentially private at all

    @property
    def headline(self) -> str:
        """The verdict in one sentence."""
        return "EXPLORATORY: do not publish." if self.private else "NOT PRIVATE: for teaching, tests and public data."

    def fields(self) -> dict[str, Any]:
        """The verdict for JSON."""
        reasons = [{"reason": reason.text, "remedy": reason.remedy} for reason in self.reasons]
        return {"statement": self.headline, "reasons": reasons}

    @property
    def statement(self) -> str:
        """The verdict with its reasons, as text for files."""
        return " ".join([self.headline, *(f"{reason.text}: {reason.remedy}." for reason in self.reasons)])


def publication(
    *,
    epsilon: float,
    seeded: bool,
    provenance: Provenance,
    total_measured: bool,
    runs: int | None,
    table_epsilon: float | None,
) -> Publication:
    """The verdict on a run of this ε, given the source of its schema and what other runs on the table cost.

    `runs` and `table_epsilon` count all known runs on the table, this one included; None if they are not known.
    """
    reasons = []
    if math.isinf(epsilon):
        reasons.append(Reason("The run reads exact answers and adds no noise", "choose a private system"))
    if seeded:
        reasons.append(Reason("Whoever knows the seed can remove the noise", "run without a seed"))
    if provenance in SCHEMA_REASONS:
        reasons.append(SCHEMA_REASONS[provenance])
    if not total_measured:
        reasons.append(TOTAL)
    if 0 < epsilon < math.inf:
        reasons += [SAMPLERS, _composition(runs, table_epsilon)]
    return Publication(tuple(reasons), private=not (seeded or math.isinf(epsilon)))


SCHEMA_REASONS: dict[Provenance, Reason] = {
    "proposed": Reason(
        "The schema was proposed from the data, so its values and ranges reveal something about the records",
        "declare it from a public source, such as a code book",
    ),
    "proposed and edited": Reason(
        "The schema was proposed from the data, and some of its values may come from the records, whatever was edited",
        "declare it from a public source, such as a code book",
    ),
    "unknown": Reason(
        "The source of the schema is not known, so it may come from the data", "declare it from a public source"
    ),
}
# In the manifest of a release; another schema has none, and is refused.
PROVENANCE_OF_A_RELEASE: dict[Provenance, str] = {
    "built in": "declared",
    "file": "declared",
    "proposed and edited": "proposed from the data and edited",
}


def provenance_of_a_release(provenance: Provenance) -> str:
    """Where a release's schema comes from, for its manifest.

    Raises ValueError for one that was proposed from the data and not edited since, or comes from nobody knows where.
    """
    if provenance not in PROVENANCE_OF_A_RELEASE:
        refused = SCHEMA_REASONS[provenance]
        raise ValueError(f"{refused.text}: {refused.remedy}")
    return PROVENANCE_OF_A_RELEASE[provenance]


SAMPLERS = Reason(
    "The noise comes from floating-point samplers, whose low bits can reveal the exact values",
    "make a release, whose noise comes from vetted exact samplers",
)
TOTAL = Reason(
    "The number of records is released exactly, as in the paper, so replacing one record costs up to 2ε",
    "measure it, with MeasuredTotal",
)


def _composition(runs: int | None, table_epsilon: float | None) -> Reason:
    remedy = "choose settings by a public rule, or on public data, and run once"
    if runs is None or table_epsilon is None:
        return Reason("Other runs on the table, and settings chosen by their errors, are not counted in ε", remedy)
    if runs <= 1:
        return Reason("Settings chosen by looking at errors are not counted in ε", remedy)
    return Reason(
        f"{runs} runs on this table together cost ε = {table_epsilon:.3g}, and settings chosen by their errors are not "
        "counted",
        remedy,
    )


@dataclass(frozen=True, eq=False)
class Run(Generic[M]):
    """A run that has finished or was stopped. Everything in it except the seed is public or released.

    `system` is the name of the system that ran. `table` is the name of the file with the records, and
    `provenance` says where its schema comes from. `runs` and `table_epsilon` are the number and the total ε of the
    known runs on the table, this one included. `stopped` says that the run was ended before the algorithm ended it.
    Where the run has measured bins, the workload is made one of these bins, and `declared` is the schema before them.
    """

    workload: Workload
    settings: Algorithm
    system: str
    rounds: tuple[Round[M], ...] = field(repr=False)
    seed: int | None = None
    table: str = "table.csv"
    provenance: Provenance = "unknown"
    runs: int | None = None
    table_epsilon: float | None = None
    stopped: bool = False
    reading: Reading = DEFAULT_READING  # how the table's file was read, as far as its bytes do not say it
    unit: Unit = RECORD  # of privacy; the settings are those for each of its records
    count: str | None = None  # the table's column with the number of records of each row; None if a row is a record
    declared: Domain = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "declared", self.workload.domain)
        object.__setattr__(self, "workload", in_measured_bins(self.workload, self.rounds))

    @property
    def domain(self) -> Domain:
        """The public schema."""
        return self.workload.domain

    @property
    def model(self) -> M:
        """The last round's model. It answers the workload; `gives_rows` says whether it also gives rows."""
        return self.rounds[-1].model

    @property
    def measured_total(self) -> bool:
        """Whether the number of records is a noisy one, and not taken as public."""
        return isinstance(self._after_bins, MeasuredTotal)

    @property
    def measured_bins(self) -> MeasuredBins | None:
        """The settings of the measurement of bins and offsets, if the run has begun with it."""
        return self.settings if isinstance(self.settings, MeasuredBins) else None

    @property
    def _after_bins(self) -> Algorithm:
        return self.settings.inner if isinstance(self.settings, MeasuredBins) else self.settings

    @property
    def chosen(self) -> Algorithm:
        """The settings of the rounds: those that the noisy n has chosen, if n was measured."""
        settings = self._after_bins
        if isinstance(settings, MeasuredTotal):
            return settings.settings(self.workload, self.rounds[0].model.total)
        return settings

    @property
    def ran(self) -> str:
        """What the rounds did, in a few words: "19 rounds", "64 cells measured once". Empty but for MWEM's settings."""
        return what_ran(self.chosen, self.workload, self.rounds[0].model.total)

    @property
    def guarantee(self) -> AnyGuarantee:
        """What the whole run promises to each unit of privacy: a record, or a person with all of their records."""
        return self.settings.guarantee.for_unit(self.unit)

    @property
    def epsilon_spent(self) -> float:
        """The ε spent for each unit of privacy, at the settings' δ."""
        return self.guarantee.epsilon_of(self.rounds[-1].ledger.spent)

    @property
    def early_end(self) -> str:
        """Why the run ended before its budget was spent, and what becomes of the rest; empty if all of it is spent.

        An algorithm that was not stopped ends early for one reason: its model can take no further candidate.
        """
        last, guarantee, settings = self.rounds[-1], self.guarantee, self.chosen
        if last.ledger.is_spent:
            return ""
        planned = settings.planned_rounds(self.rounds[0].model.total, self.workload)
        if planned is None:
            made = f"{last.index:,} round{'' if last.index == 1 else 's'}"
        else:
            made = f"{last.index:,} of {planned:,} planned round{'' if planned == 1 else 's'}"
        spent = f"ε = {self.epsilon_spent:.3g} of {guarantee.epsilon:g} is spent"
        pure = last.ledger.budget.unit == "ε"  # else the ε of two releases do not simply add up
        rest = f"The other {guarantee.epsilon - self.epsilon_spent:.3g}" if pure else "The rest"
        yours = "you may use it for another release of the same table"
        if planned == 0:
            return f"Nothing was measured: at this ε it was not expected to lower the error. {spent}. {rest} is left."
        if self.stopped:
            return f"Stopped after {made}. {spent}. {rest} is not spent: {yours}."
        selecting = rounds_in(settings)
        candidate = "marginal" if selecting and selecting.tables else "query"
        limit = f"the model's {selecting.cell_budget:,} cells" if selecting else "the model"
        advice = " Fewer planned rounds would spend more of it in this one." if planned and last.index > 1 else ""
        return (
            f"Ended after {made}: no further {candidate} fits {limit}. {spent}. {rest} is not spent, because a "
            f"round spends only on what it measures: {yours}.{advice}"
        )

    @property
    def publication(self) -> Publication:
        """Whether what the run made may be published, and why not."""
        return publication(
            epsilon=self.guarantee.epsilon,
            seeded=self.seed is not None,
            provenance=self.provenance,
            total_measured=self.measured_total,
            runs=self.runs,
            table_epsilon=self.table_epsilon,
        )
