"""The console: progress on stderr, aligned columns, and what an old encoding cannot show, in words."""

import codecs
import sys
import time
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from typing import TypeVar

IN_WORDS = {
    "ε": "epsilon",
    "δ": "delta",
    "ρ": "rho",
    "Δ": "Delta",
    "σ": "sigma",
    "×": "x",
    "≤": "<=",
    "√": "sqrt",
    "·": "-",
    "→": "->",
    "…": "...",
}
ERRORS = "in words"


def write_in_any_encoding() -> None:
    """Let stdout and stderr write every text in the encoding that they have, such as cp1252: ε becomes epsilon."""
    codecs.register_error(ERRORS, _in_words)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=ERRORS)


def write_file(text: str) -> None:
    """Write the text of a file to stdout: in UTF-8 with its own line ends, unless a console shows it."""
    if isinstance(sys.stdout, TextIOWrapper) and not sys.stdout.isatty():
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    sys.stdout.write(text)


def _in_words(problem: UnicodeError) -> tuple[str, int]:
    assert isinstance(problem, UnicodeEncodeError)
    lost = problem.object[problem.start : problem.end]
    return "".join(IN_WORDS.get(character, "?") for character in lost), problem.end


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


def align_columns(lines: Sequence[Sequence[str]]) -> list[str]:
    """Lines of cells, each column as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
