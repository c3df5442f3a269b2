"""The report of a release: one page for those who read the data, without any truth."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from mwem_core.algorithm import Answering, Round
from mwem_core.data.counts import count_in_words
from mwem_core.intervals.intervals import Intervals
from mwem_core.release.files import guard_in_words, guarded_texts
from mwem_core.release.run import Run
from mwem_core.releasing.chart import residual_chart
from mwem_core.releasing.page import facts, listing, page, paragraph, section, table
from mwem_core.releasing.released import Released
from mwem_core.releasing.terms import ROWS_FOR
from mwem_core.releasing.words import (
    NOT_COVERED,
    STATEMENT,
    bins_in_words,
    guarantee_in_words,
    mechanism_in_words,
    method_in_words,
    total_in_words,
)
from mwem_core.workload.workload import Workload

SHOWN = 5  # of the narrowest and of the widest intervals
PLAIN = "rows.plain.csv has it as it is."
FILES = (
    ("rows.csv", "synthetic records, drawn from what was measured"),
    ("measurements.json", "every noisy value, with the scale of its noise"),
    ("model.json", "the model that the rows and answers come from"),
    ("schema.toml", "the attributes and their values, as declared; bins that were measured, as measured"),
    ("intervals.csv", "every question, its answer and an interval for the true answer"),
    ("quality.html", "how good the rows are, column by column, from the measurements and their noise"),
    ("manifest.json", "the guarantee, what was public, the settings and what was spent"),
)


def report(released: Released, found: Intervals, rows: int) -> str:
    """The page, from what was released and public facts alone."""
    terms, run, promise = released.terms, released.run, released.promise
    Q, model = run.workload, run.model
    title = f"{paragraph('Release of', 'soft')}<h1>{escape(terms.dataset)}</h1>"
    head = f"<header>{title}{paragraph(STATEMENT, 'lead')}</header>"
    return page(
        f"Release of {terms.dataset}",
        [
            head,
            section(
                "What was released",
                paragraph(
                    f"{Q.size:,} answers ({Q.name}) and {rows:,} synthetic rows, over {len(Q.domain)} attributes."
                    f" The answers are for {model.total:,.0f} records"
                    f"{', a noisy number' if terms.total == 'measured' else ''}. {ROWS_FOR[terms.rows]}"
                ),
                table(["file", "what it holds"], FILES),
                paragraph(guard_in_words(texts, PLAIN)) if (texts := guarded_texts(run.domain)) else "",
            ),
            section(
                "Guarantee",
                paragraph(guarantee_in_words(promise)),
                facts(_guarantee(released)),
            ),
            section("How much noise", *_noise(run)),
            section("Does the model fit what was measured?", *_convergence(run.rounds)),
            section("How sure the answers are", *_intervals(Q, model.answers(Q), found)),
            section("What the guarantee does not cover", listing(NOT_COVERED)),
        ],
    )


def _guarantee(released: Released) -> list[tuple[str, str]]:
    terms, promise = released.terms, released.promise
    delta = f", δ = {promise.delta:g}" if promise.delta else ""
    bins = bins_in_words(terms)
    return [
        ("privacy budget", f"ε = {promise.epsilon:g}{delta}"),
        ("neighbouring tables", terms.unit.neighbours),
        *([("rows of the table", count_in_words(terms.count_column))] if terms.count_column else []),
        ("number of records", total_in_words(terms)),
        *([("bins", bins)] if bins else []),
        ("method", method_in_words(released)),
        ("mechanism", mechanism_in_words(released.chosen)),
    ]


def _noise(run: Run[Answering]) -> list[str]:
    """What each purpose cost, and how large the noise of a number is."""
    rounds, ledger = run.rounds, run.rounds[-1].ledger
    bins = run.measured_bins.for_bins.amount if run.measured_bins else 0.0
    whole, budget = ledger.budget.amount, ledger.budget
    start, rest = rounds[0].measurements, [m for entry in rounds[1:] for m in entry.measurements]
    purposes = [
        ("measuring bins", bins, ()),
        ("measuring the number of records", ledger.start - bins if start else 0.0, start),
        ("choosing what to measure", ledger.select, ()),
        ("measuring", ledger.measure, rest),
    ]
    lines = []
    for purpose, spent, measured in purposes:
        if not spent:
            continue
        sizes = sorted(budget.mean_noise_at(m.scale) for m in measured)
        ends = dict.fromkeys(f"{size:,.3g}" for size in sizes[:1] + sizes[-1:])
        lines.append((purpose, f"{float(spent / whole):.0%}", " to ".join(ends)))
    return [
        table(["purpose", "share of the budget", "mean size of the noise, records"], lines, numbers=2),
        paragraph("The noise of a number does not grow with the table: shares of more records are more exact.", "soft"),
    ]


def _convergence(rounds: Sequence[Round[Answering]]) -> list[str]:
    """The model against all that was measured, and each round's residual when it was measured."""
    A, off, expected = rounds[-1].A, 0.0, 0.0
    assert A is not None
    for entry in rounds[1:]:
        expected += entry.expected_noise
        for m in entry.measurements:
            off += float(np.abs(m.residual(A.marginal(m.attrs))).sum())
    if not expected:
        return [paragraph("Nothing was measured of the attributes, so the model stays as it starts.")]
    sentence = (
        "In records, the differences between all that was measured and the model of the last round add up to"
        f" {off:,.0f}. Noise alone would make that {expected:,.0f}: the ratio is {off / expected:.2f}."
        " Near 1 or below, the model says all that the measurements do; far above, it does not."
    )
    chart = residual_chart(rounds)
    caption = (
        "<figcaption>Dots: how far each round's measurement was from the model before it, in records. Line: the noise"
        " to expect in it. Dots near the line taught little more than noise.</figcaption>"
    )
    return [paragraph(sentence), f"<figure>{chart}{caption}</figure>" if chart else ""]


def _intervals(Q: Workload, answers: np.ndarray, found: Intervals) -> list[str]:
    """How many there are of each kind, and the narrowest and the widest of each."""
    parts = []
    for of_kind, what in (
        (found.measured, "follow from measurements. Each holds the true answer with probability 95%"),
        (~found.measured, "were not measured, and follow from bounds. Each holds the true answer with at least 95%"),
    ):
        if not of_kind.any():
            continue
        width = (found.high - found.low)[of_kind]
        parts.append(
            paragraph(
                f"{of_kind.sum():,} of {Q.size:,} answers {what}. Half of these intervals are at most"
                f" {np.median(width):,.0f} records wide."
            )
        )
        order = np.flatnonzero(of_kind)[np.argsort(width, kind="stable")]
        chosen = order if len(order) <= 2 * SHOWN else np.concatenate([order[:SHOWN], order[-SHOWN:]])
        lines = [
            (Q.query(int(j))[2], f"{answers[j]:,.1f}", f"{found.low[j]:,.0f} to {found.high[j]:,.0f}") for j in chosen
        ]
        parts.append(table(["question: narrowest, then widest", "answer", "interval"], lines, numbers=2))
    outside = int(((answers < found.low) | (answers > found.high)).sum())
    if outside:
        lie = (
            "1 answer lies outside of its interval"
            if outside == 1
            else f"{outside:,} answers lie outside of their intervals"
        )
        parts.append(
            paragraph(
                f"{lie}: an answer reads all measurements through the model, and an interval those that bear on it.",
                "soft",
            )
        )
    return parts
