"""Rounds whose number and cost the run decides: they read noisy answers only, and spend the budget exactly."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from oracles import Following, Recording, domain_of, neighbours, random_records

from mwem_core import MWEM, Annealing, Seeded, Tables
from mwem_core.domain import OfTotal
from mwem_core.mwem.schedule import DOUBLINGS, doubling
from mwem_core.privacy import Ledger, Pure
from mwem_core.workload import families

ANNEALING = {"T": Annealing(6), "candidates": Tables(one_way_first=True), "repeats": True, "delta": 1e-6}


@pytest.mark.parametrize("settings", [{"T": "adaptive"}, ANNEALING], ids=["adaptive", "annealing"])
def test_the_schedule_reads_noisy_answers_only(settings):
    """Following the same noisy outputs, a neighbour's run takes the same number of rounds at the same scales."""
    rng = np.random.default_rng(0)
    B = random_records(domain_of([3, 4, 2]), 3000, rng)
    Q = families.marginals(B.domain, 2)
    algorithm, noise = MWEM(epsilon=5.0, **settings), Recording(Seeded(0))
    assert algorithm.planned_rounds(B.total, Q) is None
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


def runs(max_rounds, quiet=None):
    """The T and the cost of a round, of each run by doubling; round number `quiet` of all, if given, has no signal."""
    asked = []

    def run(start, T, cost):
        asked.append((T, cost.exact))
        ledger = start.ledger
        for index in range(start.index + 1, start.index + T + 1):
            ledger = ledger.spend(measure=cost.exact)
            yield SimpleNamespace(
                index=index, ledger=ledger, residual=1.0 if index == quiet else 3.0, expected_noise=1.0
            )

    start = SimpleNamespace(index=0, ledger=Ledger(Pure(1)), model=None)
    *_, last = doubling(start, run, max_rounds=max_rounds)
    assert last.ledger.is_spent
    return asked


def test_runs_double_in_rounds_and_in_cost_until_two_more_would_exceed_either():
    """A round costs 1/128 of the budget in all runs but the last, which takes what is left."""
    same = Fraction(1, 2 * 2**DOUBLINGS)
    assert runs(1000) == [*((2**k, same) for k in range(1, 6)), (64, Fraction(33, 64) / 64)]
    assert runs(20) == [(2, same), (4, same), (8, same), (16, (1 - 14 * same) / 16)]
    assert runs(16) == [(2, same), (4, same), (8, same), (16, (1 - 14 * same) / 16)]
    assert runs(12) == [(2, same), (4, same), (8, (1 - 6 * same) / 8)]
    assert runs(1) == [(1, 1)]


@pytest.mark.parametrize(("quiet", "worthwhile"), [(1, 1), (2, 1), (5, 2), (6, 3), (9, 2)])
def test_a_round_without_signal_leaves_the_rest_to_as_many_rounds_as_had_one(quiet, worthwhile):
    """Rounds 1 and 2 are the first run, 3 to 6 the second, 7 to 14 the third; a quiet round ends its run."""
    asked = runs(1000, quiet)
    before = {1: [2], 2: [2], 5: [2, 4], 6: [2, 4], 9: [2, 4, 8]}[quiet]
    assert [T for T, _ in asked] == [*before, worthwhile]
    same = Fraction(1, 2 * 2**DOUBLINGS)
    assert asked[-1] == (worthwhile, (1 - quiet * same) / worthwhile)
