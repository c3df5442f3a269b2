"""Attacks: what they find, against theory and brute force, and that ε caps them."""

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from mwem_app.course.attack import attack_numbers as reconstruction
from mwem_app.course.attack.attack_numbers import GROUPS, HALVES, SECRETS, SMALLEST, STUDENTS, TRIALS
from mwem_app.course.under_attack import under_attack_numbers as release
from mwem_app.course.under_attack.under_attack_numbers import SEEDS_TRIED, attack_by_seeds
from mwem_core import Seeded
from mwem_core.privacy import cap

SAMPLES = Path(__file__).parents[4] / "sample_data"


@pytest.fixture(scope="module")
def recovery():
    return reconstruction.recovery(rng=np.random.default_rng(5), noise=Seeded(5))


# ---- exact answers ----
@pytest.mark.parametrize("seed", range(10))
def test_the_secret_is_always_left_and_what_is_known_is_true(seed):
    rng = np.random.default_rng(seed)
    secret = reconstruction.secret(rng)
    groups = GROUPS[rng.choice(len(GROUPS), size=3, replace=False)]
    left = reconstruction.consistent(groups, [reconstruction.answer(secret, group) for group in groups])
    by_hand = [s for s in SECRETS if all(s @ group == secret @ group for group in groups)]
    assert np.array_equal(left, by_hand)
    assert any((s == secret).all() for s in left)
    assert all(bit is None or bit == secret[i] for i, bit in enumerate(reconstruction.known_bits(left)))


@pytest.mark.parametrize("student", range(STUDENTS))
def test_two_counts_that_differ_in_one_student_give_this_student_away(student):
    secret = reconstruction.secret(np.random.default_rng(student))
    everyone = np.ones(STUDENTS, int)
    groups = [everyone, everyone - np.eye(STUDENTS, dtype=int)[student]]
    left = reconstruction.consistent(groups, [reconstruction.answer(secret, group) for group in groups])
    assert reconstruction.known_bits(left)[student] == secret[student]


def test_small_groups_are_refused():
    with pytest.raises(ValueError, match="at least 4 students, got 3"):
        reconstruction.answer(SECRETS[5], SECRETS[0b111])
    assert GROUPS.sum(axis=1).min() == SMALLEST


@pytest.mark.parametrize("seed", range(5))
def test_the_greedy_attacker_needs_no_more_questions_than_students_and_no_fewer_than_answers_can_tell_apart(seed):
    secret = reconstruction.secret(np.random.default_rng(seed))
    assert math.log(2**STUDENTS, STUDENTS + 1) <= reconstruction.fewest(secret) <= STUDENTS
    assert reconstruction.fewest(secret, secret[None]) == 0


# ---- noisy answers ----
def test_a_student_is_in_as_many_of_the_groups_as_the_sensitivity_says():
    groups = reconstruction.random_halves(np.random.default_rng(0))
    assert (groups.sum(axis=0) == HALVES).all()
    assert (groups.sum(axis=1) >= SMALLEST).all()


def test_decoding_takes_the_more_probable_bit():
    rng = np.random.default_rng(1)
    groups = reconstruction.random_halves(rng)
    noisy = rng.integers(5, size=(3, len(groups))) + rng.laplace(scale=2.0, size=(3, len(groups)))
    for row, guess in zip(noisy, reconstruction.decode(noisy, groups, 2.0), strict=True):
        weights = [math.prod(math.exp(-abs(row[j] - g @ s) / 2.0) for j, g in enumerate(groups)) for s in SECRETS]
        yes = [sum(w for w, s in zip(weights, SECRETS, strict=True) if s[i]) for i in range(STUDENTS)]
        assert np.array_equal(guess, np.array(yes) > sum(weights) / 2)


def test_more_epsilon_finds_more_bits_and_never_more_than_the_cap(recovery):
    error = math.sqrt(0.25 / TRIALS)  # of a share of classes; bits of a class may err together
    assert (np.diff(recovery.share) > -error).all()
    assert (recovery.share <= recovery.cap + 4 * error).all()
    assert abs(recovery.share[0] - 0.5) < 0.1
    assert recovery.share[-1] > 0.95
    assert recovery.least_epsilon(0.9) in reconstruction.EPSILONS
    assert recovery.least_epsilon(1.1) == math.inf


def test_the_scale_of_the_noise_is_the_sensitivity_over_epsilon(recovery):
    assert recovery.scale == pytest.approx([HALVES / epsilon for epsilon in reconstruction.EPSILONS])


# ---- membership ----
def test_the_cap_is_a_coin_without_epsilon_and_certainty_with_delta_one():
    assert cap(0.0) == 0.5
    assert cap(math.log(3)) == pytest.approx(0.75)
    assert cap(1.0, delta=1.0) == 1.0


@pytest.mark.parametrize("epsilon", release.EPSILONS)
def test_the_attack_wins_what_laplace_noise_lets_it_win(survey, epsilon):
    """The best guess is "in" above the middle of two counts: right with probability 1 - exp(-ε/2)/2."""
    won = release.attack(survey, 0, epsilon=epsilon, stated=epsilon, noise=Seeded(3)).won
    assert won == pytest.approx(1 - math.exp(-epsilon / 2) / 2, abs=4 * math.sqrt(0.25 / (2 * release.RELEASES)))
    assert won < release.allowed_share(epsilon)


@pytest.mark.parametrize("epsilon", release.EPSILONS)
def test_the_curve_stays_below_the_promise_and_the_twins_does_not(survey, epsilon):
    margin = 4 * math.sqrt(0.25 / release.RELEASES) * (1 + math.exp(epsilon))
    real, twin = (
        release.attack(survey, 0, epsilon=factor * epsilon, stated=epsilon, noise=Seeded(2))
        for factor in (1, release.FRACTION)
    )
    assert (real.hits <= np.exp(epsilon) * real.false_alarms + margin).all()
    assert (1 - real.false_alarms <= np.exp(epsilon) * (1 - real.hits) + margin).all()
    assert (np.diff(real.hits) >= 0).all()
    assert (real.hits[0], real.false_alarms[0], real.hits[-1], real.false_alarms[-1]) == (0, 0, 1, 1)
    assert twin.won > release.allowed_share(epsilon)


def test_exact_counts_are_always_right(survey):
    exact = release.attack(survey, 0, epsilon=math.inf, stated=0.5, noise=Seeded(1))
    assert exact.won == 1
    assert (exact.hits[1], exact.false_alarms[1]) == (1, 0)


# ---- schema and seed ----
def test_the_schema_loses_a_value_exactly_with_the_only_student_who_has_it():
    proposals = release.proposals()
    occurs = {name: Counter(row[name] for row in proposals.rows) for name in proposals.whole}
    for student, row in enumerate(proposals.rows):
        alone = {name: (value,) for name, value in row.items() if occurs[name][value] == 1}
        assert proposals.lost_values(student) == alone
    assert any(proposals.lost_values(student) for student in range(len(proposals.rows)))


@pytest.mark.parametrize("seed", [0, 11, SEEDS_TRIED - 1])
def test_only_the_seed_of_a_release_undoes_its_noise(survey, seed):
    undone = attack_by_seeds(survey, (0, 1), epsilon=1.0, seed=seed)
    assert undone.left[seed] == pytest.approx(undone.exact)
    assert not np.allclose(undone.released, undone.exact, atol=0.1)
    assert np.flatnonzero(undone.whole).tolist() == [seed]


def test_a_seed_that_is_not_tried_leaves_no_whole_numbers(survey):
    assert not attack_by_seeds(survey, (0, 1), epsilon=1.0, seed=10**6).whole.any()
