"""Trials on a thread of their own. Stopping them keeps the results so far.

Every result of a trial is measured against the private data: for exploring only. Nothing here knows Streamlit.
"""

import time
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Executor
from typing import NamedTuple

from mwem_app.session.background import Background
from mwem_app.session.turns import TRIALS
from mwem_core.domain import Records
from mwem_core.judge import Result, Trial, cheapest_first, run_trials
from mwem_core.workload import Workload

Results = dict[Trial, Result]
SECONDS_BESIDE_ROUNDS = 0.1  # of a trial: synthetic rows and errors


class TimeLeft(NamedTuple):
    """An estimate in seconds. It is only a lower bound until every setting that is still to run has run once."""

    seconds: float
    lower_bound: bool


def time_left(done: Sequence[Result], waiting: Sequence[Trial], elapsed: float) -> TimeLeft | None:
    """How long the `waiting` trials take, if they take as long as `done` trials of the same system, T and ε did.

    A trial whose ε has not run yet counts as the longest of its system's trials so far, one of a system that has not
    run as nothing. None before the first trial is done.
    """
    if not done:
        return None
    measured: dict[tuple, list[float]] = {}
    longest: dict[str, float] = {}
    for result in done:
        trial, cost = result.trial, result.seconds + SECONDS_BESIDE_ROUNDS
        measured.setdefault((trial.system, trial.T, trial.epsilon), []).append(cost)
        longest[trial.system] = max(cost, longest.get(trial.system, 0.0))
    left, known = 0.0, True
    for trial in waiting:
        costs = measured.get((trial.system, trial.T, trial.epsilon))
        left += sum(costs) / len(costs) if costs else longest.get(trial.system, 0.0)
        known &= costs is not None
    spent = sum(sum(costs) for costs in measured.values())
    return TimeLeft(elapsed * left / spent, not known)


def unfinished_trials(trials: Iterable[Trial], results: Results) -> list[Trial]:
    """The trials that have no result yet, or one with a problem."""
    return [trial for trial in trials if trial not in results or results[trial].problem]


class TrialsRunner(Background[Result]):
    """Runs the unfinished `trials`, and adds to `results` as they come.

    Its executor is its own. It is let go while others have their turn.
    """

    def __init__(
        self,
        records: Records,
        workload: Workload,
        trials: Iterable[Trial],
        results: Results,
        executor: Callable[[], Executor],
    ):
        self.workload, self.results = workload, results
        self.todo = cheapest_first(unfinished_trials(trials, results))
        self.done = 0  # trials of `todo`
        self.seconds = 0.0  # until the last of these was done
        self._started = time.monotonic()
        self._records, self._left = records, dict.fromkeys(self.todo)
        self._executor = executor
        self._workers: Executor | None = None
        super().__init__("trials", TRIALS)

    def time_left(self) -> TimeLeft | None:
        """How long the trials that are left take, judged by those of this batch that are done."""
        done = [self.results[trial] for trial in self.todo if trial in self.results]
        waiting = unfinished_trials(self.todo, self.results)
        return time_left(done, waiting, time.monotonic() - self._started)

    @property
    def seconds_computed(self) -> float:
        """CPU time of the trials so far."""
        return sum(self.results[trial].seconds for trial in self.todo if trial in self.results)

    def _compute(self) -> Generator[Result]:
        self._started = time.monotonic()
        while self._left:
            self._workers = self._executor()
            try:
                for result in run_trials(self._records, self.workload, tuple(self._left), self._workers):
                    self._left.pop(result.trial, None)
                    yield result
                    if self._workers is None:  # others had their turn meanwhile: it goes on with new workers
                        break
            finally:
                self._rest()

    def _rest(self) -> None:
        if self._workers is not None:
            self._workers.shutdown(wait=False, cancel_futures=True)
            self._workers = None

    def _keep(self, result: Result) -> None:
        self.results[result.trial] = result
        self.done += 1
        self.seconds = time.monotonic() - self._started
