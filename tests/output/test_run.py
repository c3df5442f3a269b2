"""A run says what it released, what it spent, and whether it may be published."""

import math
from dataclasses import replace

import pytest
from runs import run_on

from mwem_core import Run, Seeded, parse_workload
from mwem_core.output.run import publication
from mwem_core.systems import SYSTEMS


def test_a_run_has_the_domain_of_its_workload_and_the_model_of_its_last_round(run):
    assert run.domain is run.workload.domain
    assert run.model is run.rounds[-1].model


@pytest.mark.parametrize(("stop", "spent"), [(None, 1.0), (3, 0.5)])
def test_a_run_has_spent_epsilon_and_a_stopped_run_the_share_of_its_rounds(czech, stop, spent):
    run = run_on(czech, T=4, stop=stop)  # round 0 and rounds 1 and 2 of 4 are half of the budget
    assert run.epsilon_spent == pytest.approx(spent)


def test_a_run_reads_its_verdict_from_its_settings_seed_and_schema(czech):
    run = run_on(czech, seed=7, T=1)
    assert run.publication == publication(
        epsilon=1.0, seeded=True, provenance="unknown", total_measured=False, runs=None, table_epsilon=None
    )
    measured = replace(run_on(czech, T=1, measured=True), seed=None, provenance="file", runs=2, table_epsilon=1.5)
    assert measured.publication == publication(
        epsilon=1.0, seeded=False, provenance="file", total_measured=True, runs=2, table_epsilon=1.5
    )


@pytest.mark.parametrize("seed", [None, 7])
def test_a_run_without_noise_is_not_private_with_or_without_a_seed(czech, seed):
    workload = parse_workload("marginals:1", czech.domain)
    settings = SYSTEMS["weights"].settings(workload, n=czech.total, epsilon=1.0, T=2)
    run = Run(workload, settings, "weights", tuple(settings.rounds(czech, workload, noise=Seeded(seed))), seed)
    assert not run.publication.private
    assert "The run reads exact answers and adds no noise: choose a private system." in run.publication.statement
    assert run.epsilon_spent == math.inf
