"""The path a run takes through the code: every line of the core that it executes, in order."""

import sys
from collections.abc import Callable
from pathlib import PureWindowsPath
from types import CodeType, FrameType
from typing import Any, TypeVar

X = TypeVar("X")
Line = tuple[CodeType, int]

CORE = PureWindowsPath(__file__).parents[1]  # such a path has either separator
# What counts or scores the data may take its own path: its results reach the run through the draws only.
COUNTING = (
    "tables",
    "encoding",
    "domain/records.py",
    "domain/table.py",
    "values",
    "domain/counting.py",
    "relatives/network_scores.py",
)
NOT_THE_RUN = ("audit", "privacy/noise.py")


def traced(run: Callable[[], X]) -> tuple[X, list[Line]]:
    """The result of a run, and the lines of the core that it executed, other than in `COUNTING` and what that calls."""
    tracer = _Tracer()
    before = sys.gettrace()
    sys.settrace(tracer.called)
    try:
        return run(), tracer.lines
    finally:
        sys.settrace(before)


def first_fork(ours: list[Line], theirs: list[Line]) -> str | None:
    """The file and line where two paths part; None if they are the same."""
    for i, (a, b) in enumerate(zip(ours, theirs, strict=False)):
        if a != b:
            return _place(ours[i - 1] if i else a)
    return None if len(ours) == len(theirs) else _place(min(ours, theirs, key=len)[-1])


class _Tracer:
    """Notes the lines of the files that are followed, outside of `COUNTING`."""

    def __init__(self):
        self.lines: list[Line] = []
        self._counting = 0  # open calls of `COUNTING`
        self._rooms: dict[str, str] = {}

    def called(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:  # noqa: ARG002
        """Python calls this when a function starts, and when a generator goes on."""
        name = frame.f_code.co_filename
        if name not in self._rooms:
            self._rooms[name] = _room(name)
        room = self._rooms[name]
        if room.startswith(COUNTING):
            self._counting += 1
            return self._within_counting
        return self._line if room and not self._counting and not room.startswith(NOT_THE_RUN) else None

    def _line(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:  # noqa: ARG002
        if event == "line":
            self.lines.append((frame.f_code, frame.f_lineno))
        return self._line

    def _within_counting(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:  # noqa: ARG002
        if event == "return":
            self._counting -= 1
        return self._within_counting


def _room(name: str) -> str:
    """A file's path within the core, with "/" between its parts; empty for a file elsewhere."""
    path = PureWindowsPath(name)
    return path.relative_to(CORE).as_posix() if path.is_relative_to(CORE) else ""


def _place(line: Line) -> str:
    code, number = line
    return f"{_room(code.co_filename)}:{number}"
