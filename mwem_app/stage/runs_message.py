"""The second kind of message to the stage: whole runs of one or more systems over ε, with tables round by round."""

import base64
import gzip
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from mwem_app.base import Badge
from mwem_core.stage import Place, Table, Track

LEVEL = 6  # of compression: 9 takes ten times as long for a twentieth less


@dataclass(frozen=True)
class System:
    """A system by name and title; `turn` is what one of its rounds is called on screen."""

    name: str
    title: str
    turn: str = "round"


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
    place: Place = "far"
    truth: float | None = None
    estimates: Mapping[str, Sequence[float]] | None = None
    intervals: Mapping[str, Interval] | None = None
    problem: str = ""

    def as_json(self, *, truth: bool) -> dict[str, Any]:
        """The question as the browser reads it."""
        return {
            "text": self.text,
            "place": self.place,
            "truth": self.truth if truth else None,
            "estimates": {run: [round(float(v), 1) for v in values] for run, values in (self.estimates or {}).items()},
            "intervals": {run: asdict(interval) for run, interval in (self.intervals or {}).items()},
            "problem": self.problem,
        }


def runs_message(
    *,
    key: str,
    title: str,
    workload: str,
    n: float,
    delta: float,
    epsilons: Sequence[float],
    systems: Sequence[System],
    tables: Sequence[Table],
    runs: Mapping[tuple[str, int], Track],
    badge: Badge,
    truth: np.ndarray | None,
    uniform: tuple[float, float] | None = None,
    available: Sequence[tuple[str, int]] | None = None,
    waiting: str = "",
    question: Question | None = None,
    questions: Sequence[str] = (),
    saved: Sequence[Question] = (),
    at: tuple[int, float] = (0, 1.0),
    asks: bool = False,
    present: bool = False,
) -> dict[str, Any]:
    """Return what the browser needs. Without `truth`, nothing that only the private data can tell is in it.

    `runs` are those that this message brings, by name of the system and index of ε; `available` are all that the
    browser should have after it, by default those. `truth` (cells,) is in tenths of a record, `uniform` the max and
    mean error of the uniform table as shares of n. `at` is the index of ε and the share of the budget to show.
    A new `key` makes the browser forget all runs.
    """
    shown = truth is not None
    starts = np.cumsum([0, *(table.size for table in tables)]).tolist()
    return {
        "key": key,
        "title": title,
        "workload": workload,
        "n": float(n),
        "delta": float(delta),
        "epsilons": [float(epsilon) for epsilon in epsilons],
        "systems": [asdict(system) for system in systems],
        "tables": [_table(table, start) for table, start in zip(tables, starts, strict=False)],
        "truth": payload(truth) if truth is not None else None,
        "uniform": [float(error) for error in uniform] if shown and uniform else None,
        "tracks": {f"{name}/{i}": _track(run, errors=shown) for (name, i), run in runs.items()},
        "available": [f"{name}/{i}" for name, i in (runs if available is None else available)],
        "waiting": waiting,
        "question": question.as_json(truth=shown) if question else None,
        "questions": list(questions),
        "badge": asdict(badge),
        "at": {"epsilon": at[0], "share": at[1]},
        "asks": asks,
        "saved": [each.as_json(truth=shown) for each in saved],
        "present": present,
    }


def _table(table: Table, start: int) -> dict[str, Any]:
    """A marginal that can be drawn: cell (i, j) stands at `start + i * shape[1] + j` of a run's answers.

    `own` is how many labels of x come before those that stand beside the values, such as a missing one.
    """
    (x, *y), (x_terms, *y_terms) = table.labels, table.terms
    own = int((table.starts[0] < table.domain.attributes[table.attrs[0]].ordered_size).sum())
    y, y_terms = (y[0], y_terms[0]) if y else (None, None)
    shape = [len(x), len(y) if y else 1]
    terms = {"x_terms": x_terms, "y_terms": y_terms}  # the condition that selects each label
    return {"title": table.title, "x": x, "y": y, "own": own, "start": start, "shape": shape} | terms


def payload(answers: np.ndarray) -> str:
    """Return answers as text, (cells,) or (rounds + 1, cells) int32 in tenths of a record.

    It is base64 of gzip of their little-endian bytes. Rows after the first are differences from the one before, which
    compress better.
    """
    steps = answers if answers.ndim == 1 else np.diff(answers, axis=0, prepend=np.zeros_like(answers[:1]))
    return base64.b64encode(gzip.compress(steps.astype("<i4").tobytes(), LEVEL, mtime=0)).decode()


_payloads: WeakKeyDictionary[Track, str] = WeakKeyDictionary()  # packing the answers of a run takes a while


def _track(run: Track, *, errors: bool) -> dict[str, Any]:
    if run not in _payloads:
        _payloads[run] = payload(run.answers)
    return {
        "rounds": run.index.tolist(),
        "spent": _rounded(run.spent),
        "max": _rounded(run.max_error) if errors else None,
        "mean": _rounded(run.mean_error) if errors else None,
        "labels": list(run.labels),
        "answers": _payloads[run],
    }


def _rounded(values: np.ndarray) -> list[float]:
    """Values to six digits, which no line on a screen tells from all of them."""
    return [float(f"{value:.6g}") for value in values]
