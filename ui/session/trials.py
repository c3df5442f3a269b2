"""Trials on a thread of its own: they go on while the page redraws, and what is done is kept when they are stopped.

Nothing of Streamlit in here. Every result is measured against the private data: for exploring only.
"""

import logging
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from typing import Literal

from mwem_core.data.records import Records
from mwem_core.evaluation.trials import Result, Trial, run_trials
from mwem_core.workload.workload import Workload

Found = dict[Trial, Result]
log = logging.getLogger(__name__)


def left(trials: Iterable[Trial], found: Found) -> list[Trial]:
    """Those still to run: not run yet, or run without success."""
    return [trial for trial in trials if trial not in found or found[trial].problem]


class Sweep:
    """Runs what is left of `trials` on an executor of its own, and adds to `found` as results come."""

    def __init__(
        self,
        records: Records,
        workload: Workload,
        trials: Iterable[Trial],
        found: Found,
        executor: Callable[[], Executor],
    ):
        self.workload, self.found = workload, found
        self.todo = left(trials, found)
        self.done = 0
        self.status: Literal["running", "done", "stopped", "failed"] = "running"
        self.problem = ""  # in a sentence, where it failed
        self._records, self._executor, self._lock = records, executor, threading.Lock()
        self._thread = threading.Thread(target=self._work, name="sweep", daemon=True)
        self._thread.start()

    @property
    def active(self) -> bool:
        """Whether more results may come."""
        return self.status == "running"

    def stop(self) -> None:
        """End here, at once. A trial still being computed is thrown away."""
        self._end("stopped")

    def wait(self, seconds: float | None = None) -> None:
        """Until the thread has ended."""
        self._thread.join(seconds)

    def _work(self) -> None:
        try:
            executor = self._executor()
            try:
                for result in run_trials(self._records, self.workload, self.todo, executor):
                    if not self._add(result):
                        return
            finally:
                executor.shutdown(wait=False, cancel_futures=True)
            self._end("done")
        except ValueError as error:
            self._end("failed", str(error))
        except Exception:
            log.exception("a sweep failed")
            self._end("failed", "the sweep failed unexpectedly: what is done is kept, the server's log has the details")

    def _add(self, result: Result) -> bool:
        with self._lock:
            if not self.active:
                return False
            self.found[result.trial] = result
            self.done += 1
            return True

    def _end(self, how: Literal["done", "stopped", "failed"], problem: str = "") -> None:
        with self._lock:
            if self.active:
                self.status, self.problem = how, problem
