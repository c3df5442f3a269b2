"""A run says what it released, what it spent, and whether it may be called private."""

import math

import pytest
from runs import run_on

from mwem_core import Run, Seeded, parse_workload
from mwem_core.release.run import STATEMENT_EXACT, STATEMENT_EXPLORING, STATEMENT_SEEDED
from mwem_core.systems import SYSTEMS


def test_a_run_has_the_domain_of_its_workload_and_the_model_of_its_last_round(run):
    assert run.domain is run.workload.domain
    assert run.model is run.rounds[-1].model


@pytest.mark.parametrize(("stop", "spent"), [(None, 1.0), (3, 0.5)])
def test_a_run_has_spent_epsilon_and_a_stopped_run_the_share_of_its_rounds(czech, stop, spent):
    run = run_on(czech, T=4, stop=stop)  # round 0 and rounds 1 and 2 of 4 are half of the budget
    assert run.epsilon_spent == pytest.approx(spent)


@pytest.mark.parametrize(("seed", "statement"), [(7, STATEMENT_SEEDED), (None, STATEMENT_EXPLORING)])
def test_a_seeded_run_is_not_private_and_a_run_without_a_seed_is_exploratory(czech, seed, statement):
    assert run_on(czech, seed=seed, T=1).statement == statement
    assert STATEMENT_SEEDED.startswith("NOT PRIVATE: ")
    assert STATEMENT_EXPLORING.startswith("EXPLORATORY: ")


@pytest.mark.parametrize("seed", [None, 7])
def test_a_run_without_noise_is_not_private_with_or_without_a_seed(czech, seed):
    workload = parse_workload("marginals:1", czech.domain)
    settings = SYSTEMS["weights"].settings(workload, n=czech.total, epsilon=1.0, T=2)
    run = Run(workload, settings, "weights", tuple(settings.rounds(czech, workload, noise=Seeded(seed))), seed)
    assert run.statement == STATEMENT_EXACT
    assert STATEMENT_EXACT.startswith("NOT PRIVATE: it reads exact answers")
    assert run.epsilon_spent == math.inf
