"""Systems side by side: a dot each, its interval over seeds, and the seeds themselves."""

from collections.abc import Sequence

import plotly.graph_objects as go

from mwem_core.systems import SYSTEMS
from ui.figures.chart import GREY, Chart, log_axis, on_paper, rgba, wrapped
from ui.figures.palette import STROKES
from ui.results.metrics import Metric
from ui.results.standings import Standing
from ui.words.badges import PRIVATE
from ui.words.numbers import three_digits

LINE = 38  # pixels a system
UNIFORM = "uniform"


def error_bars(standings: Sequence[Standing], metric: Metric) -> Chart:
    """The least error on top; what gives answers only is a diamond, what has no privacy is hollow."""
    every = [value for s in standings for value in s.values]
    every += [end for s in standings if _known(s) for end in (s.typical.low, s.typical.high)]
    traces = [trace for row, s in enumerate(standings) for trace in (_seeds(s, row), _dot(s, row, metric))]
    figure = on_paper(
        traces,
        height=70 + LINE * len(standings),
        hovermode="closest",
        xaxis=log_axis(every) | {"title": {"text": metric.unit, "standoff": 10}},
        yaxis={
            "tickvals": list(range(len(standings))),
            "ticktext": [_name(s) for s in standings],
            "range": [len(standings) - 0.4, -0.6],
            "showgrid": False,
            "ticks": "",
        },
    )
    figure.update_layout(showlegend=False, margin={"t": 14})
    for s in standings:
        if s.name == UNIFORM and s.typical.middle > 0:
            figure.add_vline(s.typical.middle, line={"color": GREY, "dash": "dash", "width": 1}, layer="below")
    return Chart(f"{metric.name} of each system", PRIVATE, figure, describe_bars(standings, metric))


def describe_bars(standings: Sequence[Standing], metric: Metric) -> str:
    """Every dot in a sentence."""
    told = "; ".join(f"{s.title} {three_digits(s.typical.middle)}{_interval(s, ' ({} to {})')}" for s in standings)
    return f"{metric.what.capitalize()}, geometric mean over seeds with its 95% interval: {told}."


def _dot(s: Standing, row: int, metric: Metric) -> go.Scatter:
    color, known = STROKES[s.name].color, _known(s)
    system = SYSTEMS[s.name]
    symbol = "diamond" if system.gives == "answers" else "circle"
    tip = f"<b>{s.title}</b><br>{metric.name} %{{x:.3~g}}{_interval(s, '<br>95% interval {} to {}')}"
    return go.Scatter(
        x=[s.typical.middle],
        y=[row],
        mode="markers",
        marker={
            "color": color,
            "size": 12,
            "symbol": f"{symbol}-open" if system.privacy == "none" else symbol,
            "line": {"color": color, "width": 2},
        },
        error_x={
            "array": [s.typical.high - s.typical.middle if known else 0],
            "arrayminus": [s.typical.middle - s.typical.low if known else 0],
            "color": color,
            "thickness": 2,
            "width": 6,
        },
        hovertemplate=f"{tip}<br>seeds: {len(s.values)}<extra></extra>",
    )


def _seeds(s: Standing, row: int) -> go.Scatter:
    color = rgba(STROKES[s.name].color, 0.5)
    return go.Scatter(
        x=s.values, y=[row + 0.27] * len(s.values), mode="markers", marker={"color": color, "size": 5}, hoverinfo="skip"
    )


def _known(s: Standing) -> bool:
    """Whether there is an interval: one seed gives none, and what never varies needs none."""
    return 0 < s.typical.low < s.typical.high < float("inf")


def _interval(s: Standing, words: str) -> str:
    return words.format(three_digits(s.typical.low), three_digits(s.typical.high)) if _known(s) else ""


def _name(s: Standing) -> str:
    note = {"none": "no privacy", "no data": "no data used"}.get(SYSTEMS[s.name].privacy)
    return f"{s.title}<br><span style='font-size:10px'>{note}</span>" if note else wrapped(s.title)
