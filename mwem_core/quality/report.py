"""The quality report as one HTML page that opens offline. NOT PRIVATE: every number in it reads the original."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from mwem_core.data.numbers import QUANTILE_NAMES, QUANTILES, Numbers, number_texts, share_text
from mwem_core.domain.attribute import Attribute
from mwem_core.domain.domain import Domain
from mwem_core.evaluation.classification import ClassifierScore
from mwem_core.quality.columns import Column
from mwem_core.quality.learned import Learned
from mwem_core.quality.pairs import Pair
from mwem_core.quality.quality import Quality
from mwem_core.releasing.chart import Error, error_chart
from mwem_core.releasing.page import figure_of, page, paragraph, section, table

STATEMENT = "Made from the private data: do not publish this page. Protect it as you protect the original."
LEARNED = "What a classifier learns"
DISTANCE = (
    "Total variation, 0 to 1: the share of records to move until both are equal."
    " Another sample: what as many new records drawn from the original's distribution would differ by, in the mean."
    " Uniform: knows the schema alone. Independent columns: the original's own columns, each drawn by itself."
)
LEGEND = "Dot: the synthetic rows. Hollow: {}. Short line: another sample of as many records. Logarithmic scale."
MAX_LISTED, MAX_DRAWN = 40, 20  # pairs in the page's table and its chart, the worst first
MAX_COLUMNS = 40  # in the chart of columns, the worst first, and of numbers


def quality_report(found: Quality, domain: Domain, name: str) -> str:
    """The page on a table of this domain called `name`."""
    title = f"{paragraph('Quality of synthetic rows', 'soft')}<h1>{escape(name)}</h1>"
    return page(
        f"Quality report: {name}",
        [
            f"<header>{title}{paragraph(STATEMENT, 'warn')}</header>",
            section("In short", *(paragraph(line) for line in summary(found))),
            section("Columns", *_columns(found.columns)),
            section("Numbers", *_numbers(found.columns, domain)),
            section("Pairs of columns", *_pairs(found)),
            section(LEARNED, *_learned(found)),
        ],
        wide=True,
    )


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


def _columns(columns: Sequence[Column]) -> list[str]:
    drawn = columns
    if len(columns) > MAX_COLUMNS:
        drawn = sorted(columns, key=lambda column: -column.distance.synthetic)[:MAX_COLUMNS]
    errors = [Error(c.name, c.distance.synthetic, c.distance.another_sample, (c.distance.uniform,)) for c in drawn]
    head = ["column", "synthetic", "another sample", "uniform", "rare values kept", "their share", "invented"]
    lines = [
        [c.name, *_four(c.distance.synthetic, c.distance.another_sample, c.distance.uniform), *_rare(c)]
        for c in columns
    ]
    return [
        _figure(errors, "Total variation by column", "uniform"),
        table(head, lines, numbers=6),
        paragraph(
            f"{DISTANCE} They have every column exactly, so only pairs tell them apart. Rare values are those of under"
            " 1% of the records; their share is that of the original, then of the synthetic rows. Invented: the share"
            " of synthetic rows with a value that no record has.",
            "soft",
        ),
    ]


def _rare(column: Column) -> list[str]:
    rare = column.rare
    if not rare.values:
        return ["none", "", f"{rare.invented:.2%}"]
    return [f"{rare.kept} of {rare.values}", f"{rare.share:.2%}, {rare.synthetic_share:.2%}", f"{rare.invented:.2%}"]


def _numbers(columns: Sequence[Column], domain: Domain) -> list[str]:
    parts, numbered = [], [(c, a) for c, a in zip(columns, domain.attributes, strict=True) if c.numbers]
    for column, attribute in numbered[:MAX_COLUMNS]:
        assert column.numbers
        head = [column.name, "mean", "deviation", *QUANTILE_NAMES, "below", "above"]
        original, synthetic, uniform = column.numbers
        lines = [
            ["original", *_summary_cells(attribute, original)],
            ["synthetic", *_summary_cells(attribute, synthetic)],
            ["uniform", *_summary_cells(attribute, uniform)],
            ["error, in deviations", *_error_cells(original, synthetic)],
            ["uniform's error", *_error_cells(original, uniform)],
        ]
        parts.append(table(head, lines, numbers=len(head) - 1))
        sample = column.mean_error / original.deviation if original.deviation > 0 else 0.0
        parts.append(paragraph(f"The mean of another sample is off by {sample:.3f} deviations.", "soft"))
    if not parts:
        return [paragraph("No column of the schema holds numbers.")]
    left_out = len(numbered) - MAX_COLUMNS
    more = f"{left_out:,} more columns of numbers are in the command's --json. " if left_out > 0 else ""
    parts.append(
        paragraph(
            f"{more}Errors are in standard deviations of the original's column. Below and above: the shares of rows"
            " beyond the original's 1% and 99% points. Independent columns have the original's numbers.",
            "soft",
        )
    )
    return parts


def _summary_cells(attribute: Attribute, numbers: Numbers) -> list[str]:
    texts = number_texts(attribute, numbers.mean, numbers.deviation, numbers.quantiles)
    return [*texts, share_text(numbers.below), share_text(numbers.above)]


def _error_cells(original: Numbers, other: Numbers) -> list[str]:
    if not original.deviation > 0:
        return [""] * (4 + len(QUANTILES))
    pairs = [(original.mean, other.mean), (original.deviation, other.deviation)]
    pairs += list(zip(original.quantiles, other.quantiles, strict=True))
    return [*(f"{(b - a) / original.deviation:+z.3f}" for a, b in pairs), "", ""]


def _pairs(found: Quality) -> list[str]:
    if not found.pairs:
        return [paragraph("There is no pair of columns to compare.")]
    worst = sorted(found.pairs, key=lambda pair: -pair.distance.synthetic)[:MAX_LISTED]
    errors = [
        Error(p.name, p.distance.synthetic, p.distance.another_sample, (p.distance.independent, p.distance.uniform))
        for p in worst[:MAX_DRAWN]
    ]
    head = ["pair", "synthetic", "another sample", "independent", "uniform", "related", "synthetic", "error"]
    lines = [[p.name, *_of_pair(p)] for p in worst]
    more = f"The {len(worst)} of {len(found.pairs):,} pairs that err most. " if len(worst) < len(found.pairs) else ""
    left_out = found.all_pairs - len(found.pairs)
    more += f"{left_out:,} pairs are not compared: they are of later columns, or too large. " if left_out else ""
    return [
        _figure(errors, "Total variation by pair", "independent columns, uniform"),
        table(head, lines, numbers=7),
        paragraph(
            f"{more}{DISTANCE} Related: Pearson's correlation of two columns of numbers (r), or Cramér's V; 0 for"
            " independent columns and for uniform. Its error is followed, in brackets, by the standard error of"
            " another sample.",
            "soft",
        ),
    ]


def _of_pair(pair: Pair) -> list[str]:
    d, letter = pair.distance, "r" if pair.correlated else "V"
    return [
        *_four(d.synthetic, d.another_sample, d.independent, d.uniform),
        f"{letter} {pair.related:z.3f}",
        f"{pair.synthetic_related:z.3f}",
        f"{pair.off:.3f} ({pair.related_error:.3f})",
    ]


def _learned(found: Quality) -> list[str]:
    learned = found.learned
    if learned is None:
        return [paragraph(f"No classifier was trained: {found.not_learned}.")]
    names = [score.classifier for score in learned.scores["original rows"]]
    lines = [[source, *map(_score, scores)] for source, scores in learned.scores.items()]
    lines.append(["nothing: the most frequent value", *[_score(learned.majority)] * len(names)])
    error = np.sqrt(learned.majority.error * (1 - learned.majority.error) / learned.tested)
    return [
        paragraph(f"Predicting {learned.target.attribute} of {learned.tested:,} records of the original."),
        table(["trained on", *names], lines, numbers=len(names)),
        paragraph(
            "The share of records that is misclassified and, in brackets, the balanced accuracy: the share of a class"
            " that is classified correctly, averaged over the classes. Chance alone moves a share by about"
            f" {error:.1%}. The original's rows are trained on the other four fifths. The synthetic rows may come from"
            " all records, also from those tested on.",
            "soft",
        ),
    ]


def _score(score: ClassifierScore) -> str:
    return f"{score.error:.1%} ({score.balanced_accuracy:.1%})"


def _figure(errors: Sequence[Error], label: str, baselines: str) -> str:
    """A chart with its caption, which says that it is private."""
    return figure_of(error_chart(errors, label, STATEMENT), f"{LEGEND.format(baselines)} {STATEMENT}")


def _four(*values: float) -> list[str]:
    return [f"{value:.4f}" for value in values]
