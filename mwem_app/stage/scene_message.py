"""What the picture in the browser is drawn from, as JSON values: from runs as arrays, and from the truth where shown.

Answers are counts of records in tenths, int32. A payload is base64 of gzip of their little-endian bytes; where there
is a row for each round, the rows after the first are differences from the one before, which compress better.
"""

import base64
import gzip
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Protocol
from weakref import WeakKeyDictionary

import numpy as np

from mwem_app.base import Badge

LEVEL = 6  # of compression: 9 takes ten times as long for a twentieth less


_packed: WeakKeyDictionary[Any, str] = WeakKeyDictionary()  # the answers of runs, as packing them takes a while


class Run(Protocol):
    """One run, as the picture needs it; row 0 of each array is the start.

    Of (rounds + 1,) each: `index`, the numbers of the rounds; `spent`, the share of the budget; `max_error` and
    `mean_error`, in shares of n; `labels`, what each round measured. `answers` (rounds + 1, cells) are the model's
    counts, in tenths of a record.
    """

    @property
    def index(self) -> np.ndarray: ...  # noqa: D102  (the class says what each is)
    @property
    def spent(self) -> np.ndarray: ...  # noqa: D102
    @property
    def max_error(self) -> np.ndarray: ...  # noqa: D102
    @property
    def mean_error(self) -> np.ndarray: ...  # noqa: D102
    @property
    def labels(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def answers(self) -> np.ndarray: ...  # noqa: D102


@dataclass(frozen=True)
class System:
    """A system by name and title; `turn` is what one of its rounds is called on screen."""

    name: str
    title: str
    turn: str = "round"


@dataclass(frozen=True)
class Axis:
    """An attribute of a table in the picture: its labels, and for each the condition that selects it."""

    name: str
    labels: tuple[str, ...]
    terms: tuple[str, ...]
    own: int  # of the labels, before those that stand beside them


@dataclass(frozen=True)
class Table:
    """A marginal that can be drawn: of `x`, or of `x` and `y`, with cell (i, j) at `start + i * len(y.labels) + j`."""

    title: str
    x: Axis
    y: Axis | None
    start: int

    def as_json(self) -> dict[str, Any]:
        """The table as the browser reads it."""
        return {
            "title": self.title,
            "x": self.x.labels,
            "x_name": self.x.name,
            "x_terms": self.x.terms,
            "own": self.x.own,
            "y": self.y and self.y.labels,
            "y_name": self.y and self.y.name,
            "y_terms": self.y and self.y.terms,
            "start": self.start,
            "shape": [len(self.x.labels), len(self.y.labels) if self.y else 1],
        }


@dataclass(frozen=True)
class Interval:
    """The interval of an answer and what it rests on, in a sentence; or the reason why there is none."""

    low: float | None = None
    high: float | None = None
    rests_on: str = ""
    refused: str = ""


@dataclass(frozen=True)
class Question:
    """A question's answers, in records; the keys are "system/index of ε".

    `place` says whether the workload holds all of its attributes, all but one, or fewer. `problem` says what is wrong
    with a question that has no answers.
    """

    text: str
    place: Literal["inside", "next", "far"] = "far"
    truth: float | None = None
    estimates: Mapping[str, Sequence[float]] | None = None
    intervals: Mapping[str, Interval] | None = None
    problem: str = ""

    def as_json(self) -> dict[str, Any]:
        """The question as the browser reads it."""
        estimates = {key: [round(float(v), 1) for v in values] for key, values in (self.estimates or {}).items()}
        intervals = {
            key: {"refused": each.refused}
            if each.refused
            else {"low": each.low, "high": each.high, "rests": each.rests_on}
            for key, each in (self.intervals or {}).items()
        }
        return asdict(replace(self, estimates=None, intervals=None)) | {"estimates": estimates, "intervals": intervals}


@dataclass(frozen=True)
class Person:
    """What releases say with one record and without it: up to 100 counts of each, by index of ε.

    `right` says in how many of 100 cases a guess from them is right, in words.
    """

    title: str
    cell: str
    of: tuple[str, ...]
    with_: Mapping[int, Sequence[float]]
    without: Mapping[int, Sequence[float]]
    right: Mapping[int, str]

    def as_json(self) -> dict[str, Any]:
        """The person as the browser reads it."""
        strips = {"with": self.with_, "without": self.without}
        right = {str(i): words for i, words in self.right.items()}
        return {"title": self.title, "cell": self.cell, "of": self.of, "right": right} | {
            name: {str(i): [float(v) for v in values] for i, values in each.items()} for name, each in strips.items()
        }


def scene_message(
    *,
    key: str,
    title: str,
    workload: str,
    n: float,
    delta: float,
    epsilons: Sequence[float],
    systems: Sequence[System],
    tables: Sequence[Table],
    runs: Mapping[tuple[str, int], Run],
    badge: Badge,
    truth: np.ndarray | None,
    uniform: tuple[float, float] | None = None,
    look: int = 0,
    available: Sequence[tuple[str, int]] | None = None,
    waiting: str = "",
    question: Question | None = None,
    questions: Sequence[str] = (),
    saved: Sequence[Question] = (),
    person: Person | None = None,
    at: tuple[int, float] = (0, 1.0),
    asks: bool = False,
    present: bool = False,
) -> dict[str, Any]:
    """Return what the browser needs. Without `truth`, nothing that only the private data can tell is in it.

    `runs` are those that this message brings, by name of the system and index of ε; `available` are all that the
    browser should have after it, by default those. `truth` (cells,) is in tenths of a record, `uniform` the max and
    mean error of the uniform table as shares of n. `at` is the index of ε and the share of the budget to show.
    """
    shown = truth is not None
    return {
        "key": key,
        "title": title,
        "workload": workload,
        "n": float(n),
        "delta": float(delta),
        "epsilons": [float(epsilon) for epsilon in epsilons],
        "systems": [asdict(system) for system in systems],
        "tables": [table.as_json() for table in tables],
        "look": look,
        "truth": payload(truth) if truth is not None else None,
        "uniform": [float(error) for error in uniform] if shown and uniform else None,
        "tracks": {f"{name}/{i}": _track(run, errors=shown) for (name, i), run in runs.items()},
        "available": [f"{name}/{i}" for name, i in (runs if available is None else available)],
        "waiting": waiting,
        "question": _question(question, truth=shown) if question else None,
        "questions": list(questions),
        "person": person.as_json() if shown and person else None,
        "badge": asdict(badge),
        "at": {"epsilon": at[0], "share": at[1]},
        "asks": asks,
        "saved": [_question(each, truth=shown) for each in saved],
        "present": present,
    }


def payload(answers: np.ndarray) -> str:
    """Return answers as text, (cells,) or (rounds + 1, cells) int32 in tenths of a record."""
    steps = answers if answers.ndim == 1 else np.diff(answers, axis=0, prepend=np.zeros_like(answers[:1]))
    return base64.b64encode(gzip.compress(steps.astype("<i4").tobytes(), LEVEL, mtime=0)).decode()


def _track(run: Run, *, errors: bool) -> dict[str, Any]:
    if run not in _packed:
        _packed[run] = payload(run.answers)
    return {
        "rounds": run.index.tolist(),
        "spent": _rounded(run.spent),
        "max": _rounded(run.max_error) if errors else None,
        "mean": _rounded(run.mean_error) if errors else None,
        "labels": list(run.labels),
        "answers": _packed[run],
    }


def _question(question: Question, *, truth: bool) -> dict[str, Any]:
    return (question if truth else replace(question, truth=None)).as_json()


def _rounded(values: np.ndarray) -> list[float]:
    """Values to six digits, which no line on a screen tells from all of them."""
    return [float(f"{value:.6g}") for value in values]
