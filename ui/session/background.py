"""Work on a daemon thread that goes on while the page redraws: what a run and a batch of trials have in common.

Nothing here knows Streamlit.
"""

import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Generator
from contextlib import closing
from typing import Generic, Literal, TypeVar

T = TypeVar("T")
Status = Literal["running", "paused", "done", "stopped", "failed"]
log = logging.getLogger(__name__)


class Background(ABC, Generic[T]):
    """Computes results one by one and keeps each until the work is done, stopped or failed. That status is final.

    A subclass sets its own fields first and then calls `__init__`, which starts the thread.
    """

    def __init__(self, name: str):
        self.status: Status = "running"
        self.problem = ""  # one sentence, after a failure
        self._changed = threading.Condition()  # guards the status and what is kept
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    @property
    def active(self) -> bool:
        """Whether more results may come."""
        return self.status in ("running", "paused")

    def stop(self) -> None:
        """End at once. A result that is still being computed is discarded."""
        self._change(("running", "paused"), "stopped")

    def wait(self, seconds: float | None = None) -> None:
        """Wait until the thread has ended, or until the time is up."""
        self._thread.join(seconds)

    @abstractmethod
    def _compute(self) -> Generator[T]:
        """Compute the results, on the thread. It is closed when the work ends."""

    @abstractmethod
    def _keep(self, result: T) -> None:
        """Store a result; no status changes meanwhile."""

    def _change(self, before: tuple[Status, ...], after: Status, problem: str = "") -> None:
        """Change the status if it is one of `before`."""
        with self._changed:
            if self.status in before:
                self.status, self.problem = after, problem
                self._changed.notify_all()

    def _work(self) -> None:
        try:
            with closing(self._compute()) as results:
                for result in results:
                    with self._changed:
                        if not self.active:
                            return
                        self._keep(result)
            self._change(("running", "paused"), "done")
        except ValueError as error:
            self._fail(str(error))
        except MemoryError:
            self._fail("a run does not fit in memory: lower k, leave attributes out, or declare coarser bins")
        except Exception:
            log.exception("%s failed", self._thread.name)
            self._fail(
                "the work failed unexpectedly: what was finished before is kept, and the server's log has the details"
            )

    def _fail(self, problem: str) -> None:
        self._change(("running", "paused"), "failed", problem)
