"""What classifiers trained on synthetic rows get wrong, between those trained on real ones and guessing."""

from collections.abc import Sequence

import plotly.graph_objects as go

from mwem_core.evaluation.classification import MAJORITY, REAL, Learned, Score
from mwem_core.systems import SYSTEMS
from ui.figures.chart import GREY, Chart, on_paper, safe
from ui.figures.growth import bars
from ui.figures.palette import COLORS
from ui.results.benchmarks import Spread
from ui.words.badges import PRIVATE

Scores = dict[str, dict[str, list[Score]]]


def by_rows(found: Sequence[Learned]) -> Scores:
    """The scores over seeds, by what was learned from and by classifier."""
    grouped: Scores = {}
    for learned in found:
        for score in learned.scores:
            grouped.setdefault(learned.rows, {}).setdefault(score.classifier, []).append(score)
    return grouped


def errors(scores: Sequence[Score]) -> Spread:
    """Over the seeds."""
    return Spread.of(score.error for score in scores)


def errors_by_system(found: Sequence[Learned], title: str) -> Chart:
    """A row a system, a point a classifier, between two lines: dotted, trained on real rows; dashed, guessing."""
    grouped = by_rows(found)
    real, (floor,) = grouped[REAL], grouped[MAJORITY][MAJORITY]
    systems = [name for name in grouped if name in SYSTEMS]
    drawn = {c: [errors(grouped[name][c]) for name in systems] for c in real}
    traces = [_points(systems, drawn[c], c, i, len(real)) for i, c in enumerate(real)]
    worst = max([floor.error, *(e.high for some in drawn.values() for e in some)])
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
    )
    figure.update_layout(legend_traceorder="normal")
    for i, (score,) in enumerate(real.values()):
        figure.add_vline(score.error, line={"color": COLORS[i % len(COLORS)], "dash": "dot", "width": 1.5})
    figure.add_vline(floor.error, line={"color": GREY, "dash": "dash", "width": 1.5})
    return Chart(title, PRIVATE, figure, describe_errors(found))


def describe_errors(found: Sequence[Learned]) -> str:
    """What the best classifier of each gets wrong, in a sentence."""
    best = {
        name: min((errors(some).middle, classifier) for classifier, some in scores.items())
        for name, scores in by_rows(found).items()
    }
    systems = "; ".join(f"{SYSTEMS[n].title} {e:.1%} ({c})" for n, (e, c) in best.items() if n in SYSTEMS)
    return (
        "Share of the held-out real records misclassified, by the best classifier of each: trained on real rows "
        f"{best[REAL][0]:.1%}; {systems}; always the majority class {best[MAJORITY][0]:.1%}."
    )


def _points(systems: Sequence[str], spreads: Sequence[Spread], classifier: str, i: int, of: int) -> go.Scatter:
    color = COLORS[i % len(COLORS)]
    x, low, high = ([getattr(spread, end) for spread in spreads] for end in ("middle", "low", "high"))
    return go.Scatter(
        x=x,
        y=[row + (i - (of - 1) / 2) * 0.8 / of for row in range(len(systems))],
        name=classifier,
        mode="markers",
        marker={"color": color, "size": 10},
        error_x=bars(low, x, high, color),
        text=[safe(SYSTEMS[name].title) for name in systems],
        hovertemplate="<b>%{text}</b><br>%{fullData.name} %{x:.1%}<extra></extra>",
    )
