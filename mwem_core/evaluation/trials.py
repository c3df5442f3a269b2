"""Many runs over systems, ε, T and seeds, on any `concurrent.futures.Executor`; their errors, and a file of them.

Everything here is measured against the truth: NOT private, for exploring, teaching and public data.
"""

import logging
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import cast

import numpy as np

from mwem_core.data.records import Records
from mwem_core.evaluation.metrics import Density, Errors, errors, relative_entropy
from mwem_core.privacy.noise import Seeded
from mwem_core.release.synthesis import gives_rows, rounded
from mwem_core.systems import system
from mwem_core.workload.workload import Workload

IN_FLIGHT = 64  # trials handed out at once: enough for a cluster, few enough to send each its own copy of the table
log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One run: a system of `systems`, the ε and δ asked of it, its rounds where it takes them, and its seed."""

    system: str
    epsilon: float
    seed: int
    delta: float = 0.0
    T: int | None = None


@dataclass(frozen=True, kw_only=True)
class Result:
    """What a trial came to, on which data: NOT private. Where it could not run, `problem` says why in a sentence.

    `seconds` are the mechanism's own, from its first round to its last, of its thread's CPU: a sweep that fills the
    machine does not stretch them. `delta` is the δ it ran at. `answers` are the errors of what was released, `rows`
    those of n synthetic rows, where it gives rows, and `relative_entropy` is that of the truth against what was
    released, in nats, where that has a density.
    """

    trial: Trial
    workload: str  # the spec
    n: int
    domain_size: int
    problem: str = ""
    seconds: float = 0.0
    rounds: int = 0
    epsilon_spent: float = 0.0
    delta: float = 0.0
    answers: Errors | None = None
    rows: Errors | None = None
    relative_entropy: float | None = None


def grid(
    systems: Iterable[str],
    epsilons: Iterable[float],
    seeds: Iterable[int],
    *,
    delta: float = 0.0,
    Ts: Iterable[int | None] = (None,),
) -> tuple[Trial, ...]:
    """Every combination, seed by seed, so that a sweep fills evenly; T varies only where a system takes it.

    Raises ValueError for a system that does not exist.
    """
    Ts, epsilons, named = tuple(Ts), tuple(epsilons), [system(name) for name in systems]
    return tuple(
        dict.fromkeys(
            Trial(system=each.name, epsilon=epsilon, seed=seed, delta=delta, T=T)
            for seed in seeds
            for epsilon in epsilons
            for each in named
            for T in (Ts if each.takes_T else (None,))
        )
    )


def run_trial(B: Records, Q: Workload, trial: Trial) -> Result:
    """Run it here. What it refuses, by a ValueError, becomes the result's `problem`."""
    try:
        return _run(B, Q, trial)
    except ValueError as problem:
        return _failed(B, Q, trial, str(problem))


def _failed(B: Records, Q: Workload, trial: Trial, problem: str) -> Result:
    return Result(trial=trial, workload=Q.spec, n=B.total, domain_size=Q.domain.size, problem=problem)


def _run(B: Records, Q: Workload, trial: Trial) -> Result:
    n = B.total
    settings = system(trial.system).settings(Q, n=n, epsilon=trial.epsilon, delta=trial.delta, T=trial.T)
    started = time.thread_time()
    last = deque(settings.rounds(B, Q, noise=Seeded(trial.seed)), maxlen=1).pop()
    seconds = time.thread_time() - started
    model, truth = last.model, Q.answers(B)
    rows = None
    if gives_rows(model):
        drawn = rounded(Q.domain, model, max(1, round(model.total)), np.random.default_rng(trial.seed))
        rows = errors(Q, Q.answers(drawn), truth, n, total=drawn.total)
    return Result(
        trial=trial,
        workload=Q.spec,
        n=n,
        domain_size=Q.domain.size,
        seconds=seconds,
        rounds=last.index,
        epsilon_spent=settings.guarantee.epsilon_of(last.ledger.spent),
        delta=settings.guarantee.delta,
        answers=errors(Q, model.answers(Q), truth, n, total=model.total),
        rows=rows,
        relative_entropy=relative_entropy(B, cast(Density, model)) if hasattr(model, "probability") else None,
    )


def run_trials(B: Records, Q: Workload, trials: Iterable[Trial], executor: Executor) -> Iterator[Result]:
    """Run each trial once on `executor`, and yield results as they come; closing the iterator cancels what waits.

    The executor stays open, and finishes what has begun. A trial that fails by more than a ValueError is logged, the
    first of each system, and its result says so. Raises ValueError where a process pool of the standard library broke:
    `pool` makes one that mends itself, and Dask does.
    """
    B, left, running, logged = B.distinct(), iter(trials), dict[Future, Trial](), set[str]()
    try:
        while True:
            while len(running) < IN_FLIGHT and (trial := next(left, None)):
                running[executor.submit(run_trial, B, Q, trial)] = trial
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                result, problem = _outcome(B, Q, running.pop(future), future)
                if problem and result.trial.system not in logged:
                    logged.add(result.trial.system)
                    log.error("%s failed", result.trial, exc_info=problem)
                yield result
    except BrokenProcessPool:
        raise ValueError(
            "a worker process was killed, most often for want of memory: run what is left again, on fewer workers"
        ) from None
    finally:
        for future in running:
            future.cancel()


def _outcome(B: Records, Q: Workload, trial: Trial, future: Future) -> tuple[Result, Exception | None]:
    """What a finished trial came to, and the failure that nobody foresaw."""
    try:
        return future.result(), None
    except BrokenProcessPool:
        raise
    except ValueError as problem:
        return _failed(B, Q, trial, str(problem)), None
    except Exception as problem:
        told = f"it failed unexpectedly, by {type(problem).__name__}: the log has the details"
        return _failed(B, Q, trial, told), problem
