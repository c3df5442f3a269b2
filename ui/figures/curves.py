"""Error over ε or T: one line per system through its geometric means, in a band from its lowest seed to its highest."""

from collections.abc import Sequence

import plotly.graph_objects as go

from ui.figures.chart import GREY, Chart, log_axis, on_paper, rgba, wrapped
from ui.figures.palette import STROKES
from ui.results.bounds import Bound
from ui.results.curves import Curve
from ui.results.metrics import Metric
from ui.words.badges import PRIVATE
from ui.words.numbers import three_digits

CURVES_HEIGHT = 460


def error_curves(curves: Sequence[Curve], metric: Metric, over: str, *, bound: Bound | None = None) -> Chart:
    """Curves on logarithmic axes, with the line of a bound if it has one; `over` names the x axis."""
    bound = bound if bound and bound.has_line else None
    traces: list[go.Scatter] = []
    for curve in curves:
        traces += [*_band(curve), _line(curve)]
    if bound:
        x, y = zip(*bound.points, strict=True)
        line = {"color": GREY, "dash": "longdashdot", "width": 1.5}
        tip = "%{fullData.name} %{y:.3~g}<extra></extra>"
        traces.append(go.Scatter(x=x, y=y, mode="lines", name=bound.name, line=line, hovertemplate=tip))
    errors = [value for curve in curves for point in curve.points for value in point.values]
    errors += [y for _, y in bound.points] if bound else []
    x = sorted({point.x for curve in curves for point in curve.points})
    x_axis = {
        "type": "log",
        "tickvals": x,
        "ticktext": [f"{value:g}" for value in x],
        "title": {"text": f"{over} (log scale)", "standoff": 10},
    }
    figure = on_paper(
        traces,
        height=CURVES_HEIGHT,
        hovermode="closest",
        xaxis=x_axis,
        yaxis=log_axis(errors) | {"title": {"text": f"{metric.unit_of(errors)} (log scale)"}},
    )
    figure.update_layout(showlegend=True, margin={"t": 44}, legend={"traceorder": "normal", "maxheight": 1000})
    return Chart(f"{metric.name} over {over}", PRIVATE, figure, describe_curves(curves, metric, over))


def describe_curves(curves: Sequence[Curve], metric: Metric, over: str) -> str:
    """The first and the last point of each line in words."""
    ends = "; ".join(
        f"{curve.title} {three_digits(a.mean.middle)} at {a.x:g} and {three_digits(b.mean.middle)} at {b.x:g}"
        for curve in curves
        for a, b in [(curve.points[0], curve.points[-1])]
    )
    return f"{metric.noun.capitalize()} over {over}, both on logarithmic scales: {ends}."


def _line(curve: Curve) -> go.Scatter:
    stroke = STROKES[curve.name]
    points = curve.points
    return go.Scatter(
        x=[point.x for point in points],
        y=[point.mean.middle for point in points],
        name=wrapped(curve.title),
        legendgroup=curve.name,
        mode="lines+markers",
        line={"color": stroke.color, "dash": stroke.dash, "width": 2.5},
        marker={"color": stroke.color, "symbol": stroke.symbol, "size": 8},
        customdata=[[min(point.values), max(point.values), len(point.values)] for point in points],
        hovertemplate=f"<b>{curve.title}</b> at %{{x:g}}<br>%{{y:.3~g}} (%{{customdata[0]:.3~g}} to "
        "%{customdata[1]:.3~g}, seeds: %{customdata[2]})<extra></extra>",
    )


def _band(curve: Curve) -> list[go.Scatter]:
    """From the lowest to the highest seed of each point; nothing if every point has one seed."""
    points = [point for point in curve.points if min(point.values) > 0]
    if all(len(point.values) < 2 for point in points):
        return []
    x = [point.x for point in points]
    low, high = [min(point.values) for point in points], [max(point.values) for point in points]
    return [
        go.Scatter(
            x=[*x, *x[::-1]],
            y=[*high, *low[::-1]],
            mode="lines",
            line={"width": 0},
            fill="toself",
            fillcolor=rgba(STROKES[curve.name].color, 0.16),
            legendgroup=curve.name,
            showlegend=False,
            hoverinfo="skip",
        )
    ]
