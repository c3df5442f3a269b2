"""The page of the quality report: private, self-contained, and with a baseline beside every error."""

import math
import re

import numpy as np
import pytest
from oracles import random_records
from releases import random_release, released, terms_of
from workloads import MIXED

from mwem_core import Attribute, Domain, Seeded
from mwem_core.domain import Records
from mwem_core.encoding import rows_of_values
from mwem_core.intervals import Estimates
from mwem_core.output import decode
from mwem_core.release.quality import quality
from mwem_core.release.quality_pages import MADE_FROM_RECORDS, quality_page, quality_report, sections_of
from mwem_core.values import Range, Values


def rows_of(records):
    return rows_of_values(records, decode(records, np.random.default_rng(0)))


def test_the_page_says_that_it_is_private_and_names_every_column_and_baseline():
    B = random_records(MIXED, 300, np.random.default_rng(0))
    original, synthetic = rows_of(B), rows_of(random_records(MIXED, 200, np.random.default_rng(1)))
    page = quality_report(quality(original, synthetic), MIXED, "people")
    assert page.count(MADE_FROM_RECORDS) == 5  # at the top, and at both charts for the eye and for the ear
    assert all(name in page for name in MIXED.names)
    assert {"another sample", "independent", "uniform"} <= set(re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", page))
    assert not re.search(r"<script|https?://|NaN", page)


def test_names_of_a_table_and_of_columns_are_text():
    domain = Domain((Attribute("<b>&", Values(("<i>", "x"))), Attribute("y", Values(("1", "2")))))
    rows = rows_of(random_records(domain, 100, np.random.default_rng(0)))
    page = quality_report(quality(rows, rows), domain, "<script>alert(1)</script>")
    assert not re.search(r"<b>|<i>|<script", page)


@pytest.mark.parametrize("spec", ["marginals:2", "ranges:age,hours:20", "where:age >= 25; smoker == 1"])
def test_the_page_without_the_truth_says_what_was_measured(spec):
    rows = rows_of(random_records(MIXED, 300, np.random.default_rng(1)))
    page = quality_page("people", "A statement.", random_release(spec).rounds, rows)
    measured = re.search(r"Of 4 columns (\d) were measured", page)
    assert measured
    assert ("the truth is from" in page) == ("noise alone" in page) == (int(measured[1]) > 0)
    if spec == "marginals:2":
        assert measured[1] == "4"
    assert not re.search(r"<script|https?://|nan", page)


def test_the_share_of_rare_values_is_followed_by_the_reach_of_its_95_percent_interval():
    """The noise of a sum of Laplace draws stays within ln(20)/√2 standard deviations with 95% or more."""
    domain = Domain((Attribute("a", Values(("x", "y", "z"))),))
    B = Records(domain, (np.repeat([0, 1, 2], [6000, 3990, 10]),))
    found = released(terms_of("marginals:1", domain), B, Seeded(0))
    shown = re.search(r"([\d.]+)% ± ([\d.]+)%", quality_page("people", "A statement.", found.rounds, rows_of(B)))
    total, (share, variance) = (
        found.rounds[-1].model.total,
        Estimates.of(domain, found.rounds).answer((0,), np.eye(3)[2]),
    )
    assert shown.groups() == (
        f"{100 * share / total:.2f}",
        f"{100 * math.log(20) / math.sqrt(2) * math.sqrt(variance) / total:.2f}",
    )


def test_a_wide_table_draws_and_lists_only_its_worst_columns_and_says_so():
    domain = Domain(tuple(Attribute(f"a{i}", Range(0, 4)) for i in range(45)))
    rng = np.random.default_rng(0)
    first, second = (rows_of(Records(domain, tuple(rng.integers(0, 5, (45, 50))))) for _ in range(2))
    sections = sections_of(quality_report(quality(first, second), domain, "wide"))
    assert sections["Columns"].count('class="dot"') == 40
    assert "5 more columns of numbers" in sections["Numbers"]
    assert "800 pairs are not compared" in sections["Pairs of columns"]
