"""A rehearsal on simulated data: the terms' own settings, errors against a truth that is not private."""

import re

import numpy as np
import pytest
from oracles import random_records
from releases import released, terms_of
from workloads import MIXED

from mwem_core import Seeded
from mwem_core.ask import asked_domain, load_files, read_questions, workload_of
from mwem_core.domain import stand_in
from mwem_core.release import Terms
from mwem_core.release.bundle import bundle
from mwem_core.release.rehearsal import RUNS, forecast, likely_tables, rehearse, simulated_tables
from mwem_core.systems import QUERY_BY_QUERY, RELEASABLE


def test_simulated_tables_come_from_the_schema_alone():
    tables = simulated_tables(MIXED, 500)
    assert {B.total for B in tables.values()} == {500}
    assert {B.domain for B in tables.values()} == {MIXED}
    again = simulated_tables(MIXED, 500)
    for name, B in tables.items():
        assert all(np.array_equal(x, y) for x, y in zip(B.codes, again[name].codes, strict=True))
    for column, size in zip(tables["uniform records"].codes, MIXED.shape, strict=True):
        assert np.abs(np.bincount(column, minlength=size) - 500 / size).max() < 5 * (500 / size) ** 0.5


def test_a_public_table_without_records_has_no_errors_to_tell():
    with pytest.raises(ValueError, match=r"^the table has no records: there is nothing to release$"):
        rehearse(terms_of("marginals:2", MIXED, epsilon=1.0), random_records(MIXED, 0, np.random.default_rng(0)))


def test_a_larger_budget_is_expected_to_err_less_and_to_have_narrower_intervals():
    B = stand_in(MIXED, 2000)
    poor, rich = (rehearse(terms_of("marginals:2", MIXED, epsilon=epsilon), B) for epsilon in (0.05, 5.0))
    assert rich.mean_error < poor.mean_error
    assert rich.max_error < poor.max_error
    assert rich.mean_tv is not None
    assert poor.mean_tv is not None
    assert rich.mean_tv < poor.mean_tv
    assert rich.width < poor.width
    assert rehearse(terms_of("where:smoker == 1", MIXED, epsilon=1.0), B).mean_tv is None


def test_it_is_the_mean_of_runs_on_the_table_each_in_shares_of_its_own_total():
    B, terms = stand_in(MIXED, 300), terms_of("marginals:2", MIXED, epsilon=0.2)
    found, Q = rehearse(terms, B), terms.workload
    runs = [released(terms, B, Seeded(seed)) for seed in range(RUNS)]
    gaps = [np.abs(run.run.model.answers(Q) / run.run.model.total - Q.answers(B) / B.total) for run in runs]
    widths = [np.median(run.intervals().high - run.intervals().low) for run in runs]
    assert found.mean_error == pytest.approx(np.mean([gap.mean() for gap in gaps]))
    assert found.max_error == pytest.approx(np.mean([gap.max() for gap in gaps]))
    assert found.mean_tv == pytest.approx(np.mean([gap.sum() / 2 / Q.parts for gap in gaps]))
    assert found.width == pytest.approx(np.mean(widths))
    assert found.measured == np.mean([run.intervals().measured.mean() for run in runs])
    assert found.ran == " or ".join(dict.fromkeys(run.run.ran for run in runs))
    assert rehearse(terms, B) == found


QUESTIONS = "avg(hours) group by smoker", "avg(smoker = 1) group by colour", "share(*) group by colour, hours"


@pytest.mark.parametrize("system", RELEASABLE)
def terms_for(*texts: str, **more) -> Terms:
    """Terms for these questions, over the attributes that they read."""
    questions = read_questions("; ".join(texts), MIXED)
    own = asked_domain(questions, MIXED)
    return terms_of(workload_of(questions, own), own, questions=tuple(each.text for each in questions), **more)


@pytest.mark.parametrize("system", RELEASABLE)
def test_a_release_answers_what_a_forecast_from_public_facts_promises_and_as_narrowly(system):
    """The schema, the number of records and ε are all that it reads: how even groups are is not public."""
    terms = terms_for(*QUESTIONS, epsilon=2.0, system=system)
    told = forecast(terms, likely_tables(terms.domain, 4000))
    B = random_records(terms.domain, 4000, np.random.default_rng(5))
    release = load_files(bundle(released(terms, B, Seeded(6)), np.random.default_rng(7)))
    assert [each.question for each in told] == list(terms.questions)
    for each in told:
        answers = release.ask(each.question)
        halves = [(answer.high - answer.low) / 2 for answer in answers if not answer.refused]
        if each.halves:
            assert f"{each}".startswith(f"{each.question}: will be answered, 95% interval about ±{each.half:.2g}")
            assert each.half / 2 < np.median(halves) < 1.25 * each.most
        else:
            assert f"{each}".startswith(f"{each.question}: will not be answered: {each.refused}")
            assert not halves
    assert all(each.halves for each in told) == (system not in QUERY_BY_QUERY)


def test_a_forecast_says_what_would_change_a_refusal():
    tables = likely_tables(terms_for(*QUESTIONS).domain, 1000)
    told = forecast(terms_for(*QUESTIONS, epsilon=2.0, system="mwem-paper"), tables)
    assert all(each.remedy.startswith("It would be by --algorithm tables") for each in told)
    (_, each, _) = forecast(terms_for(*QUESTIONS, epsilon=0.02, system="tables"), tables)
    assert "and perhaps none" not in str(each)  # how many there are is of a simulated table
    assert re.search(r"It would be (without '.*'|by itself)?(, or )?with ε = 0\.(04|08|16)\.$", str(each))
    (each, *_) = forecast(terms_for(*QUESTIONS, epsilon=1e-4, system="tables"), tables)
    assert str(each).endswith("Neither fewer questions nor ε = 0.0008 would change that.")


def test_pairs_that_can_be_asked_are_counted():
    B = stand_in(MIXED, 300)
    every, few = (
        rehearse(terms_of("marginals:2", MIXED, epsilon=1.0, system=system), B).pairs
        for system in ("tables", "mwem-paper")
    )
    assert every == (len(MIXED) * (len(MIXED) - 1) // 2,) * 2
    assert few == (0, every[1])
    assert rehearse(terms_of("where:smoker == 1", MIXED, epsilon=1.0), B).pairs == (0, 0)
