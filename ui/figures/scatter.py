"""True against estimated: a dot a query, on logarithmic axes with the diagonal on which it ought to lie."""

import math
from typing import Any

import numpy as np
import plotly.graph_objects as go

from mwem_core.workload import Workload
from ui.badges import PRIVATE
from ui.figures.chart import GREY, Chart, on_paper, rgba, safe
from ui.numbers import count, telling

MOST = 1_500  # dots: half of them the most wrong, the others drawn blindly
SIDE = 380


def true_against_estimated(
    title: str, workload: Workload, queries: np.ndarray, truth: np.ndarray, estimate: np.ndarray, n: int, color: str
) -> Chart:
    """The `queries` (indices) of the workload; `truth` and `estimate` are shares, (|Q|,).

    Nothing, and less than half a record, has no logarithm: it lies on the edge.
    """
    shown = _thinned(queries, np.abs(truth - estimate))
    floor = 0.5 / n
    x, y = np.maximum(np.abs(truth[shown]), floor), np.maximum(_toward(estimate, truth)[shown], floor)
    low, high = (math.log10(end) for end in (min(x.min(), y.min()), max(x.max(), y.max())))
    axis = _axis(low, high, math.log10(floor))
    dots = go.Scattergl(
        x=x,
        y=y,
        mode="markers",
        marker={"color": rgba(color, 0.55), "size": 5},
        customdata=np.column_stack([truth[shown], estimate[shown]]),
        text=[safe(workload.query(int(j))[2]) for j in shown],
        hovertemplate="%{text}<br>true %{customdata[0]:.3~g}<br><b>estimated %{customdata[1]:.3~g}</b><extra></extra>",
    )
    ends = [10**low, 10**high]  # of the diagonal
    diagonal = go.Scatter(
        x=ends, y=ends, mode="lines", line={"color": GREY, "width": 1, "dash": "dot"}, hoverinfo="skip"
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
    note = f"{count(len(shown), 'dot')} of {len(queries):,}" if len(shown) < len(queries) else ""
    alt = f"{title}: true against estimated shares of {asked}, mean error {telling(off)}."
    return Chart(title, PRIVATE, figure, alt, note)


def _axis(low: float, high: float, floor: float) -> dict[str, Any]:
    """From the least to the most there is, powers of ten named, and as 0 the edge where something lies on it."""
    room = 0.05 * (high - low) + 0.05
    ticks = [t for t in range(-9, 1) if max(low - room, floor + 0.35) < t < high + room]
    edge = [floor] if low <= floor else []
    return {
        "type": "log",
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
