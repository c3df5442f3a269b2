"""What every system under test shares: a task comes as a JSON file, rows and what they cost go back."""

import json
import os
import platform
import resource
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Task:
    """Codes of n records (n, d) and what is public about them; `sets` and `ranges` are the workload, one is empty."""

    codes: np.ndarray
    names: tuple[str, ...]
    sizes: tuple[int, ...]
    sets: tuple[tuple[int, ...], ...]
    ranges: tuple[tuple[int, int], ...]  # of the one attribute there is; both ends included
    epsilon: float
    delta: float
    seed: int
    again: bool  # run twice in this process, for systems that compile
    options: dict[str, Any]
    out: str

    @property
    def cliques(self) -> list[tuple[str, ...]]:
        """The workload's sets by name."""
        return [tuple(self.names[a] for a in S) for S in self.sets]


def task() -> Task:
    """The task whose file is this process's argument."""
    with open(sys.argv[1], encoding="utf-8") as file:
        given = json.load(file)
    codes = np.load(given.pop("data"))
    for name in ("sets", "ranges"):
        given[name] = tuple(map(tuple, given[name]))
    return Task(codes=codes, names=tuple(given.pop("names")), sizes=tuple(given.pop("sizes")), **given)


class Clock:
    """Seconds by phase, since the import of this module."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = START

    def lap(self, phase: str) -> None:
        """Call what has passed since the last lap by this name."""
        now = time.perf_counter()
        self.seconds[phase] = round(now - self._last, 4)
        self._last = now


START = time.perf_counter()


def progress(text: str) -> None:
    """A line for the log; the last one is kept for a run that does not end."""
    print(text, flush=True)


def give(
    task: Task,
    rows: np.ndarray | None,
    clock: Clock,
    packages: Iterable[str],
    *,
    answers: Callable[[], Iterable[np.ndarray]] | None = None,
    again: Callable[[], None] | None = None,
    **more: Any,
) -> None:
    """Write the rows and what they cost; what follows is not counted.

    `answers` gives the model's own answers to the workload, set after set; `again` runs the system once more in this
    process, which then has compiled what it needs.
    """
    if rows is not None:
        np.save(f"{task.out}.rows.npy", np.asarray(rows).astype(np.uint16))
    times, children = os.times(), resource.getrusage(resource.RUSAGE_CHILDREN)
    report = {
        "ended": time.time(),
        "cpu": times.user + times.system + times.children_user + times.children_system,
        "peak_mib": (_peak_kib() + children.ru_maxrss) / 1024,
        "seconds": clock.seconds,
        "versions": _versions(packages),
        "python": platform.python_version(),
        **more,
    }
    _write(task, report)
    if answers is not None:
        np.save(f"{task.out}.model.npy", np.concatenate([np.ravel(table) for table in answers()]))
    if again is not None and task.again:
        began = time.perf_counter()
        again()
        report["warm"] = round(time.perf_counter() - began, 4)
        _write(task, report)


def _versions(packages: Iterable[str]) -> dict[str, str]:
    from importlib.metadata import version  # after the clock has stopped: no system needs it to run

    return {name: version(name) for name in packages}


def _peak_kib() -> int:
    """Of this process since it began; getrusage's own figure starts at what the process before it held."""
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))


def _write(task: Task, report: dict[str, Any]) -> None:
    with open(f"{task.out}.json", "w", encoding="utf-8") as file:
        json.dump(report, file)
