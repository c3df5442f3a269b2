"""Rounds whose number and cost the run decides: they read noisy answers only, and spend the budget exactly."""

import itertools

import numpy as np
import pytest
from oracles import Following, Recording, domain_of, neighbours, random_records

from mwem_core import MWEM, Seeded
from mwem_core.data.table import OfTotal
from mwem_core.mwem.schedule import DOUBLINGS
from mwem_core.workload import families

ANNEALING = {"T": 6, "select": "tables", "first": "one-way", "annealing": True, "repeats": True, "delta": 1e-6}


@pytest.mark.parametrize("settings", [{"T": "adaptive"}, ANNEALING], ids=["adaptive", "annealing"])
def test_the_schedule_reads_noisy_answers_only(settings):
    """Following the same noisy outputs, a neighbour's run takes the same number of rounds at the same scales."""
    rng = np.random.default_rng(0)
    B = random_records(domain_of([3, 4, 2]), 3000, rng)
    Q = families.marginals(B.domain, 2)
    algorithm, noise = MWEM(epsilon=5.0, **settings), Recording(Seeded(0))
    rounds = list(algorithm.rounds(B, Q, noise=noise))
    assert rounds[-1].ledger.spent == pytest.approx(algorithm.guarantee.budget.amount)
    for table in neighbours(B, rng):
        followed = list(algorithm.rounds(OfTotal(table, B.total), Q, noise=Following(noise.draws)))
        assert [entry.ledger for entry in followed] == [entry.ledger for entry in rounds]


def test_adaptive_runs_double_until_the_signal_drops_and_the_last_gets_half_of_the_budget_or_more():
    B = random_records(domain_of([3, 4, 2]), 3000, np.random.default_rng(0))
    Q = families.marginals(B.domain, 2)
    _, *rounds = MWEM(epsilon=5.0, T="adaptive").rounds(B, Q, noise=Seeded(0))
    scales = [entry.measurement.scale for entry in rounds]
    first = 2 / (0.5 * 5.0 / 2**DOUBLINGS)  # two rounds share 1/64 of ε, half of it measures
    assert scales[0] == pytest.approx(first)
    last = [entry for entry in rounds if entry.measurement.scale == scales[-1]]
    spent_before = rounds[-len(last) - 1].ledger.spent
    assert rounds[-1].ledger.spent - spent_before >= 0.5 * 5.0 - 1e-9
    assert rounds[-1].ledger.spent == pytest.approx(5.0)


def test_annealing_halves_the_noise_after_a_selected_round_that_moved_no_further_than_it():
    B = random_records(domain_of([3, 4, 2]), 300, np.random.default_rng(0))
    Q = families.marginals(B.domain, 2)
    _, *rounds = MWEM(epsilon=1.0, **ANNEALING | {"T": 40}).rounds(B, Q, noise=Seeded(0))
    halved = 0
    for before, after in itertools.pairwise(rounds[:-1]):  # the last round takes the remainder
        moved_little = before.chosen is not None and before.moved <= before.expected_noise
        ratio = after.measurement.scale / before.measurement.scale
        assert ratio == pytest.approx(0.5 if moved_little else 1.0)
        halved += moved_little
    assert halved
