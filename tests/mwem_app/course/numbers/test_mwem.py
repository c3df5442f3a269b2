"""The runs that the lesson MWEM shows are MWEM's, and their figures are the paper's formulas."""

import math
from dataclasses import replace

import numpy as np
import pytest

from mwem_app.course.lesson import stored_trials
from mwem_app.course.mwem import mwem_numbers as mwem
from mwem_app.course.mwem.mwem_numbers import (
    COUNTS,
    EPSILON,
    ROW_DRAWS,
    ROWS_SHOWN,
    SEEDS,
    SHARES,
    SWEEPS,
    T,
    Trial,
    rows,
    share_effects,
    share_trial,
    sweep_effects,
    watch,
)
from mwem_core import Seeded, paper, parse_workload
from mwem_core.privacy import on_grid


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


@pytest.fixture(scope="module")
def committed():
    return stored_trials("halves", Trial)


def test_at_one_half_a_trial_is_the_run_of_the_lesson(B, Q):
    run = watch(B, Q, epsilon=EPSILON, T=T, noise=Seeded(4))
    assert share_trial(B, Q, share=0.5, seed=4).error == pytest.approx(run.misplaced[-1])


def test_every_share_is_committed_once_per_seed_and_is_what_the_mechanism_gives_now(B, Q, committed):
    assert [(each.share, each.seed) for each in committed] == [(s, seed) for s in SHARES for seed in range(SEEDS)]
    for before in committed[3::120]:
        assert share_trial(B, Q, share=before.share, seed=before.seed).error == pytest.approx(before.error, rel=1e-4)


def test_the_noise_and_the_chance_are_those_of_a_run(B, Q, committed):
    at = share_effects(committed, B, Q)
    for i, share in list(enumerate(SHARES))[::4]:
        _, first, *_ = replace(paper(Q, epsilon=EPSILON, T=T), split=1 - share).rounds(B, Q, noise=Seeded(0))
        assert first.measurement.scale == pytest.approx(at.noise[i])
    chances = watch(B, Q, epsilon=EPSILON, T=T, noise=Seeded(0)).probabilities[0]
    assert at.chance[SHARES.index(0.5)] == pytest.approx(chances.max(), rel=0.05)  # a run rounds answers to a grid


def test_more_measuring_means_less_noise_and_more_chance_and_the_middle_is_best(B, Q, committed):
    at = share_effects(committed, B, Q)
    assert (np.diff(at.noise) < 0).all()
    assert (np.diff(at.chance) < 0).all()
    assert 0.3 <= at.best <= 0.6
    error = at.mean.std() / math.sqrt(SEEDS)
    assert at.mean[0] > at.mean.min() + 3 * error
    assert at.mean[-1] > at.mean.min() + 3 * error


@pytest.fixture(scope="module")
def run(B, Q):
    return watch(B, Q, epsilon=EPSILON, T=T, noise=Seeded(1))


def test_one_sweep_is_a_multiplicative_update_by_each_measurement_in_turn(B, Q, run):
    weights = np.full(Q.domain.shape, B.total / Q.domain.size)
    for m in run.measurements:
        others = tuple(a for a in range(3) if a not in m.attrs)
        q = np.expand_dims(m.q, others)
        weights = weights * np.exp(q * (m.value - (q * weights).sum()) / (2 * B.total))
        weights *= B.total / weights.sum()
    expected = [(np.expand_dims(m.q, tuple({0, 1, 2} - {*m.attrs})) * weights).sum() for m in run.measurements]
    np.testing.assert_allclose(sweep_effects(run, B, Q).answers[SWEEPS.index(1)], expected)


def test_sweeps_walk_to_what_was_measured_and_not_to_the_truth(B, Q, run):
    after = sweep_effects(run, B, Q)
    gaps = np.abs(after.answers - np.array(run.noisy_answers)).max(axis=1)
    assert (np.diff(gaps) < 0).all()
    assert gaps[-1] < 2 < gaps[0]
    assert after.misplaced[-1] < after.misplaced[0] / 2
    wrong = replace(run.measurements[0], value=run.measurements[0].value + 20)
    alone = sweep_effects(replace(run, measurements=(wrong,), chosen=run.chosen[:1]), B, Q)
    assert alone.answers[-1] == pytest.approx(wrong.value, abs=0.1)


def test_each_cell_has_its_expected_number_of_rows_rounded(B, Q):
    run = watch(B, Q, epsilon=EPSILON, T=T, noise=Seeded(1))
    made = rows(run.A, B.domain, np.random.default_rng(0))
    assert made.first.shape == (len(COUNTS), ROW_DRAWS, ROWS_SHOWN, 3)
    assert made.expected.sum() == pytest.approx(1)
    for count, draws in zip(COUNTS, made.counts, strict=True):
        assert (draws.sum(axis=1) == count).all()
        assert np.abs(draws - count * made.expected).max() < 2  # of 400 independent draws, a cell may be off by 10
