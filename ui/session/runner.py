"""A run on a thread of its own, which can be paused, resumed and stopped.

A `Step` holds errors, probabilities and exact answers beside its round. These are made from the private data: for
exploring only. Nothing here knows Streamlit.
"""

import uuid
from collections.abc import Collection, Generator, Iterator
from dataclasses import dataclass
from math import nan

import numpy as np

from mwem_core.algorithm import Round
from mwem_core.data.records import Records
from mwem_core.evaluation.metrics import Errors, errors
from mwem_core.model.loglinear import LogLinear
from mwem_core.mwem.mwem import MWEM
from mwem_core.privacy.ledger import Ledger
from mwem_core.privacy.noise import Seeded, Witness
from mwem_core.release.publication import Provenance
from mwem_core.release.run import Run
from mwem_core.workload.workload import Workload
from ui.session.background import Background

RUNNERS_UP = 3  # candidates named beside the chosen one
MAX_INTERACTIVE_CELLS = 10**6  # of a workload, to compute its errors while a page waits


@dataclass(frozen=True, kw_only=True, eq=False)
class Plan:
    """Everything a run needs, fixed before it starts: widgets changed later do not affect it."""

    records: Records
    workload: Workload
    settings: MWEM
    preset: str
    seed: int | None
    source: str  # identifies the table within the session
    table: str  # the name of its file
    provenance: Provenance = "unknown"  # of its schema
    columns: int = 0  # of the whole table; the run has the chosen attributes only
    encoding: str | None = None  # of its file, unless the bytes say so

    def same_as(self, other: "Plan") -> bool:
        """Whether both plans describe the same run."""
        return self._identity == other._identity

    @property
    def _identity(self) -> tuple:
        return self.source, self.workload.domain, self.workload.spec, self.settings, self.preset, self.seed

    @property
    def planned_rounds(self) -> int | None:
        """T, where it is known before the run."""
        return self.settings.planned_rounds(self.records.total, self.workload)


@dataclass(frozen=True, eq=False)
class Step:
    """A round, and facts about it that are made from the private data: for exploring only."""

    round: Round
    errors: Errors
    probability: float | None = None  # of the candidate that was chosen
    runners_up: tuple[tuple[str, float], ...] = ()  # the most probable other candidates, with their probabilities
    exact: float | None = None  # the true answer, where one query was measured


class Runner(Background[Step]):
    """Runs a plan on its thread. `steps` only grows, and stays after a stop or a failure."""

    def __init__(self, plan: Plan):
        self.plan, self.id = plan, uuid.uuid4().hex[:12]
        self.steps: list[Step] = []
        super().__init__(f"run {self.id}")

    def pause(self) -> None:
        """Begin no new round. The round being computed is kept."""
        self._change(("running",), "paused")

    def resume(self) -> None:
        """Continue after a pause."""
        self._change(("paused",), "running")

    def as_run(self, epsilons: Collection[float] | None = None) -> Run:
        """The rounds so far; needs at least the start. `epsilons` are the ε of the session's runs on the table."""
        plan = self.plan
        return Run(
            plan.workload,
            plan.settings,
            plan.preset,
            tuple(step.round for step in self.steps),
            seed=plan.seed,
            table=plan.table,
            provenance=plan.provenance,
            runs=None if epsilons is None else len(epsilons),
            table_epsilon=None if epsilons is None else sum(epsilons),
            stopped=self.status != "done",
            encoding=plan.encoding,
        )

    def _compute(self) -> Generator[Step]:
        for step in _steps(self.plan):
            yield step
            with self._changed:
                self._changed.wait_for(lambda: self.status != "paused")
            if not self.active:
                return

    def _keep(self, result: Step) -> None:
        self.steps.append(result)


def start_step(plan: Plan) -> Step:
    """The start of a run of this plan: the uniform model, before anything is measured."""
    n, workload = plan.records.total, plan.workload
    A = LogLinear.uniform(workload.domain.shape, n)
    start_errors = Errors(nan, nan, nan, None, None)
    if workload.cells <= MAX_INTERACTIVE_CELLS:
        start_errors = errors(workload, workload.answers(A), workload.answers(plan.records), n)
    return Step(Round(0, Ledger(plan.settings.guarantee.budget), A, A), start_errors)


def candidate_label(plan: Plan, j: int) -> str:
    """The name of candidate j of the selection."""
    if plan.settings.select == "tables":
        return plan.workload.domain.label(plan.workload.attrs(j))
    return plan.workload.query(j)[2]


def _steps(plan: Plan) -> Iterator[Step]:
    truth, n, witness = plan.workload.answers(plan.records), plan.records.total, Witness(Seeded(plan.seed))
    for round_ in plan.settings.rounds(plan.records, plan.workload, noise=witness):
        model = round_.model
        round_errors = errors(plan.workload, plan.workload.answers(model), truth, n, total=model.total)
        if round_.chosen is None:
            yield Step(round_, round_errors)
        else:
            yield _witnessed(round_, round_errors, witness, plan)


def _witnessed(round_: Round, round_errors: Errors, witness: Witness, plan: Plan) -> Step:
    """The step of a round that selected, with what the noise source saw of the selection and the measurement."""
    p, tables = witness.probabilities(), plan.settings.select == "tables"
    count = min(RUNNERS_UP + 1, len(p))
    likely = np.argpartition(-p, count - 1)[:count]
    others = [int(j) for j in likely[np.argsort(-p[likely])] if j != round_.chosen and p[j] > 0]
    runners_up = tuple((candidate_label(plan, j), float(p[j])) for j in others[:RUNNERS_UP])
    exact = None if tables or witness.exact is None else float(witness.exact)
    return Step(round_, round_errors, float(p[round_.chosen]), runners_up, exact)
