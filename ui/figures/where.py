"""Where systems are wrong: a map of pairs each and their difference, or bars by group of queries."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ui.figures.chart import Chart, cut, on_paper, rgba
from ui.figures.heat import by_pair
from ui.figures.palette import Stroke
from ui.words.badges import PRIVATE
from ui.words.numbers import share, three_digits


def pair_maps(names: Sequence[str], what: str, of: dict[str, np.ndarray]) -> list[Chart]:
    """A map for each system, by its title, on one scale; of two, their difference besides: red, the first errs less."""
    top = max(float(np.nanmax(errors, initial=0.0)) for errors in of.values())
    charts = [
        by_pair(title, names, errors, what, alt=describe_map(title, names, what, errors), top=top)
        for title, errors in of.items()
    ]
    if len(of) == 2:
        (one, first), (other, second) = of.items()
        apart, title = first - second, f"{one} − {other}"
        alt = describe_map(title, names, f"difference in {what}", apart)
        charts.append(by_pair(title, names, apart, f"{what}, difference", alt=alt, signed=True))
    return charts


def describe_map(title: str, names: Sequence[str], what: str, errors: np.ndarray) -> str:
    """A map in a sentence: its most marked pair."""
    i, j = divmod(int(np.nanargmax(np.abs(errors))), len(names))
    where = names[i] if i == j else f"{names[j]} × {names[i]}"
    return f"{title}: {what} by pair of attributes, most marked {share(float(errors[i, j]))} for {where}."


def group_bars(labels: Sequence[str], axis: str, what: str, of: dict[str, tuple[np.ndarray, Stroke]]) -> Chart:
    """Errors by group of queries, (groups,) and how each system is drawn, by its title."""
    place = np.arange(len(labels))
    traces = [
        go.Bar(
            y=place,
            x=errors,
            name=title,
            orientation="h",
            marker={"color": rgba(stroke.color, 0.75), "pattern": {"shape": stroke.pattern, "size": 6}},
            hovertemplate=f"{title} %{{x:.3~g}}<extra></extra>",
        )
        for title, (errors, stroke) in of.items()
    ]
    figure = on_paper(
        traces,
        height=110 + 34 * len(labels),
        hovermode="y unified",
        xaxis={"rangemode": "tozero", "tickformat": "~g", "nticks": 6, "title": {"text": what, "standoff": 10}},
        yaxis={
            "tickvals": place,
            "ticktext": [cut(label, 34) for label in labels],
            "range": [len(labels) - 0.5, -0.5],
            "showgrid": False,
            "title": {"text": axis},
        },
    )
    figure.update_layout(barmode="group", legend={"traceorder": "normal"})
    told = "; ".join(f"{title} {three_digits(float(errors.max()))} at most" for title, (errors, _) in of.items())
    return Chart("Error by group of queries", PRIVATE, figure, f"{what} by {axis}: {told}.")
