"""The panels of an experiment's figure: one chart per table, a line per method, a band over seeds."""

import math
from collections.abc import Mapping, Sequence
from itertools import cycle

import plotly.graph_objects as go

from mwem_app.base import three_digits
from mwem_app.charts import COLORS, GREY, Chart, Stroke, log_axis, on_paper, rgba, safe, wrapped
from mwem_app.evidence.benchmarks import PUBLIC
from mwem_core.experiments import Frame, Plot

HEIGHT, SIZE = 400, 13  # of a chart, and of its type, in pixels
MAX_TITLE = 36  # letters beside the axis
PAPER, INK = "#FBFAF6", "#12161E"  # of the light theme, also on a dark page: a saved picture goes on a light slide
DASHES, SYMBOLS = ("solid", "dash", "dot"), ("circle", "square", "triangle-up", "diamond", "cross")
OPEN = ("circle-open", "diamond-open")
BESIDE = ("longdashdot", "dash", "dot", "longdash", "dashdot")


def panels(plot: Plot, heading: str) -> list[Chart]:
    """A chart per panel, in the order of the points. Its title, which a saved picture has too, is below `heading`."""
    strokes, parts = strokes_of(plot), plot.points.groupby("panel", sort=False)
    return [_panel(str(panel), heading, own, plot, strokes) for panel, own in parts]


def strokes_of(plot: Plot) -> dict[str, Stroke]:
    """How each method is drawn, the same in every panel: grey for what stands beside, else a colour of its own."""
    methods = [*dict.fromkeys(plot.points["method"])]
    own = [name for name in methods if name not in plot.beside]
    strokes = {
        name: Stroke(COLORS[i % len(COLORS)], DASHES[i // len(COLORS)], SYMBOLS[i % len(SYMBOLS)], "")
        for i, name in enumerate(own)
    }
    symbols = cycle([""] if plot.joined else OPEN)
    grey = {name: Stroke(GREY, dash, next(symbols), "") for name, dash in zip(plot.beside, BESIDE, strict=False)}
    return strokes | grey


def _panel(title: str, heading: str, own: Frame, plot: Plot, strokes: Mapping[str, Stroke]) -> Chart:
    lines = {name: own[own["method"] == name].sort_values("x") for name in strokes if (own["method"] == name).any()}
    traces = [trace for name, line in lines.items() for trace in _line(name, line, strokes[name], plot)]
    x = sorted({float(value) for value in own["x"]})
    finite = [float(v) for v in own[["y", "low", "high"]].to_numpy().ravel() if math.isfinite(v)]
    x_title = {"text": plot.x_title, "standoff": 10, "font": {"size": SIZE}}
    x_axis = {"title": x_title, "tickvals": x, "ticktext": [plot.x_name(v) for v in x]}
    y_axis = log_axis(_shown(own["y"], finite)) if plot.log_y else {}
    scale = " (log scale)" if plot.log_y else ""
    figure = on_paper(
        traces,
        height=HEIGHT,
        hovermode="closest",
        xaxis=x_axis | ({"type": "log"} if plot.log_x else {}),
        yaxis=y_axis | {"title": {"text": wrapped(f"{plot.y_title}{scale}", MAX_TITLE), "font": {"size": SIZE}}},
        showlegend=True,
        legend={
            "traceorder": "normal",
            "maxheight": 1000,
            "title": {"text": f"<b>{safe(f'{heading}: {title}')}</b>", "side": "top"},
        },
        margin={"t": 64},
        paper_bgcolor=PAPER,
        font={"color": INK, "family": "Source Sans, sans-serif", "size": SIZE},
    )
    ends = "; ".join(
        f"{name} {three_digits(line['y'].iloc[0])} at {plot.x_name(line['x'].iloc[0])} and "
        f"{three_digits(line['y'].iloc[-1])} at {plot.x_name(line['x'].iloc[-1])}"
        for name, line in lines.items()
    )
    return Chart(title, PUBLIC, figure, f"{title}: {plot.y_title}, by {plot.x_title}: {ends}.")


def _shown(middle: Sequence[float], finite: Sequence[float]) -> list[float]:
    """The values that the axis must hold: every middle that is finite."""
    return [float(value) for value in middle if math.isfinite(value)] or list(finite)


def _line(name: str, line: Frame, stroke: Stroke, plot: Plot) -> list[go.Scatter]:
    seeds = int(line["seeds"].max())
    drawn = go.Scatter(
        x=line["x"].tolist(),
        y=line["y"].tolist(),
        name=safe(name),
        legendgroup=name,
        mode=("lines+markers" if plot.joined else "markers") if stroke.symbol else "lines",
        line={"color": stroke.color, "dash": stroke.dash, "width": 2.5 if stroke.symbol else 1.5},
        marker={"color": stroke.color, "symbol": stroke.symbol or "circle", "size": 14 if stroke.symbol in OPEN else 8},
        customdata=[
            [f", T = {T}" if isinstance(T, int) else "", plot.x_name(x)]
            for T, x in zip(line["T"], line["x"], strict=True)
        ],
        hovertemplate=f"<b>{safe(name)}</b> at %{{customdata[1]}}<br>%{{y:.3~g}}%{{customdata[0]}}<extra></extra>",
    )
    return [drawn] if seeds < 2 or not stroke.symbol else [_band(name, line, stroke), drawn]


def _band(name: str, line: Frame, stroke: Stroke) -> go.Scatter:
    inside = line[(line["low"] > 0) & (line["high"] < math.inf)]
    return go.Scatter(
        x=[*inside["x"], *inside["x"][::-1]],
        y=[*inside["high"], *inside["low"][::-1]],
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=rgba(stroke.color, 0.16),
        legendgroup=name,
        showlegend=False,
        hoverinfo="skip",
    )
