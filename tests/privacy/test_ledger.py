import math
from fractions import Fraction

import pytest
from messages import exactly

from mwem_core.privacy.budget import ZCDP, Pure
from mwem_core.privacy.ledger import Ledger

pure_and_zcdp = pytest.mark.parametrize("budget", [Pure(0.3), ZCDP(0.3)], ids=["pure", "zcdp"])


@pure_and_zcdp
def test_a_ledger_adds_up_what_was_spent_on_each_purpose(budget):
    ledger = Ledger(budget)
    assert ledger.spent == 0
    after = ledger.spend(start=0.05).spend(select=0.1, measure=0.1).spend(measure=0.02)
    assert (after.start, after.select, after.measure) == (0.05, 0.1, pytest.approx(0.12))
    assert after.spent == pytest.approx(0.27)
    assert ledger.spent == 0  # spending makes a new ledger


@pure_and_zcdp
@pytest.mark.parametrize("T", [3, 7, 10, 49, 1000])
def test_equal_rounds_spend_the_whole_budget_and_not_a_digit_more(budget, T):
    ledger, share = Ledger(budget), budget.part(Fraction(1, T))
    for _ in range(T):
        assert not ledger.is_spent
        selecting, measuring = share.split(0.1)
        ledger = ledger.spend(select=selecting.exact, measure=measuring.exact)
    assert ledger.exact == budget.exact
    assert ledger.is_spent
    with pytest.raises(ValueError, match=r"^the budget is 0\.3 ., and this would bring the amount spent to 0\.3 .$"):
        ledger.spend(measure=Fraction(1, 10**400))


@pure_and_zcdp
@pytest.mark.parametrize("purpose", ["select", "measure", "start"])
def test_a_ledger_refuses_to_exceed_the_budget(budget, purpose):
    full = Ledger(budget).spend(**{purpose: 0.3})
    assert full.spent == 0.3
    unit = budget.unit
    message = exactly(f"the budget is 0.3 {unit}, and this would bring the amount spent to 0.31 {unit}")
    with pytest.raises(ValueError, match=message):
        full.spend(**{purpose: 0.01})
    with pytest.raises(ValueError, match=message):
        Ledger(budget).spend(select=0.1, measure=0.2, start=0.01)


@pytest.mark.parametrize("amount", [-0.1, math.nan])
@pytest.mark.parametrize("purpose", ["select", "measure", "start"])
def test_a_negative_amount_wins_no_budget_back(purpose, amount):
    with pytest.raises(ValueError, match=r"^amounts to spend must be at least 0, got "):
        Ledger(Pure(0.3)).spend(select=0.2).spend(**{purpose: amount})


def test_two_ledgers_are_added_up_purpose_by_purpose():
    first, second = Ledger(Pure(1)).spend(start=0.1, measure=0.2), Ledger(Pure(2)).spend(select=0.3, measure=0.05)
    both = first.plus(second)
    assert (both.start, both.select, both.measure, both.budget) == (0.1, 0.3, 0.25, Pure(1))
    assert first.plus(Ledger(Pure(5))) == first
    with pytest.raises(ValueError, match=r"^the budget is 1 ε, and this would bring the amount spent to 1\.2 ε$"):
        first.plus(Ledger(Pure(2)).spend(select=0.9))
