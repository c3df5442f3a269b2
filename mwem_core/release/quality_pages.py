"""The two pages on the quality of synthetic rows: from the measurements alone, and beside the original.

`quality_page` follows from released values and public facts, so it may leave as far as the release may.
`quality_report` is NOT PRIVATE: every number in it reads the original."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape
from itertools import combinations
from pathlib import Path

import numpy as np

from mwem_core.algorithm import AnswerSource, Round
from mwem_core.ask import LoadedRelease, Question
from mwem_core.base import template
from mwem_core.domain import Attribute, Attrs, Domain, Records, quoted_name
from mwem_core.encoding import number_texts
from mwem_core.intervals import ALPHA, Estimates, deviations
from mwem_core.release.charts import Error, error_chart
from mwem_core.release.quality import (
    MAX_PAIR_CELLS,
    MAX_PAIRS,
    QUANTILE_NAMES,
    QUANTILES,
    RARE,
    Column,
    Numbers,
    Pair,
    Quality,
    correlation,
    measured_table,
    summarise,
)

PAGE = template(Path(__file__).with_name("quality.html.jinja"))
MAX_LISTED, MAX_DRAWN = 40, 20  # pairs in the table and in the chart, the worst first
MAX_COLUMNS = 40  # in the chart of columns, and of numbers
MAX_NUMBER_CELLS = 500  # of a column whose mean and quantiles get an interval
MAX_CORRELATED_CELLS = 2**14  # of a pair whose correlation gets an interval
FAR = "Distance of each {} from what was measured"
MADE_FROM_RECORDS = (
    "Made from the records: publish this page only if they are public. Else protect it as you protect them."
)


@dataclass(frozen=True)
class MarginalError(Error):
    """How far a marginal of the rows is from what was measured of it, beside its noise and baselines: total variation.

    `inside` is the share of its values whose number of rows lies in the interval.
    """

    inside: float


def quality_page(
    name: str, statement: str, rounds: Sequence[Round[AnswerSource]], rows: Records, *, method: str = ""
) -> str:
    """The page on the rows made of these rounds by a method; `statement` says whether it may be published."""
    domain = rows.domain
    known, unit = Estimates.of(domain, rounds), rounds[-1].ledger.budget.unit
    pairs = [S for S in combinations(range(len(domain)), 2) if domain.cells(S) <= MAX_PAIR_CELLS and known.knows(S)]
    number_columns = [a for a, attribute in enumerate(domain.attributes) if attribute.number_set and known.knows((a,))]
    columns = _marginal_errors(known, rows, [(a,) for a in range(len(domain))], unit)
    some_pairs = _marginal_errors(known, rows, pairs[:MAX_PAIRS], unit)
    asked = LoadedRelease.of_rounds(rounds, rows)
    numbers, outside = _numbers(asked, rows, number_columns[:MAX_COLUMNS])
    worst = sorted(some_pairs, key=lambda pair: -pair.rows)[:MAX_LISTED]
    page = PAGE(
        found=None,
        name=name,
        statement=statement,
        method=method,
        summary=_summary(rows, columns, some_pairs, len(pairs)),
        column_chart=error_chart(columns, FAR.format("column"), statement, MAX_COLUMNS),
        columns=[[*c.cells, f"{c.inside:.0%}", *_rare(known, rows, c.name, unit)] for c in columns],
        numbers=[(lines, None) for lines in numbers],
        outside=outside,
        number_columns=len(number_columns),
        shown_numbers=MAX_COLUMNS,
        pair_chart=error_chart(worst, FAR.format("pair"), statement, MAX_DRAWN),
        pairs=[[*c.cells, f"{c.inside:.0%}"] for c in worst],
        measured=len(pairs),
        all_pairs=len(domain) * (len(domain) - 1) // 2,
        correlations=_correlations(asked, rows, pairs[:MAX_PAIRS]),
    )
    return str(page)


def _marginal_errors(known: Estimates, rows: Records, sets: Sequence[Attrs], unit: str) -> list[MarginalError]:
    """The sets that were measured: rows, uniform and for pairs the rows' own columns each by itself."""
    found = []
    for S, counts in zip(sets, rows.marginals(sets), strict=True):
        measured = measured_table(known, S, unit)
        if measured is None:
            continue
        p = counts / counts.sum()
        alone = [p.sum(axis=1, keepdims=True) * p.sum(axis=0, keepdims=True)] if len(S) == 2 else []
        baselines = (*map(measured.distance, alone), measured.distance(np.full(p.shape, 1 / p.size)))
        name = known.domain.label(S)
        found.append(MarginalError(name, measured.distance(p), measured.noise, baselines, measured.inside(p)))
    return found


def _summary(
    rows: Records, columns: Sequence[MarginalError], pairs: Sequence[MarginalError], measured_pairs: int
) -> list[str]:
    d = len(rows.domain)
    lines = [
        f"{rows.total:,} synthetic rows. Of {d} columns {len(columns)} were measured, and of"
        f" {d * (d - 1) // 2:,} pairs {measured_pairs:,}."
    ]
    for what, found, names in (
        ("Columns", columns, ("uniform",)),
        ("Pairs", pairs, ("the rows' own columns, each by itself", "uniform")),
    ):
        if found:
            means = ", ".join(f"{name} {np.mean([c.baselines[i] for c in found]):.4f}" for i, name in enumerate(names))
            lines.append(
                f"{what}: the rows are {np.mean([c.rows for c in found]):.4f} from what was measured, in the mean;"
                f" noise alone makes {np.mean([c.scale for c in found]):.4f}; {means}."
            )
    return lines


def _rare(known: Estimates, rows: Records, name: str, unit: str) -> list[str]:
    """How many values are surely rare, the rows' share of them, and the measured one with its noise."""
    (a,) = known.domain.attrs(name)
    measured = measured_table(known, (a,), unit)
    assert measured is not None
    total, counts = measured.value.sum(), rows.marginals([(a,)])[0]
    rare = measured.high < RARE * total
    if not rare.any():
        return ["none", "", ""]
    found = known.answer((a,), rare.astype(float))
    assert found is not None
    return [
        f"{rare.sum():,}",
        f"{counts[rare].sum() / counts.sum():.2%}",
        f"{max(0.0, found[0]) / total:.2%} ± {deviations(ALPHA, unit) * found[1] ** 0.5 / total:.2%}",
    ]


def _numbers(asked: LoadedRelease, rows: Records, columns: Sequence[int]) -> tuple[list[list[list[str]]], int]:
    """A table per column, with its head, and how many numbers of the rows lie outside of their intervals."""
    tables, outside = [], 0
    for a in columns:
        attribute, what = asked.domain.attributes[a], quoted_name(asked.domain.names[a])
        if attribute.value_set.size > MAX_NUMBER_CELLS:
            continue
        own = summarise(rows, attribute.name)
        values = [own.mean, own.deviation, *own.quantiles]
        questions = (
            Question("mean", what),
            Question("deviation", what),
            *(Question("quantile", what, p=p) for p in QUANTILES),
        )
        answers = [asked.ask(question, of="table")[0] for question in questions]
        intervals = [(-np.inf, np.inf) if each.refused else each.interval for each in answers]
        outside += sum(not low <= value <= high for value, (low, high) in zip(values, intervals, strict=True))
        lines = [
            [name, *number_texts(attribute, mean, deviation, quantiles)]
            for name, (mean, deviation, *quantiles) in (
                ("the rows", values),
                ("the truth is from", [low for low, _ in intervals]),
                ("to", [high for _, high in intervals]),
            )
        ]
        tables.append([[attribute.name, "mean", "deviation", *QUANTILE_NAMES], *lines])
    return tables, outside


def _correlations(asked: LoadedRelease, rows: Records, pairs: Sequence[tuple[int, int]]) -> list[list[str]]:
    """A line for each pair of number columns whose correlation is not refused: the rows' and the release's."""
    lines, domain = [], asked.domain
    for S in pairs:
        if all(domain.attributes[a].number_set for a in S) and domain.cells(S) <= MAX_CORRELATED_CELLS:
            names = [domain.names[a] for a in S]
            what = ", ".join(map(quoted_name, names))
            (found,) = asked.ask(Question("correlation", what), of="table")
            if not found.refused:
                interval = f"{found.low:z.3f} to {found.high:z.3f}"
                lines.append([domain.label(S), f"{correlation(rows, *names):z.3f}", f"{found.value:z.3f}", interval])
    return lines


def quality_report(found: Quality, domain: Domain, name: str) -> str:
    """The page on a table of this domain called `name`."""
    columns = [_error(c, "uniform") for c in found.columns]
    worst = sorted(found.pairs, key=lambda pair: -pair.distance.synthetic)[:MAX_LISTED]
    pairs = [_error(pair, "independent", "uniform") for pair in worst]
    number_columns = [(c, a) for c, a in zip(found.columns, domain.attributes, strict=True) if c.numbers]
    page = PAGE(
        found=found,
        name=name,
        statement=MADE_FROM_RECORDS,
        method="",
        summary=summary(found),
        column_chart=error_chart(columns, "Total variation by column", MADE_FROM_RECORDS, MAX_COLUMNS),
        columns=[[*error.cells, *_rare_beside_original(c)] for error, c in zip(columns, found.columns, strict=True)],
        numbers=[_numbers_beside_original(column, attribute) for column, attribute in number_columns[:MAX_COLUMNS]],
        number_columns=len(number_columns),
        shown_numbers=MAX_COLUMNS,
        pair_chart=error_chart(pairs, "Total variation by pair", MADE_FROM_RECORDS, MAX_DRAWN),
        pairs=[[*error.cells, *_relation_cells(pair)] for error, pair in zip(pairs, worst, strict=True)],
        measured=len(found.pairs),
        all_pairs=found.all_pairs,
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
    return lines


def _mean_of(what: str, distances: Sequence, *, alone: bool) -> str:
    mean = {key: np.mean([getattr(d, key) for d in distances]) for key in ("synthetic", "independent", "uniform")}
    sample = np.mean([d.another_sample for d in distances])
    independent = f", independent columns {mean['independent']:.4f}" if alone else ""
    return (
        f"{what}: mean total variation {mean['synthetic']:.4f}; another sample {sample:.4f}{independent}, uniform"
        f" {mean['uniform']:.4f}."
    )


def _error(one: Column | Pair, *baselines: str) -> Error:
    distance = one.distance
    return Error(
        one.name, distance.synthetic, distance.another_sample, tuple(getattr(distance, name) for name in baselines)
    )


def _rare_beside_original(column: Column) -> list[str]:
    rare = column.rare
    if not rare.values:
        return ["none", "", f"{rare.invented:.2%}"]
    return [f"{rare.kept} of {rare.values}", f"{rare.share:.2%}, {rare.synthetic_share:.2%}", f"{rare.invented:.2%}"]


def _numbers_beside_original(column: Column, attribute: Attribute) -> tuple[list[list[str]], float]:
    """A table with its head, and by how many deviations the mean of another sample is off."""
    assert column.numbers
    original, synthetic, uniform = column.numbers
    lines = [
        [column.name, "mean", "deviation", *QUANTILE_NAMES],
        ["original", *_summary_cells(attribute, original)],
        ["synthetic", *_summary_cells(attribute, synthetic)],
        ["uniform", *_summary_cells(attribute, uniform)],
        ["error, in deviations", *_error_cells(original, synthetic)],
        ["uniform's error", *_error_cells(original, uniform)],
    ]
    return lines, column.mean_error / original.deviation if original.deviation > 0 else 0.0


def _summary_cells(attribute: Attribute, numbers: Numbers) -> list[str]:
    return number_texts(attribute, numbers.mean, numbers.deviation, numbers.quantiles)


def _error_cells(original: Numbers, other: Numbers) -> list[str]:
    if not original.deviation > 0:
        return [""] * (2 + len(QUANTILES))
    pairs = [(original.mean, other.mean), (original.deviation, other.deviation)]
    pairs += list(zip(original.quantiles, other.quantiles, strict=True))
    return [f"{(b - a) / original.deviation:+z.3f}" for a, b in pairs]


def _relation_cells(pair: Pair) -> list[str]:
    return [
        f"{'r' if pair.correlated else 'V'} {pair.related:z.3f}",
        f"{pair.synthetic_related:z.3f}",
        f"{pair.off:.3f} ({pair.related_error:.3f})",
    ]


def sections_of(page: str) -> dict[str, str]:
    """What is below each heading of a page, as HTML, by heading."""
    found = re.findall(r"<section>\s*<h2>(.*?)</h2>\s*(.*?)\s*</section>", page, flags=re.DOTALL)
    return {unescape(heading): below for heading, below in found}
