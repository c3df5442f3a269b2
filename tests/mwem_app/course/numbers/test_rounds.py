"""Errors against T: the runs are MWEM's, and the committed ones are reproducible."""

from dataclasses import replace

import numpy as np
import pytest
from runs import SAMPLES

from mwem_app.course.lesson import stored_trials, to_csv
from mwem_app.course.rounds import rounds_numbers as rounds
from mwem_app.course.rounds.rounds_numbers import COPIES, EPSILONS, ROUNDS, SEEDS, Trial, copies, curve, rounds_trial
from mwem_core import Seeded, paper, parse_workload
from mwem_core.mwem import best_rounds, theorem_bound

COMMITTED = SAMPLES / "lessons" / "rounds.csv"


@pytest.fixture(scope="module")
def Q(survey):
    return parse_workload("marginals:2", survey.domain)


@pytest.fixture(scope="module")
def B(survey):
    return copies(survey, COPIES)


@pytest.fixture(scope="module")
def committed():
    return stored_trials("rounds", Trial)


def test_copies_have_the_same_shares(survey, B, Q):
    assert B.total == COPIES * survey.total
    np.testing.assert_array_equal(Q.answers(B), COPIES * Q.answers(survey))


def test_only_the_product_of_epsilon_and_n_counts(survey, B, Q):
    large = rounds_trial(B, Q, epsilon=0.08, rounds=5, seed=1)
    small = rounds_trial(survey, Q, epsilon=8.0, rounds=5, seed=1)
    assert large.error == pytest.approx(small.error, rel=1e-9)


def test_a_trial_is_a_run_with_the_settings_of_the_paper(B, Q):
    *_, last = paper(Q, epsilon=0.08, T=4).rounds(B, Q, noise=Seeded(2))
    error = np.abs(last.model.answers(Q) - Q.answers(B)).max() / B.total
    assert rounds_trial(B, Q, epsilon=0.08, rounds=4, seed=2) == Trial(0.08, False, 4, 2, pytest.approx(error))


def test_the_noise_and_the_uniform_error_are_those_of_a_run(B, Q):
    for T, scale in zip(ROUNDS[:4], rounds.noise(0.08), strict=False):
        start, first, *_ = paper(Q, epsilon=0.08, T=T).rounds(B, Q, noise=Seeded(0))
        assert first.measurement.scale == pytest.approx(scale)
        assert np.abs(start.model.answers(Q) - Q.answers(B)).max() / B.total == pytest.approx(
            rounds.uniform_error(B, Q)
        )


def test_the_rounds_of_an_adaptive_trial_are_those_of_its_last_restart(B, Q):
    T = rounds_trial(B, Q, epsilon=0.64, rounds=None, seed=5).rounds
    _, *all_rounds = replace(paper(Q, epsilon=0.64), T="adaptive").rounds(B, Q, noise=Seeded(5))
    held = [sum(np.count_nonzero(table) for table in r.A.theta.values()) for r in all_rounds]
    restarts = [i for i, count in enumerate(held) if count == 1]  # a model holds a number for each measured cell
    assert T == len(all_rounds) - restarts[-1]


def test_a_curve_sums_up_the_trials_of_one_epsilon(Q):
    errors = np.random.default_rng(0).random((len(ROUNDS), SEEDS))
    results = [Trial(0.08, False, T, s, errors[i, s]) for i, T in enumerate(ROUNDS) for s in range(SEEDS)]
    results += [Trial(0.08, True, 2 + s % 3, s, 0.1) for s in range(SEEDS)] + [Trial(0.16, False, 1, 0, 9.0)]
    drawn = curve(results, Q, 20_000, 0.08)
    public = {"n": 20_000, "domain_size": 27, "queries": 27, "epsilon": 0.08}
    np.testing.assert_allclose(drawn.mean, errors.mean(axis=1))
    assert drawn.best == ROUNDS[errors.mean(axis=1).argmin()]
    assert ((drawn.low <= drawn.mean) & (drawn.mean <= drawn.high)).all()
    assert drawn.theorem == best_rounds(**public)
    assert drawn.promise * 20_000 == pytest.approx(theorem_bound(rounds=drawn.theorem, **public))
    np.testing.assert_allclose(drawn.bound * 20_000, [theorem_bound(rounds=T, **public) for T in ROUNDS])
    assert (drawn.adaptive, drawn.adaptive_error) == (3, pytest.approx(0.1))


def test_stored_trials_survive_their_file(committed):
    assert to_csv(committed) == COMMITTED.read_text(encoding="utf-8")


def test_every_epsilon_and_number_of_rounds_is_committed_once_per_seed(committed):
    settings = [(r.epsilon, None if r.adaptive else r.rounds, r.seed) for r in committed]
    assert sorted(settings, key=str) == sorted(
        ((epsilon, T, seed) for epsilon in EPSILONS for T in (*ROUNDS, None) for seed in range(SEEDS)), key=str
    )


def test_a_committed_column_is_what_the_mechanism_gives_now(B, Q, committed):
    column = [r for r in committed if r.epsilon == 0.32 and not r.adaptive and r.rounds == 3]
    again = [rounds_trial(B, Q, epsilon=0.32, rounds=3, seed=seed) for seed in range(SEEDS)]
    np.testing.assert_allclose([r.error for r in column], [r.error for r in again], rtol=1e-4)


def test_committed_adaptive_runs_are_what_the_mechanism_gives_now(B, Q, committed):
    for before in [r for r in committed if r.epsilon == 0.08 and r.adaptive][:3]:
        now = rounds_trial(B, Q, epsilon=0.08, rounds=None, seed=before.seed)
        assert (now.rounds, now.error) == (before.rounds, pytest.approx(before.error, rel=1e-4))


def test_the_best_number_of_rounds_grows_with_epsilon(committed, Q, B):
    best = [curve(committed, Q, B.total, epsilon).best for epsilon in EPSILONS]
    assert best[0] < best[3] < best[-1]  # 20 seeds: neighbouring ε may tie
