"""Where systems are wrong: error maps by pair of attributes and their difference, or bars by group of queries."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from mwem_app.base import PRIVATE, share, three_digits
from mwem_app.charts import Chart, Stroke, cut, on_paper, pair_map, rgba


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
        yaxis={
            "tickvals": positions,
            "ticktext": [cut(label, 34) for label in labels],
            "range": [len(labels) - 0.5, -0.5],
            "showgrid": False,
            "title": {"text": y_title},
        },
        barmode="group",
        legend={"traceorder": "normal"},
    )
    largest = "; ".join(f"{title} {three_digits(float(values.max()))}" for title, (values, _) in errors.items())
    alt = f"{metric.capitalize()} by group of queries; largest: {largest}."
    return Chart("Error by group of queries", PRIVATE, figure, alt)
