"""Whatever may be asked, a run is forecast and ends well, or is refused by a sentence before it is charged.

`pytest -m sweep` has more of the questions, of the runs and of the releases.
"""

from dataclasses import replace

import pytest
from random_questions import answered, forecasts, question
from random_runs import RandomRun, random_run, release_of, to_the_end

from mwem_core import Seeded
from mwem_core.audit import case
from mwem_core.systems import SYSTEMS

MAX_N = 3_000  # in the suite: as many rows are made
FEW = {"forecast": 15, "run": 2 * len(SYSTEMS), "case": 30, "release": 8}
MANY = {"forecast": 300, "run": 100 * len(SYSTEMS), "case": 2_000, "release": 300}


def few_or_many(kind):
    """The first cases in the suite, and the others in the sweep."""
    rest = pytest.param(range(FEW[kind], MANY[kind]), marks=pytest.mark.sweep, id="many")
    return pytest.mark.parametrize("numbers", [pytest.param(range(FEW[kind]), marks=pytest.mark.slow, id="few"), rest])


@few_or_many("forecast")
def test_every_check_and_forecast_ends_well_or_in_a_sentence_and_so_before_the_charge(numbers):
    for number in numbers:
        forecasts(question(number))


@pytest.mark.sweep
def test_more_rounds_than_tables_are_forecast():
    """Question 7919 of 20,000: predicates on two tables, each asked several times, in more than three rounds."""
    forecasts(question(7919))


@few_or_many("run")
def test_every_legal_setting_of_every_system_runs_to_the_end(numbers):
    for number in numbers:
        run = random_run(number)
        try:
            to_the_end(run, Seeded(number))
        except Exception as problem:
            raise AssertionError(f"run {number}, {run}") from problem


@few_or_many("case")
def test_every_legal_combination_of_mwem_s_settings_runs_to_the_end(numbers):
    """Of the audit's cases, the even ones are MWEM with any settings."""
    for number in numbers:
        c = case(2 * number)
        try:
            to_the_end(RandomRun(c.settings, c.workload, c.table), Seeded(number))
        except Exception as problem:
            raise AssertionError(f"case {2 * number}, {c.settings} for {c.workload.spec}") from problem


@few_or_many("release")
def test_a_release_that_was_checked_has_its_files_whatever_its_noisy_n(numbers):
    for number in numbers:
        asked = question(number)
        asked = replace(asked, n=1 + asked.n % MAX_N)
        if answered(asked, lambda: asked.terms("measured").settings(1).check(asked.workload)):  # noqa: B023
            try:
                assert len(release_of(asked)) == 11
            except Exception as problem:
                raise AssertionError(str(asked)) from problem
