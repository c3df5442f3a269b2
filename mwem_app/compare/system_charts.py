"""Systems side by side: the mean error of each, its interval over seeds, and the seeds themselves."""

from collections.abc import Sequence

import plotly.graph_objects as go

from mwem_app.base import PRIVATE, three_digits
from mwem_app.charts import GREY, STROKES, Chart, log_axis, on_paper, rgba, wrapped
from mwem_app.compare.metrics import Metric
from mwem_app.compare.standings import Standing
from mwem_core.systems import SYSTEMS

ROW_HEIGHT = 38  # pixels per system
UNIFORM = "uniform"


def error_bars(standings: Sequence[Standing], metric: Metric) -> Chart:
    """The smallest error on top. Diamonds give answers and no rows; hollow symbols have no privacy."""
    errors = [value for s in standings for value in s.values]
    ends = [end for s in standings if _has_interval(s) for end in (s.mean.low, s.mean.high)]
    traces = [trace for row, s in enumerate(standings) for trace in (_seeds(s, row), _dot(s, row, metric))]
    figure = on_paper(
        traces,
        height=70 + ROW_HEIGHT * len(standings),
        hovermode="closest",
        xaxis=log_axis([*errors, *ends]) | {"title": {"text": metric.unit_of(errors), "standoff": 10}},
        yaxis={
            "tickvals": list(range(len(standings))),
            "ticktext": [_name(s) for s in standings],
            "range": [len(standings) - 0.4, -0.6],
            "showgrid": False,
            "ticks": "",
        },
        showlegend=False,
        margin={"t": 14},
    )
    for s in standings:
        if s.name == UNIFORM and s.mean.middle > 0:
            figure.add_vline(s.mean.middle, line={"color": GREY, "dash": "dash", "width": 1}, layer="below")
    return Chart(f"{metric.name} of each system", PRIVATE, figure, describe_standings(standings, metric))


def describe_standings(standings: Sequence[Standing], metric: Metric) -> str:
    """Every system's mean and interval in words."""
    means = "; ".join(f"{s.title} {three_digits(s.mean.middle)}{_interval(s, ' ({} to {})')}" for s in standings)
    return f"{metric.noun.capitalize()}, geometric mean over seeds with its 95% interval: {means}."


def _dot(s: Standing, row: int, metric: Metric) -> go.Scatter:
    color, has_interval = STROKES[s.name].color, _has_interval(s)
    system = SYSTEMS[s.name]
    symbol = "diamond" if system.gives == "answers" else "circle"
    tip = f"<b>{s.title}</b><br>{metric.name} %{{x:.3~g}}{_interval(s, '<br>95% interval {} to {}')}"
    return go.Scatter(
        x=[s.mean.middle],
        y=[row],
        mode="markers",
        marker={
            "color": color,
            "size": 12,
            "symbol": f"{symbol}-open" if system.privacy == "none" else symbol,
            "line": {"color": color, "width": 2},
        },
        error_x={
            "array": [s.mean.high - s.mean.middle if has_interval else 0],
            "arrayminus": [s.mean.middle - s.mean.low if has_interval else 0],
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


def _has_interval(s: Standing) -> bool:
    """Whether the interval can be drawn: it is unknown with one seed, and a point if the errors do not vary."""
    return 0 < s.mean.low < s.mean.high < float("inf")


def _interval(s: Standing, template: str) -> str:
    return template.format(three_digits(s.mean.low), three_digits(s.mean.high)) if _has_interval(s) else ""


def _name(s: Standing) -> str:
    note = {"none": "no privacy", "no data": "no data used"}.get(SYSTEMS[s.name].privacy)
    return f"{s.title}<br><span style='font-size:10px'>{note}</span>" if note else wrapped(s.title)
