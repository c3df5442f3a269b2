"""How good the rows of a release are, without the truth: beside what was measured, its noise and its intervals.

All of it follows from released values and public facts, so the page may leave as far as the release may.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from mwem_core.algorithm import Answering, Round
from mwem_core.base import template
from mwem_core.encoding import QUANTILE_NAMES, QUANTILES, Rows, number_texts, summarise
from mwem_core.intervals import (
    ALPHA,
    Estimates,
    correlation_of_cells,
    deviations,
    measured_correlation,
    measured_numbers,
    measured_table,
)
from mwem_core.release.chart import Error, error_chart

PAGE = template(Path(__file__).with_suffix(".html.jinja"))
MAX_PAIRS, MAX_LISTED, MAX_DRAWN = 190, 40, 20  # pairs compared, in the table, in the chart
MAX_COLUMNS = 40  # in the chart of columns, and of numbers
MAX_PAIR_CELLS = 2**20
RARE = 0.01
FAR = "Distance of each {} from what was measured"


@dataclass(frozen=True)
class Compared(Error):
    """How far a marginal of the rows is from what was measured of it, beside its noise and baselines: total variation.

    `inside` is the share of its values whose number of rows lies in the interval.
    """

    inside: float


def quality_page(name: str, statement: str, rounds: Sequence[Round[Answering]], rows: Rows, *, method: str = "") -> str:
    """The page on the rows made of these rounds by a method; `statement` says whether it may be published."""
    domain = rows.records.domain
    known, unit = Estimates.of(domain, rounds), rounds[-1].ledger.budget.unit
    pairs = [S for S in combinations(range(len(domain)), 2) if domain.cells(S) <= MAX_PAIR_CELLS and known.knows(S)]
    number_columns = [a for a, attribute in enumerate(domain.attributes) if attribute.number_set and known.knows((a,))]
    columns = _compared(known, rows, [(a,) for a in range(len(domain))], unit)
    some_pairs = _compared(known, rows, pairs[:MAX_PAIRS], unit)
    numbers, outside = _numbers(known, rows, number_columns[:MAX_COLUMNS], unit)
    worst = sorted(some_pairs, key=lambda pair: -pair.rows)[:MAX_LISTED]
    page = PAGE(
        name=name,
        statement=statement,
        method=method,
        summary=_summary(rows, columns, some_pairs, len(pairs)),
        column_chart=error_chart(columns, FAR.format("column"), statement, MAX_COLUMNS),
        columns=[[*c.cells, f"{c.inside:.0%}", *_rare(known, rows, c.name, unit)] for c in columns],
        numbers=numbers,
        outside=outside,
        number_columns=len(number_columns),
        shown_numbers=MAX_COLUMNS,
        pair_chart=error_chart(worst, FAR.format("pair"), statement, MAX_DRAWN),
        pairs=[[*c.cells, f"{c.inside:.0%}"] for c in worst],
        measured=len(pairs),
        all_pairs=len(domain) * (len(domain) - 1) // 2,
        correlations=_correlations(known, rows, pairs[:MAX_PAIRS], unit),
    )
    return str(page)


def _compared(known: Estimates, rows: Rows, sets: Sequence[tuple[int, ...]], unit: str) -> list[Compared]:
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
        found.append(Compared(name, measured.distance(p), measured.noise, baselines, measured.inside(p)))
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
                f" noise alone makes {np.mean([c.scale for c in found]):.4f}; {means}."
            )
    return lines


def _rare(known: Estimates, rows: Rows, name: str, unit: str) -> list[str]:
    """How many values are surely rare, the rows' share of them, and the measured one with its noise."""
    (a,) = known.domain.attrs(name)
    measured = measured_table(known, (a,), unit)
    assert measured is not None
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


def _numbers(known: Estimates, rows: Rows, columns: Sequence[int], unit: str) -> tuple[list[list[list[str]]], int]:
    """A table per column, with its head, and how many numbers of the rows lie outside of their intervals."""
    tables, outside = [], 0
    for a in columns:
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
        tables.append([[attribute.name, "mean", "deviation", *QUANTILE_NAMES], *lines])
    return tables, outside


def _correlations(known: Estimates, rows: Rows, pairs: Sequence[tuple[int, int]], unit: str) -> list[list[str]]:
    lines = []
    for S in pairs:
        found = measured_correlation(known, S, unit)
        if found is not None:
            counts = rows.records.marginals([S])[0]
            own, (r, low, high) = correlation_of_cells(known, S, counts / counts.sum()), found
            lines.append([known.domain.label(S), f"{own:z.3f}", f"{r:z.3f}", f"{low:z.3f} to {high:z.3f}"])
    return lines
