"""Answers side by side: a dot and its 95% interval for each group, and the truth where a page may show it."""

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from mwem_app.base import Badge
from mwem_app.charts import AMBER, TEAL, Chart, cut, on_paper, safe

ROW_HEIGHT = 30  # pixels
MAX_LABEL = 34  # characters


@dataclass(frozen=True)
class Interval:
    """What is drawn of an answer: its group, numbers on the axis, the same in words, and the truth or None."""

    label: str
    value: float
    low: float
    high: float
    words: str
    truth: float | None = None


def interval_chart(title: str, axis: str, intervals: Sequence[Interval], badge: Badge, *, percent: bool) -> Chart:
    """The first on top. `axis` says what the numbers are; `percent` writes shares as per cent."""
    rows = list(range(len(intervals)))
    answers = go.Scatter(
        x=[each.value for each in intervals],
        y=rows,
        name="answer and 95% interval",
        mode="markers",
        marker={"color": TEAL, "size": 10},
        error_x={
            "array": [each.high - each.value for each in intervals],
            "arrayminus": [each.value - each.low for each in intervals],
            "color": TEAL,
            "thickness": 2,
            "width": 5,
        },
        text=[f"<b>{safe(each.label)}</b><br>{safe(each.words)}" for each in intervals],
        hovertemplate="%{text}<extra></extra>",
    )
    traces = [answers]
    if known := [(row, each.truth) for row, each in zip(rows, intervals, strict=True) if each.truth is not None]:
        traces.append(
            go.Scatter(
                x=[truth for _, truth in known],
                y=[row for row, _ in known],
                name="truth",
                mode="markers",
                marker={"color": AMBER, "size": 13, "symbol": "line-ns-open", "line": {"width": 3, "color": AMBER}},
                hoverinfo="skip",
            )
        )
    figure = on_paper(
        traces,
        height=(110 if len(traces) > 1 else 84) + ROW_HEIGHT * len(rows),
        hovermode="closest",
        xaxis={"title": {"text": axis, "standoff": 10}, "tickformat": "~p" if percent else "~g", "nticks": 7},
        yaxis={
            "tickvals": rows,
            "ticktext": [cut(each.label, MAX_LABEL) for each in intervals],
            "range": [len(rows) - 0.4, -0.6],
            "showgrid": False,
            "ticks": "",
        },
    )
    spoken = "; ".join(f"{each.label}: {each.words}" for each in intervals)
    return Chart(title, badge, figure, f"{title}: {spoken}.")
