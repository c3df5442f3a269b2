"""A run on a thread of its own, which can be paused, resumed and stopped, and watched by several visitors at once.

Nothing here knows Streamlit.
"""

import threading
import uuid
from collections.abc import Collection, Generator
from functools import partial
from typing import Literal
from weakref import WeakSet, WeakValueDictionary

from mwem_app.session import demo
from mwem_app.session.background import ACTIVE, Background, CpuTime, Status
from mwem_app.session.shared_work import SharedValues, SharedWork, bytes_held
from mwem_app.session.steps import Plan, Step, steps_of
from mwem_app.session.turns import RUNS
from mwem_core.output import Run
from mwem_core.weighted import Model

KEPT_BYTES = 256 * 10**6  # of public runs, for those who come later
BYTES_BESIDE_STEPS = 4 * 10**6  # of what pages make of a run; it bounds the number of runs
VALUES = WeakValueDictionary[int, SharedValues]()  # by the models of public runs, while their computations are there


class Computation(Background[Step]):
    """Computes a plan's steps on a thread, for one runner or for several. `steps` only grows, and stays after the end.

    It pauses when all of its runners do, and stops when all have stopped. A runner whose session has ended has no say.
    """

    def __init__(self, plan: Plan):
        self.original_plan = self.plan = plan  # once bins are measured, `plan` is in them
        self.steps: list[Step] = []
        self.held = BYTES_BESIDE_STEPS
        self._made, self._counted = SharedValues(), set[int]()
        self._agreeing, self._runners = threading.Lock(), WeakSet[Runner]()
        super().__init__("run", RUNS)

    def join(self, runner: "Runner") -> None:
        """Compute for this runner too."""
        with self._agreeing:
            self._runners.add(runner)
        self.agree()

    def agree(self) -> None:
        """Do what the runners want, after one of them has come or wants something else."""
        with self._agreeing:
            wanted = {runner.wanted for runner in self._runners}
            if "running" in wanted:
                self.resume()
            elif "paused" in wanted:
                self.pause()
            else:
                self.stop()

    def _compute(self) -> Generator[Step]:
        yield from steps_of(self.original_plan)

    def _keep(self, result: Step) -> None:
        self.plan = self.plan.after(result.round)
        self.steps.append(result)
        self.held += bytes_held(result, self._counted)
        if self.original_plan.is_public:
            VALUES[id(result.round.model)] = self._made
            COMPUTATIONS.fit()


class Runner:
    """A visitor's run. Its pause and its stop hold for this visitor alone, whoever else watches the computation."""

    def __init__(self, plan: Plan, computation: Computation | None = None):
        self.id = uuid.uuid4().hex[:12]
        self.computation = computation or Computation(plan)
        began = self.computation.original_plan is plan  # rather than joined what another began
        self.taken = self.computation.taken if began else CpuTime()  # by this visitor's press of Run
        self.wanted: Literal["running", "paused", "stopped"] = "running"
        self._end: int | None = None  # of the steps to show, since a pause or a stop
        self.computation.join(self)

    @classmethod
    def of(cls, plan: Plan) -> "Runner":
        """Join the computation of the same plan, if it is a public one that is there; else begin one."""
        if not plan.is_public:
            return cls(plan)
        runner = cls(plan, COMPUTATIONS.begin(plan.identity, partial(Computation, plan)))
        return cls(plan) if runner.status == "stopped" else runner  # all others have stopped it just now

    @property
    def original_plan(self) -> Plan:
        """The plan before bins are measured."""
        return self.computation.original_plan

    @property
    def plan(self) -> Plan:
        """The plan, in the bins that were measured."""
        return self.computation.plan

    @property
    def steps(self) -> list[Step]:
        """The steps so far: a list of its own, which does not grow."""
        return self.computation.steps[: self._end]

    @property
    def status(self) -> Status:
        """What this visitor wants, where that is not to go on; else that of the computation."""
        return self.computation.status if self.wanted == "running" else self.wanted

    @property
    def active(self) -> bool:
        """Whether more steps may come."""
        return self.status in ACTIVE

    @property
    def before(self) -> int:
        """How many others are before this run, if it waits for its turn."""
        return self.computation.before

    @property
    def problem(self) -> str:
        """One sentence, after a failure or a limit."""
        return self.computation.problem if self.wanted == "running" else ""

    def stop(self) -> None:
        """End at once. A step that is still being computed is not shown."""
        self._want("stopped", ACTIVE)

    def pause(self) -> None:
        """Show no new step."""
        self._want("paused", ("running",))

    def resume(self) -> None:
        """Continue after a pause, with all steps that others have seen meanwhile."""
        self._want("running", ("paused",))

    def wait(self, seconds: float | None = None) -> None:
        """Wait until the computation has ended, or until the time is up."""
        self.computation.wait(seconds)

    def _want(self, wanted: Literal["running", "paused", "stopped"], before: tuple[Status, ...]) -> None:
        if self.status in before:
            self._end = None if wanted == "running" else len(self.steps)
            self.wanted = wanted
            self.computation.agree()

    def as_run(self, epsilons: Collection[float] | None = None) -> Run:
        """The rounds so far; needs at least the start. `epsilons` are the ε of the session's runs on the table."""
        plan = self.original_plan
        return Run(
            plan.workload,
            plan.algorithm,
            plan.system,
            tuple(step.round for step in self.steps),
            seed=plan.seed,
            table=plan.table,
            provenance=plan.provenance,
            runs=None if epsilons is None else len(epsilons),
            table_epsilon=None if epsilons is None else sum(epsilons),
            stopped=self.status != "done",
            reading=plan.reading,
            unit=plan.unit,
            count=plan.count,
        )


def shared_values_of(model: Model) -> SharedValues | None:
    """What pages make of a public run, by the model of one of its rounds; None for a run that is one visitor's own."""
    return VALUES.get(id(model))


def is_there(plan: Plan) -> bool:
    """Whether the plan's run is under way or done, so that nothing need be computed for it."""
    return plan.is_public and COMPUTATIONS.get(plan.identity) is not None


COMPUTATIONS = SharedWork[Computation](
    size=lambda each: each.held, most=lambda: demo.KEPT_BYTES if demo.is_demo() else KEPT_BYTES
)
