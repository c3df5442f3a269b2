"""Copies beside the rows: further tables of what was measured, what they are for, and what they are not for."""

import io

import numpy as np
import pandas as pd
import pytest
from oracles import Following, Recording, neighbours, random_records
from releases import page_of, released, terms_of
from workloads import YES_NO

from mwem_core import Domain, Records, Seeded
from mwem_core.domain import Attribute
from mwem_core.intervals import Estimates
from mwem_core.model import Measurement
from mwem_core.release.bundle import bundle
from mwem_core.release.release_run import Copies
from mwem_core.values import Values

FIVE = ("marginals:2", YES_NO)


def test_each_copy_has_the_rows_and_columns_of_the_release():
    rows, copies = (pd.read_csv(io.StringIO(page_of(name, *FIVE, copies=3))) for name in ("rows.csv", "copies.csv"))
    assert copies.columns.tolist() == ["copy", *rows.columns]
    assert copies["copy"].value_counts().to_dict() == dict.fromkeys((1, 2, 3), len(rows))
    parts = [part.drop(columns="copy").to_numpy().tolist() for _, part in copies.groupby("copy")]
    assert parts[0] != parts[1] != parts[2]


def test_copies_are_post_processing():
    """A neighbour that draws the same noise releases the same bytes, and copies change nothing that is spent."""
    terms = terms_of(*FIVE, copies=2)
    B = random_records(YES_NO, 300, np.random.default_rng(0))
    recorded = Recording(Seeded(0))
    drawn = released(terms, B, recorded)
    ours = bundle(drawn, np.random.default_rng(1))
    for neighbour in neighbours(B, np.random.default_rng(2)):
        assert bundle(released(terms, neighbour, Following(recorded.draws)), np.random.default_rng(1)) == ours
    without = released(terms_of(*FIVE), B, Seeded(0))
    assert drawn.rounds[-1].ledger.spent == without.rounds[-1].ledger.spent


def report_of(*task, **terms):
    """The report, with single blanks."""
    return " ".join(page_of("report.html", *task, **terms).split())


def test_copies_vary_as_the_noise_of_what_was_measured_does():
    """Over 40 copies of a table measured with a deviation of 20 records in each cell, so of 40 in a sum of four."""
    domain = Domain(tuple(Attribute(name, Values(tuple("0123"))) for name in "ab"))
    table = np.arange(16.0).reshape(4, 4) * 50 + 400
    known = Estimates.by(domain, [Measurement((0, 1), table, 20.0)], 1.0, total=table.sum())
    made = Copies.of(known, domain, 40, int(table.sum()), np.random.default_rng(0))
    frame = pd.read_csv(io.BytesIO(made.content))
    counts = frame.groupby("copy")["a"].value_counts().unstack()
    expected = 20.0 * 2 * (1 - 1 / 4) ** 0.5  # the total is public, so the noise of the four sums is centred
    assert counts.mean().to_numpy() == pytest.approx(table.sum(axis=1), abs=3 * expected / 40**0.5 + 1)
    assert counts.std().mean() == pytest.approx(expected, rel=0.25)


def test_the_report_has_the_combining_rule_and_the_warning():
    report = report_of(*FIVE, copies=2)
    for words in ("T = (1 + 1/2) b", "± 12.706 √T", "It does not hold for anything else", "<code>mitools</code>"):
        assert words in report
    assert "How to use the copies" not in report_of(*FIVE)


def test_the_report_says_that_regressions_do_not_hold_where_values_may_be_missing():
    """Who a regression leaves out, as a value is missing, is in no pair: of three columns it held in 0 of 10 cases."""
    report = report_of(copies=2)
    assert "It does not hold for regressions of three columns or more, if one is age or hours:" in report
    assert "A number in a bin is drawn there" in report
    assert "regressions of three columns or more" not in report_of(*FIVE, copies=2)


def test_what_was_not_measured_is_named_and_left_out():
    domain = Domain(tuple(Attribute(name, Values(("no", "yes"))) for name in ("copy", "b", "c")))
    measured = [Measurement((a,), np.array([60.0, 40.0]), 2.0) for a in (0, 1)]
    made = Copies.of(Estimates.by(domain, measured, 1.0, total=100.0), domain, 2, 100, np.random.default_rng(0))
    assert (made.left_out, made.unmeasured_in_words) == (("c",), "copy × b")
    assert pd.read_csv(io.BytesIO(made.content)).columns.tolist() == ["copy_", "copy", "b"]
    none = Copies.of(Estimates.by(domain, [], 1.0, total=100.0), domain, 2, 100, np.random.default_rng(0))
    assert (none.content, none.left_out) == (b"", ("copy", "b", "c"))


@pytest.mark.slow
def test_a_domain_too_large_for_one_table_has_every_measured_pair_in_its_copies():
    """Of 7 attributes of 6 values: all pairs together are beyond a table of 2^15 cells. A fifth of what pairs add to
    independence may be off: the noise makes .014."""
    domain = Domain(tuple(Attribute(name, Values(tuple("012345"))) for name in "abcdefg"))
    rng, n = np.random.default_rng(0), 5_000
    first = rng.integers(0, 6, n)
    same = [np.where(rng.random(n) < 0.5, first, rng.integers(0, 6, n)) for _ in range(7)]
    B = Records(domain, tuple(column.astype(np.uint8) for column in same))
    tables = {(a, b): B.marginal((a, b)) for a in range(7) for b in range(a + 1, 7)}
    known = Estimates.by(domain, [Measurement(S, table, 5.0) for S, table in tables.items()], 1.0, total=float(n))
    made = Copies.of(known, domain, 2, n, np.random.default_rng(0))
    copy = pd.read_csv(io.BytesIO(made.content)).query("copy == 1").drop(columns="copy")
    off = [np.abs(pd.crosstab(copy.iloc[:, a], copy.iloc[:, b]).to_numpy() - tables[a, b]).sum() for a, b in tables]
    added = [np.abs(np.outer(t.sum(axis=1), t.sum(axis=0)) / n - t).sum() for t in tables.values()]
    assert np.sum(off) < np.sum(added) / 5


@pytest.mark.parametrize("m", [1, 101, -1])
def test_a_number_of_copies_without_a_variance_or_without_end_is_refused(m):
    with pytest.raises(ValueError, match=rf"^copies are none, or 2 to 100, got {m}$"):
        terms_of(copies=m)


def test_copies_are_refused_where_no_table_is_measured():
    with pytest.raises(ValueError, match=r"^rows for analysis and copies are fitted to whole tables or parities"):
        terms_of(copies=20, system="figure-1")
