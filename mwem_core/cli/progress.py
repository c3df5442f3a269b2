"""How far a command has come, told on stderr."""

import sys
import time
from collections.abc import Iterator
from typing import TypeVar

X = TypeVar("X")


def shown(steps: Iterator[tuple[int, X]], planned: int | None, what: str) -> Iterator[X]:
    """Passes numbered steps on, and tells stderr how long they took; meanwhile, on a terminal, a bar grows there."""
    started, terminal, done = time.perf_counter(), sys.stderr.isatty(), 0
    for done, step in steps:
        if terminal:
            print(f"\r{_bar(done, planned, what, time.perf_counter() - started)}", end="", file=sys.stderr, flush=True)
        yield step
    end = "\n" if terminal else ""
    plural = "" if done == 1 else "s"
    print(f"{end}{done} {what}{plural} in {time.perf_counter() - started:.2f} s", file=sys.stderr)


def _bar(done: int, planned: int | None, what: str, seconds: float) -> str:
    if planned is None:
        return f"{what} {done}"
    left = f"{seconds / done * (planned - done):4.0f} s left" if done else ""
    return f"{'█' * round(30 * done / planned):░<30} {what} {done} of {planned} {left}"
