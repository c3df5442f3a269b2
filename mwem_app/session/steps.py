"""A run as steps: each a round, and facts about it that are made from the private data, for exploring only.

Nothing here knows Streamlit.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from math import nan

import numpy as np

from mwem_app.session.work_limits import check_memory
from mwem_core.algorithm import Round, Spender
from mwem_core.automatic import first_model, public_start, rounds_in
from mwem_core.domain import Domain, Records
from mwem_core.judge import Errors, errors
from mwem_core.model import LogLinear
from mwem_core.mwem import MWEM
from mwem_core.output import Provenance
from mwem_core.privacy import RECORD, AnyGuarantee, Ledger, Seeded, Unit, Witness
from mwem_core.systems import MeasuredBins
from mwem_core.tables import DEFAULT_READING, Reading
from mwem_core.weighted import Single
from mwem_core.workload import Workload

MAX_INTERACTIVE_CELLS = 10**6  # of a workload, to compute its errors while a page waits
CANDIDATES_SHOWN = 10


@dataclass(frozen=True, kw_only=True, eq=False)
class Plan:
    """Everything a run needs, fixed before it starts: widgets changed later do not affect it."""

    records: Records
    workload: Workload
    settings: Spender  # of the rounds
    system: str
    seed: int | None
    source: str  # identifies the table within the session
    table: str  # the name of its file
    provenance: Provenance = "unknown"  # of its schema
    columns: int = 0  # of the whole table; the run has the chosen attributes only
    left_out: Mapping[str, str] = field(default_factory=dict)  # columns that the schema does not have: why
    reading: Reading = DEFAULT_READING  # how its file is read
    bins: MeasuredBins | None = None  # what the run begins with, where the schema leaves bins to be measured
    declared: Domain | None = None  # the schema before they were
    unit: Unit = RECORD  # of privacy; the settings are those for each of its records
    count: str | None = None  # the table's column with the number of records of each row

    def __post_init__(self) -> None:
        check_memory(self.workload, rounds=self.planned_rounds or 1)

    def same_as(self, other: "Plan") -> bool:
        """Whether both plans describe the same run."""
        return self.identity == other.identity

    @property
    def identity(self) -> tuple:
        """What makes a run the one it is: plans with the same identity and a seed have the same rounds."""
        domain = self.declared or self.workload.domain
        return self.source, domain, self.workload.spec, self.algorithm, self.system, self.seed, self.unit

    @property
    def is_public(self) -> bool:
        """Whether everybody may see the run: of a table that comes with the program, by a seed, and by no upload."""
        return self.provenance == "built in" and self.seed is not None and public_start(self.settings) is None

    @property
    def algorithm(self) -> Spender | MeasuredBins:
        """What runs: the measurement of bins first, if there are any to measure."""
        return self.bins or self.settings

    @property
    def guarantee(self) -> AnyGuarantee:
        """What the whole run promises to each unit of privacy."""
        return self.algorithm.guarantee.for_unit(self.unit)

    def after(self, start: Round) -> "Plan":
        """The plan in the bins that the run has measured at its start, if it has."""
        if start.domain is None or self.declared:
            return self
        workload = self.workload.over(start.domain)
        return replace(
            self, records=self.records.binned(start.domain), workload=workload, declared=self.workload.domain
        )

    @property
    def planned_rounds(self) -> int | None:
        """T, where it is known before the run."""
        return self.settings.planned_rounds(self.records.total, self.workload)


@dataclass(frozen=True)
class Candidate:
    """A query or a marginal that could be chosen; its score in records."""

    name: str
    score: float
    probability: float
    chosen: bool


@dataclass(frozen=True)
class Selection:
    """The most probable candidates of a selection, the most probable first; the chosen one is always among them.

    `others` candidates were offered too, with `others_probability` together.
    """

    candidates: tuple[Candidate, ...]
    others: int
    others_probability: float

    @property
    def probability(self) -> float:
        """Of the candidate that was chosen."""
        return next(candidate.probability for candidate in self.candidates if candidate.chosen)

    @classmethod
    def of(cls, witness: Witness, chosen: int, name_of: Callable[[int], str]) -> "Selection":
        """The last selection that a noise source saw."""
        p, scores = witness.probabilities(), witness.scores
        assert scores is not None
        shown = min(CANDIDATES_SHOWN, int(np.isfinite(scores).sum()))
        likely = np.argpartition(-scores, shown - 1)[:shown]
        if chosen not in likely:
            likely = np.append(likely[np.argsort(-scores[likely])][: shown - 1], chosen)
        likely = likely[np.argsort(-scores[likely], kind="stable")]
        candidates = tuple(Candidate(name_of(j), float(scores[j]), float(p[j]), j == chosen) for j in map(int, likely))
        rest = max(0.0, 1 - sum(candidate.probability for candidate in candidates))
        return cls(candidates, int(np.isfinite(scores).sum()) - shown, rest)


@dataclass(frozen=True, eq=False, repr=False)
class Step:
    """A round, and facts about it that are made from the private data: for exploring only.

    `before` and `selection_epsilon` are public: the model that the round updated, and the ε of its selection.
    """

    round: Round
    errors: Errors
    before: Single | None = None
    selection_epsilon: float | None = None
    selection: Selection | None = None
    exact: np.ndarray | None = None  # the true values of what was measured, in records
    uniform: Errors | None = None  # of the uniform table, beside a start that is not uniform

    @property
    def baseline(self) -> Errors:
        """Of the first step: the errors of the uniform table."""
        return self.uniform or self.errors


def start_step(plan: Plan) -> Step:
    """The start of a run of this plan: the model before anything is measured."""
    n, workload = plan.records.total, plan.workload
    A = first_model(plan.settings, workload, float(n))
    start_errors, uniform = Errors(nan, nan, nan, None, None), None
    if workload.cells <= MAX_INTERACTIVE_CELLS:
        truth = workload.answers(plan.records)
        start_errors, uniform = errors(workload, workload.answers(A), truth, n), uniform_errors(plan, truth)
    return Step(Round(0, Ledger(plan.guarantee.budget), A, A), start_errors, uniform=uniform)


def uniform_errors(plan: Plan, truth: np.ndarray) -> Errors | None:
    """The errors of the uniform table, where the run starts from a public one."""
    if public_start(plan.settings) is None:
        return None
    n, workload = plan.records.total, plan.workload
    A = LogLinear.uniform(workload.domain.shape, n, workload.domain.possible)
    return errors(workload, workload.answers(A), truth, n)


def candidate_label(plan: Plan, j: int) -> str:
    """The name of candidate j of the selection."""
    rounds = rounds_in(plan.settings)
    Q, tables = plan.settings.measured(plan.workload), rounds is not None and rounds.tables
    part, within = Q.candidate(j, tables=tables)
    if tables and Q.whole[part]:
        return Q.domain.label(Q.attrs(part))
    return Q.query(int(Q.offsets[part]) + within)[2]


def steps_of(plan: Plan) -> Iterator[Step]:
    """Run the plan: its steps, one after another."""
    witness = Witness(Seeded(plan.seed))
    made: Iterator[Round] = plan.algorithm.rounds(plan.records, plan.workload, noise=witness)
    start = next(made)
    plan = plan.after(start)
    truth, n = plan.workload.answers(plan.records), plan.records.total
    rounds: list[Round] = []
    for round_ in chain([start], made):
        model = round_.model
        round_errors = errors(plan.workload, plan.workload.answers(model), truth, n, total=model.total)
        if round_.measurement is None:
            yield Step(round_, round_errors, uniform=None if rounds else uniform_errors(plan, truth))
        else:
            before = _before(round_, rounds, plan)
            yield _step_of(round_, round_errors, witness, plan, before, spent=rounds[-1].ledger.select)
        rounds = [*rounds[:1], round_]  # the start and the last


def _before(round_: Round, earlier: list[Round], plan: Plan) -> Single | None:
    """A_{i-1}. Adaptive T may have begun anew, from A_0: then it is the model with the round's residual."""
    m, models = round_.measurement, [round.A or round.model for round in reversed(earlier)]
    adaptive = isinstance(plan.settings, MWEM) and plan.settings.T == "adaptive"
    if m is None or not adaptive:
        return models[0]
    return min(models, key=lambda A: abs(float(np.abs(m.residual(A.marginal(m.attrs))).sum()) - round_.residual))


def _step_of(
    round_: Round, round_errors: Errors, witness: Witness, plan: Plan, before: Single | None, *, spent: float
) -> Step:
    """The step of a round that measured, with what the noise source saw. `spent` was spent on selections before it."""
    epsilon, selection = None, None
    if round_.chosen is not None:
        budget = round_.ledger.budget
        epsilon = float(budget.part((round_.ledger.select - spent) / budget.amount).selection_epsilon)
        selection = Selection.of(witness, round_.chosen, partial(candidate_label, plan))
    exact = None if witness.exact is None else np.asarray(witness.exact)
    return Step(round_, round_errors, before, epsilon, selection, exact)
