import math
from fractions import Fraction

import numpy as np
import pytest
from messages import exactly
from scipy import stats

from mwem_core.privacy.amounts import decimal
from mwem_core.privacy.budget import LEAST_SCALE, ZCDP, Guarantee, Pure, TrivialGuarantee
from mwem_core.privacy.conversion import epsilon_of, rho_of
from mwem_core.privacy.noise import Seeded
from mwem_core.privacy.unit import Unit

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


@pure_and_zcdp
def test_a_noisy_count_that_is_at_least_zero_errs_by_its_mean_error_and_an_empty_one_by_half_the_noise(budget):
    """200,000 draws: the error has a standard deviation of at most 1.8 times its mean; five of their mean's."""
    counts = np.array([0.0, 0.3, 1.0, 4.0]) * budget.scale
    for count, expected in zip(counts, budget.mean_count_error(counts), strict=True):
        noisy = np.maximum(0.0, budget.measure(np.full(200_000, count), Seeded(1)))
        assert np.abs(noisy - count).mean() == pytest.approx(expected, rel=9 / math.sqrt(200_000))
    empty, full = budget.mean_count_error(np.array([0.0, 60 * budget.scale]))
    assert (empty, full) == pytest.approx((budget.mean_noise / 2, budget.mean_noise))


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


@pure_and_zcdp
def test_mean_noise_is_proportional_to_the_scale(budget):
    assert budget.mean_noise_at(7 * budget.scale) == pytest.approx(7 * budget.mean_noise)


def test_half_a_budget_has_twice_the_laplace_scale_and_root_two_times_the_gaussian_scale():
    assert Pure(0.3).part(0.5).scale / Pure(0.3).scale == pytest.approx(2)
    assert ZCDP(0.3).part(0.5).scale / ZCDP(0.3).scale == pytest.approx(math.sqrt(2))
    assert Pure(0.3).part(0.5).selection_epsilon / Pure(0.3).selection_epsilon == pytest.approx(1 / 2)
    assert ZCDP(0.3).part(0.5).selection_epsilon / ZCDP(0.3).selection_epsilon == pytest.approx(1 / math.sqrt(2))


@pytest.mark.parametrize(("epsilon", "delta"), [(1e-6, 1e-300), (1e-6, 0.5), (1e6, 1e-9)])
def test_every_allowed_guarantee_has_a_budget_that_keeps_it(epsilon, delta):
    budget = Guarantee(epsilon, delta).budget
    assert 0 < budget.amount <= epsilon
    assert epsilon_of(budget.amount, delta) <= epsilon


def test_a_guarantee_without_delta_has_a_pure_budget():
    assert Guarantee(0.7).budget == Pure(0.7)
    assert Guarantee(0.7).epsilon_of(0.3) == 0.3


def test_an_amount_of_rho_is_converted_to_epsilon_at_the_guarantees_delta():
    guarantee = Guarantee(1.0, 1e-9)
    assert guarantee.budget == ZCDP(rho_of(1.0, 1e-9))
    assert guarantee.epsilon_of(0.0) == 0
    spent = [guarantee.epsilon_of(share * guarantee.budget.amount) for share in (0.1, 0.5, 1.0)]
    assert 0 < spent[0] < spent[1] < spent[2] <= 1.0
    assert spent[2] == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.0, math.inf])
def test_a_trivial_guarantee_is_pure_at_zero_or_infinity(epsilon):
    trivial = TrivialGuarantee(epsilon)
    assert (trivial.budget, trivial.delta, trivial.epsilon_of(epsilon)) == (Pure(epsilon), 0.0, epsilon)


@pytest.mark.parametrize("records", [1, 2, 3, 7, 100])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 0.0), (1.0, 0.0), (1 / 3, 0.0), (1.0, 1e-9)])
def test_a_person_pays_c_times_the_epsilon_of_a_record_or_c_squared_times_its_rho(epsilon, delta, records):
    """Exactly at most the whole, and less by rounding alone."""
    person = Guarantee(epsilon, delta, Unit("id", records))
    cost = person.budget.exact * records ** (1 if delta == 0 else 2)
    whole = Guarantee(epsilon, delta).budget.exact
    assert whole * (1 - Fraction(1, 10**11)) <= cost <= whole
    assert person.epsilon_of(person.budget.amount) <= epsilon
    assert person.epsilon_of(person.budget.amount) == pytest.approx(epsilon, rel=1e-11)
    assert decimal(person.of_a_record.epsilon) * records <= decimal(epsilon)  # 0.01 is 1/100: see `Pure`
    assert person.of_a_record.unit == Unit()
    assert person.of_a_record.budget == person.budget


def test_a_person_of_one_record_costs_what_a_record_costs():
    assert Guarantee(0.7, 0.0, Unit("id")).budget == Guarantee(0.7).budget
    assert Guarantee(1.0, 1e-9, Unit("id")).budget == Guarantee(1.0, 1e-9).budget


@pytest.mark.parametrize(("epsilon", "delta", "records"), [(1e-3, 0.0, 10_000), (0.01, 1e-3, 50)])
def test_too_little_is_left_for_each_of_too_many_records(epsilon, delta, records):
    message = (
        f"epsilon {epsilon:g} for a person of up to {records:,} records leaves next to nothing for each of them: "
        "keep fewer records of a person, or raise epsilon"
    )
    with pytest.raises(ValueError, match=exactly(message)):
        Guarantee(epsilon, delta, Unit("id", records)).budget  # noqa: B018 - computed when it is first asked for


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
def test_an_epsilon_outside_its_limits_is_refused(epsilon, message):
    with pytest.raises(ValueError, match=exactly(message)):
        Guarantee(epsilon)


@pytest.mark.parametrize("delta", [-1e-9, 1, 1.5, math.nan, math.inf, "0", False, None], ids=repr)
def test_a_delta_outside_zero_to_one_is_refused(delta):
    message = f"delta must be at least 0 and less than 1, got {delta!r}: 0, or well below 1/n"
    with pytest.raises(ValueError, match=exactly(message)):
        Guarantee(1.0, delta)


@pytest.mark.parametrize("delta", [0.0, 1e-9, 1e-5])
@pytest.mark.parametrize("records", [1, 2, 7, 100])
def test_what_each_record_has_is_for_its_person_what_was_asked(delta, records):
    """Within 10⁻⁸, and rounded up where it is rounded: a promise is never smaller than the guarantee."""
    unit = Unit("who", records)
    for epsilon in (0.1, 1.0, 3.0):
        asked = Guarantee(epsilon, delta, unit)
        promised = asked.of_a_record.for_unit(unit)
        assert (promised.delta, promised.unit) == (delta, unit)
        assert promised.epsilon == pytest.approx(epsilon, rel=1e-4 if delta else 1e-8)
        assert promised.epsilon >= asked.epsilon_of(asked.of_a_record.budget.amount) * (1 - 1e-12)
