"""Trials: runs of systems at several ε, T and seeds, on any `concurrent.futures.Executor`, and their errors as CSV.

The errors are measured against the truth: NOT PRIVATE, for exploring, teaching and public data."""

import csv
import io
import json
import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import astuple, dataclass, fields, replace
from typing import Any, cast

import numpy as np

from mwem_core.algorithm import Algorithm, AnswerSource, Round
from mwem_core.automatic import what_ran
from mwem_core.domain import Records
from mwem_core.forms import csv_text, from_cell
from mwem_core.judge.errors import Density, Errors, errors, relative_entropy
from mwem_core.output import gives_rows, nearest_rows
from mwem_core.privacy import Seeded
from mwem_core.systems import system
from mwem_core.workload import Workload

CHEAPEST_FIRST = (  # by the CPU time of a trial; a system that serves only small tables comes last
    *("uniform", "laplace", "gaussian", "laplace-cells", "planner", "hierarchical", "dawa", "privbayes"),
    *("gaussian-clean", "laplace-clean", "planner-clean", "weights", "mwem-pgm", "automatic", "tables", "mwem"),
    *("mwem-paper", "aim", "barak", "figure-1", "relaxed-projection", "boosting", "net", "barak-lp"),
)
MAX_SUBMITTED = 64  # trials submitted at once: each sends its own copy of the table
log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One run: a system's name, its ε and δ, its rounds where it takes them, and its seed.

    `changed` names settings whose values replace those that the system would choose.
    """

    system: str
    epsilon: float
    seed: int
    delta: float = 0.0
    T: int | None = None
    changed: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Result:
    """Errors of a trial, and the data it ran on: NOT PRIVATE. `problem` says why a trial could not run.

    `seconds` are CPU time of the rounds alone, so unaffected by load. `delta` is the δ that the system ran at.
    `answers` are the errors of the released answers, and `rows` those of the synthetic rows, where the system gives
    rows. `relative_entropy`, in nats, is of the truth to the released distribution, where there is one. `ran` says in
    a few words what Automatic chose, or how many rounds MWEM had.
    """

    trial: Trial
    workload: str  # its spec
    n: int
    domain_size: int
    problem: str = ""
    ran: str = ""
    seconds: float = 0.0
    rounds: int = 0
    epsilon_spent: float = 0.0
    delta: float = 0.0
    answers: Errors | None = None
    rows: Errors | None = None
    relative_entropy: float | None = None


def title_of(name: str, ran: Iterable[str]) -> str:
    """The system's title, with what ran where all trials ran the same: "Automatic (64 cells measured once)"."""
    different = set(ran)
    words = different.pop() if len(different) == 1 else ""
    return f"{system(name).title} ({words})" if words else system(name).title


Judge = Callable[[Records, Workload, Trial], Result]


@dataclass(frozen=True, eq=False)
class CompletedRun:
    """A completed run: its settings, its last round, and the CPU seconds of all rounds."""

    settings: Algorithm
    last: Round[AnswerSource]
    seconds: float


def grid(
    systems: Iterable[str],
    epsilons: Iterable[float],
    seeds: Iterable[int],
    *,
    delta: float = 0.0,
    Ts: Iterable[int | None] = (None,),
) -> tuple[Trial, ...]:
    """All combinations, without repeats; T varies only for systems that take it.

    Seeds vary slowest, so that every system has about as many seeds at any time. Raises ValueError for an unknown
    system.
    """
    Ts, epsilons, chosen = tuple(Ts), tuple(epsilons), [system(name) for name in systems]
    return tuple(
        dict.fromkeys(
            Trial(system=entry.name, epsilon=epsilon, seed=seed, delta=delta, T=T)
            for seed in seeds
            for epsilon in epsilons
            for entry in chosen
            for T in (Ts if entry.takes_T else (None,))
        )
    )


def cheapest_first(trials: Iterable[Trial]) -> list[Trial]:
    """The trials seed by seed; within a seed the cheapest system first, with all its ε: a curve appears early."""
    return sorted(trials, key=lambda t: (t.seed, CHEAPEST_FIRST.index(t.system), t.T or 0, t.epsilon))


def settings_of(trial: Trial, Q: Workload, n: float) -> Algorithm:
    """The settings that a trial runs with. Raises ValueError where the system refuses them."""
    known = system(trial.system)
    chosen = replace(known, changed=(*known.changed, *trial.changed))
    return chosen.settings(Q, n=n, epsilon=trial.epsilon, delta=trial.delta, T=trial.T)


def run_system(B: Records, Q: Workload, trial: Trial) -> CompletedRun:
    """Run a trial's system to its last round. Raises ValueError where the system refuses the settings or the data."""
    settings = settings_of(trial, Q, B.total)
    started = time.thread_time()
    last = deque(settings.rounds(B, Q, noise=Seeded(trial.seed)), maxlen=1).pop()
    return CompletedRun(settings, last, time.thread_time() - started)


def run_trial(B: Records, Q: Workload, trial: Trial, rows: bool = True) -> Result:
    """Run a trial in this thread and measure its errors, also those of synthetic rows unless `rows` is False.

    Making and judging the rows takes longer than many a small run. A ValueError becomes the result's `problem`.
    """
    try:
        return _measured(B, Q, trial, run_system(B, Q, trial), rows)
    except ValueError as problem:
        return _failed(B, Q, trial, str(problem))


def _failed(B: Records, Q: Workload, trial: Trial, problem: str) -> Result:
    return Result(trial=trial, workload=Q.spec, n=B.total, domain_size=Q.domain.size, problem=problem)


def _measured(B: Records, Q: Workload, trial: Trial, run: CompletedRun, rows: bool) -> Result:
    n, model, truth = B.total, run.last.model, Q.answers(B)
    of_rows = None
    if rows and gives_rows(model):
        synthetic = nearest_rows(Q, model, max(1, round(model.total)), np.random.default_rng(trial.seed))
        of_rows = errors(Q, Q.answers(synthetic), truth, n, total=synthetic.total)
    return Result(
        trial=trial,
        workload=Q.spec,
        n=n,
        domain_size=Q.domain.size,
        ran=what_ran(run.settings, Q, n),
        seconds=run.seconds,
        rounds=run.last.index,
        epsilon_spent=run.settings.guarantee.epsilon_of(run.last.ledger.spent),
        delta=run.settings.guarantee.delta,
        answers=errors(Q, model.answers(Q), truth, n, total=model.total),
        rows=of_rows,
        relative_entropy=relative_entropy(B, cast(Density, model)) if hasattr(model, "probability") else None,
    )


def run_trials(
    B: Records, Q: Workload, trials: Iterable[Trial], executor: Executor, *, judge: Judge = run_trial
) -> Iterator[Result]:
    """Run each trial once on `executor` and yield results as they finish. Closing the iterator cancels waiting trials.

    `judge` runs and measures a trial in the executor's process. The executor stays open and finishes running trials. An
    exception becomes the result's `problem`; the first of each system other than a ValueError is logged. Raises
    ValueError where a `ProcessPoolExecutor` broke: `pool` replaces killed processes.
    """
    B, waiting, running, logged = B.distinct(), iter(trials), dict[Future, Trial](), set[str]()
    try:
        while True:
            while len(running) < MAX_SUBMITTED and (trial := next(waiting, None)):
                running[executor.submit(judge, B, Q, trial)] = trial
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                result, unexpected = _outcome(B, Q, running.pop(future), future)
                if unexpected and result.trial.system not in logged:
                    logged.add(result.trial.system)
                    log.error("%s failed", result.trial, exc_info=unexpected)
                yield result
    except BrokenProcessPool:
        raise ValueError(
            "a worker process was killed, usually for lack of memory: run the remaining trials on fewer workers"
        ) from None
    finally:
        for future in running:
            future.cancel()


def _outcome(B: Records, Q: Workload, trial: Trial, future: Future) -> tuple[Result, Exception | None]:
    """A finished trial's result, and its unexpected exception if there was one."""
    try:
        return future.result(), None
    except BrokenProcessPool:
        raise
    except ValueError as problem:
        return _failed(B, Q, trial, str(problem)), None
    except MemoryError:
        return _failed(B, Q, trial, "it needs more memory than its process may fill"), None
    except Exception as unexpected:
        message = f"it failed unexpectedly with {type(unexpected).__name__}: see the log"
        return _failed(B, Q, trial, message), unexpected


Reader = Callable[[str], Any]


def _optional(reader: Reader) -> Reader:
    return lambda cell: reader(cell) if cell else None


def _pairs(cell: str) -> tuple[tuple[str, Any], ...]:
    return tuple(json.loads(cell).items()) if cell else ()


# The columns, each with the function that reads its cells: fields of `Trial`, fields of `Result`, fields of `Errors`.
TRIAL_COLUMNS = {
    **{"system": from_cell, "epsilon": float, "delta": float, "T": _optional(int), "seed": int},
    "changed": _pairs,  # as JSON
}
RESULT_COLUMNS = {
    **{"workload": from_cell, "n": int, "domain_size": int, "problem": from_cell, "ran": from_cell},
    **{"seconds": float, "rounds": int},
    **{"epsilon_spent": float, "delta_used": float, "relative_entropy": _optional(float)},
}
ERROR_COLUMNS = {
    kind: {f"{kind}_{field.name}": _optional(float) for field in fields(Errors)} for kind in ("answers", "rows")
}
COLUMNS = [*TRIAL_COLUMNS, *RESULT_COLUMNS, *ERROR_COLUMNS["answers"], *ERROR_COLUMNS["rows"]]


def to_csv(results: Iterable[Result]) -> str:
    """Results as CSV. Numbers are exact; None is an empty cell."""
    return csv_text(COLUMNS, map(_line, results))


def _line(result: Result) -> list[Any]:
    line = [getattr(result.trial, name) for name in TRIAL_COLUMNS if name != "changed"]
    line.append(json.dumps(dict(result.trial.changed)) if result.trial.changed else None)
    line += [getattr(result, "delta" if name == "delta_used" else name) for name in RESULT_COLUMNS]
    for kind, columns in ERROR_COLUMNS.items():
        errors = getattr(result, kind)
        line += astuple(errors) if errors else [None] * len(columns)
    return line


def from_csv(text: str) -> list[Result]:
    """The results that `to_csv` wrote.

    Raises ValueError, with the line number, for other text.
    """
    reader, columns = csv.reader(io.StringIO(text)), None
    with suppress(csv.Error):
        columns = next(reader, None)
    if columns != COLUMNS:
        raise ValueError(
            f"this is not a file of trials: its first line must name {len(COLUMNS)} columns, system,epsilon,…"
        )
    results = []
    try:
        for cells in reader:
            results.append(_result(dict(zip(COLUMNS, cells, strict=True))))
    except (ValueError, TypeError, csv.Error):
        raise ValueError(f"line {reader.line_num} of the trials cannot be read: delete it") from None
    return results


def _result(line: Mapping[str, str]) -> Result:
    def read(columns: Mapping[str, Reader]) -> dict[str, Any]:
        return {name: reader(line[name]) for name, reader in columns.items()}

    values = read(RESULT_COLUMNS)
    values["delta"] = values.pop("delta_used")
    for kind, columns in ERROR_COLUMNS.items():
        errors = read(columns)
        values[kind] = Errors(*errors.values()) if any(line[name] for name in columns) else None
    return Result(trial=Trial(**read(TRIAL_COLUMNS)), **values)
