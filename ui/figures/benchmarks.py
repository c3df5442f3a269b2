"""Error against time: the project's own beside other programs."""

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from ui.figures.chart import BLUE, GREY, TEAL, Chart, on_paper, rgba
from ui.figures.growth import TALL, bars, decades
from ui.results.benchmark_words import headline
from ui.results.benchmarks import OURS, PUBLIC, Comparison, System, seconds
from ui.words.numbers import share

LINE, CLEAR = 14, 10  # pixels between names, and from a name to a line
NAMES = 0.44  # of the width, for the names to the right of the last point


def error_against_time(found: Comparison) -> Chart:
    """A point a system, bars from least to most; hollow, what is left of its time with everything compiled."""
    systems = [found.ours, *found.peers]
    alone = [] if found.peers else [min(found.baselines.values(), default=0)]
    top = 1.12 * max([*alone, *(system.error.high for system in systems)])
    warm = [system.warm for system in systems if system.warm]
    low, high = decades([*warm, *(t for s in systems for t in (s.seconds.low, s.seconds.high))], 0.2)
    low, ticks = min(low, high - 1), [t for t in range(-4, 6) if low <= t <= high + 0.2]
    column = high
    high += NAMES / (1 - NAMES) * (high - low)
    drawn = {name: level for name, level in found.baselines.items() if level < top}
    traces = [_warm(system, system.warm) for system in systems if system.warm]
    traces += [_system(system, TEAL if system.name == OURS else BLUE) for system in systems]
    figure = on_paper(
        traces,
        height=TALL,
        hovermode="closest",
        xaxis={
            "type": "log",
            "range": [low, high],
            "tickvals": [10.0**t for t in ticks],
            "ticktext": [f"{10.0**t:,g} s" for t in ticks],
            "title": {"text": "a whole fresh process, seconds (log scale)", "standoff": 6},
        },
        yaxis={"range": [0, top], "nticks": 6, "tickformat": "~g", "title": {"text": found.measure}},
    )
    figure.update_layout(showlegend=False, margin={"t": 8})
    for level in drawn.values():
        figure.add_hline(level, line={"color": GREY, "dash": "dash", "width": 1})
    _name(figure, systems, drawn, top, column)
    return Chart(headline(found), PUBLIC, figure, describe_systems(found))


def describe_systems(found: Comparison) -> str:
    """Every point in a sentence."""
    told = "; ".join(
        f"{system.name} {seconds(system.seconds.middle)} and {share(system.error.middle)}"
        for system in (found.ours, *found.peers)
    )
    levels = "".join(f"; {name} errs {share(level)}" for name, level in found.baselines.items())
    return f"{found.title}. Seconds and {found.measure}, medians: {told}{levels}."


def _system(system: System, color: str) -> go.Scatter:
    time, error = system.seconds, system.error
    tip = f"<b>{system.name}</b><br>%{{x:.3~g}} s<br>error %{{y:.3~g}}<br>seeds: {system.seeds}<extra></extra>"
    return go.Scatter(
        x=[time.middle],
        y=[error.middle],
        mode="markers",
        marker={"color": color, "size": 15 if color == TEAL else 11},
        error_x=bars([time.low], [time.middle], [time.high], color),
        error_y=bars([error.low], [error.middle], [error.high], color),
        hovertemplate=tip,
    )


def _warm(system: System, seconds_: float) -> go.Scatter:
    y = [system.error.middle] * 2
    return go.Scatter(
        x=[seconds_, system.seconds.middle],
        y=y,
        mode="lines+markers",
        line={"color": BLUE, "dash": "dot", "width": 1},
        marker={"color": "rgba(0,0,0,0)", "size": [9, 0], "line": {"color": BLUE, "width": 1.5}},
        hovertemplate=f"<b>{system.name}</b><br>all compiled: {seconds(seconds_)}<extra></extra>",
    )


def _name(figure: go.Figure, systems: Sequence[System], levels: dict[str, float], top: float, column: float) -> None:
    """Names on their lines; ours beside its point, the others' in a column to the right of all, a thread to each."""
    tall = TALL - 60
    for name, level in levels.items():
        text = {"x": 0, "xref": "paper", "y": level, "text": name, "xanchor": "left", "yanchor": "bottom"}
        figure.add_annotation(text | {"showarrow": False, "font": {"size": 11, "color": GREY}})
    lines = [(1 - level / top) * tall for level in levels.values()]
    taken: list[float] = []
    for system in sorted(systems, key=lambda system: -system.error.middle):
        x, y, own = math.log10(system.seconds.middle), system.error.middle, system.name == OURS
        place = _free((1 - y / top) * tall, taken, lines)
        taken.append(place)
        figure.add_annotation(
            x=x,
            y=y,
            text=f"<b>{system.name}</b>" if own else system.name,
            axref="pixel" if own else "x",
            ayref="pixel" if own else "y",
            ax=13 if own else column,
            ay=0 if own else (1 - place / tall) * top,
            xanchor="left",
            arrowhead=0,
            arrowwidth=1,
            arrowcolor=rgba(GREY, 0 if own else 0.5),
            standoff=7,
            font={"size": 12 if own else 11},
        )


def _free(want: float, taken: Sequence[float], lines: Sequence[float]) -> float:
    """The place nearest to `want`, in pixels, on no other name and on no line."""
    for step in range(1000):
        place = want + (-1) ** step * math.ceil(step / 2)
        if all(abs(place - other) >= LINE for other in taken) and all(abs(place - line) >= CLEAR for line in lines):
            return place
    return want
