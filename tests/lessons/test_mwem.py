"""The watched run is MWEM's, its figures are the paper's formulas, and the check sees a run that costs more than ε."""

import math

import numpy as np
import pytest

from mwem_core import Seeded, paper, parse_workload
from mwem_core.lessons import mwem
from mwem_core.lessons.neighbours import OneMore
from mwem_core.privacy import budget
from mwem_core.privacy.grid import on_grid
from mwem_core.privacy.ledger import Ledger
from mwem_core.privacy.mechanisms import exponential, laplace

EPSILON, T = 8.0, 6


@pytest.fixture(scope="module")
def watched(B, Q):
    return mwem.watch(B, Q, epsilon=EPSILON, T=T, noise=Seeded(3))


def test_a_watched_run_is_the_run(B, Q, watched):
    rounds = list(paper(Q, epsilon=EPSILON, T=T).rounds(B, Q, noise=Seeded(3)))
    assert watched.chosen.tolist() == [round_.chosen for round_ in rounds[1:]]
    for answers, round_ in zip(watched.answers, rounds, strict=True):
        np.testing.assert_allclose(answers, round_.model.answers(Q))
    for value, round_ in zip(watched.measured, rounds[1:], strict=True):
        assert value == round_.measurement.value


def test_a_query_is_chosen_in_proportion_to_exp_of_its_gap_and_never_twice(B, Q, watched):
    asked = []
    for i in range(T):
        weights = np.exp(EPSILON * np.abs(on_grid(watched.answers[i]) - Q.answers(B)) / (4 * T))
        weights[asked] = 0
        np.testing.assert_allclose(watched.probabilities[i], weights / weights.sum())
        asked.append(watched.chosen[i])
    assert len(set(asked)) == T


def test_a_whole_table_is_chosen_by_its_error_less_its_cells(B):
    tables = parse_workload("cuboids:2", B.domain)
    watched = mwem.watch(B, tables, epsilon=EPSILON, T=2, noise=Seeded(0))
    errors = np.abs(watched.answers - tables.answers(B)).reshape(3, 3, 9).sum(axis=2)  # three tables of nine cells
    np.testing.assert_allclose(watched.gaps, errors)
    scored = np.abs(on_grid(watched.answers[0]) - tables.answers(B)).reshape(3, 9).sum(axis=1)
    weights = np.exp(EPSILON * (scored - 9) / 8)
    np.testing.assert_allclose(watched.probabilities[0], weights / weights.sum())
    assert watched.measured[0].shape == (3, 3)


def test_select_and_measure_each_spend_a_half_of_every_round_and_all_of_epsilon_together(watched):
    steps = np.diff(watched.spent, axis=0)
    np.testing.assert_allclose(steps, EPSILON / (2 * T))
    assert watched.spent[-1].sum() == pytest.approx(EPSILON, rel=1e-12)
    assert watched.scale == pytest.approx(2 * T / EPSILON)


def test_the_error_is_the_share_of_students_in_a_wrong_cell(B, Q, watched):
    for answers, share in zip(watched.answers, watched.misplaced, strict=True):
        wrong = [np.abs(answers - Q.answers(B))[part : part + 9].sum() / 2 / B.total for part in (0, 9, 18)]
        assert share == pytest.approx(np.mean(wrong))


def test_the_best_bettor_wins_as_often_as_the_probabilities_say(B, Q):
    runs = [mwem.watch(B, Q, epsilon=2.0, T=1, noise=Seeded(seed)) for seed in range(400)]
    chance = runs[0].best_bets
    won = np.mean([run.chosen[0] == run.probabilities[0].argmax() for run in runs])
    assert abs(won - chance) < 4 * math.sqrt(chance * (1 - chance) / 400)  # fails by chance once in 16,000


def test_a_neighbour_has_one_record_more_in_every_marginal_and_the_same_public_total(B, Q):
    neighbour = OneMore(B, (2, 0, 1))
    for S in Q.sets:
        difference = neighbour.marginal(S) - B.marginal(S)
        assert difference.sum() == np.abs(difference).sum() == 1
        assert difference[tuple((2, 0, 1)[a] for a in S)] == 1
    assert neighbour.total == B.total


@pytest.mark.parametrize("seed", range(3))
def test_a_run_spends_exactly_epsilon_on_its_neighbours(B, Q, seed):
    law = mwem.check(B, Q, epsilon=EPSILON, T=4, seed=seed)
    assert law.measured == pytest.approx(EPSILON, rel=1e-9)
    assert law.holds


def half_the_noise(exact, *, epsilon, sensitivity, noise):
    return laplace(exact, epsilon=2 * epsilon, sensitivity=sensitivity, noise=noise)


def factor_two_slip(scores, *, epsilon, sensitivity, noise):
    return exponential(scores, epsilon=2 * epsilon, sensitivity=sensitivity, noise=noise)


def half_the_price(ledger, spend=Ledger.spend, **amounts):
    return spend(ledger, **{purpose: amount / 2 for purpose, amount in amounts.items()})


@pytest.mark.parametrize(
    ("where", "name", "twin", "spent"),
    [
        (budget, "laplace", half_the_noise, 1.5 * EPSILON),
        ("mwem_core.privacy.accountant", "exponential", factor_two_slip, 1.5 * EPSILON),
        (Ledger, "spend", half_the_price, EPSILON),  # the run costs ε, but its ledger says ε/2
    ],
)
def test_a_broken_twin_fails_the_check(monkeypatch, B, Q, where, name, twin, spent):
    monkeypatch.setattr(
        f"{where}.{name}" if isinstance(where, str) else where, *((twin,) if isinstance(where, str) else (name, twin))
    )
    law = mwem.check(B, Q, epsilon=EPSILON, T=4, seed=0)
    assert law.measured == pytest.approx(spent)
    assert not law.holds
