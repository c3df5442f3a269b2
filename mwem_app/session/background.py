"""Work on a daemon thread that goes on while the page redraws: what a run and a batch of trials have in common.

Nothing here knows Streamlit.
"""

import logging
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from contextlib import closing
from typing import Generic, Literal, TypeVar

from mwem_app.session.turns import RUNS, CpuTime, Turns
from mwem_app.session.work_limits import excess

T = TypeVar("T")
Status = Literal["waiting", "running", "paused", "done", "stopped", "failed"]
ACTIVE: tuple[Status, ...] = ("waiting", "running", "paused")
log = logging.getLogger(__name__)


class Background(ABC, Generic[T]):
    """Computes results one by one and keeps each until the work is done, stopped or failed. That status is final.

    It computes when it is its turn, and waits while it is not. A subclass sets its own fields first and then calls
    `__init__`, which starts the thread.
    """

    held: int = 0  # bytes of NumPy arrays in the results that are kept, where this work counts them

    def __init__(self, name: str, turns: Turns):
        self.problem = ""  # one sentence, after a failure or a limit
        self.taken = CpuTime()  # by the results that are kept
        self._turns = turns
        self._changed = threading.Condition()  # guards the status and what is kept
        self.status: Status = "running" if turns.join(self) else "waiting"
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        try:
            self._thread.start()
        except RuntimeError:  # the server has as many threads as it can
            turns.leave(self)
            self._fail("the server has too much to do: try again later")

    @property
    def active(self) -> bool:
        """Whether more results may come."""
        return self.status in ACTIVE

    @property
    def before(self) -> int:
        """How many others are before this work, if it waits for its turn."""
        return self._turns.before(self)

    @property
    def seconds_computed(self) -> float:
        """CPU time that the results so far took, as the thread sees it."""
        return time.thread_time()

    def stop(self) -> None:
        """End at once. A result that is still being computed is discarded."""
        self._change(ACTIVE, "stopped")
        self._turns.nudge()

    def pause(self) -> None:
        """Begin no new result. The result being computed is kept."""
        self._change(("running",), "paused")

    def resume(self) -> None:
        """Continue after a pause, when it is this work's turn again."""
        with self._changed:
            if self.status == "paused":
                self._change(("paused",), "running" if self._turns.join(self) else "waiting")

    def wait(self, seconds: float | None = None) -> None:
        """Wait until the thread has ended, or until the time is up."""
        self._thread.join(seconds)

    @abstractmethod
    def _compute(self) -> Generator[T]:
        """Compute the results, on the thread. It is closed when the work ends."""

    @abstractmethod
    def _keep(self, result: T) -> None:
        """Store a result; no status changes meanwhile."""

    def _rest(self) -> None:
        """Let go of what others need, before they have their turn. Called on the thread."""

    def _change(self, before: tuple[Status, ...], after: Status, problem: str = "") -> None:
        """Change the status if it is one of `before`."""
        with self._changed:
            if self.status in before:
                self.status, self.problem = after, problem
                self._changed.notify_all()

    def _work(self) -> None:
        try:
            if not self._has_turn():
                return
            with closing(self._compute()) as results:
                for result in results:
                    with self._changed:
                        if not self.active:
                            return
                        self._keep(result)
                    self.taken.seconds = self.seconds_computed
                    if problem := excess(self.taken.seconds, self.held):
                        self._change(ACTIVE, "stopped", problem)
                    if not self._goes_on():
                        return
            self._change(ACTIVE, "done")
        except ValueError as error:
            self._fail(str(error))
        except MemoryError:
            self._fail("a run does not fit in memory: lower k, leave attributes out, or declare coarser bins")
        except Exception:
            log.exception("%s failed", self._thread.name)
            self._fail(
                "the work failed unexpectedly: what was finished before is kept, and the server's log has the details"
            )

        finally:
            self._turns.leave(self)

    def _goes_on(self) -> bool:
        """Wait during a pause, and while others have their turn; returns whether to go on."""
        with self._changed:
            if self.status == "paused":
                self._turns.leave(self)
                self._changed.wait_for(lambda: self.status != "paused")
            if self.status == "running" and self._turns.pass_on(self):
                self.status = "waiting"
        if self.status == "waiting":
            self._rest()
        return self._has_turn()

    def _has_turn(self) -> bool:
        """Wait for the turn; returns whether to go on."""
        self._turns.wait(self, lambda: not self.active)
        self._change(("waiting",), "running")
        return self.active

    def _fail(self, problem: str) -> None:
        self._change(ACTIVE, "failed", problem)


class Task(Background[T], Generic[T]):
    """Computes `make()`, for settings that `key` identifies. `result` is None until it is done."""

    def __init__(self, name: str, key: object, make: Callable[[], T]):
        self.key, self.result = key, None
        self._make = make
        super().__init__(name, RUNS)

    def _compute(self) -> Generator[T]:
        yield self._make()

    def _keep(self, result: T) -> None:
        self.result = result
