"""Replay: the released values of a run on B, forced on a run on its neighbour, must pass as a run that paid for them.

If every draw could have returned the same on the neighbour, at the price that its mechanism states, and everything
released follows from the draws, then the whole run tells the two tables apart by no more than the sum of the prices."""

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from functools import partial
from pathlib import PureWindowsPath
from types import CodeType, FrameType
from typing import Any, TypeVar

import numpy as np

from mwem_core.audit.cases import Case
from mwem_core.audit.draws import Move, Transcript, compare_draws, cost, forced_transcript, transcript
from mwem_core.audit.random_inputs import Neighbour
from mwem_core.privacy import NoiseSource

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


def trace(run: Callable[[], X]) -> tuple[X, list[Line]]:
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


def difference(ours: Any, theirs: Any, path: str = "") -> str | None:
    """The path of the first field that differs, such as `ledger.spent`; None if nothing does.

    Compares dataclasses by their fields, other objects by their attributes, arrays by type, shape and every value (a
    NaN equals a NaN).
    """
    if ours is theirs:
        return None
    if type(ours) is not type(theirs):
        return path
    if isinstance(ours, np.ndarray):
        same = ours.dtype == theirs.dtype and np.array_equal(ours, theirs, equal_nan=ours.dtype.kind == "f")
        return None if same else path
    if isinstance(ours, float):
        return None if ours == theirs or (math.isnan(ours) and math.isnan(theirs)) else path
    if isinstance(ours, Mapping):
        return path if list(ours) != list(theirs) else _first(ours, theirs, path)
    if isinstance(ours, list | tuple):
        return path if len(ours) != len(theirs) else _first(dict(enumerate(ours)), dict(enumerate(theirs)), path)
    if is_dataclass(ours):
        names = [field.name for field in fields(ours)]
        return _first({n: getattr(ours, n) for n in names}, {n: getattr(theirs, n) for n in names}, path)
    if hasattr(ours, "__dict__"):
        return path if list(vars(ours)) != list(vars(theirs)) else _first(vars(ours), vars(theirs), path)
    return None if ours == theirs else path


def _first(ours: Mapping[Any, Any], theirs: Mapping[Any, Any], path: str) -> str | None:
    for key, value in ours.items():
        found = difference(value, theirs[key], f"{path}.{key}" if path else str(key))
        if found is not None:
            return found
    return None


@dataclass(frozen=True)
class Replay:
    """What a replay on one neighbour found: the share of ε that tells the tables apart, and each violation in words."""

    case: Case
    neighbour: Neighbour
    used: float  # at these noisy values; a draw costs its price times how far it moved, in Δ, and in ρ times the square
    violations: tuple[str, ...]


def replay_case(case: Case, noise: NoiseSource) -> Iterator[Replay]:
    """A run on the case's table, replayed on the table itself, for the path through the code, and on each neighbour."""
    ours = transcript(case.settings, case.table, case.workload, noise)
    own = [f"the run ends in an error: {ours.failure}"] if ours.failure else []
    own += overspent(ours)
    _, path = trace(lambda: forced_transcript(case.settings, case.table, case.workload, ours))
    for neighbour in case.neighbours:
        theirs, other = trace(partial(forced_transcript, case.settings, neighbour.table, case.workload, ours))
        moves = [
            compare_draws(a, b, case.proof(i, a), neighbour.distance)
            for i, (a, b) in enumerate(zip(ours.draws, theirs.draws, strict=False))
        ]
        found = [f"draw {i}: {each.problem}" for i, each in enumerate(moves, 1) if each.problem]
        found += differences(ours, theirs)
        if not found and (fork := first_fork(path, other)):
            found.append(f"the run takes another path from {fork} on")
        yield Replay(case, neighbour, _used(ours, moves), (*own, *found))


def overspent(run: Transcript) -> Iterator[str]:
    """Rounds whose draws cost more than the ledger says, or whose ledger exceeds the budget."""
    for released, end in zip(run.rounds, run.ends, strict=True):
        ledger = released.ledger
        paid = sum((cost(draw, ledger.budget.unit) for draw in run.draws[:end]), Fraction(0))
        spent, budget = ledger.exact, ledger.budget.exact
        if paid > spent:
            unit = ledger.budget.unit
            yield f"round {released.index}: its draws cost {float(paid):.6g} {unit}, the ledger says {float(spent):.6g}"
        if spent > budget:
            yield f"round {released.index}: the ledger says {float(spent):.6g}, the budget is {float(budget):.6g}"


def differences(ours: Transcript, theirs: Transcript) -> Iterator[str]:
    """The first difference between what two runs with the same noisy values asked for and released."""
    if theirs.failure != ours.failure:
        yield f"the run on the neighbour fails: {theirs.failure or 'only that on B does'}"
    elif len(ours.draws) != len(theirs.draws):
        yield f"{len(ours.draws)} draws on B, {len(theirs.draws)} on the neighbour"
    elif ours.ends != theirs.ends:
        yield f"{len(ours.rounds)} rounds on B, {len(theirs.rounds)} on the neighbour, or at other draws"
    elif (where := difference(ours.rounds, theirs.rounds)) is not None:
        yield f"what the rounds release differs beyond the noisy values, at {where}"


def _used(run: Transcript, moves: Sequence[Move]) -> float:
    """The share of the budget that these moves are worth."""
    if not run.rounds:
        return 0.0
    budget = run.rounds[-1].ledger.budget
    power = 1 if budget.unit == "ε" else 2
    prices = (float(cost(draw, budget.unit)) * each.share**power for draw, each in zip(run.draws, moves, strict=False))
    return sum(prices) / budget.amount
