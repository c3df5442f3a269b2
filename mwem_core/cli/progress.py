"""The progress of a command, on stderr."""

import sys
import time
from collections.abc import Iterator
from typing import TypeVar

X = TypeVar("X")


def with_progress(steps: Iterator[tuple[int, X]], planned: int | None, noun: str) -> Iterator[X]:
    """Yield the steps of (number, step) pairs, and print at the end how many there were and how long they took.

    On a terminal, print a progress bar in the meantime. `planned` is the number of steps, if it is known.
    """
    started, terminal, done = time.perf_counter(), sys.stderr.isatty(), 0
    for done, step in steps:
        if terminal:
            print(f"\r{_bar(done, planned, noun, time.perf_counter() - started)}", end="", file=sys.stderr, flush=True)
        yield step
    newline = "\n" if terminal else ""
    plural = "" if done == 1 else "s"
    print(f"{newline}{done} {noun}{plural} in {time.perf_counter() - started:.2f} s", file=sys.stderr)


def _bar(done: int, planned: int | None, noun: str, seconds: float) -> str:
    if planned is None:
        return f"{noun} {done}"
    remaining = f"{seconds / done * (planned - done):4.0f} s left" if done else ""
    return f"{'█' * round(30 * done / planned):░<30} {noun} {done} of {planned} {remaining}"
