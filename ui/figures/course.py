"""Multiplicative weights without noise, by round: errors beside their bound, the potential beside what it paid."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from mwem_core.evaluation.course import Course
from ui.figures.chart import BLUE, GREY, RED, Chart, log_axis, on_paper
from ui.words.badges import PRIVATE
from ui.words.numbers import share

TALL = 320


def error_and_bound(course: Course) -> Chart:
    """Max error of the average that the bound is about and of the last table, shares of n, over T."""
    rounds = np.arange(1, len(course.average) + 1)
    traces = [
        _line(rounds, course.average, "average of the tables", RED),
        _line(rounds, course.last, "last table", BLUE),
        _line(rounds, course.bound, "bound of the average", GREY, dash="dash"),
    ]
    alt = (
        f"Largest error after {len(rounds)} rounds, share of n: {share(course.average[-1])} of the average, "
        f"{share(course.last[-1])} of the last table; the bound is {share(course.bound[-1])}."
    )
    up = log_axis([*course.average, *course.last, *course.bound]) | {"title": {"text": "share of n (log scale)"}}
    return _chart("Largest error by round", traces, up, alt)


def potential_and_paid(course: Course) -> Chart:
    """Ψ_i, and the most that is left of Ψ_0 once each round has paid for its error; nats."""
    rounds = np.arange(len(course.potential))
    traces = [
        _line(rounds, course.potential, "relative entropy", BLUE),
        _line(rounds, course.paid, "the most it can be", GREY, dash="dash"),
    ]
    alt = (
        f"Relative entropy of the truth to the model, in nats: {course.potential[0]:.2f} at the start, "
        f"{course.potential[-1]:.2f} after {len(rounds) - 1} rounds, at most {course.paid[-1]:.2f}."
    )
    up = {"range": [0, 1.05 * course.potential[0]], "title": {"text": "nats"}}
    return _chart("Potential by round", traces, up, alt)


def _line(x: np.ndarray, y: np.ndarray, name: str, color: str, dash: str = "solid") -> go.Scatter:
    line = {"color": color, "dash": dash, "width": 2.5 if dash == "solid" else 1.5}
    tip = "%{fullData.name} %{y:,.3~g}<extra></extra>"
    return go.Scatter(x=x, y=y, name=name, mode="lines", line=line, hovertemplate=tip)


def _chart(title: str, traces: list[go.Scatter], up: dict[str, Any], alt: str) -> Chart:
    rounds = {"title": {"text": "round", "standoff": 6}, "tickformat": "d"}
    return Chart(title, PRIVATE, on_paper(traces, height=TALL, hovermode="x unified", xaxis=rounds, yaxis=up), alt)
