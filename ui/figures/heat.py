"""Heat maps: two columns cell by cell, and a number for each pair of attributes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from mwem_core.data.records import Records
from mwem_core.release.run import Run
from ui.figures.chart import AMBER, BLUE, RED, TEAL, Chart, cut, on_paper, rgba, safe
from ui.figures.merging import merge_starts, merged, merged_labels
from ui.words.badges import PRIVATE, Badge
from ui.words.numbers import share

MAX_HEAT_SIDE = 48  # values on a side; more are merged with their neighbours
DIVERGING = [(0.0, RED), (0.5, rgba(RED, 0)), (0.5, rgba(BLUE, 0)), (1.0, BLUE)]  # fewer than in the original, more
MAX_NUMBERED = 10  # attributes of a pair map whose numbers are written out
COLOR_BAR = {"orientation": "h", "x": 0, "xanchor": "left", "xpad": 0, "y": 1, "yanchor": "bottom", "ypad": 6}
COLOR_BAR |= {"len": 0.7, "thickness": 8, "nticks": 3, "outlinewidth": 0, "ticklen": 2, "tickfont": {"size": 11}}


def measured_pairs(run: Run) -> list[tuple[int, ...]]:
    """The pairs of attributes that a run measured, in its order: the most interesting ones to look at."""
    measured = [entry.measurement.attrs for entry in run.rounds if entry.measurement is not None]
    return [S for S in dict.fromkeys(measured) if len(S) == 2]


def pair_heat(pair: Sequence[int], rows: Records, truth: Records | None, badge: Badge) -> list[Chart]:
    """Two columns' shares of the rows by cell: original, synthetic and their difference; or synthetic alone.

    The column with more values runs down the side, where there is room for names. Original and synthetic share a
    scale, which spends its colours on the small shares. `badge` is that of the synthetic side alone.
    """
    domain = rows.domain
    turn = domain.shape[pair[0]] < domain.shape[pair[1]]
    sides = [domain.attributes[a] for a in (pair[::-1] if turn else pair)]
    starts = [merge_starts(side.size, MAX_HEAT_SIDE) for side in sides]
    names = [side.name for side in sides]
    labels = [merged_labels(side.labels, codes) for side, codes in zip(sides, starts, strict=True)]

    def shares(records: Records) -> np.ndarray:
        table = records.marginal(tuple(pair))
        return merged(table.T if turn else table, starts) / records.total

    synthetic = shares(rows)
    if truth is None:
        return [_heat("Synthetic", names, labels, synthetic, _ramp(TEAL), badge)]
    original = shares(truth)
    top = float(max(synthetic.max(), original.max()))
    return [
        _heat("Original", names, labels, original, _ramp(AMBER), PRIVATE, top),
        _heat("Synthetic", names, labels, synthetic, _ramp(TEAL), badge, top),
        _heat("Difference", names, labels, synthetic - original, DIVERGING, PRIVATE),
    ]


def _heat(
    title: str,
    names: Sequence[str],
    labels: Sequence[Sequence[str]],
    shares: np.ndarray,
    scale: Sequence[tuple[float, str]],
    badge: Badge,
    top: float = 0.0,
) -> Chart:
    signed = scale is DIVERGING
    top = top or float(np.abs(shares).max()) or 1.0
    rows, columns = shares.shape
    trace = go.Heatmap(
        z=shares,
        zmin=-top if signed else 0,
        zmax=top,
        colorscale=scale,
        text=[[f"{safe(row)}<br>{safe(column)}" for column in labels[1]] for row in labels[0]],
        hovertemplate=f"%{{text}}<br><b>{title.lower()} %{{z:{'+' if signed else ''}.3%}}</b><extra></extra>",
        xgap=1 if columns <= 30 else 0,
        ygap=1 if rows <= 30 else 0,
        colorbar=COLOR_BAR | {"tickformat": "+~p" if signed else "~p"},
    )
    down, across = _ticks(labels[0], 24, 15), _ticks(labels[1], 12, 12)
    crowded = sum(map(len, across["ticktext"])) > 26
    figure = on_paper(
        [trace],
        height=130 + (22 * max(rows, 5) if rows <= 14 else 15 * min(rows, 24)),
        hovermode="closest",
        xaxis=across
        | {"showgrid": False, "tickangle": -40 if crowded else None, "title": _title(names[1], 6 if crowded else 22)},
        yaxis=down | {"showgrid": False, "range": [rows - 0.5, -0.5], "title": _title(names[0], 6)},
    )
    alt = describe_pair("synthetic minus original" if signed else title.lower(), names, labels, shares)
    return Chart(title, badge, figure, alt)


def describe_pair(side: str, names: Sequence[str], labels: Sequence[Sequence[str]], shares: np.ndarray) -> str:
    """A heat map of two columns in words: the three cells with the largest values."""
    sign = "+" if (shares < 0).any() else ""
    order = np.argsort(-np.abs(shares), axis=None, kind="stable")[:3]
    cells = [divmod(int(cell), shares.shape[1]) for cell in order]
    largest = "; ".join(f"{labels[0][i]} × {labels[1][j]} {shares[i, j]:{sign}.2%}" for i, j in cells)
    return f"{names[0]} × {names[1]}: {side}, shares of the rows by cell. Largest: {largest}."


def distance_map(names: Sequence[str], distances: np.ndarray) -> Chart:
    """Total variation of original and synthetic, (d, d): columns on the diagonal, pairs below it, NaN above."""
    title, alt = "Total variation by column and pair", describe_distances(names, distances)
    return pair_map(title, names, distances, "total variation", alt=alt)


def pair_map(
    title: str, names: Sequence[str], values: np.ndarray, metric: str, *, alt: str, top: float = 0.0, signed=False
) -> Chart:
    """A number for each column and pair, (d, d), with NaN where there is none. Maps with the same `top` share a scale.

    `signed` values run from red, below zero, to blue. Up to `MAX_NUMBERED` attributes, numbers are written out.
    """
    d = len(names)
    numbered = d <= MAX_NUMBERED
    opacity = 0.5 if numbered else 1.0
    top = top or float(np.nanmax(np.abs(values), initial=0.0)) or 1.0
    diverging = [(0.0, rgba(RED, opacity)), (0.5, rgba(RED, 0)), (0.5, rgba(BLUE, 0)), (1.0, rgba(BLUE, opacity))]
    trace = go.Heatmap(
        z=values,
        zmin=-top if signed else 0,
        zmax=top,
        colorscale=diverging if signed else _ramp(AMBER, power=1, opacity=opacity),
        showscale=not numbered,
        customdata=[[safe(row if row == column else f"{column} × {row}") for column in names] for row in names],
        hovertemplate=f"%{{customdata}}<br><b>{metric} %{{z:{'+' if signed else ''}.3~g}}</b><extra></extra>",
        hoverongaps=False,
        xgap=1,
        ygap=1,
        colorbar=COLOR_BAR | {"tickformat": "~g"},
    )
    axis = _ticks(names, 30, 15) | {"showgrid": False}
    figure = on_paper(
        [trace],
        height=110 + max(160, (24 if numbered else 18) * d),
        hovermode="closest",
        xaxis=axis | {"tickangle": -40},
        yaxis=axis | {"range": [d - 0.5, -0.5]},
    )
    for i, j in np.argwhere(np.isfinite(values)) if numbered else ():
        number = f"{values[i, j]:z.3f}".replace("0.", ".", 1).replace("-", "−")
        text = f'<span style="color:currentColor">{number}</span>'  # the text colour of the page
        figure.add_annotation(x=j, y=i, text=text, showarrow=False, font={"size": 11}, captureevents=False)
    return Chart(title, PRIVATE, figure, alt)


def describe_distances(names: Sequence[str], distances: np.ndarray) -> str:
    """A map of distances in words: their mean and the largest."""
    i, j = divmod(int(np.nanargmax(distances)), len(names))
    largest = names[i] if i == j else f"{names[j]} × {names[i]}"
    return (
        "Total variation between original and synthetic rows for each column and pair: "
        f"mean {share(float(np.nanmean(distances)))}, largest {share(float(distances[i, j]))} for {largest}."
    )


def _ramp(color: str, power: float = 2.5, opacity: float = 1.0) -> list[tuple[float, str]]:
    """From transparent to the colour. Positions are powers of the step: most shares are small and get more colours."""
    return [(float(step**power), rgba(color, opacity * step)) for step in np.linspace(0, 1, 9)]


def _ticks(labels: Sequence[str], max_ticks: int, max_length: int) -> dict[str, Any]:
    """At most `max_ticks` labels, evenly picked and cut to `max_length`."""
    shown = range(0, len(labels), -(-len(labels) // max_ticks))
    return {"tickvals": list(shown), "ticktext": [cut(labels[i], max_length) for i in shown]}


def _title(name: str, standoff: int) -> dict[str, Any]:
    return {"text": cut(name, 30), "standoff": standoff}
