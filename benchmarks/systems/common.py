"""The interface of every system under test: it reads a task from a JSON file, and writes rows and their cost."""

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
    """Codes of n records (n, d), their public description, and a workload: either `sets` or `ranges` is empty."""

    codes: np.ndarray
    names: tuple[str, ...]
    sizes: tuple[int, ...]
    sets: tuple[tuple[int, ...], ...]
    ranges: tuple[tuple[int, int], ...]  # of the only attribute; both ends included
    epsilon: float
    delta: float
    seed: int
    again: bool  # run twice in this process: the second time a system that compiles is warm
    options: dict[str, Any]
    out: str

    @property
    def cliques(self) -> list[tuple[str, ...]]:
        """The workload's sets by name."""
        return [tuple(self.names[a] for a in S) for S in self.sets]


def read_task() -> Task:
    """Read the task from the file that is this process's argument."""
    with open(sys.argv[1], encoding="utf-8") as file:
        fields = json.load(file)
    codes = np.load(fields.pop("data"))
    for name in ("sets", "ranges"):
        fields[name] = tuple(map(tuple, fields[name]))
    return Task(codes=codes, names=tuple(fields.pop("names")), sizes=tuple(fields.pop("sizes")), **fields)


class Clock:
    """Seconds by phase, since the import of this module."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = START

    def lap(self, phase: str) -> None:
        """Record the seconds since the last lap under this name."""
        now = time.perf_counter()
        self.seconds[phase] = round(now - self._last, 4)
        self._last = now


START = time.perf_counter()


def progress(text: str) -> None:
    """Print a line for the log. The record of an unfinished run keeps the last line."""
    print(text, flush=True)


def write_results(
    task: Task,
    rows: np.ndarray | None,
    clock: Clock,
    packages: Iterable[str],
    *,
    answers: Callable[[], Iterable[np.ndarray]] | None = None,
    again: Callable[[], None] | None = None,
    **fields: Any,
) -> None:
    """Write the rows and their cost so far. The work after that is not counted.

    `answers` gives the model's own answers to the workload, set after set. `again` runs the system a second time, when
    everything it needs is compiled. `fields` are further fields of the record.
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
        **fields,
    }
    _write_report(task, report)
    if answers is not None:
        np.save(f"{task.out}.model.npy", np.concatenate([np.ravel(table) for table in answers()]))
    if again is not None and task.again:
        began = time.perf_counter()
        again()
        report["warm"] = round(time.perf_counter() - began, 4)
        _write_report(task, report)


def _versions(packages: Iterable[str]) -> dict[str, str]:
    from importlib.metadata import version  # imported late: its time must not count

    return {name: version(name) for name in packages}


def _peak_kib() -> int:
    """Peak memory of this process. The peak from getrusage starts at that of the parent process."""
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))


def _write_report(task: Task, report: dict[str, Any]) -> None:
    with open(f"{task.out}.json", "w", encoding="utf-8") as file:
        json.dump(report, file)
