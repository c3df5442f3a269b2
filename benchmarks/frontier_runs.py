"""The runs of `frontier.py`: what identifies each, which are on record, and a run within its limits.

A record has the fields of its key, `n`, `cells` and `attributes` of the table, then either the `problem` that prevented
the run or its errors (`mean_tv`, `max_error`, and `rows_mean_tv`, `rows_max_error` of a system that gives rows) and its
cost (`seconds` of CPU, `rounds`, `epsilon_spent`). A run of Automatic also has its `label` and,
unless it is of 0.3, its `settings`.
"""

import gzip
import json
import resource
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from frontier_ratios import AUTOMATIC, MEASURES, WHOLE
from report import Record

from mwem_core import Records, Seeded, Workload
from mwem_core.judge import Trial, errors, run_trial
from mwem_core.privacy import Accountant, Guarantee
from mwem_core.relatives import MAX_NOISY_CELLS, Histogram
from mwem_core.systems import SYSTEMS, system

DELTAS = (0.0, 1e-9)
MEMORY = 12 * 2**30  # bytes of address space that the process may take
SETTING = ("table", "workload", "epsilon", "delta")
DIGITS = 7  # of recorded errors


def keys(
    table: str, Q: Workload, systems: Sequence[str], epsilons: Sequence[float], seeds: int, label: str | None
) -> Iterator[Record]:
    """What identifies each run. Pure systems run at δ = 0 only, as (ε, 0) implies (ε, δ)."""
    for seed in range(seeds):
        for epsilon in epsilons:
            for name in systems:
                deltas = [0.0] if name == WHOLE else [SYSTEMS[name].delta_of(delta) for delta in DELTAS]
                for delta in dict.fromkeys(deltas):
                    setting = {"table": table, "workload": Q.spec, "epsilon": epsilon, "delta": delta}
                    version = {"label": label} if name == AUTOMATIC else {}
                    yield {**setting, "seed": seed, "system": name, **version}


class Runs:
    """The runs on record: those given, and those in a file to which each new run is appended."""

    def __init__(self, path: Path, kept: Sequence[Record] = ()):
        self._path = path
        self._done = {_key(r): r for r in [*kept, *(load(path) if path.exists() else [])]}

    def settled(self, key: Record, once: float) -> bool:
        """Whether this run is on record, or its system could not run, or took too long, at an earlier seed."""
        earlier = (self._done.get(_key({**key, "seed": seed})) for seed in range(key["seed"]))
        unable = any(r and ("problem" in r or r["seconds"] > once) for r in earlier)
        return _key(key) in self._done or (unable and key["system"] != AUTOMATIC)

    def near(self, factor: float) -> set[tuple[Any, ...]]:
        """(system, table, workload, ε, δ) of which some error is at most so many times the least at its ε and δ.

        Errors are means over the seeds on record. At δ > 0 systems of pure ε count too.
        """
        errors: dict[tuple[Any, ...], list[Record]] = {}
        for r in self._done.values():
            if "problem" not in r:
                errors.setdefault((r["system"], *(r[name] for name in SETTING)), []).append(r)
        near = set()
        for measure in MEASURES:
            means = {at: np.mean([r[measure] for r in of]) for at, of in errors.items() if measure in of[0]}
            least: dict[tuple[Any, ...], float] = {}
            for (_, *place, spent), mean in means.items():
                for delta in (delta for delta in DELTAS if spent <= delta):
                    least[*place, delta] = min(mean, least.get((*place, delta), np.inf))
            near |= {at for at, mean in means.items() if mean <= factor * max(least[at[1:]], 1e-12)}
        return near

    def append(self, record: Record) -> None:
        """Record a run, its errors to `DIGITS` digits."""
        record = record | {m: float(f"{record[m]:.{DIGITS}g}") for m in MEASURES if m in record}
        self._done[_key(record)] = record
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")


def load(path: Path) -> list[Record]:
    """The records of a file, which may be compressed (.gz)."""
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    return [json.loads(line) for line in text.splitlines()]


def in_order(records: Sequence[Record]) -> list[Record]:
    """Each run once, by setting, system and seed. Of equal runs the last counts.

    Versions of Automatic stay in their order, as the last is the newest.
    """
    order = (*SETTING, "system", "seed")
    return sorted({_key(r): r for r in records}.values(), key=lambda r: [r[name] for name in order])


def keep(records: Sequence[Record], path: Path) -> None:
    """Write the runs to a compressed file."""
    path.write_bytes(gzip.compress("".join(json.dumps(r) + "\n" for r in records).encode(), mtime=0))


def _key(record: Record) -> tuple[Any, ...]:
    return tuple(record.get(name) for name in (*SETTING, "seed", "system", "label"))


def run(B: Records, Q: Workload, key: Record, limit: float) -> Record:
    """Run a system once, and return all of its record but the key. Automatic has no time limit."""
    if key["system"] == WHOLE:
        return whole_noise(B, Q, key["epsilon"], key["seed"])
    trial = Trial(**{name: key[name] for name in ("system", "epsilon", "delta", "seed")})
    record: Record = {"n": B.total, "cells": B.domain.size, "attributes": len(B.domain)}
    try:
        with time_limit(0 if trial.system == AUTOMATIC else limit):
            result = run_trial(B, Q, trial)
    except TimeoutError:
        return {**record, "problem": f"unfinished after {limit:g} CPU s"}
    except MemoryError:
        return {**record, "problem": f"it needs more than {MEMORY // 2**30} GiB"}
    if result.problem:
        return {**record, "problem": result.problem}
    record |= {"seconds": round(result.seconds, 4), "rounds": result.rounds, "epsilon_spent": result.epsilon_spent}
    for part, own in (("", result.answers), ("rows_", result.rows)):
        if own:
            record |= {f"{part}mean_tv": own.mean_tv, f"{part}max_error": own.max_error}
    if trial.system == AUTOMATIC:
        settings = system(AUTOMATIC).settings(Q, n=B.total, epsilon=trial.epsilon, delta=trial.delta)
        record |= {"settings": repr(settings)}
    return record


def whole_noise(B: Records, Q: Workload, epsilon: float, seed: int) -> Record:
    """The errors of discrete Laplace noise on every cell of D, and nothing after it: the geometric mechanism."""
    record: Record = {"n": B.total, "cells": B.domain.size, "attributes": len(B.domain)}
    if B.domain.size > MAX_NOISY_CELLS:
        return {**record, "problem": f"it has more than {MAX_NOISY_CELLS:,} cells"}
    started, account = time.thread_time(), Accountant(Guarantee(epsilon).budget, Seeded(seed))
    cells = account.measure(B.marginal(tuple(range(len(B.domain)))), cost=account.left, counts=True)
    answers = Q.answers(Histogram(cells, float(B.total)))
    record |= {"seconds": round(time.thread_time() - started, 4), "rounds": 1, "epsilon_spent": account.ledger.spent}
    found = errors(Q, answers, Q.answers(B), B.total)
    return record | {"mean_tv": found.mean_tv, "max_error": found.max_error}


def limit_memory() -> None:
    """Let this process raise MemoryError before it takes the machine's memory."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in the main thread after so many seconds of CPU, which load does not change; 0 is no limit."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def line(record: Record) -> str:
    """One line about a run."""
    what = " ".join(str(record[name]) for name in (*SETTING, "seed", "system"))
    return what + ": " + (record.get("problem") or f"{record['mean_tv']:.4f} in {record['seconds']:.2f} s")
