"""The live player: two charts, a scrubber and a sentence that show a run converging, then replay it.

A run on a thread yields rounds; a fragment polls it and hands what is new to `player`; the browser buffers the
rounds and draws them on animation frames, with no chart ever rebuilt. Nothing here touches an algorithm.
"""

import base64
import math
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from streamlit.components.v2 import component

HERE = Path(__file__).parent
STATIC = HERE.parents[1] / "static"  # beside app.py: the only folder Streamlit serves
SCRIPTS = ("player.js", "charts.js", "words.js", "plotly.js")  # files to a reader, one module to the browser

_mount = component(
    "mwem_player",
    html=(HERE / "player.html").read_text(encoding="utf-8"),
    css=(HERE / "player.css").read_text(encoding="utf-8"),
    js="".join((HERE / name).read_text(encoding="utf-8") for name in SCRIPTS),
    isolate_styles=False,  # Plotly writes its style sheet into the document, which a shadow root would not see
)


@dataclass(frozen=True, kw_only=True)
class Frame:
    """One round as it is shown. What is None never leaves the server: with the truth hidden, leave the first block out.

    Errors, `residual` and `noise` are shares of n. Texts are ready to show, with their units.
    """

    # Made from the private data.
    max: float | None = None
    mean: float | None = None
    probability: float | None = None  # that the mechanism chose what it chose
    runners: Sequence[tuple[str, float]] | None = None  # the next most probable, with their probabilities
    true_answer: str | None = None  # "1,240"

    # Differentially private, or public.
    round: int
    residual: float | None = None  # |measured - the model's answer before|, drawn when there are no errors
    noise: float | None = None  # scale of the noise in the measurement
    chosen: str | None = None  # "relationship × sex"
    planned: bool = False  # it was this one's turn: nothing was selected
    cell: str | None = None  # the one query of it, if one was chosen
    measured: str | None = None  # "1,234"
    noise_text: str | None = None  # "± 13"
    moved: float | None = None  # total variation between the model before and after
    spent: tuple[float, float] = (0.0, 0.0)  # to select, to measure: so far, in the budget's unit
    estimate: ArrayLike | None = None  # the model's share of n in each bin or cell of the view, row by row


@dataclass(frozen=True, kw_only=True)
class View:
    """What the second chart shows: bins along x, or cells of len(y) rows and len(x) columns, flattened row by row."""

    id: str  # a new id asks for the estimates of every round again
    title: str
    kind: Literal["bars", "heat"]
    x: Sequence[str]
    y: Sequence[str] | None = None
    truth: ArrayLike | None = None  # shares of n; None when the truth is hidden
    x_title: str = ""
    y_title: str = ""


@dataclass(frozen=True, kw_only=True)
class Lines:
    """Levels to compare the errors with, as shares of n. All but `bound` are made from the private data."""

    uniform_max: float | None = None
    uniform_mean: float | None = None
    laplace_max: float | None = None
    laplace_mean: float | None = None
    bound: float | None = None


def player(
    *,
    key: str,
    run: str,
    status: Literal["idle", "running", "paused", "done", "stopped", "failed"],
    total: int,
    n: int,
    rounds: Sequence[Frame],
    first: int = 0,
    budget: float,
    budget_unit: Literal["ε", "ρ"] = "ε",
    lines: Lines | None = None,
    view: View | None = None,
    height: int = 320,
    seeded: bool = False,
    on_gap: Callable[[], None] | None = None,
) -> None:
    """Show the rounds of a run; called again with the next ones, go on drawing where the last call ended.

    `rounds[0]` is number `first` of the run, and number 0 of the run is the start, before any measurement. The list
    may overlap what was sent before: what comes again replaces what was there. So while a run is going send a few
    dozen recent rounds; send all of them (`first=0`) on a full rerun of the page, when `view.id` changes and when the
    truth is hidden or shown. If the browser still lacks rounds, or estimates for the view, `on_gap` is called before
    the rerun: forget there what was already sent.

    A new `run` starts the charts afresh; if it is running, or replaces another, it is drawn from round 0 onwards.
    `total` rounds of n records are planned. With `seeded` nothing is said to be private: a known seed takes the noise
    away again. `height` is that of one chart, in pixels; the player grows as it needs.
    """
    _mount(
        key=key,
        data={
            "plotly": serve_plotly(),
            "run": run,
            "status": status,
            "total": int(total),
            "n": int(n),
            "first": int(first),
            "rounds": [_packed(frame, estimate=_floats(frame.estimate)) for frame in rounds],
            "budget": float(budget),
            "budget_unit": budget_unit,
            "lines": _packed(lines or Lines()),
            "view": view and _packed(view, truth=_floats(view.truth)),
            "height": height,
            "seeded": seeded,
        },
        on_gap_change=on_gap or _nothing,
    )


@cache
def serve_plotly() -> str:
    """Put plotly's own script where Streamlit serves it, unless it is there already; return its address.

    The copy appears under its name in one step, so several servers may start at once.
    """
    script = Path(str(files("plotly") / "package_data" / "plotly.min.js"))
    served = STATIC / script.name
    if not served.exists() or _opening(served) != _opening(script):
        STATIC.mkdir(exist_ok=True)
        handle, partial = tempfile.mkstemp(dir=STATIC, suffix=".partial")
        os.close(handle)
        shutil.copyfile(script, partial)
        os.chmod(partial, 0o644)
        os.replace(partial, served)
    return f"./app/static/{script.name}?v={version('plotly')}"  # relative: it must work under any base path


def _opening(path: Path) -> tuple[int, bytes]:
    """Size and first line of the licence comment, which names the version."""
    with path.open("rb") as file:
        return path.stat().st_size, file.read(64)


def _packed(shown: Frame | View | Lines, **packed: str | None) -> dict[str, Any]:
    """Fields as JSON can hold them, the arrays already packed."""
    fields = asdict(replace(shown, **dict.fromkeys(packed)))
    return {name: _plain(value) for name, value in fields.items()} | packed


def _plain(value: Any) -> Any:
    """Python's numbers for NumPy's; None for what JSON cannot hold."""
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _floats(values: ArrayLike | None) -> str | None:
    """Little-endian 32-bit floats in base64: a quarter of the size of JSON, and no digits to parse."""
    return None if values is None else base64.b64encode(np.asarray(values, dtype="<f4").tobytes()).decode()


def _nothing() -> None:
    """Ask for nothing."""
