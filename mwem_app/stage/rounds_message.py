"""The message to the stage: rounds of one run, as they come. Nothing here knows an algorithm."""

import base64
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

NO_LESSONS: Mapping[str, str] = {}


@dataclass(frozen=True, kw_only=True, repr=False)
class Frame:
    """One round as it is shown. Leave the first block None to hide the truth: no value of it then leaves the server.

    Errors, `residual` and `noise` are shares of n. Texts are ready to show, with their units.
    """

    # Made from the private data.
    max: float | None = None
    mean: float | None = None
    probability: float | None = None  # of the candidate that was chosen
    candidates: Sequence[tuple[str, float, float, bool]] | None = None  # (name, score, probability, whether chosen)
    others: tuple[int, float] | None = None  # candidates that are not listed, and their probability together
    true_cells: Sequence[float] | None = None  # the true values of `cells`, in records

    # Differentially private, or public.
    round: int
    residual: float | None = None  # |measured - the model's answer before|, drawn if there are no errors
    noise: float | None = None  # scale of the measurement's noise
    chosen: str | None = None  # "relationship × sex"
    planned: bool = False  # it came without a selection
    once: str | None = None  # what was measured before step 1, in words, of a step that fits more of it
    selection_epsilon: float | None = None  # ε of the selection
    cell: str | None = None  # the query, if a single one was chosen
    measured: str | None = None  # "1,234"
    noise_text: str | None = None  # its mean size: "13", or "13 each"
    cells: Sequence[tuple[str, float, float, float]] | None = None  # (name, noisy, model before, after), in records
    rest: bool = False  # whether the last of `cells` is the sum of those that are not listed
    moved: float | None = None  # total variation of the model before and after
    rows: int | None = None  # of the weighted records that are the model, instead of a table or a tree
    spent: tuple[float, float, float] = (0.0, 0.0, 0.0)  # to select, to measure, before round 1; in the budget's unit
    begun: str | None = None  # what was measured before round 1, in words
    view: str | None = None  # the id of the view of the second chart
    estimate: ArrayLike | None = None  # the model's share of n in each bin or cell of that view, row by row

    @cached_property
    def packed(self) -> dict[str, Any]:
        """The frame as JSON values, made once: it is sent to several browsers, and more than once to each."""
        return _packed(self, estimate=_floats(self.estimate))


@dataclass(frozen=True, kw_only=True, repr=False)
class View:
    """The second chart: bins along x, or a heat map of len(y) rows and len(x) columns, flattened row by row."""

    id: str  # rounds name their view by it
    title: str
    kind: Literal["bars", "heat"]
    x: Sequence[str]
    y: Sequence[str] | None = None
    widths: Sequence[float] | None = None  # of bins along x beside their mean; what comes after them stands apart
    truth: ArrayLike | None = None  # shares of n; None hides the truth
    x_title: str = ""
    y_title: str = ""


@dataclass(frozen=True, kw_only=True)
class Lines:
    """Errors to compare with, as shares of n, drawn as levels.

    All except `bound` and `note` are made from the private data.
    """

    uniform_max: float | None = None
    uniform_mean: float | None = None
    laplace_max: float | None = None
    laplace_mean: float | None = None
    automatic_max: float | None = None  # of Automatic, which ran on the same table
    automatic_mean: float | None = None
    bound: float | None = None
    note: str | None = None  # stands in the legend, for a level that cannot be drawn


@dataclass(frozen=True, kw_only=True)
class Method:
    """How the run selects, measures and updates, where a round has no figures of its own: made from the settings.

    `select` has no full stop at its end. `turn` is what a frame is called.
    """

    turn: Literal["round", "step"] = "round"

    select: str = ""
    measure: str = ""
    update: str = ""


Status = Literal["idle", "waiting", "running", "paused", "done", "stopped", "failed"]


def rounds_message(
    *,
    run: str,
    status: Status,
    total: int,
    n: int,
    rounds: Sequence[Frame],
    first: int = 0,
    budget: float,
    budget_unit: Literal["ε", "ρ"] = "ε",
    lines: Lines | None = None,
    method: Method | None = None,
    views: Sequence[View] = (),
    look: str = "",
    height: int = 320,
    badge: str = "",
    lessons: Mapping[str, str] = NO_LESSONS,
) -> dict[str, Any]:
    """Return the rounds of a run as JSON values for the browser. Later messages continue the drawing.

    `rounds[0]` is round `first` of the run; round 0 is the start, before any measurement. Rounds may be sent again,
    and then replace those sent before. While a run is active, send a few dozen recent rounds. Send all rounds
    (`first=0`) to a new page, and when `look` changes.

    `views` are those that `rounds` name; the browser keeps those sent before. A new `look` makes it forget them: it
    identifies the choice of views, and whether the truth is shown.

    A new `run` clears the charts. It is drawn from round 0 if it is running or replaces another run. `total` rounds are
    planned, on n records. `badge` is that of what the rounds hold without the truth; one that the player does not know
    counts as private. `height` is that of one chart in pixels; the player grows as needed. `lessons` are addresses, by
    the parts of the player that they explain: errors, budget, select, measure, update.
    """
    return {
        "run": run,
        "status": status,
        "total": int(total),
        "n": int(n),
        "first": int(first),
        "rounds": [frame.packed for frame in rounds],
        "budget": float(budget),
        "budget_unit": budget_unit,
        "lines": _packed(lines or Lines()),
        "method": _packed(method or Method()),
        "views": [_packed(view, truth=_floats(view.truth)) for view in views],
        "look": look,
        "height": height,
        "badge": badge,
        "lessons": dict(lessons),
    }


def _packed(data: Frame | View | Lines | Method, **packed: str | None) -> dict[str, Any]:
    """The fields as JSON values; `packed` replaces fields that hold arrays."""
    names = [field.name for field in fields(data) if field.name not in packed]
    return {name: _json_value(getattr(data, name)) for name in names} | packed


def _json_value(value: Any) -> Any:
    """NumPy's numbers become Python's, and numbers that JSON lacks become None."""
    if isinstance(value, list | tuple):
        return [_json_value(element) for element in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _floats(values: ArrayLike | None) -> str | None:
    """Little-endian 32-bit floats in base64: a quarter of the size of JSON, and faster to parse."""
    return None if values is None else base64.b64encode(np.asarray(values, dtype="<f4").tobytes()).decode()
