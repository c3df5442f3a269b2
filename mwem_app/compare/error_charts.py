"""Where a system is wrong: true against estimated answers, a dot for each query."""

import math
from typing import Any

import numpy as np
import plotly.graph_objects as go

from mwem_app.base import PRIVATE, count, three_digits
from mwem_app.charts import GREY, STROKES, Chart, on_paper, rgba, safe
from mwem_core.systems import SYSTEMS
from mwem_core.workload import Workload

MAX_DOTS = 1_500  # half of them the queries with the largest errors, the others drawn at random
SCATTER_HEIGHT = 380


def true_against_estimated(workload: Workload, system: str, truth: np.ndarray, estimate: np.ndarray, n: int) -> Chart:
    """A dot for each query of the answers of a `system`; both axes have one scale.

    `truth` and `estimate` are in shares of n, (|Q|,). Shares below half a record are drawn at the edge, since 0 has no
    logarithm.
    """
    errors, stroke, title, floor = np.abs(truth - estimate), STROKES[system], SYSTEMS[system].title, 0.5 / n
    drawn = _thinned(errors, MAX_DOTS)
    x = np.maximum(np.abs(truth[drawn]), floor)
    # The sign of each pair is turned so that the truth, which parities make negative, is positive.
    y = np.maximum(np.where(truth < 0, -estimate, estimate)[drawn], floor)
    ends = [float(min(x.min(), y.min())), float(max(x.max(), y.max()))]
    diagonal = go.Scatter(
        x=ends, y=ends, mode="lines", line={"color": GREY, "width": 1, "dash": "dot"}, hoverinfo="skip"
    )
    dots = go.Scattergl(
        x=x,
        y=y,
        mode="markers",
        marker={"color": rgba(stroke.color, 0.55), "symbol": stroke.symbol, "size": 5},
        customdata=np.column_stack([truth[drawn], estimate[drawn]]),
        text=[safe(workload.query(int(j))[2]) for j in drawn],
        hovertemplate="%{text}<br>true %{customdata[0]:.3~g}<br><b>estimated %{customdata[1]:.3~g}</b><extra></extra>",
    )
    axis = _axis(*map(math.log10, (*ends, floor)))
    figure = on_paper(
        [diagonal, dots],
        height=SCATTER_HEIGHT,
        hovermode="closest",
        xaxis=axis | {"title": {"text": "true share of n", "standoff": 8}},
        yaxis=axis | {"title": {"text": "estimated share of n", "standoff": 4}},
        showlegend=False,
        margin={"t": 8},
    )
    note = f"{count(len(drawn), 'dot')} of {len(truth):,}" if len(drawn) < len(truth) else ""
    of_queries = count(len(truth), "query", "queries")
    alt = f"{title}: true against estimated shares of {of_queries}, mean error {three_digits(float(errors.mean()))}."
    return Chart(title, PRIVATE, figure, alt, note)


def _axis(low: float, high: float, floor: float) -> dict[str, Any]:
    """An axis with ticks at powers of ten, below two decades also at 2 and 5, and a 0 at the edge if a dot is there."""
    room = 0.05 * (high - low) + 0.05
    digits = (1, 2, 5) if high - low < 2 else (1,)
    candidates = [math.log10(digit) + power for power in range(-9, 1) for digit in digits]
    ticks = [t for t in candidates if max(low - room, floor + 0.35) < t < high + room]
    edge = [floor] if low <= floor else []
    return {
        "type": "log",
        "showgrid": True,
        "range": [low - room, high + room],
        "tickvals": [10.0**t for t in [*edge, *ticks]],
        "ticktext": [*("0" for _ in edge), *(f"{10.0**t:g}" for t in ticks)],
    }


def _thinned(errors: np.ndarray, max_dots: int) -> np.ndarray:
    """At most `max_dots` queries: half those with the largest errors, half a fixed random choice of the rest."""
    if len(errors) <= max_dots:
        return np.arange(len(errors))
    order = np.argsort(-errors, kind="stable")
    half = max_dots // 2
    rest = np.random.default_rng(0).choice(order[half:], max_dots - half, replace=False)
    return np.concatenate([order[:half], rest])
