"""Error against time: this project beside other programs."""

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from mwem_app.base import share
from mwem_app.charts import BLUE, GREY, TEAL, Chart, on_paper, rgba
from mwem_app.evidence.benchmark_words import headline
from mwem_app.evidence.benchmarks import OURS, PUBLIC, Comparison, Competitor, in_seconds
from mwem_app.evidence.growth_charts import BENCHMARK_HEIGHT, decades, whiskers

NAME_HEIGHT, LINE_CLEARANCE = 14, 10  # pixels between names, and from a name to a line
NAMES_WIDTH = 0.44  # of the chart, to the right of the last point


def error_against_time(comparison: Comparison) -> Chart:
    """One point per system, with bars from minimum to maximum.

    A hollow point is the time of the mechanism alone, once all code is compiled.
    """
    systems = [comparison.ours, *comparison.peers]
    lowest = [] if comparison.peers else [min(comparison.baselines.values(), default=0)]  # a level to compare with
    top = 1.12 * max([*lowest, *(system.error.high for system in systems)])
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
