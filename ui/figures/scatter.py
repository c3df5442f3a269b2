"""True against estimated: a dot a query, on logarithmic axes with the diagonal on which it ought to lie."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go

from mwem_core.workload.workload import Workload
from ui.figures.chart import GREY, Chart, on_paper, rgba, safe
from ui.figures.palette import Stroke
from ui.words.badges import PRIVATE
from ui.words.numbers import count, three_digits

MOST = 1_500  # dots: half of them the most wrong, the others drawn blindly
SIDE = 380


def true_against_estimated(
    workload: Workload, queries: np.ndarray, truth: np.ndarray, of: Mapping[str, tuple[np.ndarray, Stroke]], n: int
) -> list[Chart]:
    """The `queries` (indices) of the workload, for each system by its title and all on one scale.

    `truth` is in shares, (|Q|,), as is what a system estimates, which goes with how that system is drawn. Nothing, and
    less than half a record, has no logarithm: it lies on the edge.
    """
    shown = {title: _thinned(queries, np.abs(truth - estimate)) for title, (estimate, _) in of.items()}
    floor = 0.5 / n
    along = {title: np.maximum(np.abs(truth[some]), floor) for title, some in shown.items()}
    up = {title: np.maximum(_toward(of[title][0], truth)[some], floor) for title, some in shown.items()}
    every = np.concatenate([*along.values(), *up.values()])
    low, high = math.log10(every.min()), math.log10(every.max())
    ends = [10**low, 10**high]
    diagonal = go.Scatter(
        x=ends, y=ends, mode="lines", line={"color": GREY, "width": 1, "dash": "dot"}, hoverinfo="skip"
    )
    axis = _axis(low, high, math.log10(floor))
    charts = []
    for title, some in shown.items():
        estimate, stroke = of[title]
        dots = go.Scattergl(
            x=along[title],
            y=up[title],
            mode="markers",
            marker={"color": rgba(stroke.color, 0.55), "symbol": stroke.symbol, "size": 5},
            customdata=np.column_stack([truth[some], estimate[some]]),
            text=[safe(workload.query(int(j))[2]) for j in some],
            hovertemplate="%{text}<br>true %{customdata[0]:.3~g}<br><b>estimated %{customdata[1]:.3~g}</b>"
            "<extra></extra>",
        )
        figure = on_paper(
            [diagonal, dots],
            height=SIDE,
            hovermode="closest",
            xaxis=axis | {"title": {"text": "true share of n", "standoff": 8}},
            yaxis=axis | {"title": {"text": "estimated", "standoff": 4}},
        )
        figure.update_layout(showlegend=False, margin={"t": 8})
        off, asked = float(np.abs(truth - estimate)[queries].mean()), count(len(queries), "query", "queries")
        note = f"{count(len(some), 'dot')} of {len(queries):,}" if len(some) < len(queries) else ""
        alt = f"{title}: true against estimated shares of {asked}, mean error {three_digits(off)}."
        charts.append(Chart(title, PRIVATE, figure, alt, note))
    return charts


def _axis(low: float, high: float, floor: float) -> dict[str, Any]:
    """From the least to the most there is; powers of ten named, where few 2 and 5 too, and as 0 the edge if any."""
    room = 0.05 * (high - low) + 0.05
    digits = (1, 2, 5) if high - low < 2 else (1,)
    every = [math.log10(digit) + power for power in range(-9, 1) for digit in digits]
    ticks = [t for t in every if max(low - room, floor + 0.35) < t < high + room]
    edge = [floor] if low <= floor else []
    return {
        "type": "log",
        "showgrid": True,
        "range": [low - room, high + room],
        "tickvals": [10.0**t for t in [*edge, *ticks]],
        "ticktext": [*("0" for _ in edge), *(f"{10.0**t:g}" for t in ticks)],
    }


def _toward(estimate: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Parities may be negative: each pair is turned so that the truth is not, and an estimate beyond zero is 0."""
    return np.where(truth < 0, -estimate, estimate)


def _thinned(queries: np.ndarray, gap: np.ndarray) -> np.ndarray:
    if len(queries) <= MOST:
        return queries
    order = queries[np.argsort(-gap[queries], kind="stable")]
    rest = np.random.default_rng(0).choice(order[MOST // 2 :], MOST - MOST // 2, replace=False)
    return np.concatenate([order[: MOST // 2], rest])
