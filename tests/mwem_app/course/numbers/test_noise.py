"""The lesson Noise: what the formulas say about a guesser is what the mechanisms do."""

import math

import numpy as np
import pytest

from mwem_app.course.noise import noise_numbers as noise
from mwem_core.domain import Attribute, Domain, Records
from mwem_core.privacy import Seeded, cap
from mwem_core.values import Values

EPSILONS = 0.1, 0.5, 1.0, 3.0
BETS = 100_000


def test_a_table_without_a_record_has_one_less_in_one_cell_of_every_marginal():
    domain = Domain((Attribute("a", Values(("x", "y"))), Attribute("b", Values(("x", "y", "z")))))
    B = Records(domain, (np.array([0, 1, 1, 0]), np.array([2, 0, 2, 2])))
    fewer = noise.leave_out(B, 2)
    assert fewer.total == 3
    for S in ((0,), (1,), (0, 1)):
        change = fewer.marginal(S) - B.marginal(S)
        assert change[tuple((1, 2)[a] for a in S)] == -1
        assert np.abs(change).sum() == 1


def answers(kind, epsilon, truth, seed):
    return noise.noisy_counts(kind, np.full(BETS, float(truth)), epsilon, Seeded(seed))


@pytest.mark.parametrize("kind", noise.KINDS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_best_guess_is_right_as_often_as_the_formula_says(kind, epsilon):
    """Five standard errors of 200,000 bets are at most .0056."""
    won = np.mean([answers(kind, epsilon, 0, 1) < 0.5, answers(kind, epsilon, 1, 2) > 0.5])
    assert won == pytest.approx(noise.chance(kind, epsilon), abs=5 * 0.5 / math.sqrt(2 * BETS))


@pytest.mark.parametrize("kind", noise.KINDS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_no_guess_beats_the_cap(kind, epsilon):
    assert noise.chance(kind, epsilon) <= cap(epsilon, noise.DELTA if kind == "gaussian" else 0.0) + 1e-12


@pytest.mark.parametrize("kind", noise.KINDS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_mean_size_of_the_noise_is_the_formula(kind, epsilon):
    """The size of any of the three has a standard deviation of at most its mean plus one, so five standard errors."""
    mean = noise.mean_noise(kind, epsilon)
    assert np.abs(answers(kind, epsilon, 0, 3)).mean() == pytest.approx(mean, abs=5 * (mean + 1) / math.sqrt(BETS))


def test_discrete_noise_is_whole_and_falls_by_a_factor_of_e_to_the_epsilon():
    """Each of five ratios has a relative standard error below .012 (7,000 draws or more in each count)."""
    values = answers("discrete", 0.7, 10, 4)
    assert (values == np.round(values)).all()
    counts = np.array([(values == 10 + z).sum() for z in range(6)])
    np.testing.assert_allclose(counts[:-1] / counts[1:], math.exp(0.7), rtol=0.15)


@pytest.mark.parametrize(("epsilon", "count"), [(0.1, 1), (0.1, 10), (0.1, 100), (1.0, 5), (3.0, 4)])
def test_the_chance_of_the_mean_is_the_share_of_drawn_means_that_are_nearer_to_the_right_count(epsilon, count):
    """100,000 means: five standard errors are less than 0.008."""
    means = np.random.default_rng(1).laplace(scale=1 / epsilon, size=(100_000, count)).mean(axis=1)
    assert noise.chance_of_mean(epsilon, count) == pytest.approx((means > -0.5).mean(), abs=0.008)
    assert noise.chance("laplace", epsilon) <= noise.chance_of_mean(epsilon, count) + 1e-6
    assert noise.chance_of_mean(epsilon, count) <= cap(epsilon * count)


def test_the_same_randomness_at_every_epsilon_shrinks_as_epsilon_grows():
    few, many = noise.dots("laplace", 74, (0.5, 1.0), count=50, seed=1)
    np.testing.assert_allclose(few[0] - 74, 2 * (many[0] - 74))
