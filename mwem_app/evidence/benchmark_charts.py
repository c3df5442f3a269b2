"""What the benchmarks measured, as charts: error against time beside other programs, and seconds as sizes grow."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
import plotly.graph_objects as go

from mwem_app.base import share
from mwem_app.charts import BLUE, GREY, TEAL, Chart, on_paper, rgba
from mwem_app.evidence.benchmarks import (
    GROWTHS,
    OURS,
    PUBLIC,
    Comparison,
    Competitor,
    Growth,
    headline,
    in_seconds,
    pace,
)

BENCHMARK_HEIGHT = 430
NAME_HEIGHT, LINE_CLEARANCE = 14, 10  # pixels between names, and from a name to a line
NAMES_WIDTH = 0.44  # of the chart, to the right of the last point


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
    note = f"{size}{_superscript(curve.exponent)} (standard error {curve.standard_error:.2f})"
    if curve.name == "T":
        note += f", per round\u00a0T{_superscript(curve.exponent - 1)}"
    points = ", ".join(f"{in_seconds(s.middle)} at {n:,}" for n, s in zip(curve.x, curve.seconds, strict=True))
    return Chart(pace(curve), PUBLIC, figure, f"Seconds of {curve.work}: {points}. Fitted: {note}.", note)


def whiskers(low: Sequence[float], middle: Iterable[float], high: Sequence[float], color: str) -> dict:
    """Bars from minimum to maximum, as Plotly's `error_x` and `error_y` take them."""
    above = [h - m for h, m in zip(high, middle, strict=True)]
    below = [m - v for v, m in zip(low, middle, strict=True)]
    return {"array": above, "arrayminus": below, "color": rgba(color, 0.55), "thickness": 1.5, "width": 4}


def _short(number: int) -> str:
    return f"{number:,}" if number < 10**4 else f"{number // 10**3}k" if number < 10**6 else f"{number / 10**6:g}M"


def _superscript(exponent: float) -> str:
    return f"{exponent:.2f}".translate(str.maketrans("0123456789.-", "⁰¹²³⁴⁵⁶⁷⁸⁹·⁻"))


def decades(values: Sequence[float], room: float) -> tuple[float, float]:
    """The ends of a logarithmic axis, as logarithms, with `room` decades to spare on each side."""
    logs = np.log10([value for value in values if value > 0])
    return float(logs.min()) - room, float(logs.max()) + room


def _seconds_axis(low: float, high: float) -> dict:
    ticks = list(range(math.ceil(low), math.floor(high) + 1))
    labels = [f"{10.0**t:,g} s" for t in ticks]
    return {"type": "log", "range": [low, high], "tickvals": [10.0**t for t in ticks], "ticktext": labels}


def error_against_time(comparison: Comparison) -> Chart:
    """One point per system, with bars from minimum to maximum.

    A hollow point is the time of the mechanism alone, once all code is compiled.
    """
    systems = [comparison.ours, *comparison.peers]
    top = 1.12 * max(system.error.high for system in systems)
    warm = [system.warm for system in systems if system.warm]
    low, high = decades([*warm, *(t for s in systems for t in (s.seconds.low, s.seconds.high))], 0.2)
    low, ticks = min(low, high - 1), [t for t in range(-4, 6) if low <= t <= high + 0.2]
    names_x = high
    high += NAMES_WIDTH / (1 - NAMES_WIDTH) * (high - low)
    baselines = {name: level for name, level in comparison.baselines.items() if level < top}
    colors = [TEAL if system.name == OURS else BLUE for system in systems]
    traces = [_warm(system, system.warm, color) for system, color in zip(systems, colors, strict=True) if system.warm]
    traces += map(_system, systems, colors)
    figure = on_paper(
        traces,
        height=BENCHMARK_HEIGHT,
        hovermode="closest",
        xaxis={
            "type": "log",
            "range": [low, high],
            "tickvals": [10.0**t for t in ticks],
            "ticktext": [f"{10.0**t:,g} s" for t in ticks],
            "title": {"text": "seconds: ● whole process, ○ mechanism alone", "standoff": 6},
        },
        yaxis={"range": [0, top], "nticks": 6, "tickformat": "~g", "title": {"text": comparison.measure}},
        showlegend=False,
        margin={"t": 8},
    )
    for level in baselines.values():
        figure.add_hline(level, line={"color": GREY, "dash": "dash", "width": 1})
    _add_names(figure, systems, baselines, top, names_x)
    return Chart(headline(comparison), PUBLIC, figure, describe_comparison(comparison))


def describe_comparison(comparison: Comparison) -> str:
    """Every point in words."""
    points = "; ".join(
        f"{system.name} {in_seconds(system.seconds.middle)}{_compiled(system)} and {share(system.error.middle)}"
        for system in (comparison.ours, *comparison.peers)
    )
    levels = "".join(f"; the error of {name} is {share(level)}" for name, level in comparison.baselines.items())
    return f"{comparison.title}. Seconds of a whole process and {comparison.measure}, medians: {points}{levels}."


def _compiled(system: Competitor) -> str:
    return "" if system.warm is None else f" ({in_seconds(system.warm)} once compiled, without imports)"


def _system(system: Competitor, color: str) -> go.Scatter:
    time, error = system.seconds, system.error
    tip = f"<b>{system.name}</b><br>%{{x:.3~g}} s<br>error %{{y:.3~g}}<br>seeds: {system.seeds}<extra></extra>"
    return go.Scatter(
        x=[time.middle],
        y=[error.middle],
        mode="markers",
        marker={"color": color, "size": 15 if color == TEAL else 11},
        error_x=whiskers([time.low], [time.middle], [time.high], color),
        error_y=whiskers([error.low], [error.middle], [error.high], color),
        hovertemplate=tip,
    )


def _warm(system: Competitor, warm_seconds: float, color: str) -> go.Scatter:
    y = [system.error.middle] * 2
    return go.Scatter(
        x=[warm_seconds, system.seconds.middle],
        y=y,
        mode="lines+markers",
        line={"color": color, "dash": "dot", "width": 1},
        marker={"color": "rgba(0,0,0,0)", "size": [9, 0], "line": {"color": color, "width": 1.5}},
        hovertemplate=f"<b>{system.name}</b><br>once compiled, without imports: {in_seconds(warm_seconds)}"
        "<extra></extra>",
    )


def _add_names(
    figure: go.Figure, systems: Sequence[Competitor], levels: dict[str, float], top: float, names_x: float
) -> None:
    """Baselines are named on their lines, ours beside its bar, the others in a column joined to their points."""
    pixels = BENCHMARK_HEIGHT - 60
    for name, level in levels.items():
        text = {"x": 0, "xref": "paper", "y": level, "text": name, "xanchor": "left", "yanchor": "bottom"}
        figure.add_annotation(text | {"showarrow": False, "font": {"size": 11, "color": GREY}})
    lines = [(1 - level / top) * pixels for level in levels.values()]
    taken: list[float] = []
    for system in sorted(systems, key=lambda system: -system.error.middle):
        is_ours, y = system.name == OURS, system.error.middle
        x = math.log10(system.seconds.high if is_ours else system.seconds.middle)
        place = _free((1 - y / top) * pixels, taken, lines)
        taken.append(place)
        figure.add_annotation(
            x=x,
            y=y,
            text=f"<b>{system.name}</b>" if is_ours else system.name,
            axref="pixel" if is_ours else "x",
            ayref="pixel" if is_ours else "y",
            ax=13 if is_ours else names_x,
            ay=0 if is_ours else (1 - place / pixels) * top,
            xanchor="left",
            arrowhead=0,
            arrowwidth=1,
            arrowcolor=rgba(GREY, 0 if is_ours else 0.5),
            standoff=7,
            font={"size": 12 if is_ours else 11},
        )


def _free(wanted: float, taken: Sequence[float], lines: Sequence[float]) -> float:
    """The position nearest to `wanted`, in pixels, that is clear of other names and of lines."""
    for step in range(1000):
        place = wanted + (-1) ** step * math.ceil(step / 2)
        if all(abs(place - name) >= NAME_HEIGHT for name in taken) and all(
            abs(place - line) >= LINE_CLEARANCE for line in lines
        ):
            return place
    return wanted
