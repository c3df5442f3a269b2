"""Growth of running time: with the number of attributes by phase, and with one size at a time."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
import plotly.graph_objects as go

from ui.figures.chart import BLUE, GREY, RED, TEAL, Chart, on_paper, rgba
from ui.results.benchmark_words import pace
from ui.results.benchmarks import GROWTHS, PUBLIC, Growth, Record, in_seconds

BENCHMARK_HEIGHT = 430
PHASES = {  # by name of a line: its phases in the records, colour and dash
    "score": (("score",), BLUE, "solid"),
    "update": (("update",), RED, "solid"),
    "count": (("count",), GREY, "solid"),
    "select, measure": (("select", "measure"), GREY, "dot"),
    "make the queries": (("workload",), GREY, "dash"),
}
PREPARATION = ("start", "records", "workload")  # phases before the mechanism begins


def seconds_by_attributes(records: Sequence[Record]) -> Chart:
    """Figure 6: seconds of the whole process, and of each phase."""
    d, wall = [r["attributes"] for r in records], [r["wall"] for r in records]
    traces = [_phase(d, wall, "whole process", TEAL, width=3.5)]
    for name, (phases, color, dash) in PHASES.items():
        traces.append(_phase(d, [sum(r["phases"][p] for p in phases) for r in records], name, color, dash=dash))
    low, high = decades([0.01, *wall], 0.1)
    figure = on_paper(
        traces,
        height=BENCHMARK_HEIGHT,
        hovermode="x unified",
        xaxis={"type": "log", "tickvals": d, "ticktext": [f"{x:,}" for x in d], "title": {"text": "attributes"}},
        yaxis=_seconds_axis(low, high),
    )
    last = records[-1]
    phase, phase_share = _longest(last)
    mechanism = sum(took for phase, took in last["phases"].items() if phase not in PREPARATION)
    title = (
        f"For {last['attributes']:,} attributes and {last['queries']:,} queries, the whole process takes "
        f"{in_seconds(last['wall'])}, the mechanism alone {in_seconds(mechanism)}"
    )
    points = ", ".join(f"{in_seconds(r['wall'])} for {r['attributes']:,}" for r in records)
    alt = (
        f"Seconds against attributes, both on logarithmic scales: {points}. "
        f"Longest phase of the last: {phase}, {phase_share:.0%}."
    )
    return Chart(title, PUBLIC, figure, alt, f"the phase “{phase}” takes {phase_share:.0%} of the time")


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
    note = f"{size}{_raised(curve.exponent)}\u00a0±\u00a0{curve.standard_error:.2f}"
    if curve.name == "T":
        note += f", per round\u00a0T{_raised(curve.exponent - 1)}"
    points = ", ".join(f"{in_seconds(s.middle)} at {n:,}" for n, s in zip(curve.x, curve.seconds, strict=True))
    return Chart(pace(curve), PUBLIC, figure, f"Seconds of {curve.work}: {points}. Fitted: {note}.", note)


def whiskers(low: Sequence[float], middle: Iterable[float], high: Sequence[float], color: str) -> dict:
    """Bars from minimum to maximum, as Plotly's `error_x` and `error_y` take them."""
    above = [h - m for h, m in zip(high, middle, strict=True)]
    below = [m - v for v, m in zip(low, middle, strict=True)]
    return {"array": above, "arrayminus": below, "color": rgba(color, 0.55), "thickness": 1.5, "width": 4}


def _phase(d: Sequence[int], y: Sequence[float], name: str, color: str, *, width: float = 2, dash: str = "solid"):
    return go.Scatter(
        x=d,
        y=y,
        name=name,
        mode="lines+markers",
        line={"color": color, "dash": dash, "width": width},
        marker={"size": 6},
        hovertemplate="%{fullData.name} %{y:,.3~g} s<extra></extra>",
    )


def _longest(record: Record) -> tuple[str, float]:
    """The phase that takes the largest share of a run, and that share."""
    name = max(PHASES, key=lambda name: sum(record["phases"][p] for p in PHASES[name][0]))
    return name, sum(record["phases"][p] for p in PHASES[name][0]) / record["wall"]


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
