"""How good the rows of a release are, without the truth: beside what was measured, its noise and its intervals.

All of it follows from released values and public facts, so the page may leave as far as the release may.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import combinations

import numpy as np

from mwem_core.algorithm import Answering, Round
from mwem_core.data.numbers import QUANTILE_NAMES, QUANTILES, Rows, number_texts, numbered, summarise
from mwem_core.intervals.columns import (
    correlation_of_cells,
    measured_correlation,
    measured_numbers,
    measured_table,
)
from mwem_core.intervals.ends import ALPHA
from mwem_core.intervals.known import Known
from mwem_core.intervals.quantiles import deviations
from mwem_core.releasing.chart import Error, error_chart
from mwem_core.releasing.page import figure_of, page, paragraph, section, table

MAX_PAIRS, MAX_LISTED, MAX_DRAWN = 190, 40, 20  # pairs compared, in the table, in the chart
MAX_COLUMNS = 40  # in the chart of columns, and of numbers
MAX_PAIR_CELLS = 2**20
RARE = 0.01
ABOUT = (
    "Total variation, 0 to 1: half the sum of the absolute differences of shares. Noise alone: what the noise of the"
    " measurement makes between it and the true shares, in the mean, about. Far above it, the rows miss what was"
    " measured; below it, they follow the measurement with its noise. Inside: the share of the values whose number of"
    " rows lies in its 95% interval."
)
BASELINES = "the rows' own columns each by itself, uniform"
LEGEND = "Dot: the synthetic rows. Hollow: {}. Short line: noise alone. Logarithmic scale."


@dataclass(frozen=True, eq=False)
class Compared:
    """How far a marginal of the rows is from what was measured of it, and how far baselines are. In total variation."""

    name: str
    rows: float
    noise: float
    inside: float
    baselines: tuple[float, ...]


def quality_page(name: str, statement: str, rounds: Sequence[Round[Answering]], rows: Rows, *, method: str = "") -> str:
    """The page on the rows made of these rounds by a method; `statement` says whether it may be published."""
    domain = rows.records.domain
    known, unit = Known.of(domain, rounds), rounds[-1].ledger.budget.unit
    columns = [(a,) for a in range(len(domain))]
    pairs = [S for S in combinations(range(len(domain)), 2) if domain.cells(S) <= MAX_PAIR_CELLS and known.knows(S)]
    title = f"{paragraph('Quality of the rows, from the measurements alone', 'soft')}<h1>{escape(name)}</h1>"
    made = paragraph(f"Made by {method}.", "soft") if method else ""
    of_columns = _compared(known, rows, columns, unit)
    of_pairs = _compared(known, rows, pairs[:MAX_PAIRS], unit)
    return page(
        f"Quality of the rows: {name}",
        [
            f"<header>{title}{paragraph(statement, 'lead')}{made}</header>",
            section("In short", *map(paragraph, _summary(rows, of_columns, of_pairs, len(pairs)))),
            section("Columns", *_columns(of_columns, known, rows, unit, statement)),
            section("Numbers", *_numbers(known, rows, unit)),
            section("Pairs of columns", *_pairs(of_pairs, len(pairs), len(domain), statement)),
            section("Correlations", *_correlations(known, rows, pairs[:MAX_PAIRS], unit)),
            section(
                "What only the truth could say",
                paragraph(
                    "How well a classifier trained on the rows does on real records, and anything of a column or pair"
                    " that was not measured. A rehearsal on a public table shows what to expect of both."
                ),
            ),
        ],
        wide=True,
    )


def _compared(known: Known, rows: Rows, sets: Sequence[tuple[int, ...]], unit: str) -> list[Compared]:
    """The sets that were measured: rows, uniform and for pairs the rows' own columns each by itself."""
    found = []
    for S, counts in zip(sets, rows.records.marginals(sets), strict=True):
        measured = measured_table(known, S, unit)
        if measured is None:
            continue
        p = counts / counts.sum()
        alone = [p.sum(axis=1, keepdims=True) * p.sum(axis=0, keepdims=True)] if len(S) == 2 else []
        baselines = (*map(measured.distance, alone), measured.distance(np.full(p.shape, 1 / p.size)))
        name = known.domain.label(S)
        found.append(Compared(name, measured.distance(p), measured.noise, measured.inside(p), baselines))
    return found


def _summary(rows: Rows, columns: Sequence[Compared], pairs: Sequence[Compared], measured_pairs: int) -> list[str]:
    d = len(rows.records.domain)
    lines = [
        f"{rows.records.total:,} synthetic rows. Of {d} columns {len(columns)} were measured, and of"
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
                f" noise alone makes {np.mean([c.noise for c in found]):.4f}; {means}."
            )
    return lines


def _columns(columns: Sequence[Compared], known: Known, rows: Rows, unit: str, statement: str) -> list[str]:
    if not columns:
        return [paragraph("No column was measured by itself. Only the questions' own answers have intervals.")]
    drawn = columns if len(columns) <= MAX_COLUMNS else sorted(columns, key=lambda c: -c.rows)[:MAX_COLUMNS]
    errors = [Error(c.name, c.rows, c.noise, c.baselines) for c in drawn]
    rare = {known.domain.names[a]: _rare(known, rows, a, unit) for a in range(len(known.domain))}
    lines = [[c.name, *_shares(c), *rare[c.name]] for c in columns]
    head = ["column", "rows", "noise alone", "uniform", "inside", "rare values", "rows with them", "as measured"]
    return [
        figure_of(
            error_chart(errors, "Distance of each column from what was measured", statement),
            f"{LEGEND.format('uniform')} {statement}",
        ),
        table(head, lines, numbers=7),
        paragraph(
            f"{ABOUT} Rare values: those whose interval lies below 1% of the records. ± is how far the 95% interval of"
            " their share reaches.",
            "soft",
        ),
    ]


def _rare(known: Known, rows: Rows, a: int, unit: str) -> list[str]:
    """How many values are surely rare, the rows' share of them, and the measured one with its noise."""
    measured = measured_table(known, (a,), unit)
    if measured is None:
        return ["", "", ""]
    total, counts = measured.value.sum(), rows.records.marginals([(a,)])[0]
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


def _numbers(known: Known, rows: Rows, unit: str) -> list[str]:
    parts, outside = list[str](), 0
    columns = [a for a, attribute in enumerate(known.domain.attributes) if numbered(attribute) and known.knows((a,))]
    for a in columns[:MAX_COLUMNS]:
        attribute, found = known.domain.attributes[a], measured_numbers(known, a, unit, QUANTILES)
        if found is None:
            continue
        own = summarise(rows, a)
        values = [own.mean, own.deviation, *own.quantiles]
        intervals = [found.mean, found.deviation, *found.quantiles]
        outside += sum(not low <= value <= high for value, (low, high) in zip(values, intervals, strict=True))
        lines = [
            [name, *number_texts(attribute, mean, deviation, quantiles)]
            for name, (mean, deviation, *quantiles) in (
                ("the rows", values),
                ("the truth is from", [low for low, _ in intervals]),
                ("to", [high for _, high in intervals]),
            )
        ]
        parts.append(table([attribute.name, "mean", "deviation", *QUANTILE_NAMES], lines, numbers=9))
    if not parts:
        return [paragraph("No column of numbers was measured by itself.")]
    lie = "All numbers of the rows lie in their intervals." if not outside else f"{outside} of them lie outside."
    more = f"These are the first {MAX_COLUMNS} of {len(columns):,} columns. " if len(columns) > MAX_COLUMNS else ""
    return [
        *parts,
        paragraph(
            f"{more}{lie} Each interval holds the true value with at least 95%, whatever the values are within their"
            " bins: wide bins make wide intervals. An interval is for its own number, not for all at once.",
            "soft",
        ),
    ]


def _pairs(pairs: Sequence[Compared], measured: int, columns: int, statement: str) -> list[str]:
    if not pairs:
        return [paragraph("No pair was measured.")]
    worst = sorted(pairs, key=lambda pair: -pair.rows)[:MAX_LISTED]
    lines = [[c.name, *_shares(c)] for c in worst]
    of_all = columns * (columns - 1) // 2
    some = f"The {len(worst)} that are farthest, of {measured:,} measured pairs. " if len(worst) < measured else ""
    some += f"{of_all - measured:,} of {of_all:,} pairs were not measured. " if measured < of_all else ""
    errors = [Error(c.name, c.rows, c.noise, c.baselines) for c in worst[:MAX_DRAWN]]
    chart = error_chart(errors, "Distance of each pair from what was measured", statement)
    return [
        figure_of(chart, f"{LEGEND.format(BASELINES)} {statement}"),
        table(["pair", "rows", "noise alone", "each by itself", "uniform", "inside"], lines, numbers=5),
        paragraph(f"{some}{ABOUT}", "soft"),
    ]


def _correlations(known: Known, rows: Rows, pairs: Sequence[tuple[int, int]], unit: str) -> list[str]:
    lines = []
    for S in pairs:
        found = measured_correlation(known, S, unit)
        if found is not None:
            counts = rows.records.marginals([S])[0]
            own, (r, low, high) = correlation_of_cells(known, S, counts / counts.sum()), found
            lines.append([known.domain.label(S), f"{own:z.3f}", f"{r:z.3f}", f"{low:z.3f} to {high:z.3f}"])
    if not lines:
        return [paragraph("No pair of number columns was measured.")]
    return [
        table(["pair", "rows", "measured", "95% interval"], lines, numbers=3),
        paragraph(
            "Pearson's, with each value at the middle of its bin. The intervals are to first order in the noise."
            " Independent columns and uniform have 0.",
            "soft",
        ),
    ]


def _shares(c: Compared) -> list[str]:
    return [f"{c.rows:.4f}", f"{c.noise:.4f}", *(f"{value:.4f}" for value in c.baselines), f"{c.inside:.0%}"]
