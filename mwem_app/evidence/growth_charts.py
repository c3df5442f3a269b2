"""Growth of running time with one size at a time."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
import plotly.graph_objects as go

from mwem_app.charts import GREY, TEAL, Chart, on_paper, rgba
from mwem_app.evidence.benchmark_words import pace
from mwem_app.evidence.benchmarks import GROWTHS, PUBLIC, Growth, in_seconds

BENCHMARK_HEIGHT = 430


def growth_panel(curve: Growth) -> Chart:
    """Medians with bars from minimum to maximum, and the fitted power law."""
    x, y = np.array(curve.x, float), np.array([s.middle for s in curve.seconds])
    level = np.log(y).mean() - curve.exponent * np.log(x).mean()
    fitted = np.exp(level + curve.exponent * np.log(x))
    low, high = decades([v for s in curve.seconds for v in (s.low, s.high)], 0.15)
    middle = (low + high) / 2
    low, high = min(low, middle - 1), max(high, middle + 1)  # never less than two decades: noise is not growth
    spread = whiskers([s.low for s in curve.seconds], y, [s.high for s in curve.seconds], TEAL)
    tip = "%{x:,}: %{y:.3~g} s<extra></extra>"
    size, ticks = GROWTHS[curve.name][1], curve.x if len(curve.x) < 6 else curve.x[::2]
    figure = on_paper(
        [
            go.Scatter(
                x=x, y=fitted, mode="lines", line={"color": GREY, "dash": "dot", "width": 1.5}, hoverinfo="skip"
            ),
            go.Scatter(x=x, y=y, mode="markers", marker={"color": TEAL, "size": 8}, error_y=spread, hovertemplate=tip),
        ],
        height=200,
        hovermode="closest",
        xaxis={
            "type": "log",
            "range": decades(curve.x, 0.1),
            "tickvals": ticks,
            "ticktext": [f"{size} = {_short(x)}" if i == 0 else _short(x) for i, x in enumerate(ticks)],
        },
        yaxis=_seconds_axis(low, high),
        showlegend=False,
        margin={"t": 8},
    )
    note = f"{size}{_raised(curve.exponent)} (standard error {curve.standard_error:.2f})"
    if curve.name == "T":
        note += f", per round\u00a0T{_raised(curve.exponent - 1)}"
    points = ", ".join(f"{in_seconds(s.middle)} at {n:,}" for n, s in zip(curve.x, curve.seconds, strict=True))
    return Chart(pace(curve), PUBLIC, figure, f"Seconds of {curve.work}: {points}. Fitted: {note}.", note)


def whiskers(low: Sequence[float], middle: Iterable[float], high: Sequence[float], color: str) -> dict:
    """Bars from minimum to maximum, as Plotly's `error_x` and `error_y` take them."""
    above = [h - m for h, m in zip(high, middle, strict=True)]
    below = [m - v for v, m in zip(low, middle, strict=True)]
    return {"array": above, "arrayminus": below, "color": rgba(color, 0.55), "thickness": 1.5, "width": 4}


def _short(number: int) -> str:
    return f"{number:,}" if number < 10**4 else f"{number // 10**3}k" if number < 10**6 else f"{number / 10**6:g}M"


def _raised(exponent: float) -> str:
    return f"{exponent:.2f}".translate(str.maketrans("0123456789.-", "⁰¹²³⁴⁵⁶⁷⁸⁹·⁻"))


def decades(values: Sequence[float], room: float) -> tuple[float, float]:
    """The ends of a logarithmic axis, as logarithms, with `room` decades to spare on each side."""
    logs = np.log10([value for value in values if value > 0])
    return float(logs.min()) - room, float(logs.max()) + room


def _seconds_axis(low: float, high: float) -> dict:
    ticks = list(range(math.ceil(low), math.floor(high) + 1))
    labels = [f"{10.0**t:,g} s" for t in ticks]
    return {"type": "log", "range": [low, high], "tickvals": [10.0**t for t in ticks], "ticktext": labels}
