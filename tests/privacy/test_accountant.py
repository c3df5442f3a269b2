"""No draw without its charge, no charge beyond the budget, and no noise less than was paid for."""

import math
from fractions import Fraction

import numpy as np
import pytest
from messages import exactly

from mwem_core.audit import Recorder, cost as price
from mwem_core.privacy.accountant import Accountant, Ledger
from mwem_core.privacy.budget import ZCDP, Pure
from mwem_core.privacy.laws import gaussian_scale, laplace_scale
from mwem_core.privacy.noise import Seeded
from mwem_core.privacy.opendp_noise import ReleaseNoise

SCORES, COUNTS = np.array([3.0, 1.0, 2.0]), np.array([5.0, 0.0])
pure_and_zcdp = pytest.mark.parametrize("budget", [Pure(0.3), ZCDP(0.3)], ids=["pure", "zcdp"])


class Broken:
    """A noise source that fails at every draw."""

    def fail(self, *_):
        """Fail."""
        raise RuntimeError("no entropy")

    choose = permute_and_flip = laplace = gaussian = fail


DRAWS = {
    "choose": lambda account, cost: account.choose(SCORES, cost=cost),
    "measure": lambda account, cost: account.measure(COUNTS, cost=cost),
    "measure_each": lambda account, cost: account.measure_each(
        [COUNTS, COUNTS], cost=cost, shares=np.array([0.5, 0.5]), sensitivities=[1, 1]
    ),
    "noisy_costs": lambda account, cost: account.noisy_costs(COUNTS, cost=cost, sensitivity=1.0),
}
each_draw = pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS.keys())


@each_draw
@pure_and_zcdp
def test_a_draw_that_fails_is_paid_for(draw, budget):
    account = Accountant(budget, Broken())
    with pytest.raises(RuntimeError, match="no entropy"):
        draw(account, budget.part(0.25))
    assert account.ledger.exact == budget.exact / 4
    assert account.left.exact == budget.exact * 3 / 4


@each_draw
@pure_and_zcdp
def test_what_would_exceed_the_budget_is_refused_before_the_draw(draw, budget):
    recorder = Recorder(Seeded(0))
    account = Accountant(budget, recorder)
    account.measure(COUNTS, cost=budget.less(Fraction(1, 10**300)))
    with pytest.raises(ValueError, match=r"^the budget is 0\.3 ., and this would bring the amount spent to 0\.3 .$"):
        draw(account, type(budget)(Fraction(3, 10**300)))
    assert len(recorder.draws) == 1
    assert account.left.exact == Fraction(1, 10**300)


@each_draw
def test_an_amount_in_the_other_unit_is_refused_before_the_draw(draw):
    for budget, other in ((Pure(1.0), ZCDP(0.1)), (ZCDP(1.0), Pure(0.1))):
        message = exactly(f"a cost in {other.unit} cannot be charged to a budget in {budget.unit}")
        with pytest.raises(ValueError, match=message):
            draw(Accountant(budget, Broken()), other)


@pure_and_zcdp
@pytest.mark.parametrize("seed", range(20))
def test_parts_of_a_budget_split_at_random_add_up_to_it_exactly_and_pay_for_every_draw(budget, seed):
    """Each part goes to one draw, of its own sensitivity. The oracle adds up the price of each by its mechanism."""
    rng, recorder = np.random.default_rng(seed), Recorder(Seeded(seed))
    parts = [budget]
    for share in rng.uniform(0.001, 0.999, size=40).tolist():
        parts += parts.pop(int(rng.integers(len(parts)))).split(share)
    account, sensitivities = Accountant(budget, recorder), rng.uniform(0.1, 7, size=len(parts)).tolist()
    for part, sensitivity in zip(parts, sensitivities, strict=True):
        if rng.random() < 0.5:
            account.choose(SCORES, cost=part, sensitivity=sensitivity)
        else:
            account.measure(COUNTS, cost=part, sensitivity=sensitivity)
    assert account.ledger.exact == budget.exact
    assert account.ledger.is_spent
    assert sum(price(draw, budget.unit) for draw in recorder.draws) <= budget.exact
    for draw, sensitivity in zip(recorder.draws, sensitivities, strict=True):
        moved = sensitivity if draw.kind != "gaussian" else sensitivity**0.5
        assert moved <= draw.sensitivity <= moved * (1 + 1e-15)


@pure_and_zcdp
def test_tables_measured_together_have_the_noise_of_each_alone(budget):
    """Two tables of equal share in one draw, the third in another: as much noise as its share pays for."""
    recorder = Recorder(Seeded(0))
    tables = [np.zeros(30_000), np.zeros((100, 300)), np.zeros(30_000)]
    shares, scale = np.array([0.25, 0.25, 0.5]), laplace_scale if budget.unit == "ε" else gaussian_scale
    noisy = Accountant(budget, recorder).measure_each(tables, cost=budget, shares=shares, sensitivities=[1, 1, 1])
    assert [table.shape for table in noisy] == [table.shape for table in tables]
    assert [draw.exact.size for draw in recorder.draws] == [60_000, 30_000]
    per_record = 1.0 if budget.unit == "ε" else (2 / np.pi) ** 0.5
    for table, share in zip(noisy, shares.tolist(), strict=True):  # the mean of 30,000 |draws| errs by .6%: within 3%
        assert np.abs(table).mean() == pytest.approx(scale(budget.exact * Fraction(share), 1) * per_record, rel=0.03)


@pytest.mark.parametrize("sensitivities", [[3, 3, 2], [0.5, 3, 0.5]])
@pure_and_zcdp
def test_tables_of_any_sensitivity_measured_together_cost_what_they_cost_apart(budget, sensitivities):
    """A draw of k tables at a time is of k times their Δ, at k times the share: the noise of each by itself."""
    together, shares = Recorder(Seeded(0)), np.array([0.25, 0.25, 0.5])
    tables = [np.full(2, i) for i in range(3)]
    Accountant(budget, together).measure_each(tables, cost=budget, shares=shares, sensitivities=sensitivities)
    scale, alone = laplace_scale if budget.unit == "ε" else gaussian_scale, {}
    for i, (share, sensitivity) in enumerate(zip(shares.tolist(), sensitivities, strict=True)):
        apart = Recorder(Seeded(0))
        Accountant(budget, apart).measure(tables[i], cost=budget.part(Fraction(share)), sensitivity=sensitivity)
        alone[i] = scale(apart.draws[0].amount, apart.draws[0].sensitivity)
    found = {int(i): scale(draw.amount, draw.sensitivity) for draw in together.draws for i in set(draw.exact)}
    assert found == pytest.approx(alone)
    assert sum(price(draw, budget.unit) for draw in together.draws) == budget.exact


def test_a_release_selects_by_permute_and_flip_under_pure_ε_and_by_the_exponential_mechanism_under_zcdp(monkeypatch):
    used = []
    for name in ("choose", "permute_and_flip"):
        monkeypatch.setattr(ReleaseNoise, name, lambda *_, name=name: used.append(name) or 0)
    for budget in (Pure(1.0), ZCDP(1.0)):
        Accountant(budget, ReleaseNoise()).choose(SCORES, cost=budget)
    assert used == ["permute_and_flip", "choose"]


@pure_and_zcdp
def test_a_part_draws_from_the_same_source_within_its_own_budget_and_leaves_the_whole_as_it_is(budget):
    recorder = Recorder(Seeded(0))
    whole = Accountant(budget, recorder)
    part = whole.part(budget.part(0.25))
    part.measure(COUNTS, cost=part.left)
    assert [draw.amount for draw in recorder.draws] == [budget.exact / 4]
    with pytest.raises(ValueError, match=r"^the budget is 0\.075 ., and this would bring the amount spent to 0\.15 .$"):
        part.measure(COUNTS, cost=budget.part(0.25))
    assert (part.ledger.exact, whole.ledger.exact) == (budget.exact / 4, 0)


@pure_and_zcdp
def test_one_record_moves_scores_and_answers_by_1_unless_said_otherwise(budget):
    recorder = Recorder(Seeded(0))
    account = Accountant(budget, recorder)
    account.choose(SCORES, cost=budget.part(0.5))
    account.measure(COUNTS, cost=budget.part(0.5))
    assert [draw.sensitivity for draw in recorder.draws] == [1, 1]


def test_a_selection_uses_the_mechanism_that_it_names():
    recorder = Recorder(Seeded(0))
    for by in ("exponential", "permute-and-flip"):
        Accountant(Pure(1.0), recorder).choose(SCORES, cost=Pure(1.0), by=by)
    assert [draw.kind for draw in recorder.draws] == ["choose", "permute_and_flip"]


def test_tables_that_are_counts_get_whole_noise():
    recorder = Recorder(Seeded(0))
    for counts in (False, True):
        account, each = Accountant(Pure(1.0), recorder), {"shares": np.array([0.5, 0.5]), "sensitivities": [1, 1]}
        account.measure_each([COUNTS, COUNTS], cost=Pure(1.0), **each, counts=counts)
    assert [draw.kind for draw in recorder.draws] == ["laplace", "discrete_laplace"]


def test_each_table_has_its_own_sensitivity_or_nothing_is_drawn():
    account = Accountant(Pure(1.0), Broken())
    with pytest.raises(ValueError, match=r"zip\(\) argument 2 is shorter than argument 1"):
        account.measure_each([COUNTS, COUNTS], cost=Pure(1.0), shares=np.array([0.5, 0.5]), sensitivities=[1])
    assert account.ledger.exact == 0


def test_a_free_choice_costs_nothing_and_reads_nothing():
    recorder = Recorder(Seeded(0))
    account = Accountant(Pure(1.0), recorder)
    assert {account.choose_freely(3) for _ in range(50)} == {0, 1, 2}
    assert account.ledger.exact == 0
    assert not any(draw.exact.any() for draw in recorder.draws)


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
