"""Heat maps: two columns cell by cell, and a number for each pair of attributes."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from mwem_app.base import PRIVATE, Badge, percent, share
from mwem_app.charts.chart import AMBER, BLUE, RED, TEAL, Chart, cut, on_paper, rgba, safe
from mwem_app.charts.merged_values import groups, low_end, sum_groups
from mwem_core.domain import Attribute, Records
from mwem_core.output import Run

MAX_DOWN, MAX_ACROSS = 48, 24  # values with room for a name, on a telephone too; more are merged
MAX_NUMBERED = 10  # attributes of a pair map whose numbers are written out
COLOR_BAR = {"orientation": "h", "x": 0, "xanchor": "left", "xpad": 0, "y": 1, "yref": "container", "ypad": 0}
COLOR_BAR |= {"yanchor": "top", "len": 0.7, "thickness": 8, "outlinewidth": 0, "ticklen": 2, "tickfont": {"size": 11}}
MAX_NUMBERS = 12  # on an axis of ordered values, which needs no name at each of them
COLOR_BAR_HEIGHT, LETTER = 34, 6.2  # pixels


def measured_pairs(run: Run) -> list[tuple[int, ...]]:
    """The pairs of attributes that a run measured, in its order: the most interesting ones to look at."""
    measured = [m.attrs for entry in run.rounds for m in entry.measurements]
    return [S for S in dict.fromkeys(measured) if len(S) == 2]


def pair_heat(pair: Sequence[int], rows: Records, truth: Records | None, badge: Badge) -> list[Chart]:
    """Two columns' shares of the rows by cell: original, synthetic and their difference; or synthetic alone.

    The column with more values runs down the side, where there is room for names. All share a scale, which spends its
    colours on the small shares, so that close tables have a pale difference. `badge` is that of the synthetic side.
    """
    domain = rows.domain
    turn = domain.shape[pair[0]] < domain.shape[pair[1]]
    sides = [domain.attributes[a] for a in (pair[::-1] if turn else pair)]

    def table(records: Records) -> np.ndarray:
        counts = records.marginal(tuple(pair))
        return counts.T if turn else counts

    counts = table(rows if truth is None else truth)
    by_axis = [
        groups(side, counts.sum(axis=1 - axis), most)
        for axis, (side, most) in enumerate(zip(sides, (MAX_DOWN, MAX_ACROSS), strict=True))
    ]
    axes = _Axis(sides[0], by_axis[0].labels), _Axis(sides[1], by_axis[1].labels)
    synthetic = sum_groups(table(rows), by_axis) / rows.total
    if truth is None:
        return [_heat("Synthetic", axes, synthetic, _ramp(TEAL), badge)]
    original = sum_groups(counts, by_axis) / truth.total
    top = float(max(synthetic.max(), original.max()))
    return [
        _heat("Original", axes, original, _ramp(AMBER), PRIVATE, top),
        _heat("Synthetic", axes, synthetic, _ramp(TEAL), badge, top),
        _heat("Synthetic − original", axes, synthetic - original, DIVERGING_SCALE, PRIVATE, top),
    ]


class _Axis(NamedTuple):
    attribute: Attribute
    labels: list[str]  # of the values that are drawn

    @property
    def row_height(self) -> int:
        """Pixels: room for a name at every value, or less where low ends at some of them are enough."""
        return 9 if self.attribute.ordered else 15

    def ticks(self, max_length: int) -> dict[str, Any]:
        """A name at every value; at most `MAX_NUMBERS` low ends at many ordered values."""
        if self.attribute.ordered and len(self.labels) > MAX_NUMBERS:
            shown = list(range(0, len(self.labels), -(-len(self.labels) // MAX_NUMBERS)))
            return {"tickvals": shown, "ticktext": [safe(low_end(self.labels[i])) for i in shown]}
        return _names(self.labels, max_length)


def _heat(
    title: str,
    axes: tuple[_Axis, _Axis],
    shares: np.ndarray,
    scale: Sequence[tuple[float, str]],
    badge: Badge,
    top: float = 0.0,
) -> Chart:
    signed = scale is DIVERGING_SCALE
    top = top or float(np.abs(shares).max()) or 1.0
    rows, gap = len(shares), 1 if max(shares.shape) <= 30 else 0
    trace = go.Heatmap(
        z=shares,
        zmin=-top if signed else 0,
        zmax=top,
        colorscale=scale,
        text=[[f"{safe(row)}<br>{safe(column)}" for column in axes[1].labels] for row in axes[0].labels],
        hovertemplate=f"%{{text}}<br><b>{title.lower()} %{{z:{'+' if signed else ''}.3%}}</b><extra></extra>",
        xgap=gap,
        ygap=gap,
        colorbar=COLOR_BAR | _ends(top, signed),
    )
    down, across = axes[0].ticks(18), axes[1].ticks(14)
    level = sum(map(len, across["ticktext"])) <= 26
    below = 0 if level else LETTER * max(map(len, across["ticktext"]))
    inner = 22 * max(rows, 5) if rows <= 14 else axes[0].row_height * rows
    figure = on_paper(
        [trace],
        height=round(90 + below + inner),
        hovermode="closest",
        xaxis=across | {"showgrid": False, "tickangle": 0 if level else -90, "ticks": "", "title": _title(axes[1], 10)},
        yaxis=down | {"showgrid": False, "range": [rows - 0.5, -0.5], "ticks": "", "title": _title(axes[0], 14, inner)},
        margin={"t": COLOR_BAR_HEIGHT},
    )
    names, labels = [axis.attribute.name for axis in axes], [axis.labels for axis in axes]
    alt = describe_pair(title.lower(), names, labels, shares)
    return Chart(title, badge, figure, alt)


def _ends(top: float, signed: bool) -> dict[str, Any]:
    """The ticks of a colour bar: its ends, and zero between them."""
    ends = {0.0: percent(0), top: f"{'+' if signed else ''}{percent(top)}"}
    if signed:
        ends |= {-top: f"−{percent(top)}"}
    return {"tickvals": list(ends), "ticktext": list(ends.values())}


def describe_pair(side: str, names: Sequence[str], labels: Sequence[Sequence[str]], shares: np.ndarray) -> str:
    """A heat map of two columns in words: the three cells with the largest values."""
    sign = "+" if (shares < 0).any() else ""
    order = np.argsort(-np.abs(shares), axis=None, kind="stable")[:3]
    cells = [divmod(int(cell), shares.shape[1]) for cell in order]
    largest = "; ".join(f"{labels[0][i]} × {labels[1][j]} {shares[i, j]:{sign}.2%}" for i, j in cells)
    return f"{names[0]} × {names[1]}: {side}, shares of the rows by cell. Largest: {largest}."


def distance_map(names: Sequence[str], distances: np.ndarray) -> Chart:
    """Total variation of original and synthetic, (d, d): columns on the diagonal, pairs below it, NaN above."""
    about = "Total variation between original and synthetic rows for each column and pair"
    return pair_map("Total variation by column and pair", names, distances, "total variation", about)


def pair_map(title: str, names: Sequence[str], values: np.ndarray, metric: str, about: str) -> Chart:
    """A number for each column and pair, (d, d), with NaN where there is none.

    Up to `MAX_NUMBERED` attributes, numbers are written out. In words it is `about`, the mean and the largest value.
    """
    d = len(names)
    numbered = d <= MAX_NUMBERED
    trace = go.Heatmap(
        z=values,
        zmin=0,
        zmax=float(np.nanmax(values, initial=0.0)) or 1.0,
        colorscale=_ramp(AMBER, power=1, opacity=0.5 if numbered else 1.0),
        showscale=not numbered,
        customdata=[[safe(row if row == column else f"{column} × {row}") for column in names] for row in names],
        hovertemplate=f"%{{customdata}}<br><b>{metric} %{{z:.3~g}}</b><extra></extra>",
        hoverongaps=False,
        xgap=1,
        ygap=1,
        colorbar=COLOR_BAR | {"tickformat": "~g", "nticks": 3},
    )
    axis = _names(names, 15) | {"showgrid": False, "ticks": ""}
    numbers = [_number(i, j, float(values[i, j])) for i, j in np.argwhere(np.isfinite(values))] if numbered else []
    figure = on_paper(
        [trace],
        height=110 + max(160, (24 if numbered else 18) * d),
        hovermode="closest",
        xaxis=axis | {"tickangle": 0 if d * max(map(len, names)) <= 36 else -40},
        yaxis=axis | {"range": [d - 0.5, -0.5]},
        annotations=numbers,
    )
    i, j = divmod(int(np.nanargmax(values)), d)
    pair = names[i] if i == j else f"{names[j]} × {names[i]}"
    mean, largest = share(float(np.nanmean(values))), share(float(values[i, j]))
    return Chart(title, PRIVATE, figure, f"{about}: mean {mean}, largest {largest} for {pair}.")


def _number(row: int, column: int, value: float) -> dict[str, Any]:
    """The number of a cell, in the text colour of the page."""
    number = f"{value:.3f}".replace("0.", ".", 1)
    text = f'<span style="color:currentColor">{number}</span>'
    return {"x": column, "y": row, "text": text, "showarrow": False, "font": {"size": 11}, "captureevents": False}


def _ramp(color: str, power: float = 2.5, opacity: float = 1.0) -> list[tuple[float, str]]:
    """From transparent to the colour. Positions are powers of the step: most shares are small and get more colours."""
    return [(float(step**power), rgba(color, opacity * step)) for step in np.linspace(0, 1, 9)]


DIVERGING_SCALE = [((1 - at) / 2, color) for at, color in reversed(_ramp(RED))]  # fewer than in the original
DIVERGING_SCALE += [((1 + at) / 2, color) for at, color in _ramp(BLUE)]  # and more


def _names(labels: Sequence[str], max_length: int) -> dict[str, Any]:
    """A name at every value, cut to `max_length`, in smaller letters where there are many."""
    size = 12 if len(labels) <= 14 else 10
    return {
        "tickvals": list(range(len(labels))),
        "ticktext": [cut(label, max_length) for label in labels],
        "tickfont": {"size": size},
    }


def _title(axis: _Axis, standoff: int, room: int = 210) -> dict[str, Any]:
    """The attribute's name, cut to `room` pixels and at most 30 letters."""
    return {"text": cut(axis.attribute.name, min(30, round(room / 7))), "standoff": standoff}
