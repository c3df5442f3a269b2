"""A trial's answers once more: results hold errors alone, and the same seed gives the same answers."""

import logging
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np

from mwem_core.data.records import Records
from mwem_core.evaluation.trials import Trial
from mwem_core.privacy.noise import Seeded
from mwem_core.systems import system
from mwem_core.workload.workload import Workload

log = logging.getLogger(__name__)


def recall(B: Records, Q: Workload, trial: Trial) -> "Future[np.ndarray]":
    """Its answers as shares of their own total, (|Q|,), worked out on a thread; a ValueError where it cannot run."""
    executor = ThreadPoolExecutor(1, thread_name_prefix="recall")
    future = executor.submit(answers, B.distinct(), Q, trial)
    executor.shutdown(wait=False)
    return future


def answers(B: Records, Q: Workload, trial: Trial) -> np.ndarray:
    """As `recall`, here and now."""
    settings = system(trial.system).settings(Q, n=B.total, epsilon=trial.epsilon, delta=trial.delta, T=trial.T)
    *_, last = settings.rounds(B, Q, noise=Seeded(trial.seed))
    return last.model.answers(Q) / last.model.total
