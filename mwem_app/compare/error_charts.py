"""Where systems are wrong: true against estimated answers, maps by pair of attributes, bars by group of queries."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from mwem_app.base import PRIVATE, count, share, three_digits
from mwem_app.charts import GREY, Chart, Stroke, cut, on_paper, pair_map, rgba, row_axis, safe
from mwem_core.workload import Workload

MAX_DOTS = 1_500  # half of them the queries with the largest errors, the others drawn at random
SCATTER_HEIGHT = 380


def true_against_estimated(
    workload: Workload,
    queries: np.ndarray,
    truth: np.ndarray,
    estimates: Mapping[str, tuple[np.ndarray, Stroke]],
    n: int,
) -> list[Chart]:
    """One chart per system of the `queries` (indices), all on one scale.

    `truth` is in shares of n, (|Q|,). `estimates` maps a system's title to its answers, likewise, and its stroke.
    Shares below half a record are drawn at the edge, since 0 has no logarithm.
    """
    drawn = {title: _thinned(queries, np.abs(truth - estimate), MAX_DOTS) for title, (estimate, _) in estimates.items()}
    floor = 0.5 / n
    x = {title: np.maximum(np.abs(truth[indices]), floor) for title, indices in drawn.items()}
    # The sign of each pair is turned so that the truth, which parities make negative, is positive.
    turned = {title: np.where(truth < 0, -estimate, estimate) for title, (estimate, _) in estimates.items()}
    y = {title: np.maximum(turned[title][indices], floor) for title, indices in drawn.items()}
    values = np.concatenate([*x.values(), *y.values()])
    low, high = math.log10(values.min()), math.log10(values.max())
    ends = [10**low, 10**high]
    diagonal = go.Scatter(
        x=ends, y=ends, mode="lines", line={"color": GREY, "width": 1, "dash": "dot"}, hoverinfo="skip"
    )
    axis = _axis(low, high, math.log10(floor))
    charts = []
    for title, indices in drawn.items():
        estimate, stroke = estimates[title]
        dots = go.Scattergl(
            x=x[title],
            y=y[title],
            mode="markers",
            marker={"color": rgba(stroke.color, 0.55), "symbol": stroke.symbol, "size": 5},
            customdata=np.column_stack([truth[indices], estimate[indices]]),
            text=[safe(workload.query(int(j))[2]) for j in indices],
            hovertemplate="%{text}<br>true %{customdata[0]:.3~g}<br><b>estimated %{customdata[1]:.3~g}</b>"
            "<extra></extra>",
        )
        figure = on_paper(
            [diagonal, dots],
            height=SCATTER_HEIGHT,
            hovermode="closest",
            xaxis=axis | {"title": {"text": "true share of n", "standoff": 8}},
            yaxis=axis | {"title": {"text": "estimated share of n", "standoff": 4}},
            showlegend=False,
            margin={"t": 8},
        )
        error = float(np.abs(truth - estimate)[queries].mean())
        note = f"{count(len(indices), 'dot')} of {len(queries):,}" if len(indices) < len(queries) else ""
        of_queries = count(len(queries), "query", "queries")
        alt = f"{title}: true against estimated shares of {of_queries}, mean error {three_digits(error)}."
        charts.append(Chart(title, PRIVATE, figure, alt, note))
    return charts


def _axis(low: float, high: float, floor: float) -> dict[str, Any]:
    """An axis with ticks at powers of ten, below two decades also at 2 and 5, and a 0 at the edge if a dot is there."""
    room = 0.05 * (high - low) + 0.05
    digits = (1, 2, 5) if high - low < 2 else (1,)
    candidates = [math.log10(digit) + power for power in range(-9, 1) for digit in digits]
    ticks = [t for t in candidates if max(low - room, floor + 0.35) < t < high + room]
    edge = [floor] if low <= floor else []
    return {
        "type": "log",
        "showgrid": True,
        "range": [low - room, high + room],
        "tickvals": [10.0**t for t in [*edge, *ticks]],
        "ticktext": [*("0" for _ in edge), *(f"{10.0**t:g}" for t in ticks)],
    }


def _thinned(queries: np.ndarray, errors: np.ndarray, max_dots: int) -> np.ndarray:
    """At most `max_dots` of the queries: half those with the largest errors, half a fixed random choice of the rest."""
    if len(queries) <= max_dots:
        return queries
    order = queries[np.argsort(-errors[queries], kind="stable")]
    half = max_dots // 2
    rest = np.random.default_rng(0).choice(order[half:], max_dots - half, replace=False)
    return np.concatenate([order[:half], rest])


def error_maps(names: Sequence[str], metric: str, errors: Mapping[str, np.ndarray]) -> list[Chart]:
    """A map per system, by its title, all on one scale. Two systems also get a map of their difference.

    `errors` are (d, d), as `pair_map` takes them. The difference is blue where the first system's error is larger.
    """
    top = max(float(np.nanmax(values, initial=0.0)) for values in errors.values())
    charts = [
        pair_map(title, names, values, metric, alt=describe_map(title, names, metric, values), top=top)
        for title, values in errors.items()
    ]
    if len(errors) == 2:
        (first, first_errors), (second, second_errors) = errors.items()
        difference, title = first_errors - second_errors, f"{first} − {second}"
        alt = describe_map(title, names, f"difference in {metric}", difference)
        alt += f" Blue: the error of {first} is larger. Red: it is smaller."
        charts.append(pair_map(title, names, difference, f"{metric}, difference", alt=alt, signed=True))
    return charts


def describe_map(title: str, names: Sequence[str], metric: str, errors: np.ndarray) -> str:
    """A map in words: the pair with the largest value."""
    i, j = divmod(int(np.nanargmax(np.abs(errors))), len(names))
    pair = names[i] if i == j else f"{names[j]} × {names[i]}"
    return f"{title}: {metric} by pair of attributes, largest {share(float(errors[i, j]))} for {pair}."


def group_bars(
    labels: Sequence[str], y_title: str, metric: str, errors: Mapping[str, tuple[np.ndarray, Stroke]]
) -> Chart:
    """Errors by group of queries, (groups,), with the stroke of each system, by its title."""
    positions = np.arange(len(labels))
    traces = [
        go.Bar(
            y=positions,
            x=values,
            name=title,
            orientation="h",
            marker={"color": rgba(stroke.color, 0.75), "pattern": {"shape": stroke.pattern, "size": 6}},
            hovertemplate=f"{title} %{{x:.3~g}}<extra></extra>",
        )
        for title, (values, stroke) in errors.items()
    ]
    figure = on_paper(
        traces,
        height=110 + 34 * len(labels),
        hovermode="y unified",
        xaxis={"rangemode": "tozero", "tickformat": "~g", "nticks": 6, "title": {"text": metric, "standoff": 10}},
        yaxis=row_axis([cut(label, 34) for label in labels]) | {"title": {"text": y_title}},
        barmode="group",
        legend={"traceorder": "normal"},
    )
    largest = "; ".join(f"{title} {three_digits(float(values.max()))}" for title, (values, _) in errors.items())
    alt = f"{metric.capitalize()} by group of queries; largest: {largest}."
    return Chart("Error by group of queries", PRIVATE, figure, alt)
