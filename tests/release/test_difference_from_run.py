"""Release and Run choose the same at one ε, or a sentence says why not."""

from functools import cache
from pathlib import Path

import pytest

from mwem_core import Domain, parse_workload
from mwem_core.automatic import run_in_words
from mwem_core.base import constants
from mwem_core.release.terms import Terms, difference_from_run
from mwem_core.systems import METHODS, MeasuredTotal, system

SAMPLES = Path(__file__).parents[2] / "sample_data"
RECORDS = {"adult": 48_842, "czech": 1841, "rochdale": 665, "class_survey": 200}
SETTINGS = [
    (table, spec, epsilon)
    for table, spec in [("adult", "marginals:2"), ("czech", "marginals:2"), ("rochdale", "parities:2")]
    for epsilon in (0.1, 0.5, 1.0, 3.0)
]


@cache
def workload(table, spec):
    return parse_workload(spec, Domain.from_toml((SAMPLES / f"{table}.toml").read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize(("table", "spec", "epsilon"), SETTINGS)
def test_release_and_run_choose_the_same_or_the_sentence_says_what_each_does_and_why(table, spec, epsilon, name):
    """The oracle: the settings of a page Release and of a page Run, and what each says of its own."""
    Q, n = workload(table, spec), RECORDS[table]
    terms = Terms(dataset=table, workload=Q, provenance="built in", epsilon=epsilon, system=name)
    on_release = terms.settings(n).settings(Q, n)
    on_run = system(name).settings(Q, n=n, epsilon=epsilon)
    released, explored = (run_in_words(settings, Q, n) for settings in (on_release, on_run))
    said = terms.difference_from_run(n)
    assert terms.forecast_in_words(n) == released
    if released == explored:
        assert said == ""
    else:
        assert said == (
            f"A release spends 8% of its budget on the number of records. On about {n:,} records"
            f" {system(name).title} is then: {released}. On Run, which takes the number as public, it is: {explored}."
        )


def test_among_these_are_settings_of_both_kinds():
    """Otherwise the law above would hold of nothing."""
    said = [
        Terms(dataset=t, workload=workload(t, spec), provenance="built in", epsilon=epsilon).difference_from_run(
            RECORDS[t]
        )
        for t, spec, epsilon in SETTINGS
    ]
    assert any(said)
    assert not all(said)


def test_with_a_public_number_of_records_nothing_differs():
    """No share is spent on it, so the settings are Run's own."""
    Q, n = workload("adult", "marginals:2"), RECORDS["adult"]
    for name in METHODS:
        terms = Terms(dataset="adult", workload=Q, provenance="built in", epsilon=1.0, total="public", system=name)
        assert terms.settings(n) == system(name).settings(Q, n=n, epsilon=1.0)
        assert terms.difference_from_run(n) == ""


def test_a_law_of_noise_that_differs_is_said():
    """At δ > 0 Run may take Laplace noise; a release may not, as what it spends was settled before its n was known."""
    Q, n = workload("czech", "marginals:1"), RECORDS["czech"]
    release = MeasuredTotal(epsilon=1.0, delta=1e-6)
    assert release.settings(Q, n).delta > 0
    assert system("automatic").settings(Q, n=n, epsilon=1.0, delta=1e-6).delta == 0
    said = difference_from_run(release, system("automatic").settings(Q, n=n, epsilon=1.0, delta=1e-6), Q, n)
    assert "with Gaussian noise. On Run" in said
    assert said.endswith("with Laplace noise.")


def test_the_share_in_the_sentence_is_the_one_that_is_spent():
    release = MeasuredTotal(epsilon=1.0, system="mwem", share=0.5)
    assert f"{constants.SHARE_OF_N:.0%}" == "8%"
    Q, n = workload("adult", "marginals:2"), RECORDS["adult"]
    run = system("mwem").settings(Q, n=n, epsilon=1.0)
    assert difference_from_run(release, run, Q, n).startswith("A release spends 50% of")


def test_a_run_whose_rounds_were_set_is_beside_the_rounds_of_the_rule():
    Q, n = workload("adult", "marginals:2"), RECORDS["adult"]
    said = difference_from_run(
        MeasuredTotal(epsilon=1.0, system="mwem"), system("mwem").settings(Q, n=n, epsilon=1.0, T=5), Q, n
    )
    assert said.endswith("it is: 5 rounds.")
