"""A run on a thread of its own: it goes on while the page redraws, and can be paused, resumed and stopped.

Nothing of Streamlit in here. What a `Runner` holds beside the rounds (errors, probabilities, exact answers) is made
from the private data: for exploring only.
"""

import logging
import threading
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from math import nan
from typing import Literal

import numpy as np

from mwem_core.algorithm import Round
from mwem_core.data.records import Records
from mwem_core.evaluation.metrics import Errors, errors
from mwem_core.model.loglinear import LogLinear
from mwem_core.mwem.mwem import MWEM
from mwem_core.privacy.ledger import Ledger
from mwem_core.privacy.noise import Seeded, Witness
from mwem_core.release.run import Run
from mwem_core.workload.workload import Workload

RUNNERS_UP = 3
MOST_CELLS = 10**6  # of a workload, for its errors to be computed while a page waits
log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, eq=False)
class Plan:
    """Everything a run needs, fixed before it starts: what the widgets say later does not reach it."""

    records: Records
    workload: Workload
    settings: MWEM
    preset: str
    seed: int | None
    source: str  # which table, of those this session knows
    table: str  # the name of its file

    def same_as(self, other: "Plan") -> bool:
        """Whether it asks for the same run: then nothing was changed since."""
        return self._asked == other._asked

    @property
    def _asked(self) -> tuple:
        return self.source, self.workload.domain, self.workload.spec, self.settings, self.preset, self.seed

    @property
    def planned_rounds(self) -> int | None:
        """T, where it is known before the run."""
        return self.settings.planned_rounds(self.records.total, self.workload)


@dataclass(frozen=True, eq=False)
class Step:
    """A round, and what only an explorer may see of it: made from the private data."""

    round: Round
    errors: Errors
    probability: float | None = None  # that what was chosen would be
    runners_up: tuple[tuple[str, float], ...] = ()  # the most probable of the others
    exact: float | None = None  # the true answer, where one query was asked


class Runner:
    """Works through a plan on a daemon thread; `steps` only ever grows, and outlives a stop or a failure."""

    def __init__(self, plan: Plan):
        self.plan, self.id = plan, uuid.uuid4().hex[:12]
        self.steps: list[Step] = []
        self.status: Literal["running", "paused", "done", "stopped", "failed"] = "running"
        self.problem = ""  # in a sentence, where it failed
        self._lock, self._go = threading.Lock(), threading.Event()
        self._go.set()
        self._thread = threading.Thread(target=self._work, name=f"run {self.id}", daemon=True)
        self._thread.start()

    @property
    def active(self) -> bool:
        """Whether more rounds may come."""
        return self.status in ("running", "paused")

    def pause(self) -> None:
        """No new round begins; the one being computed is kept."""
        self._change("running", "paused")

    def resume(self) -> None:
        """Go on where it paused."""
        self._change("paused", "running")

    def stop(self) -> None:
        """End here, at once. A round still being computed is thrown away unseen."""
        self._change("running", "stopped")
        self._change("paused", "stopped")

    def wait(self, seconds: float | None = None) -> None:
        """Until the thread has ended."""
        self._thread.join(seconds)

    def run(self) -> Run:
        """What a user takes away; needs at least the start."""
        plan = self.plan
        rounds = tuple(step.round for step in self.steps)
        return Run(plan.workload, plan.settings, plan.preset, rounds, seed=plan.seed, table=plan.table)

    def _change(self, before: str, after: Literal["running", "paused", "done", "stopped", "failed"]) -> bool:
        with self._lock:
            if self.status != before:
                return False
            self.status = after
            (self._go.clear if after == "paused" else self._go.set)()
            return True

    def _work(self) -> None:
        try:
            for step in _steps(self.plan):
                with self._lock:
                    if self.status == "stopped":
                        return
                    self.steps.append(step)
                self._go.wait()
                if self.status == "stopped":
                    return
            self._end("done")
        except ValueError as error:
            self._end("failed", str(error))
        except MemoryError:
            self._end(
                "failed", "the run does not fit in memory: lower k, leave attributes out, or declare coarser bins"
            )
        except Exception:
            log.exception("run %s failed", self.id)
            self._end(
                "failed", "the run failed unexpectedly: the rounds so far are kept, the server's log has the details"
            )

    def _end(self, how: Literal["done", "failed"], problem: str = "") -> None:
        with self._lock:
            if self.status != "stopped":
                self.status, self.problem = how, problem


def start(plan: Plan) -> Step:
    """Where a run of this plan begins: the uniform model, before anything is measured."""
    n, workload = plan.records.total, plan.workload
    A = LogLinear.uniform(workload.domain.shape, n)
    off = Errors(nan, nan, nan, None, None)
    if workload.cells <= MOST_CELLS:
        off = errors(workload, workload.answers(A), workload.answers(plan.records), n)
    return Step(Round(0, Ledger(plan.settings.guarantee.budget), A, A), off)


def _steps(plan: Plan) -> Iterator[Step]:
    truth, n, witness = plan.workload.answers(plan.records), plan.records.total, Witness(Seeded(plan.seed))
    for made in plan.settings.rounds(plan.records, plan.workload, noise=witness):
        model = made.model
        off = errors(plan.workload, plan.workload.answers(model), truth, n, total=model.total)
        yield Step(made, off) if made.chosen is None else _witnessed(made, off, witness, plan)


def _witnessed(made: Round, off: Errors, witness: Witness, plan: Plan) -> Step:
    p, tables = witness.probabilities(), plan.settings.select == "tables"
    few = min(RUNNERS_UP + 1, len(p))
    likely = np.argpartition(-p, few - 1)[:few]
    others = [int(j) for j in likely[np.argsort(-p[likely])] if j != made.chosen and p[j] > 0]
    named = tuple((candidate_label(plan, j), float(p[j])) for j in others[:RUNNERS_UP])
    exact = None if tables or witness.exact is None else float(witness.exact)
    return Step(made, off, float(p[made.chosen]), named, exact)


def candidate_label(plan: Plan, j: int) -> str:
    """What candidate j of the selection is called."""
    if plan.settings.select == "tables":
        return plan.workload.domain.label(plan.workload.attrs(j))
    return plan.workload.query(j)[2]
