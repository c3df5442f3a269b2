"""The quality report as one HTML page that opens offline. NOT PRIVATE: every number in it reads the original."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mwem_core.base import template
from mwem_core.domain import Attribute, Domain
from mwem_core.encoding import QUANTILE_NAMES, QUANTILES, Numbers, number_texts, share_text
from mwem_core.judge import ClassifierScore
from mwem_core.release.chart import Error, error_chart
from mwem_core.release.rows_quality import Column, Learned, Pair, Quality

PAGE = template(Path(__file__).with_suffix(".html.jinja"))
MADE_FROM_RECORDS = (
    "Made from the records: publish this page only if they are public. Else protect it as you protect them."
)
LEARNED = "What a classifier learns"
MAX_LISTED, MAX_DRAWN = 40, 20  # pairs in the page's table and its chart, the worst first
MAX_COLUMNS = 40  # in the chart of columns, the worst first, and of numbers


def quality_report(found: Quality, domain: Domain, name: str) -> str:
    """The page on a table of this domain called `name`."""
    columns = [_error(c, "uniform") for c in found.columns]
    worst = sorted(found.pairs, key=lambda pair: -pair.distance.synthetic)[:MAX_LISTED]
    pairs = [_error(pair, "independent", "uniform") for pair in worst]
    number_columns = [(c, a) for c, a in zip(found.columns, domain.attributes, strict=True) if c.numbers]
    page = PAGE(
        name=name,
        statement=MADE_FROM_RECORDS,
        found=found,
        summary=summary(found),
        column_chart=error_chart(columns, "Total variation by column", MADE_FROM_RECORDS, MAX_COLUMNS),
        columns=[[*error.cells, *_rare(c)] for error, c in zip(columns, found.columns, strict=True)],
        numbers=[_numbers(column, attribute) for column, attribute in number_columns[:MAX_COLUMNS]],
        more_numbers=len(number_columns) - MAX_COLUMNS,
        pair_chart=error_chart(pairs, "Total variation by pair", MADE_FROM_RECORDS, MAX_DRAWN),
        pairs=[[*error.cells, *_related(pair)] for error, pair in zip(pairs, worst, strict=True)],
        learned_heading=LEARNED,
        learned=_scores(found.learned) if found.learned else [],
        chance=_chance(found.learned) if found.learned else 0.0,
    )
    return str(page)


def summary(found: Quality) -> list[str]:
    """The report in a few sentences, with each error's scale and baselines."""
    lines = [f"{found.rows:,} synthetic rows beside {found.records:,} records, {len(found.columns)} columns."]
    lines.append(_mean_of("Columns", [column.distance for column in found.columns], alone=False))
    if found.pairs:
        lines.append(_mean_of("Pairs", [pair.distance for pair in found.pairs], alone=True))
        off, none = (np.mean([pair.off for pair in found.pairs]), np.mean([abs(pair.related) for pair in found.pairs]))
        lines.append(f"How related two columns are: off by {off:.3f} in the mean; independent columns by {none:.3f}.")
    means = [
        abs(column.numbers[1].mean - column.numbers[0].mean) / column.numbers[0].deviation
        for column in found.columns
        if column.numbers and column.numbers[0].deviation > 0
    ]
    if means and np.isfinite(means).any():
        worst = float(np.nanmax(means))
        sample = 1 / np.sqrt(found.records)
        lines.append(
            f"Means of numbers: the worst is off by {worst:.3f} of the column's deviation; another sample by"
            f" {sample:.3f}."
        )
    if found.learned:
        lines.append(_learned_in_short(found.learned))
    return lines


def _mean_of(what: str, distances: Sequence, *, alone: bool) -> str:
    mean = {key: np.mean([getattr(d, key) for d in distances]) for key in ("synthetic", "independent", "uniform")}
    sample = np.mean([d.another_sample for d in distances])
    independent = f", independent columns {mean['independent']:.4f}" if alone else ""
    return (
        f"{what}: mean total variation {mean['synthetic']:.4f}; another sample {sample:.4f}{independent}, uniform"
        f" {mean['uniform']:.4f}."
    )


def _learned_in_short(learned: Learned) -> str:
    best = {name: min(score.error for score in scores) for name, scores in learned.scores.items()}
    return (
        f"Predicting {learned.target.attribute}: {best['synthetic rows']:.1%} wrong when trained on the synthetic rows,"
        f" {best['original rows']:.1%} on the original; always the most frequent value {learned.majority.error:.1%}."
    )


def _error(one: Column | Pair, *baselines: str) -> Error:
    distance = one.distance
    return Error(
        one.name, distance.synthetic, distance.another_sample, tuple(getattr(distance, name) for name in baselines)
    )


def _rare(column: Column) -> list[str]:
    rare = column.rare
    if not rare.values:
        return ["none", "", f"{rare.invented:.2%}"]
    return [f"{rare.kept} of {rare.values}", f"{rare.share:.2%}, {rare.synthetic_share:.2%}", f"{rare.invented:.2%}"]


def _numbers(column: Column, attribute: Attribute) -> tuple[list[list[str]], float]:
    """A table with its head, and by how many deviations the mean of another sample is off."""
    assert column.numbers
    original, synthetic, uniform = column.numbers
    lines = [
        [column.name, "mean", "deviation", *QUANTILE_NAMES, "below", "above"],
        ["original", *_summary_cells(attribute, original)],
        ["synthetic", *_summary_cells(attribute, synthetic)],
        ["uniform", *_summary_cells(attribute, uniform)],
        ["error, in deviations", *_error_cells(original, synthetic)],
        ["uniform's error", *_error_cells(original, uniform)],
    ]
    return lines, column.mean_error / original.deviation if original.deviation > 0 else 0.0


def _summary_cells(attribute: Attribute, numbers: Numbers) -> list[str]:
    texts = number_texts(attribute, numbers.mean, numbers.deviation, numbers.quantiles)
    return [*texts, share_text(numbers.below), share_text(numbers.above)]


def _error_cells(original: Numbers, other: Numbers) -> list[str]:
    if not original.deviation > 0:
        return [""] * (4 + len(QUANTILES))
    pairs = [(original.mean, other.mean), (original.deviation, other.deviation)]
    pairs += list(zip(original.quantiles, other.quantiles, strict=True))
    return [*(f"{(b - a) / original.deviation:+z.3f}" for a, b in pairs), "", ""]


def _related(pair: Pair) -> list[str]:
    return [
        f"{'r' if pair.correlated else 'V'} {pair.related:z.3f}",
        f"{pair.synthetic_related:z.3f}",
        f"{pair.off:.3f} ({pair.related_error:.3f})",
    ]


def _scores(learned: Learned) -> list[list[str]]:
    """A table with its head: what was trained on, and the score of each classifier."""
    names = [score.classifier for score in learned.scores["original rows"]]
    lines = [[source, *map(_score, scores)] for source, scores in learned.scores.items()]
    majority = ["nothing: the most frequent value", *[_score(learned.majority)] * len(names)]
    return [["trained on", *names], *lines, majority]


def _chance(learned: Learned) -> float:
    """By how much chance alone moves a share of the records that were tested."""
    return float(np.sqrt(learned.majority.error * (1 - learned.majority.error) / learned.tested))


def _score(score: ClassifierScore) -> str:
    return f"{score.error:.1%} ({score.balanced_accuracy:.1%})"
