"""The parts all charts share: their type, colours, axes and labels."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import plotly.graph_objects as go

from mwem_app.base import Badge

AMBER, TEAL, BLUE, RED, GREY = "#B7791F", "#178F80", "#3F7FCC", "#D9603F", "#8A8F98"
GRID = "rgba(128, 132, 140, 0.22)"


@dataclass(frozen=True)
class Chart:
    """A figure with its title, its badge, an alternative text, and a note on its numbers."""

    title: str
    badge: Badge
    figure: go.Figure
    alt: str
    note: str = ""

    @property
    def spoken(self) -> str:
        """The alternative text with the badge: it tells a reader who cannot see the badge what that says."""
        return f"{self.alt} {self.badge.sentence}"


def on_paper(traces: list, *, height: int, **layout: Any) -> go.Figure:
    """Traces with axes, margins and, if there are several, a legend on top. `height` is in pixels.

    The layout is complete before the figure is made: a figure that is made and then changed takes eight times as long.
    """
    axis = {"gridcolor": GRID, "zeroline": False, "linecolor": GRID, "tickcolor": GRID, "automargin": True}
    axis |= {"tickfont": {"size": 12}, "fixedrange": True}
    has_legend = len(traces) > 1
    legend = {
        "orientation": "h",
        "traceorder": "reversed" if layout["hovermode"] != "x unified" else "normal",
        "x": 0,
        "xanchor": "left",
        "y": 1,
        "yanchor": "bottom",
    }
    whole = {
        "template": "none",
        "height": height,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "barmode": "overlay",
        "bargap": 0.2,
        "showlegend": has_legend,
        **layout,
        "xaxis": axis | layout["xaxis"],
        "yaxis": axis | layout["yaxis"],
        "margin": {"l": 8, "r": 8, "t": 36 if has_legend else 8, "b": 8} | layout.get("margin", {}),
        "legend": legend | layout.get("legend", {}),
    }
    return go.Figure(traces, whole)


def log_axis(values: Iterable[float]) -> dict[str, Any]:
    """A logarithmic axis that ends at half decades around the positive `values`; from a million on, in powers of 10."""
    logs = [math.log10(value) for value in values if value > 0] or [0.0]
    low, high = math.floor(2 * min(logs) - 0.1) / 2, math.ceil(2 * max(logs) + 0.1) / 2
    numbers = {"exponentformat": "power"} if high >= 6 else {"tickformat": "~g"}
    return {"type": "log", "range": [low, high], "dtick": 1 if high - low > 2 else "D2"} | numbers


def row_axis(names: Sequence[str]) -> dict[str, Any]:
    """An axis with a name, as Plotly must receive it, for each row; the first is on top."""
    rows = {"tickvals": list(range(len(names))), "range": [len(names) - 0.5, -0.5]}
    return rows | {"ticktext": list(names), "showgrid": False, "ticks": ""}


def rgba(color: str, alpha: float) -> str:
    """A "#rrggbb" colour with an opacity."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {alpha:.3g})"


def safe(text: str) -> str:
    """The text as Plotly must receive it: it reads labels as HTML, and "<=50K" is a label."""
    return escape(text, quote=False)


def break_label(text: str, max_length: int = 20) -> str:
    """`safe`; a longer text is broken into two lines at the space nearest to its middle."""
    spaces = [i for i, letter in enumerate(text) if letter == " "]
    if len(text) <= max_length or not spaces:
        return safe(text)
    i = min(spaces, key=lambda i: abs(i - len(text) / 2))
    return f"{safe(text[:i])}<br>{safe(text[i + 1 :])}"


def cut(text: str, max_length: int) -> str:
    """`safe`; a longer text is cut, for an axis with little room. The full text shows on hover."""
    return safe(text if len(text) <= max_length else f"{text[: max_length - 1]}…")
