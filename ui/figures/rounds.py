"""A run by round: errors against the truth, and what can be shown without it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from mwem_core.evaluation.metrics import Errors
from mwem_core.release.run import Run
from ui.figures.chart import BLUE, GREY, RED, Chart, log_axis, on_paper
from ui.results.baselines import expected_noise
from ui.words.badges import PRIVATE, chart_badge
from ui.words.numbers import share


def error_by_round(errors: Sequence[Errors], n: float) -> Chart:
    """Largest and mean error of the workload's answers after each round; dotted, those of the start."""
    largest, mean = (np.array([getattr(e, key) for e in errors]) for key in ("max_error", "mean_error"))
    rounds, traces = np.arange(len(errors)), []
    for name, values, color in (("largest", largest, RED), ("mean", mean, BLUE)):
        level = np.full(len(rounds), values[0])
        traces += [
            _curve(rounds, values, name, color),
            _curve(rounds, level, f"{name} at the start", color, dash="dot", hoverinfo="skip"),
        ]
    figure = _by_round(traces, f"error, share of n = {n:,.0f} (log scale)", largest, mean)
    return Chart("Error by round", PRIVATE, figure, describe_errors(errors))


def describe_errors(errors: Sequence[Errors]) -> str:
    """The first and last errors in a sentence."""
    first, final, last = errors[0], errors[-1], len(errors) - 1
    return (
        f"Error by round, shares of n on a logarithmic scale. Largest error {share(first.max_error)} at the start, "
        f"{share(final.max_error)} after round {last}; mean error {share(first.mean_error)} at the start, "
        f"{share(final.mean_error)} after round {last}."
    )


def surprise_by_round(run: Run) -> Chart:
    """How far each measurement lay from what the model said before it, beside the noise it was expected to carry."""
    found = surprises(run)
    rounds, surprise, noise = np.array(found, float).reshape(-1, 3).T
    traces = [
        _curve(rounds, surprise, "surprise", BLUE),
        _curve(rounds, noise, "expected noise", GREY, dash="dash"),
    ]
    figure = _by_round(traces, "records (log scale)", surprise, noise)
    return Chart("Surprise and noise by round", chart_badge(run), figure, describe_surprises(found))


def surprises(run: Run) -> list[tuple[int, float, float]]:
    """Of each measured round: its number, |m - q(A)| and the expected |noise|, both as L1 norms in records."""
    return [
        (entry.index, entry.residual, expected_noise(entry)) for entry in run.rounds if entry.measurement is not None
    ]


def describe_surprises(found: Sequence[tuple[int, float, float]]) -> str:
    """The first and last surprise in a sentence."""
    if not found:
        return "Nothing has been measured yet."
    (i, first, first_noise), (j, final, final_noise) = found[0], found[-1]
    return (
        "Distance of each measurement from what the model said before it, in records: "
        f"{first:,.0f} in round {i} with {first_noise:,.0f} expected from the noise alone; "
        f"{final:,.0f} in round {j} with {final_noise:,.0f}."
    )


def _curve(x: np.ndarray, y: np.ndarray, name: str, color: str, dash: str = "solid", **more: Any) -> go.Scatter:
    mode = "lines+markers" if len(x) <= 40 and dash == "solid" else "lines"
    line = {"color": color, "dash": dash, "width": 2.5 if dash == "solid" else 1.5}
    tip = {} if more else {"hovertemplate": "%{fullData.name} %{y:,.3~g}<extra></extra>"}
    return go.Scatter(x=x, y=y, name=name, mode=mode, line=line, marker={"size": 6}, **tip, **more)


def _by_round(traces: list[go.Scatter], what: str, *values: np.ndarray) -> go.Figure:
    """Curves over the rounds, on a logarithmic axis that ends at half decades."""
    rounds = {"title": {"text": "round", "standoff": 6}, "tickformat": "d", "nticks": 13}
    errors = log_axis(np.concatenate(values)) | {"title": {"text": what}}
    return on_paper(traces, height=340, hovermode="x unified", xaxis=rounds, yaxis=errors)
