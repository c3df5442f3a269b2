"""The lesson on composition: sums, the two other accounts, and what a run spends."""

import math

import numpy as np
import pytest

from mwem_app.course import composition
from mwem_core import Seeded


def test_the_mean_size_of_the_noise_in_a_mean_is_the_formula():
    """4,000 means each; five standard errors of a mean size, whose deviation is below its mean, are below 8%."""
    means = composition.running_means([50.0] * 4000, 0.1, 10, Seeded(1))
    np.testing.assert_allclose(np.abs(means - 50).mean(axis=0), composition.noise_of_mean(0.1, 10), rtol=0.08)


def test_one_answer_at_all_of_epsilon_is_never_worse_than_the_mean_of_many():
    """Its noise falls with 1/k, that of the mean with 1/√k: 2 √(k/π) times as much for many, and never less."""
    ratio = composition.noise_of_mean(0.1, 400) / composition.noise_at_once(0.1, 400)
    assert ratio[0] == pytest.approx(1)
    assert (np.diff(ratio) > 0).all()
    assert ratio[-1] == pytest.approx(2 * np.sqrt(400 / np.pi), rel=1e-3)


def test_the_accounts_of_one_round_and_of_many():
    pure, k_fold, zcdp = composition.totals(100, 0.1, 1e-6)
    np.testing.assert_allclose(pure, 0.2 * np.arange(1, 101))
    assert k_fold[49] == pytest.approx(math.sqrt(200 * math.log(1e6)) * 0.1 + 100 * 0.1 * math.expm1(0.1))
    rho = 50 * (0.1**2 / 8 + 0.1**2 / 2)
    assert zcdp[49] <= rho + 2 * math.sqrt(rho * math.log(1e6))  # Bun & Steinke's own conversion, which is looser
    assert zcdp[0] > pure[0]
    assert zcdp[49] < k_fold[49] < pure[49]


@pytest.mark.parametrize(("epsilon", "T"), [(0.5, 10), (1.0, 3)])
def test_the_noise_of_a_round_is_twice_the_rounds_over_epsilon(B, Q, epsilon, T):
    assert composition.noise_of_round(B, Q, epsilon=epsilon, rounds=T, seed=1) == pytest.approx(2 * T / epsilon)


def test_a_run_spends_all_of_epsilon(B, Q):
    for rounds in (1, 5, 12):
        assert composition.ledgers(B, Q, epsilon=0.7, rounds=rounds, seed=3)[-1].spent == pytest.approx(0.7)
