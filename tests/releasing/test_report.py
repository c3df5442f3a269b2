"""The report: one page that needs nothing else, says what was promised, and takes names as text."""

import re
from dataclasses import replace

import numpy as np
from oracles import random_records
from releases import released, terms_of
from workloads import MIXED

from mwem_core import Seeded
from mwem_core.releasing.bundle import bundle


def report_of(**more) -> str:
    terms = terms_of("marginals:2", MIXED, **more)
    found = released(terms, random_records(MIXED, 300, np.random.default_rng(0)), Seeded(0))
    return bundle(found, np.random.default_rng(1))["report.html"].decode()


def test_it_fetches_nothing_and_runs_no_script():
    page = report_of(epsilon=0.1)
    assert "default-src 'none'" in page
    assert not re.search(r"<script|<link|<img|src=|url\(|https?:", page)
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page


def test_it_says_the_guarantee_the_noise_the_fit_and_how_sure_the_answers_are():
    page = report_of(epsilon=0.1)
    for words in (
        "e^0.1 = 1.11 times as likely",
        "add or remove one record",
        "measuring the number of records",
        "Noise alone would make that",
        "Each holds the true answer with",
        "What the guarantee does not cover",
    ):
        assert words in page


def test_a_name_is_text():
    terms = replace(terms_of("marginals:1", MIXED, epsilon=1.0), dataset="<b onclick=x>&")
    found = released(terms, random_records(MIXED, 300, np.random.default_rng(0)), Seeded(0))
    page = bundle(found, np.random.default_rng(1))["report.html"].decode()
    assert "<b " not in page
    assert "<h1>&lt;b onclick=x&gt;&amp;</h1>" in page
