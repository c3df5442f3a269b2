"""Error over ε or T as curves: a line per system through its geometric means, in a band over its seeds."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from mwem_app.base import Badge, three_digits
from mwem_app.charts import GREY, STROKES, Chart, break_label, log_axis, on_paper, rgba, safe
from mwem_app.compare.curves import Curve, Metric
from mwem_app.compare.decision import Need, Unit
from mwem_core.systems import SYSTEMS

CURVES_HEIGHT = 340
LABEL_ROOM = 0.25  # of the chart's width: the label of the best ε takes as much
FAR = 30.0  # a target this many times below or above every error is not drawn: the curves would be flat
X_TITLES = {"ε": "privacy budget ε", "T": "rounds T"}
TITLES = {"ε": "Error at each ε", "T": "Error at each number of rounds T"}


@dataclass(frozen=True)
class Mark:
    """A target in a unit, and the ε that each system needs for it, best first."""

    target: float
    unit: Unit
    needs: Sequence[Need]

    @property
    def crossings(self) -> list[Need]:
        """The systems whose curve crosses the target between two ε that ran."""
        return [need for need in self.needs if 0 < need.epsilon.middle < math.inf]


def error_curves(
    curves: Sequence[Curve],
    metric: Metric,
    over: str,
    badge: Badge,
    *,
    mark: Mark | None = None,
) -> Chart:
    """Curves on logarithmic axes, with a target; `over`, "ε" or "T", names the x axis."""
    traces = [trace for curve in curves for trace in (*_band(curve), _line(curve))]
    errors = [value for curve in curves for point in curve.points for value in point.values]
    if mark and not min(errors) / FAR <= mark.target <= max(errors) * FAR:
        mark = None
    errors += [mark.target] if mark else []
    x = sorted({point.x for curve in curves for point in curve.points})
    x_axis = {
        "type": "log",
        "tickvals": x,
        "ticktext": [f"{value:g}" for value in x],
        "title": {"text": f"{X_TITLES[over]} (log scale)", "standoff": 10},
    }
    figure = on_paper(
        traces,
        height=CURVES_HEIGHT,
        hovermode="closest",
        xaxis=x_axis,
        yaxis=log_axis(errors) | {"title": {"text": f"{metric.unit_of(errors)} (log scale)"}},
        showlegend=True,
        margin={"t": 44},
        legend={"traceorder": "normal", "maxheight": 1000},
    )
    alt = describe_curves(curves, metric, over)
    if mark:
        alt += _draw_target(figure, mark, x)
    return Chart(TITLES[over], badge, figure, alt)


def _draw_target(figure: go.Figure, mark: Mark, x: Sequence[float]) -> str:
    """A line at the target, and one down to the ε of each system that reaches it; returns a sentence on them.

    The labels stand where no curve is: above the target on the right or, if no system reaches it, below; and left of
    the smallest ε that reaches it.
    """
    y = mark.target
    line = {"type": "line", "layer": "below", "line": {"color": GREY, "width": 1.5, "dash": "dash"}}
    figure.add_shape(**line, xref="paper", x0=0, x1=1, y0=y, y1=y)
    label = {"showarrow": False, "bgcolor": "rgba(0,0,0,0)", "font": {"size": 13}}
    target = mark.unit.label.format(f"{y:,.10g}")
    above = {"yanchor": "bottom"} if mark.crossings else {"yanchor": "top"}
    right = {"xref": "paper", "x": 1, "xanchor": "right", "y": math.log10(y)}
    figure.add_annotation(**label, **above, **right, text=f"target: {target}")
    bottom = 10.0 ** float(figure.layout["yaxis"]["range"][0])  # pyright: ignore[reportArgumentType]
    for need in mark.crossings:
        epsilon, stroke = need.epsilon.middle, STROKES[need.name]
        drop = {"color": stroke.color, "width": 1.5, "dash": "dot"}
        figure.add_shape(**line | {"line": drop}, x0=epsilon, x1=epsilon, y0=bottom, y1=y)
        figure.add_scatter(
            x=[epsilon],
            y=[y],
            mode="markers",
            marker={"size": 11, "symbol": "circle-open", "color": stroke.color, "line": {"width": 2.5}},
            showlegend=False,
            hovertemplate=f"{need.title} reaches the target at ε ≈ {epsilon:.2g}<extra></extra>",
        )
    if mark.crossings:
        best = mark.crossings[0]
        at = math.log10(best.epsilon.middle)
        left = at - math.log10(x[0]) > LABEL_ROOM * math.log10(x[-1] / x[0])
        side = {"xanchor": "right", "xshift": -6} if left else {"xanchor": "left", "xshift": 6}
        text = f"{break_label(best.title)}<br><b>ε ≈ {best.epsilon.middle:.2g}</b>"
        figure.add_annotation(**label, **side, x=at, y=math.log10(bottom), yanchor="bottom", align="left", text=text)
    reached = ", ".join(f"{need.title} at ε = {need.epsilon.middle:.2g}" for need in mark.crossings)
    return f" The target, {target}, is reached by {reached}." if reached else f" No curve crosses the target, {target}."


def describe_curves(curves: Sequence[Curve], metric: Metric, over: str) -> str:
    """The first and the last point of each line in words."""
    ends = "; ".join(
        f"{curve.title} {three_digits(a.mean.middle)} at {a.x:g} and {three_digits(b.mean.middle)} at {b.x:g}"
        for curve in curves
        for a, b in [(curve.points[0], curve.points[-1])]
    )
    noun = metric.noun[0].upper() + metric.noun[1:]
    return " ".join([f"{noun} at each {over}, on logarithmic scales: {ends}.", *map(describe_changes, curves)]).strip()


def describe_changes(curve: Curve) -> str:
    """What the system does at which ε, if that changes; else nothing."""
    stages = curve.stages
    if len(stages) < 2:
        return ""
    *earlier, (start, _, last_words) = stages
    parts = [f"{words} up to ε = {end.x:g}" for _, end, words in earlier]
    return f"{curve.title} changes what it does: {', '.join(parts)}; {last_words} from ε = {start.x:g} on."


def _line(curve: Curve) -> go.Scatter:
    stroke = STROKES[curve.name]
    points = curve.points
    return go.Scatter(
        x=[point.x for point in points],
        y=[point.mean.middle for point in points],
        name=break_label(curve.title),
        legendgroup=curve.name,
        mode="lines+markers",
        line={"color": stroke.color, "dash": stroke.dash, "width": 2.5},
        marker={"color": stroke.color, "symbol": stroke.symbol, "size": 8},
        customdata=[
            [min(point.values), max(point.values), len(point.values), point.ran and f"<br>{safe(point.ran)}"]
            for point in points
        ],
        hovertemplate=f"<b>{SYSTEMS[curve.name].title}</b> at %{{x:g}}<br>%{{y:.3~g}} (%{{customdata[0]:.3~g}} to "
        "%{customdata[1]:.3~g}, seeds: %{customdata[2]})%{customdata[3]}<extra></extra>",
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
