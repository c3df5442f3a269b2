"""One column: its shares of the rows, original and synthetic."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from mwem_core.data.records import Records
from ui.figures.chart import AMBER, TEAL, Chart, cut, on_paper, rgba, safe
from ui.figures.merging import merge_starts, merged, merged_labels
from ui.results.accuracy import tv
from ui.words.badges import PRIVATE, Badge
from ui.words.numbers import share

MAX_BARS = 60  # with a name at each bar; more values are drawn as a filled line
MAX_LINE_POINTS = 1000


def marginal_bars(a: int, rows: Records, truth: Records | None, badge: Badge, *, small: bool = False) -> Chart:
    """Attribute a as shares of the rows: one teal bar per value, with the original, if given, as an amber outline.

    `badge` is that of the synthetic side alone. `small` leaves out the names of the values, for an overview.
    """
    attribute = rows.domain.attributes[a]
    starts = merge_starts(attribute.size, MAX_LINE_POINTS)
    labels = merged_labels(attribute.labels, starts)
    synthetic, original = _shares(rows, a, starts), None if truth is None else _shares(truth, a, starts)
    positions, as_line = np.arange(len(labels)), len(labels) > MAX_BARS
    upright = small or as_line
    original_tip = "" if original is None else "original %{customdata[1]:.2%}<br>"
    tips = {
        "text": [safe(label) for label in labels],
        "customdata": np.column_stack([synthetic, synthetic if original is None else original]),
        "hovertemplate": f"<b>%{{text}}</b><br>{original_tip}synthetic %{{customdata[0]:.2%}}<extra></extra>",
    }
    draw = _line if as_line else _bar
    traces = [draw(positions, synthetic, "synthetic", upright, fill=TEAL, **tips)]
    if original is not None:
        traces.append(draw(positions, original, "original", upright, outline=AMBER, hoverinfo="skip"))
    share_axis: dict[str, Any] = {"rangemode": "tozero", "tickformat": "~p", "nticks": 4 if small else 6}
    value_axis: dict[str, Any] = {"showgrid": False, "showticklabels": not small, "automargin": True}
    if small:
        value_axis["ticks"] = ""
    else:
        share_axis["title"] = {"text": "share of rows", "standoff": 14}
        named = positions[:: -(-len(labels) // 10)] if as_line else positions
        value_axis |= {"tickvals": named, "ticktext": [cut(labels[i], 22) for i in named]}
    if not upright:
        value_axis["range"] = [len(labels) - 0.5, -0.5]
    figure = on_paper(
        traces,
        height=120 if small else 340 if as_line else 90 + (24 if len(labels) <= 20 else 18) * len(labels),
        hovermode="x" if upright else "y",
        xaxis=value_axis if upright else share_axis,
        yaxis=share_axis if upright else value_axis,
    )
    if small:
        figure.update_layout(margin={"t": 4, "b": 4}, showlegend=False)
    note = "" if original is None else f"total variation {share(tv(synthetic, original))}"
    alt = describe_marginal(attribute.name, labels, synthetic, original)
    return Chart(attribute.name, badge if original is None else PRIVATE, figure, alt, note)


def describe_marginal(name: str, labels: Sequence[str], synthetic: np.ndarray, original: np.ndarray | None) -> str:
    """One column in words: its three largest values, and the total variation of the two sides."""
    largest = np.argsort(-(synthetic if original is None else original), kind="stable")[:3]
    if original is None:
        shares = "; ".join(f"{labels[i]} {synthetic[i]:.1%}" for i in largest)
        return f"{name} in the synthetic rows. Largest shares: {shares}."
    shares = "; ".join(f"{labels[i]} {original[i]:.1%} and {synthetic[i]:.1%}" for i in largest)
    return (
        f"{name}, original and synthetic. Largest shares: {shares}. Total variation {share(tv(synthetic, original))}."
    )


def _shares(rows: Records, a: int, starts: np.ndarray) -> np.ndarray:
    return merged(rows.marginal((a,)), [starts]) / rows.total


def _bar(
    positions: np.ndarray, shares: np.ndarray, name: str, upright: bool, fill: str = "", outline: str = "", **tips: Any
):
    marker = {"color": rgba(fill, 0.6) if fill else "rgba(0,0,0,0)", "line": {"color": outline or fill, "width": 2}}
    x, y = (positions, shares) if upright else (shares, positions)
    return go.Bar(x=x, y=y, orientation="v" if upright else "h", name=name, marker=marker, textposition="none", **tips)


def _line(
    positions: np.ndarray, shares: np.ndarray, name: str, _: bool, fill: str = "", outline: str = "", **tips: Any
):
    line = {"color": fill or outline, "width": 1 if fill else 1.5, "shape": "hvh"}
    area = {"fill": "tozeroy", "fillcolor": rgba(fill, 0.5)} if fill else {}
    return go.Scatter(x=positions, y=shares, mode="lines", name=name, line=line, **area, **tips)
