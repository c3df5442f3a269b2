"""An experiment on a thread of its own. Nothing here knows Streamlit."""

from collections.abc import Callable, Generator
from concurrent.futures import Executor

from mwem_app.session.background import OnWorkers
from mwem_app.session.turns import TRIALS
from mwem_core.experiments import Row, Run


class ExperimentRunner(OnWorkers[Row]):
    """Finishes a run, which keeps its rows; they are of public data."""

    def __init__(self, run: Run, executor: Callable[[], Executor]):
        self.run, self.todo, self.done = run, run.left, 0
        super().__init__("experiment", TRIALS, executor)

    def _is_left(self) -> bool:
        return self.run.left > 0

    def _on(self, workers: Executor) -> Generator[Row]:
        yield from self.run.go(workers)

    def _keep(self, result: Row) -> None:  # noqa: ARG002 - the run has it
        self.done += 1
