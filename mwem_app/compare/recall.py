"""Recompute a trial's answers: its result holds errors only, and the same seed gives the same answers."""

from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np

from mwem_app.session import is_demo
from mwem_core.domain import Records
from mwem_core.judge import Trial, run_system
from mwem_core.workload import Workload

_one_by_one = ThreadPoolExecutor(1, thread_name_prefix="recall")  # of all visitors of a public demo


def recall(B: Records, Q: Workload, trial: Trial) -> "Future[np.ndarray]":
    """A trial's `answers`, computed on a thread. The future raises ValueError where the trial cannot run."""
    if is_demo():
        return _one_by_one.submit(answers, B.distinct(), Q, trial)
    executor = ThreadPoolExecutor(1, thread_name_prefix="recall")
    future = executor.submit(answers, B.distinct(), Q, trial)
    executor.shutdown(wait=False)
    return future


def answers(B: Records, Q: Workload, trial: Trial) -> np.ndarray:
    """A trial's answers as shares of their own total: (|Q|,). Raises ValueError where the trial cannot run."""
    model = run_system(B, Q, trial).last.model
    return model.answers(Q) / model.total
