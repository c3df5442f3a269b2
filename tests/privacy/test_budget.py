"""Budgets and their parts, the conversion between zCDP and (ε, δ), and the ledger."""

import math
import re

import numpy as np
import pytest
from scipy import stats

from mwem_core.privacy.budget import ZCDP, Guarantee, Pure
from mwem_core.privacy.conversion import epsilon_of, rho_of
from mwem_core.privacy.ledger import Ledger
from mwem_core.privacy.noise import Seeded

BUDGETS = [Pure(0.3), ZCDP(0.3)]
either = pytest.mark.parametrize("budget", BUDGETS, ids=["pure", "zcdp"])


@either
def test_parts_add_up_to_the_whole(budget):
    for T in (1, 3, 10, 77):
        parts = [budget.part(share) for share in np.full(T, 1 / T)]
        assert sum(part.amount for part in parts) == pytest.approx(budget.amount)
        assert {part.unit for part in parts} == {budget.unit}
    assert budget.part(0.1).amount + budget.part(0.9).amount == pytest.approx(budget.amount)


def test_selection_under_zcdp_costs_epsilon_squared_over_eight():
    for rho in (1e-9, 0.01, 1.0, 50.0):
        assert ZCDP(rho).selection_epsilon ** 2 / 8 == pytest.approx(rho)
    assert Pure(0.7).selection_epsilon == 0.7


def test_noise_scales_are_those_of_sensitivity_one():
    assert Pure(0.25).scale == 4
    assert ZCDP(0.02).scale == pytest.approx(5)  # σ = 1 / √(2ρ)


@either
def test_mean_noise_is_the_mean_of_what_a_measurement_adds(budget):
    """200,000 draws: the mean of |noise| has a standard deviation below its mean / √200,000; five of them."""
    law = stats.laplace(scale=budget.scale) if budget.unit == "ε" else stats.norm(scale=budget.scale)
    noise = budget.measure(np.zeros(200_000), Seeded(0))
    assert budget.mean_noise == pytest.approx(law.expect(abs))
    assert np.abs(noise).mean() == pytest.approx(budget.mean_noise, rel=5 / math.sqrt(200_000))
    assert stats.kstest(noise, law.cdf).pvalue > 1e-4


def test_smaller_budgets_have_larger_noise():
    for budget in BUDGETS:
        assert budget.part(0.5).scale > budget.scale
        assert budget.part(0.5).selection_epsilon < budget.selection_epsilon


EPSILONS = [1e-6, 1e-3, 0.1, 1, 5, 100]


@pytest.mark.parametrize("delta", [1e-12, 1e-9, 1e-6])
def test_the_conversion_to_rho_and_its_inverse_agree_and_never_pass_epsilon(delta):
    found = []
    for epsilon in EPSILONS:
        rho = rho_of(epsilon, delta)
        found.append(rho)
        assert epsilon * (1 - 1e-9) <= epsilon_of(rho, delta) <= epsilon
        assert epsilon_of(rho * 1.001, delta) > epsilon  # and it wastes nothing
    assert found == sorted(found)


def test_the_conversion_beats_the_textbook_and_respects_the_limit():
    """Bun & Steinke (2016): ρ-zCDP implies (ρ + 2√(ρ ln(1/δ)), δ); the audited one is tighter."""
    for rho in (1e-4, 0.01, 0.5, 10):
        for delta in (1e-9, 1e-5):
            assert rho < epsilon_of(rho, delta) <= rho + 2 * math.sqrt(rho * math.log(1 / delta))


def test_the_published_budget_of_one_and_a_billionth():
    assert rho_of(1, 1e-9) == pytest.approx(0.01497, abs=5e-6)


@pytest.mark.parametrize(("epsilon", "delta"), [(1e-6, 1e-300), (1e-6, 0.5), (1e6, 1e-9)])
def test_every_allowed_guarantee_has_a_budget_that_keeps_it(epsilon, delta):
    budget = Guarantee(epsilon, delta).budget
    assert 0 < budget.amount <= epsilon
    assert epsilon_of(budget.amount, delta) <= epsilon


def test_a_guarantee_without_delta_is_pure():
    assert Guarantee(0.7).budget == Pure(0.7)
    assert Guarantee(0.7).epsilon_of(0.3) == 0.3


def test_what_was_spent_of_a_guarantee_is_told_in_epsilon_at_its_delta():
    guarantee = Guarantee(1.0, 1e-9)
    assert guarantee.budget == ZCDP(rho_of(1.0, 1e-9))
    assert guarantee.epsilon_of(0.0) == 0
    spent = [guarantee.epsilon_of(share * guarantee.budget.amount) for share in (0.1, 0.5, 1.0)]
    assert 0 < spent[0] < spent[1] < spent[2] <= 1.0
    assert spent[2] == pytest.approx(1.0, rel=1e-9)


BETWEEN = "epsilon must lie between 1e-06 and 1e+06, got {}: 0.1 to 10 is usual"


@pytest.mark.parametrize(
    ("epsilon", "message"),
    [
        *((bad, f"epsilon must be a positive number, got {bad!r}") for bad in (0, 0.0, -1, math.nan, math.inf)),
        *((bad, f"epsilon must be a positive number, got {bad!r}") for bad in ("1", True, None)),
        (1e-9, BETWEEN.format("1e-09")),
        (1e9, BETWEEN.format("1e+09")),
    ],
)
def test_an_epsilon_that_is_no_sensible_number_is_refused(epsilon, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Guarantee(epsilon)


@pytest.mark.parametrize("delta", [-1e-9, 1, 1.5, math.nan, math.inf, "0", False, None], ids=repr)
def test_a_delta_that_is_no_probability_below_one_is_refused(delta):
    message = f"delta must be at least 0 and less than 1, got {delta!r}: 0, or well below 1/n"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Guarantee(1.0, delta)


@either
def test_a_ledger_adds_up_what_was_spent_on_what(budget):
    ledger = Ledger(budget)
    assert ledger.spent == 0
    after = ledger.spend(start=0.05).spend(select=0.1, measure=0.1).spend(measure=0.02)
    assert (after.start, after.select, after.measure) == (0.05, 0.1, pytest.approx(0.12))
    assert after.spent == pytest.approx(0.27)
    assert ledger.spent == 0  # spending makes a new ledger


@either
@pytest.mark.parametrize("T", [3, 7, 10, 49, 1000])
def test_the_last_of_equal_rounds_has_spent_exactly_the_budget_and_no_digit_more(budget, T):
    ledger, each = Ledger(budget), budget.part(1 / T)
    for _ in range(T):
        ledger = ledger.spend(select=each.part(0.1).amount, measure=each.part(0.9).amount)
    assert ledger.spent <= budget.amount
    assert ledger.spent == pytest.approx(budget.amount)


@either
@pytest.mark.parametrize("purpose", ["select", "measure", "start"])
def test_a_ledger_refuses_to_overspend(budget, purpose):
    full = Ledger(budget).spend(**{purpose: 0.3})
    message = f"the budget is 0.3 {budget.unit}, this would make 0.31 spent"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        full.spend(**{purpose: 0.01})
    with pytest.raises(ValueError, match=r"this would make 0.31 spent$"):
        Ledger(budget).spend(select=0.1, measure=0.2, start=0.01)


@pytest.mark.parametrize("amount", [-0.1, math.nan])
def test_nothing_is_won_back_by_spending_less_than_nothing(amount):
    with pytest.raises(ValueError, match=r"^the budget is 0.3 ε, this would make "):
        Ledger(Pure(0.3), select=0.2).spend(measure=amount)
