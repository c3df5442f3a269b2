"""A run by round: errors against the truth, and charts that need no truth."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from mwem_app.base import PRIVATE, run_badge, share
from mwem_app.charts import BLUE, GREY, RED, Chart, log_axis, on_paper
from mwem_core.automatic import Turn, turn_of
from mwem_core.judge import LEAST_ERROR, Errors
from mwem_core.output import Run


def error_by_round(errors: Sequence[Errors], n: float, turn: Turn = "round") -> Chart:
    """Largest and mean error of the workload's answers after each round; dotted lines are those of the start.

    An error below `LEAST_ERROR` is drawn as that.
    """
    found = (np.array([getattr(e, key) for e in errors]) for key in ("max_error", "mean_error"))
    largest, mean = (np.maximum(values, LEAST_ERROR / n) for values in found)
    rounds, traces = np.arange(len(errors)), []
    for name, values, color in (("largest", largest, RED), ("mean", mean, BLUE)):
        level = np.full(len(rounds), values[0])
        traces += [
            _curve(rounds, values, name, color),
            _curve(rounds, level, f"{name} at the start", color, dash="dot", hoverinfo="skip"),
        ]
    figure = _by_round(traces, f"error, share of n = {n:,.0f} (log scale)", turn, largest, mean)
    return Chart(f"Error by {turn}", PRIVATE, figure, describe_errors(errors, turn))


def describe_errors(errors: Sequence[Errors], turn: Turn = "round") -> str:
    """The errors of the first and the last round in words."""
    first, last, final = errors[0], errors[-1], len(errors) - 1
    return (
        f"Error by {turn}, shares of n on a logarithmic scale. Largest error {share(first.max_error)} at the start, "
        f"{share(last.max_error)} after {turn} {final}; mean error {share(first.mean_error)} at the start, "
        f"{share(last.mean_error)} after {turn} {final}."
    )


def residual_by_round(run: Run) -> Chart:
    """The distance of each measurement from the model before it, |m - q(A)|, beside the expected noise."""
    by_round, turn = residuals(run), turn_of(run.chosen)
    rounds, residual, noise = np.array(by_round, float).reshape(-1, 3).T
    traces = [
        _curve(rounds, residual, "residual", BLUE),
        _curve(rounds, noise, "expected noise", GREY, dash="dash"),
    ]
    figure = _by_round(traces, "records (log scale)", turn, residual, noise)
    return Chart(f"Residual and noise by {turn}", run_badge(run), figure, describe_residuals(by_round, turn))


def residuals(run: Run) -> list[tuple[int, float, float]]:
    """(index, ‖m - q(A)‖₁, E‖noise‖₁) of each round with a measurement, in records."""
    return [(entry.index, entry.residual, entry.expected_noise) for entry in run.rounds if entry.measurements]


def describe_residuals(by_round: Sequence[tuple[int, float, float]], turn: Turn = "round") -> str:
    """The first and the last residual in words."""
    if not by_round:
        return "Nothing has been measured yet."
    (i, first, first_noise), (j, last, last_noise) = by_round[0], by_round[-1]
    return (
        "Distance of each measurement from the model before it, in records: "
        f"{first:,.0f} in {turn} {i}, where noise alone is expected to give {first_noise:,.0f}; "
        f"{last:,.0f} in {turn} {j}, where noise alone is expected to give {last_noise:,.0f}."
    )


def _curve(x: np.ndarray, y: np.ndarray, name: str, color: str, dash: str = "solid", **more: Any) -> go.Scatter:
    mode = "lines+markers" if len(x) <= 40 and dash == "solid" else "lines"
    line = {"color": color, "dash": dash, "width": 2.5 if dash == "solid" else 1.5}
    tip = {} if more else {"hovertemplate": "%{fullData.name} %{y:,.3~g}<extra></extra>"}
    return go.Scatter(x=x, y=y, name=name, mode=mode, line=line, marker={"size": 6}, **tip, **more)


def _by_round(traces: list[go.Scatter], y_title: str, turn: Turn, *values: np.ndarray) -> go.Figure:
    """Curves over the rounds, with a logarithmic y axis that holds all `values`."""
    rounds = {"title": {"text": turn, "standoff": 6}, "tickformat": "d", "nticks": 13}
    errors = log_axis(np.concatenate(values)) | {"title": {"text": y_title}}
    return on_paper(traces, height=340, hovermode="x unified", xaxis=rounds, yaxis=errors)
