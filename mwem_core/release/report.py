"""The report of a release: one page for those who read the data, without any truth."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mwem_core.algorithm import AnswerSource, Round
from mwem_core.base import template
from mwem_core.encoding import count_of
from mwem_core.intervals import Intervals
from mwem_core.output import Run, guard_in_words, guarded_texts, has_plain_rows
from mwem_core.release.charts import residual_chart
from mwem_core.release.release_run import Copies, ReleaseRun
from mwem_core.release.terms import ROWS_FOR
from mwem_core.release.words import (
    COPIES,
    FILES,
    NOT_COVERED,
    PLAIN_ROWS,
    STATEMENT,
    bins_in_words,
    guarantee_in_words,
    mechanism_in_words,
    method_in_words,
    offsets_in_words,
    total_in_words,
)
from mwem_core.workload import Workload

PAGE = template(Path(__file__).with_suffix(".html.jinja"))
MAX_EXTREMES = 5  # of the narrowest and of the widest intervals


def report(released: ReleaseRun, found: Intervals, rows: int, copies: Copies | None = None) -> str:
    """The page, from what was released and public facts alone; `copies` are those that are beside it, if any."""
    run = released.run
    Q, answers = run.workload, run.model.answers(run.workload)
    texts = guarded_texts(run.domain)
    plain = has_plain_rows(run.domain, released.terms.decimal)
    absent = {"" if plain else PLAIN_ROWS, "" if copies and copies.content else COPIES}
    off, expected = _fit(run.rounds)
    page = PAGE(
        terms=released.terms,
        statement=STATEMENT,
        Q=Q,
        rows=rows,
        total=run.model.total,
        rows_for=ROWS_FOR[released.terms.rows],
        files=[each for each in FILES.items() if each[0] not in absent],
        guarded=guard_in_words(texts, f"{PLAIN_ROWS} has it as it is.") if texts else "",
        guarantee=guarantee_in_words(released.promise),
        facts=_guarantee(released),
        noise=_noise(run),
        off=off,
        expected=expected,
        residuals=residual_chart(run.rounds),
        intervals=_intervals(Q, answers, found),
        outside=int(((answers < found.low) | (answers > found.high)).sum()),
        not_covered=NOT_COVERED,
        copies=copies,
    )
    return str(page)


def _guarantee(released: ReleaseRun) -> list[tuple[str, str]]:
    terms, promise = released.terms, released.promise
    delta = f", δ = {promise.delta:g}" if promise.delta else ""
    bins = bins_in_words(terms)
    return [
        ("privacy budget", f"ε = {promise.epsilon:g}{delta}"),
        ("neighbouring tables", terms.unit.neighbours),
        *([("rows of the table", count_of(terms.count_column))] if terms.count_column else []),
        ("number of records", total_in_words(terms)),
        *([("bins", bins)] if bins else []),
        *([("numbers within bins", offsets_in_words(terms))] if terms.offsets else []),
        ("method", method_in_words(released)),
        ("mechanism", mechanism_in_words(released.chosen)),
    ]


def _noise(run: Run[AnswerSource]) -> list[tuple[str, str, str]]:
    """What each purpose cost, and how large the noise of a number is."""
    rounds, ledger = run.rounds, run.rounds[-1].ledger
    first = run.measured_bins
    bins, offsets = (first.for_bins.amount, first.for_offsets.amount) if first else (0.0, 0.0)
    whole, budget = ledger.budget.amount, ledger.budget
    start, rest = rounds[0].measurements, [m for entry in rounds[1:] for m in entry.measurements]
    purposes = [
        ("measuring bins", bins, ()),
        ("measuring the number of records", ledger.start - bins if start else 0.0, start),
        ("choosing what to measure", ledger.select, ()),
        ("measuring numbers within bins", offsets, ()),
        ("measuring", ledger.measure - offsets, rest),
    ]
    lines = []
    for purpose, spent, measured in purposes:
        if not spent:
            continue
        sizes = sorted(budget.mean_noise_at(m.scale) for m in measured)
        ends = dict.fromkeys(f"{size:,.3g}" for size in sizes[:1] + sizes[-1:])
        lines.append((purpose, f"{float(spent / whole):.0%}", " to ".join(ends)))
    return lines


def _fit(rounds: Sequence[Round[AnswerSource]]) -> tuple[float, float]:
    """How far the last model is from all that was measured of the attributes, and how far noise alone would be."""
    A, off, expected = rounds[-1].A, 0.0, 0.0
    assert A is not None
    for entry in rounds[1:]:
        expected += entry.expected_noise
        for m in entry.measurements:
            off += float(np.abs(m.residual(A.marginal(m.attrs))).sum())
    return off, expected


def _intervals(Q: Workload, answers: np.ndarray, found: Intervals) -> list[dict[str, Any]]:
    """How many there are of each kind, and the narrowest and the widest of each."""
    kinds = []
    for of_kind, what in (
        (found.measured, "follow from measurements. Each holds the true answer with probability 95%"),
        (~found.measured, "were not measured, and follow from bounds. Each holds the true answer with at least 95%"),
    ):
        if not of_kind.any():
            continue
        width = (found.high - found.low)[of_kind]
        order = np.flatnonzero(of_kind)[np.argsort(width, kind="stable")]
        chosen = (
            order if len(order) <= 2 * MAX_EXTREMES else np.concatenate([order[:MAX_EXTREMES], order[-MAX_EXTREMES:]])
        )
        lines = [
            (Q.query(int(j))[2], f"{answers[j]:,.1f}", f"{found.low[j]:,.0f} to {found.high[j]:,.0f}") for j in chosen
        ]
        kinds.append({"count": of_kind.sum(), "what": what, "median": np.median(width), "lines": lines})
    return kinds
