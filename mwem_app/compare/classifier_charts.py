"""Errors of classifiers trained on synthetic rows, between those trained on real rows and guessing."""

from collections.abc import Sequence

import plotly.graph_objects as go

from mwem_app.base import PRIVATE
from mwem_app.charts import COLORS, GREY, Chart, on_paper, safe
from mwem_app.evidence import Spread, whiskers
from mwem_core.judge import MAJORITY, REAL, ClassifierScore, Evaluation
from mwem_core.systems import SYSTEMS

Scores = dict[str, dict[str, list[ClassifierScore]]]


def scores_by_source(evaluations: Sequence[Evaluation]) -> Scores:
    """The scores over seeds, by the rows that were trained on and by classifier."""
    grouped: Scores = {}
    for evaluation in evaluations:
        for score in evaluation.scores:
            grouped.setdefault(evaluation.source, {}).setdefault(score.classifier, []).append(score)
    return grouped


def error_spread(scores: Sequence[ClassifierScore]) -> Spread:
    """The errors of a classifier over the seeds."""
    return Spread.of(score.error for score in scores)


def errors_by_system(evaluations: Sequence[Evaluation], title: str) -> Chart:
    """One row per system, one point per classifier. Dotted lines: trained on real rows; dashed: the majority class."""
    grouped = scores_by_source(evaluations)
    real, (guess,) = grouped[REAL], grouped[MAJORITY][MAJORITY]
    systems = [name for name in grouped if name in SYSTEMS]
    spreads = {c: [error_spread(grouped[name][c]) for name in systems] for c in real}
    traces = [_points(systems, spreads[c], c, i, len(real)) for i, c in enumerate(real)]
    worst = max([guess.error, *(spread.high for by_system in spreads.values() for spread in by_system)])
    figure = on_paper(
        traces,
        height=130 + 20 * max(2, len(real)) * len(systems),
        hovermode="closest",
        xaxis={
            "range": [0, min(1.0, 1.12 * worst)],
            "tickformat": "~p",
            "title": {"text": "misclassified, share of the held-out real records", "standoff": 6},
        },
        yaxis={
            "range": [len(systems) - 0.5, -0.5],
            "tickvals": list(range(len(systems))),
            "ticktext": [safe(SYSTEMS[name].title) for name in systems],
            "showgrid": False,
        },
        legend={"traceorder": "normal"},
    )
    for i, (score,) in enumerate(real.values()):
        figure.add_vline(score.error, line={"color": COLORS[i % len(COLORS)], "dash": "dot", "width": 1.5})
    figure.add_vline(guess.error, line={"color": GREY, "dash": "dash", "width": 1.5})
    return Chart(title, PRIVATE, figure, describe_classifiers(evaluations))


def describe_classifiers(evaluations: Sequence[Evaluation]) -> str:
    """The error of the best classifier of each system, in words."""
    best = {
        name: min((error_spread(scores).middle, classifier) for classifier, scores in by_classifier.items())
        for name, by_classifier in scores_by_source(evaluations).items()
    }
    systems = "; ".join(f"{SYSTEMS[n].title} {e:.1%} ({c})" for n, (e, c) in best.items() if n in SYSTEMS)
    return (
        "Share of the held-out real records that the best classifier misclassifies: trained on real rows "
        f"{best[REAL][0]:.1%}; {systems}; always the majority class {best[MAJORITY][0]:.1%}."
    )


def _points(systems: Sequence[str], spreads: Sequence[Spread], classifier: str, i: int, classifiers: int) -> go.Scatter:
    color = COLORS[i % len(COLORS)]
    x, low, high = ([getattr(spread, end) for spread in spreads] for end in ("middle", "low", "high"))
    return go.Scatter(
        x=x,
        y=[row + (i - (classifiers - 1) / 2) * 0.8 / classifiers for row in range(len(systems))],
        name=classifier,
        mode="markers",
        marker={"color": color, "size": 10},
        error_x=whiskers(low, x, high, color),
        text=[safe(SYSTEMS[name].title) for name in systems],
        hovertemplate="<b>%{text}</b><br>%{fullData.name} %{x:.1%}<extra></extra>",
    )
