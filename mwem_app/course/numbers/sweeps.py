"""Why MWEM replays: a table after more and more sweeps over the measurements of one run. NOT PRIVATE."""

from dataclasses import dataclass, replace

import numpy as np

from mwem_app.course.numbers.mwem import Watched
from mwem_core.domain import Table
from mwem_core.judge import errors
from mwem_core.model import LogLinear, replay
from mwem_core.mwem import Replay
from mwem_core.workload import Workload

SWEEPS = (0, 1, 3, 10, 30, 100, 300, 1000)


@dataclass(frozen=True, eq=False)
class Swept:
    """A_0 after each of `SWEEPS` over the T measurements of a run. NOT PRIVATE."""

    answers: np.ndarray  # (sweeps, T): of the measured queries, in records
    misplaced: np.ndarray  # (sweeps,): share of the records in a wrong cell


def swept(run: Watched, B: Table, Q: Workload) -> Swept:
    """Sweep the uniform table over what a run of single queries measured, in its order (Figure 8).

    The table reads the measurements alone, and so costs nothing; `misplaced` compares it with B.
    """
    uniform, update = LogLinear.uniform(Q.domain.shape, B.total), Replay()
    tables = [
        replay(uniform, run.measurements, **replace(update, sweeps=sweeps).sweeping) if sweeps else uniform
        for sweeps in SWEEPS
    ]
    answers, truth = np.array([A.answers(Q) for A in tables]), Q.answers(B)
    misplaced = np.array([errors(Q, row, truth, B.total).mean_tv for row in answers])
    return Swept(answers[:, run.chosen], misplaced)
