import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from mwem_core.privacy.budget import LEAST_SCALE, ZCDP, Pure
from mwem_core.privacy.noise import Seeded

pure_and_zcdp = pytest.mark.parametrize("budget", [Pure(0.3), ZCDP(0.3)], ids=["pure", "zcdp"])


@pure_and_zcdp
def test_parts_add_up_to_the_whole(budget):
    for T in (1, 3, 10, 77):
        parts = [budget.part(share) for share in np.full(T, 1 / T)]
        assert sum(part.amount for part in parts) == pytest.approx(budget.amount)
        assert {part.unit for part in parts} == {budget.unit}
    assert budget.part(0.1).amount + budget.part(0.9).amount == pytest.approx(budget.amount)


@pytest.mark.parametrize("amount", [0.3, 1, Fraction(1, 3)])
def test_an_amount_is_a_rational_under_pure_ε_that_of_its_decimal_and_under_zcdp_its_own(amount):
    assert isinstance(Pure(amount).exact, Fraction | int)
    assert isinstance(ZCDP(amount).exact, Fraction)
    assert Pure(amount).exact == (Fraction(3, 10) if amount == 0.3 else amount)
    assert ZCDP(amount).exact == Fraction(amount)


def test_a_selection_under_zcdp_costs_epsilon_squared_over_eight():
    for rho in (1e-9, 0.01, 1.0, 50.0):
        assert ZCDP(rho).selection_epsilon ** 2 / 8 == pytest.approx(rho)
    assert Pure(0.7).selection_epsilon == Fraction(7, 10)


def test_noise_scales_are_those_of_sensitivity_one():
    assert Pure(0.25).scale == 4
    assert ZCDP(0.02).scale == pytest.approx(5)  # σ = 1 / √(2ρ)


@pure_and_zcdp
def test_the_noise_of_a_measurement_has_the_law_and_the_mean_of_its_budget(budget):
    """200,000 draws: the mean of |noise| has a standard deviation below its mean / √200,000; five of them."""
    law = stats.laplace(scale=budget.scale) if budget.unit == "ε" else stats.norm(scale=budget.scale)
    noise = budget.measure(np.zeros(200_000), Seeded(0))
    assert budget.mean_noise == pytest.approx(law.expect(abs))
    assert np.abs(noise).mean() == pytest.approx(budget.mean_noise, rel=5 / math.sqrt(200_000))
    assert stats.kstest(noise, law.cdf).pvalue > 1e-4


def test_the_variance_of_a_draw_is_that_of_its_law():
    for scale in (0.3, 1.0, 7.0):
        assert Pure(1).variance_at(scale) == pytest.approx(stats.laplace(scale=scale).var())
        assert ZCDP(1).variance_at(scale) == pytest.approx(stats.norm(scale=scale).var())


@pytest.mark.parametrize("epsilon", [0.01, 0.7, 3.0, 10.0])
def test_whole_noise_on_counts_has_the_variance_of_its_scale_which_is_less_than_that_of_laplace_noise(epsilon):
    """By the sum over Pr[z] ∝ e^(-ε |z|), and by 200,000 draws where a tenth of them are not 0."""
    budget, z = Pure(epsilon), np.arange(-10_000, 10_001)
    p = np.exp(-epsilon * np.abs(z)) * math.tanh(epsilon / 2)
    variance = budget.variance_at(budget.scale_of_counts)
    assert (p * z**2).sum() == pytest.approx(variance)
    assert budget.scale_of_counts < budget.scale
    noise = budget.measure(np.zeros(200_000), Seeded(0), counts=True)
    assert (noise == np.rint(noise)).all()
    assert (noise**2).mean() == pytest.approx(variance, rel=0.05 if epsilon < 10 else 0.7)


def test_no_noise_is_so_small_that_its_precision_would_be_infinite():
    assert Pure(1e6).scale_of_counts == LEAST_SCALE


def test_counts_have_gaussian_noise_under_zcdp():
    budget = ZCDP(0.3)
    assert budget.scale_of_counts == budget.scale
    exact = np.arange(5.0)
    assert budget.measure(exact, Seeded(1), counts=True).tolist() == budget.measure(exact, Seeded(1)).tolist()


def test_half_a_budget_has_twice_the_laplace_scale_and_root_two_times_the_gaussian_scale():
    assert Pure(0.3).part(0.5).scale / Pure(0.3).scale == pytest.approx(2)
    assert ZCDP(0.3).part(0.5).scale / ZCDP(0.3).scale == pytest.approx(math.sqrt(2))
    assert Pure(0.3).part(0.5).selection_epsilon / Pure(0.3).selection_epsilon == pytest.approx(1 / 2)
    assert ZCDP(0.3).part(0.5).selection_epsilon / ZCDP(0.3).selection_epsilon == pytest.approx(1 / math.sqrt(2))
