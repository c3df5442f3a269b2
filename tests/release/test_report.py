"""The report: one page that needs nothing else, says what was promised, and takes names as text."""

import re
from html import unescape
from types import SimpleNamespace

import numpy as np
import pytest
from oracles import random_records
from releases import page_of, released, terms_of
from workloads import MIXED

from mwem_core import Seeded
from mwem_core.release.charts import residual_chart
from mwem_core.release.quality_pages import sections_of
from mwem_core.release.report import report


def test_it_fetches_nothing_and_runs_no_script():
    page = page_of("report.html", epsilon=0.1)
    assert "default-src 'none'" in page
    assert not re.search(r"<script|<link|<img|src=|url\(|https?:", page)
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page


def test_it_says_the_guarantee_the_noise_the_fit_and_how_sure_the_answers_are():
    page = page_of("report.html", epsilon=0.1)
    for words in (
        "e^0.1 = 1.11 times as likely",
        "add or remove one record",
        "measuring the number of records",
        "Noise alone would make that",
        " records, a noisy number.</p>",
        '<th class="number">mean size of the noise, records</th>',
        '<p class="soft">The noise of a number does not grow with the table: shares of more records are more',
        "Near 1 or below, the model says all that the measurements do; far above, it does not.</p>",
        "What the guarantee does not cover",
    ):
        assert words in page


def parts_of(found) -> dict[str, str]:
    """The sections of the report by their headings."""
    return sections_of(report(found, found.intervals(), 300))


def rows_of(part: str) -> list[list[str]]:
    """The cells of the tables' rows, as texts."""
    rows = re.findall(r"<tr>(?=<td)(.*?)</tr>", part)
    return [[unescape(cell) for cell in re.findall(r"<td.*?>(.*?)</td>", row)] for row in rows]


CASES = [
    ("marginals:2", {"epsilon": 0.3}),
    ("marginals:2", {"epsilon": 1.0, "delta": 1e-6, "total": "public"}),
    ("ranges:age,hours,smoker:12", {"epsilon": 1.0}),
    ('where:age >= 25; smoker == 1; hours <= 10 and colour == "red"', {"epsilon": 1.0}),
]


@pytest.fixture(params=CASES, ids=["measured total", "zCDP", "selected ranges", "predicates"])
def found(request):
    spec, more = request.param
    terms = terms_of(spec, MIXED, **more)
    return released(terms, random_records(MIXED, 500, np.random.default_rng(0)), Seeded(2))


def test_it_says_what_each_purpose_cost_and_how_large_its_noise_is(found):
    rows, ledger = rows_of(parts_of(found)["How much noise"]), found.rounds[-1].ledger
    spent = {
        "measuring the number of records": ledger.start,
        "choosing what to measure": ledger.select,
        "measuring numbers within bins": found.settings.for_offsets.amount,
        "measuring": ledger.measure - found.settings.for_offsets.amount,
    }
    assert [row[0] for row in rows] == [purpose for purpose, amount in spent.items() if amount]
    for purpose, share, size in rows:
        assert share == f"{spent[purpose] / ledger.budget.amount:.0%}"
        own = found.rounds[:1] if purpose.endswith("records") else found.rounds[1:]
        sizes = [ledger.budget.mean_noise_at(m.scale) for entry in own for m in entry.measurements]
        ends = [min(sizes), max(sizes)] if purpose.endswith(("records", "measuring")) else []
        assert size == " to ".join(dict.fromkeys(f"{end:,.3g}" for end in ends))


def test_it_compares_the_last_model_with_all_that_was_measured(found):
    text = unescape(parts_of(found)["Does the model fit what was measured?"])
    A, measured = found.rounds[-1].A, [m for entry in found.rounds[1:] for m in entry.measurements]
    off = sum(np.abs(m.value - m.answer(A.marginal(m.attrs))).sum() for m in measured)
    expected = sum(entry.expected_noise for entry in found.rounds[1:])
    assert f"add up to {off:,.0f}. Noise alone would make that {expected:,.0f}" in text
    assert f"the ratio is {off / expected:.2f}." in text
    assert ("<svg" in text) == (len(found.rounds) > 2)


def test_it_shows_the_narrowest_and_the_widest_intervals_of_each_kind(found):
    text, Q, intervals = unescape(parts_of(found)["How sure the answers are"]), found.terms.workload, found.intervals()
    answers, widths, expected = found.run.model.answers(Q), intervals.high - intervals.low, []
    for kind, words in (
        (intervals.measured, "follow from measurements. Each holds the true answer with probability 95%"),
        (
            ~intervals.measured,
            "were not measured, and follow from bounds. Each holds the true answer with at least 95%",
        ),
    ):
        own = [int(j) for j in sorted(np.flatnonzero(kind), key=lambda j: widths[j])]
        expected += own if len(own) <= 10 else [*own[:5], *own[-5:]]
        if own:
            assert f"{len(own):,} of {Q.size:,} answers {words}. Half of these intervals are at most" in text
            assert f"at most {np.median(widths[own]):,.0f} records wide" in text
    assert rows_of(parts_of(found)["How sure the answers are"]) == [
        [Q.query(j)[2], f"{answers[j]:,.1f}", f"{intervals.low[j]:,.0f} to {intervals.high[j]:,.0f}"] for j in expected
    ]
    outside = int(((answers < intervals.low) | (answers > intervals.high)).sum())
    assert ("outside of" in text) == (outside > 0)
    assert not outside or re.search(
        r'<p class="soft">[\d,]+ answers? lies? outside of (its interval|their intervals):', text
    )


def test_the_chart_has_each_round_at_its_residual_and_the_line_at_the_noise_to_expect():
    """Positions are read back: x is linear in the round, y in the logarithm between two lines."""
    B = random_records(MIXED, 3000, np.random.default_rng(0))
    rounds = released(terms_of(epsilon=0.3), B, Seeded(0)).rounds
    chart, shown = residual_chart(rounds), rounds[1:]
    (low, bottom), (high, top) = chart["ticks"][0], chart["ticks"][-1]
    assert (bottom, top) == (186, 12)
    powers = range(round(np.log10(low)), round(np.log10(high)) + 1)
    assert [number for number, _ in chart["ticks"]] == [10.0**k for k in powers]
    for name, expected in (
        ("residuals", [entry.residual for entry in shown]),
        ("noise", [entry.expected_noise for entry in shown]),
    ):
        xs, ys = np.array(chart[name]).T
        assert xs.tolist() == [88, 628]
        assert low * (high / low) ** ((bottom - ys) / (bottom - top)) == pytest.approx(expected, rel=0.02)
        assert low <= min(expected)
        assert max(expected) <= high
    assert (chart["first"], chart["last"]) == (1, 2)
    assert residual_chart(rounds[:2]) == {}


def test_the_lines_of_a_chart_are_the_powers_of_ten_around_its_numbers_and_two_at_least():
    def lines(*pairs):
        rounds = [
            SimpleNamespace(index=i, measurements=[None], residual=off, expected_noise=noise)
            for i, (off, noise) in enumerate(pairs, 1)
        ]
        chart = residual_chart(rounds)
        steps = np.diff([x for x, _ in chart["residuals"]])
        assert steps == pytest.approx([(628 - 88) / len(steps)] * len(steps))  # rounds are equally far apart
        return [f"{tick:,.15g}" for tick, _ in chart["ticks"]]

    assert lines((20.0, 30.0), (50.0, 30.0), (60.0, 30.0)) == ["10", "100"]
    assert lines((10.0, 10.0), (10.0, 10.0)) == ["10", "100"]
    assert lines((2.0, 300.0), (5.0, 30.0)) == ["1", "10", "100", "1,000"]
    assert lines((0.0, 300.0), (500.0, 300.0)) == ["0.1", "1", "10", "100", "1,000"]  # no less than 1/1000 of its noise
