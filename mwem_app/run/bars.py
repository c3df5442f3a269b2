"""One column: its shares of the rows, original and synthetic."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mwem_app.base import PRIVATE, Badge, share
from mwem_app.charts import AMBER, TEAL, Chart, cut, on_paper, rgba, safe
from mwem_app.run.accuracy import tv
from mwem_core.domain import Records
from mwem_core.stage import Groups, grouped, groups, low_end, widths

MAX_BARS, MAX_SMALL_BARS = 60, 12  # each has its name; more ordered values are drawn as a filled line
MAX_LINE_POINTS = 1000


def marginal_bars(a: int, rows: Records, truth: Records | None, badge: Badge, *, small: bool = False) -> Chart:
    """Attribute a as shares of the rows: one teal bar per value, with the original, if given, as an amber outline.

    Too many values are drawn as a line if they have an order, else as the largest of them and one bar for the others.
    `badge` is that of the synthetic side alone. `small` charts are for an overview.
    """
    attribute, max_bars = rows.domain.attributes[a], MAX_SMALL_BARS if small else MAX_BARS
    even = attribute.size == attribute.ordered_size and np.ptp(widths(attribute, np.arange(attribute.size))) < 0.01
    as_line = attribute.ordered and attribute.size > max_bars and even  # what is uneven are categories
    largest_of = rows if truth is None else truth
    values = groups(attribute, largest_of.marginal((a,)), MAX_LINE_POINTS if as_line else max_bars)
    synthetic, original = _shares(rows, a, values), None if truth is None else _shares(truth, a, values)
    positions = np.arange(len(values))
    original_tip = "" if original is None else "original %{customdata[1]:.2%}<br>"
    tips = {
        "text": [safe(label) for label in values.labels],
        "customdata": np.column_stack([synthetic, synthetic if original is None else original]),
        "hovertemplate": f"<b>%{{text}}</b><br>{original_tip}synthetic %{{customdata[0]:.2%}}<extra></extra>",
    }
    draw = _line if as_line else _bar
    traces = [draw(positions, synthetic, "synthetic", fill=TEAL, **tips)]
    if original is not None:
        traces.append(draw(positions, original, "original", outline=AMBER, hoverinfo="skip"))
    share_axis: dict[str, Any] = {"rangemode": "tozero", "tickformat": "~p", "nticks": 4 if small else 6}
    if not small:
        share_axis["title"] = {"text": "share of rows", "standoff": 14}
    value_axis = {"showgrid": False} | (_numbers if as_line else _names)(values.labels, small)
    compact = {"margin": {"t": 4, "b": 4}, "showlegend": False, "minreducedheight": 20}  # else labels are cut
    figure = on_paper(
        traces,
        height=_height(len(values), as_line, small),
        hovermode="x" if as_line else "y",
        xaxis=value_axis if as_line else share_axis,
        yaxis=share_axis if as_line else value_axis,
        **compact if small else {},
    )
    alt = describe_marginal(attribute.name, values.labels, synthetic, original)
    if truth is None:
        return Chart(attribute.name, badge, figure, alt)
    distance = share(tv(rows.marginal((a,)), truth.marginal((a,))))  # of all values, drawn alone or not
    return Chart(attribute.name, PRIVATE, figure, f"{alt} Total variation {distance}.", f"total variation {distance}")


def _numbers(labels: Sequence[str], small: bool) -> dict[str, Any]:
    """An axis of ordered values: some of them, by their low ends."""
    named = range(0, len(labels), -(-len(labels) // (4 if small else 8)))
    return {"tickvals": list(named), "ticktext": [safe(low_end(labels[i])) for i in named]}


def _names(labels: Sequence[str], small: bool) -> dict[str, Any]:
    """An axis down the side with the name of every value."""
    return {
        "tickvals": list(range(len(labels))),
        "ticktext": [cut(label, 15 if small else 22) for label in labels],
        "tickfont": {"size": 11 if small else 12},
        "range": [len(labels) - 0.5, -0.5],
    }


def _height(values: int, as_line: bool, small: bool) -> int:
    if as_line:
        return 150 if small else 340
    return 46 + 16 * max(values, 3) if small else 90 + (24 if values <= 20 else 18) * values


def describe_marginal(name: str, labels: Sequence[str], synthetic: np.ndarray, original: np.ndarray | None) -> str:
    """One column in words: its three largest values."""
    largest = np.argsort(-(synthetic if original is None else original), kind="stable")[:3]
    if original is None:
        shares = "; ".join(f"{labels[i]} {synthetic[i]:.1%}" for i in largest)
        return f"{name} in the synthetic rows. Largest shares: {shares}."
    shares = "; ".join(f"{labels[i]} {original[i]:.1%} and {synthetic[i]:.1%}" for i in largest)
    return f"{name}, original and synthetic. Largest shares: {shares}."


def _shares(rows: Records, a: int, values: Groups) -> np.ndarray:
    return grouped(rows.marginal((a,)), [values]) / rows.total


def _bar(
    positions: np.ndarray, shares: np.ndarray, name: str, fill: str = "", outline: str = "", **tips: Any
) -> dict[str, Any]:
    marker = {"color": rgba(fill, 0.6) if fill else "rgba(0,0,0,0)", "line": {"color": outline or fill, "width": 2}}
    bar = {"type": "bar", "orientation": "h", "name": name, "marker": marker, "textposition": "none"}
    return bar | {"x": shares, "y": positions} | tips


def _line(
    positions: np.ndarray, shares: np.ndarray, name: str, fill: str = "", outline: str = "", **tips: Any
) -> dict[str, Any]:
    line = {"color": fill or outline, "width": 1 if fill else 1.5, "shape": "hvh"}
    area = {"fill": "tozeroy", "fillcolor": rgba(fill, 0.5)} if fill else {}
    return {"type": "scatter", "mode": "lines", "name": name, "line": line, "x": positions, "y": shares} | area | tips
