"""Two columns cell by cell, and how far apart original and synthetic are for all pairs: heat maps."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from mwem_core.data.records import Records
from mwem_core.release.run import Run
from ui.figures.chart import AMBER, BLUE, RED, TEAL, Chart, cut, on_paper, rgba, safe
from ui.figures.groups import grouped, groups, spans
from ui.words.badges import PRIVATE, Badge
from ui.words.numbers import share

MOST_SIDE = 48  # values on a side; more are summed in groups of neighbours
SIDES = [(0.0, RED), (0.5, rgba(RED, 0)), (0.5, rgba(BLUE, 0)), (1.0, BLUE)]  # fewer than in the original, more
BAR = {"orientation": "h", "x": 0, "xanchor": "left", "xpad": 0, "y": 1, "yanchor": "bottom", "ypad": 6, "len": 0.7}


BAR |= {"thickness": 8, "nticks": 3, "outlinewidth": 0, "ticklen": 2, "tickfont": {"size": 11}}


def measured_pairs(run: Run) -> list[tuple[int, ...]]:
    """The pairs a run measured as tables or asked of, in its own order: what is worth looking at first."""
    measured = [entry.measurement.attrs for entry in run.rounds if entry.measurement is not None]
    return [S for S in dict.fromkeys(measured) if len(S) == 2]


def pair_heat(pair: Sequence[int], rows: Records, truth: Records | None, badge: Badge) -> list[Chart]:
    """Two columns' shares of the rows by cell: original, synthetic and what separates them; or synthetic alone.

    The column with more values runs down the side, where there is room for names. Original and synthetic share a
    scale, which spends its colours on the small shares. `badge` is that of the synthetic side alone.
    """
    domain = rows.domain
    turn = domain.shape[pair[0]] < domain.shape[pair[1]]
    sides = [domain.attributes[a] for a in (pair[::-1] if turn else pair)]
    starts = [groups(side.size, MOST_SIDE) for side in sides]
    names = [side.name for side in sides]
    labels = [spans(side.labels, codes) for side, codes in zip(sides, starts, strict=True)]

    def shares(of: Records) -> np.ndarray:
        table = of.marginal(tuple(pair))
        return grouped(table.T if turn else table, starts) / of.total

    new = shares(rows)
    if truth is None:
        return [_heat("Synthetic", names, labels, new, _ramp(TEAL), badge)]
    old = shares(truth)
    top = float(max(new.max(), old.max()))
    return [
        _heat("Original", names, labels, old, _ramp(AMBER), PRIVATE, top),
        _heat("Synthetic", names, labels, new, _ramp(TEAL), badge, top),
        _heat("Difference", names, labels, new - old, SIDES, PRIVATE),
    ]


def _heat(
    what: str,
    names: Sequence[str],
    labels: Sequence[Sequence[str]],
    shares: np.ndarray,
    scale: Sequence[tuple[float, str]],
    badge: Badge,
    top: float = 0.0,
) -> Chart:
    signed = scale is SIDES
    top = top or float(np.abs(shares).max()) or 1.0
    rows, columns = shares.shape
    trace = go.Heatmap(
        z=shares,
        zmin=-top if signed else 0,
        zmax=top,
        colorscale=scale,
        text=[[f"{safe(row)}<br>{safe(column)}" for column in labels[1]] for row in labels[0]],
        hovertemplate=f"%{{text}}<br><b>{what.lower()} %{{z:{'+' if signed else ''}.3%}}</b><extra></extra>",
        xgap=1 if columns <= 30 else 0,
        ygap=1 if rows <= 30 else 0,
        colorbar=BAR | {"tickformat": "+~p" if signed else "~p"},
    )
    down, across = (_ticks(side, most, longest) for side, most, longest in zip(labels, (24, 12), (15, 12), strict=True))
    crowded = sum(map(len, across["ticktext"])) > 26
    figure = on_paper(
        [trace],
        height=130 + (22 * max(rows, 5) if rows <= 14 else 15 * min(rows, 24)),
        hovermode="closest",
        xaxis=across
        | {"showgrid": False, "tickangle": -40 if crowded else None, "title": _title(names[1], 6 if crowded else 22)},
        yaxis=down | {"showgrid": False, "range": [rows - 0.5, -0.5], "title": _title(names[0], 6)},
    )
    alt = describe_pair("synthetic minus original" if signed else what.lower(), names, labels, shares)
    return Chart(what, badge, figure, alt)


def describe_pair(what: str, names: Sequence[str], labels: Sequence[Sequence[str]], shares: np.ndarray) -> str:
    """A heat map in a sentence: its three most marked cells."""
    sign = "+" if (shares < 0).any() else ""
    cells = [divmod(int(top), shares.shape[1]) for top in np.argsort(-np.abs(shares), axis=None, kind="stable")[:3]]
    parts = "; ".join(f"{labels[0][i]} × {labels[1][j]} {shares[i, j]:{sign}.2%}" for i, j in cells)
    return f"{names[0]} × {names[1]}: {what}, shares of the rows by cell. Most marked: {parts}."


def distances(names: Sequence[str], apart: np.ndarray) -> Chart:
    """Total variation of original and synthetic, (d, d): columns on the diagonal, pairs below it, NaN above."""
    title, alt = "Total variation by column and pair", describe_distances(names, apart)
    return by_pair(title, names, apart, "total variation", alt=alt)


def by_pair(
    title: str, names: Sequence[str], values: np.ndarray, what: str, *, alt: str, top: float = 0.0, signed: bool = False
) -> Chart:
    """A number for each column and pair, (d, d), NaN where there is none; charts of one `top` share their colours.

    `signed` ones run from red, below zero, to blue. Few enough are written out.
    """
    d = len(names)
    fits = d <= 10
    strongest = 0.5 if fits else 1.0
    top = top or float(np.nanmax(np.abs(values), initial=0.0)) or 1.0
    sides = [(0.0, rgba(RED, strongest)), (0.5, rgba(RED, 0)), (0.5, rgba(BLUE, 0)), (1.0, rgba(BLUE, strongest))]
    trace = go.Heatmap(
        z=values,
        zmin=-top if signed else 0,
        zmax=top,
        colorscale=sides if signed else _ramp(AMBER, power=1, strongest=strongest),
        showscale=not fits,
        customdata=[[safe(row if row == column else f"{column} × {row}") for column in names] for row in names],
        hovertemplate=f"%{{customdata}}<br><b>{what} %{{z:{'+' if signed else ''}.3~g}}</b><extra></extra>",
        hoverongaps=False,
        xgap=1,
        ygap=1,
        colorbar=BAR | {"tickformat": "~g"},
    )
    axis = _ticks(names, 30, 15) | {"showgrid": False}
    figure = on_paper(
        [trace],
        height=110 + max(160, (24 if fits else 18) * d),
        hovermode="closest",
        xaxis=axis | {"tickangle": -40},
        yaxis=axis | {"range": [d - 0.5, -0.5]},
    )
    for i, j in np.argwhere(np.isfinite(values)) if fits else ():
        number = f"{values[i, j]:z.3f}".replace("0.", ".", 1).replace("-", "−")
        text = f'<span style="color:currentColor">{number}</span>'  # the page's own ink
        figure.add_annotation(x=j, y=i, text=text, showarrow=False, font={"size": 11}, captureevents=False)
    return Chart(title, PRIVATE, figure, alt)


def describe_distances(names: Sequence[str], apart: np.ndarray) -> str:
    """Where the rows are furthest from the original, in a sentence."""
    i, j = divmod(int(np.nanargmax(apart)), len(names))
    worst = names[i] if i == j else f"{names[j]} × {names[i]}"
    return (
        "Total variation between original and synthetic rows for each column and pair: "
        f"mean {share(float(np.nanmean(apart)))}, largest {share(float(apart[i, j]))} for {worst}."
    )


def _ramp(color: str, power: float = 2.5, strongest: float = 1.0) -> list[tuple[float, str]]:
    """From nothing to the colour. Shares are mostly small: colours are spent there, at a power of the step."""
    return [(float(step**power), rgba(color, strongest * step)) for step in np.linspace(0, 1, 9)]


def _ticks(labels: Sequence[str], most: int, longest: int) -> dict[str, Any]:
    """At most so many labels, evenly picked."""
    shown = range(0, len(labels), -(-len(labels) // most))
    return {"tickvals": list(shown), "ticktext": [cut(labels[i], longest) for i in shown]}


def _title(name: str, standoff: int) -> dict[str, Any]:
    return {"text": cut(name, 30), "standoff": standoff}
