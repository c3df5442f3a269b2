"""The watched run is MWEM's, and its figures are the paper's formulas."""

import math

import numpy as np
import pytest

from mwem_app.course.mwem import mwem_numbers as mwem
from mwem_core import Seeded, paper, parse_workload
from mwem_core.privacy import on_grid

EPSILON, T = 8.0, 6


@pytest.fixture(scope="module")
def watched(B, Q):
    return mwem.watch(B, Q, epsilon=EPSILON, T=T, noise=Seeded(3))


def test_a_watched_run_is_the_run(B, Q, watched):
    rounds = list(paper(Q, epsilon=EPSILON, T=T).rounds(B, Q, noise=Seeded(3)))
    assert watched.chosen.tolist() == [round_.chosen for round_ in rounds[1:]]
    for answers, round_ in zip(watched.answers, rounds, strict=True):
        np.testing.assert_allclose(answers, round_.model.answers(Q))
    for value, round_ in zip(watched.noisy_answers, rounds[1:], strict=True):
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
    assert watched.noisy_answers[0].shape == (3, 3)


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
