"""Trials on a thread of their own. Stopping them keeps the results so far.

Every result is measured against the private data: for exploring only. Nothing here knows Streamlit.
"""

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Executor

from mwem_core.data.records import Records
from mwem_core.evaluation.trials import Result, Trial, run_trials
from mwem_core.workload.workload import Workload
from ui.session.background import Background

Results = dict[Trial, Result]


def unfinished(trials: Iterable[Trial], results: Results) -> list[Trial]:
    """The trials that have no result yet, or one with a problem."""
    return [trial for trial in trials if trial not in results or results[trial].problem]


class TrialsRunner(Background[Result]):
    """Runs the unfinished `trials` on an executor of its own, and adds to `results` as they come."""

    def __init__(
        self,
        records: Records,
        workload: Workload,
        trials: Iterable[Trial],
        results: Results,
        executor: Callable[[], Executor],
    ):
        self.workload, self.results = workload, results
        self.todo = unfinished(trials, results)
        self.done = 0  # trials of `todo`
        self._records, self._executor = records, executor
        super().__init__("trials")

    def _compute(self) -> Generator[Result]:
        executor = self._executor()
        try:
            yield from run_trials(self._records, self.workload, self.todo, executor)
        finally:
            executor.shutdown(wait=False, cancel_futures=True)

    def _keep(self, result: Result) -> None:
        self.results[result.trial] = result
        self.done += 1
