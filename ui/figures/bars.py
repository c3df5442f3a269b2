"""One column: its shares of the rows, original and synthetic."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from mwem_core.data.records import Records
from ui.figures.chart import AMBER, TEAL, Chart, cut, on_paper, rgba, safe
from ui.figures.groups import grouped, groups, spans
from ui.results.accuracy import tv
from ui.words.badges import PRIVATE, Badge
from ui.words.numbers import share

MOST_BARS = 60  # values drawn as bars with their names; more become a filled line
MOST_POINTS = 1000  # of a filled line


def marginal_bars(a: int, rows: Records, truth: Records | None, badge: Badge, *, small: bool = False) -> Chart:
    """Attribute a as shares of the rows: a teal bar a value, in the amber outline of the original where given.

    `badge` is that of the synthetic side alone. `small` leaves out the values' names, for an overview.
    """
    attribute = rows.domain.attributes[a]
    starts = groups(attribute.size, MOST_POINTS)
    labels = spans(attribute.labels, starts)
    new, old = _shares(rows, a, starts), None if truth is None else _shares(truth, a, starts)
    place, many = np.arange(len(labels)), len(labels) > MOST_BARS
    upright = small or many
    both = "" if old is None else "original %{customdata[1]:.2%}<br>"
    tips = {
        "text": [safe(label) for label in labels],
        "customdata": np.column_stack([new, new if old is None else old]),
        "hovertemplate": f"<b>%{{text}}</b><br>{both}synthetic %{{customdata[0]:.2%}}<extra></extra>",
    }
    draw = _line if many else _bar
    traces = [draw(place, new, "synthetic", upright, fill=TEAL, **tips)]
    if old is not None:
        traces.append(draw(place, old, "original", upright, outline=AMBER, hoverinfo="skip"))
    along: dict[str, Any] = {"rangemode": "tozero", "tickformat": "~p", "nticks": 4 if small else 6}
    value: dict[str, Any] = {"showgrid": False, "showticklabels": not small, "automargin": True}
    if small:
        value["ticks"] = ""
    else:
        along["title"] = {"text": "share of rows", "standoff": 14}
        shown = place[:: -(-len(labels) // 10)] if many else place
        value |= {"tickvals": shown, "ticktext": [cut(labels[i], 22) for i in shown]}
    if not upright:
        value["range"] = [len(labels) - 0.5, -0.5]
    figure = on_paper(
        traces,
        height=120 if small else 340 if many else 90 + (24 if len(labels) <= 20 else 18) * len(labels),
        hovermode="x" if upright else "y",
        xaxis=value if upright else along,
        yaxis=along if upright else value,
    )
    if small:
        figure.update_layout(margin={"t": 4, "b": 4}, showlegend=False)
    note = "" if old is None else f"total variation {share(tv(new, old))}"
    alt = describe_marginal(attribute.name, labels, new, old)
    return Chart(attribute.name, badge if old is None else PRIVATE, figure, alt, note)


def describe_marginal(name: str, labels: Sequence[str], synthetic: np.ndarray, original: np.ndarray | None) -> str:
    """One column in a sentence: its three largest values, and how far the two are apart."""
    top = np.argsort(-(synthetic if original is None else original), kind="stable")[:3]
    if original is None:
        parts = "; ".join(f"{labels[i]} {synthetic[i]:.1%}" for i in top)
        return f"{name} in the synthetic rows. Largest shares: {parts}."
    parts = "; ".join(f"{labels[i]} {original[i]:.1%} and {synthetic[i]:.1%}" for i in top)
    apart = share(tv(synthetic, original))
    return f"{name}, original and synthetic. Largest shares: {parts}. Total variation {apart}."


def _shares(rows: Records, a: int, starts: np.ndarray) -> np.ndarray:
    return grouped(rows.marginal((a,)), [starts]) / rows.total


def _bar(
    place: np.ndarray, shares: np.ndarray, name: str, upright: bool, fill: str = "", outline: str = "", **tips: Any
):
    marker = {"color": rgba(fill, 0.6) if fill else "rgba(0,0,0,0)", "line": {"color": outline or fill, "width": 2}}
    x, y = (place, shares) if upright else (shares, place)
    return go.Bar(x=x, y=y, orientation="v" if upright else "h", name=name, marker=marker, textposition="none", **tips)


def _line(place: np.ndarray, shares: np.ndarray, name: str, _: bool, fill: str = "", outline: str = "", **tips: Any):
    line = {"color": fill or outline, "width": 1 if fill else 1.5, "shape": "hvh"}
    area = {"fill": "tozeroy", "fillcolor": rgba(fill, 0.5)} if fill else {}
    return go.Scatter(x=place, y=shares, mode="lines", name=name, line=line, **area, **tips)
