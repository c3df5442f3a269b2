"""How amounts add up: exact sums, and a total that is never below the real loss."""

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from scipy.special import ndtr

from mwem_core.privacy.amounts import Amount, Cap, TotalCost, at_least, at_most, bisect, decimal, epsilon_of, rho_of

DELTA = 1e-9
MIXED = [Amount.of(0.5), Amount.of(1, DELTA), Amount.of(0.1), Amount.of(0.3, 1e-6)]
EPSILONS = [1e-6, 1e-3, 0.1, 1, 5, 100]


def pure(*epsilons: float) -> TotalCost:
    return TotalCost.by(Amount.of(epsilon) for epsilon in epsilons)


def gaussian_delta(epsilon: np.ndarray, rho: float) -> np.ndarray:
    """The least δ for which the Gaussian mechanism of this ρ is (ε, δ)-DP (Balle & Wang 2018); its loss is N(ρ, 2ρ)."""
    mean, deviation = rho, math.sqrt(2 * rho)
    return ndtr((mean - epsilon) / deviation) - np.exp(epsilon) * ndtr((-mean - epsilon) / deviation)


def test_amounts_are_the_decimals_that_people_write():
    assert Amount.of(0.1).value == Fraction(1, 10)
    assert pure(*[0.1] * 10).epsilon == 1
    assert str(Amount.of(0.1)) == "ε = 0.1"
    assert Amount.of(1, DELTA).value == Fraction(rho_of(1, DELTA))


@pytest.mark.parametrize("number", [0.1, 0.3, 1e-6, 123456.789, 2.0, 0.7000000000000001])
def test_a_float_is_rounded_to_the_safe_side(number):
    value = decimal(number)
    below, above = at_most(value), at_least(value)
    assert Fraction(below) <= value <= Fraction(above)
    assert above in (below, math.nextafter(below, math.inf))


def test_the_sums_do_not_depend_on_the_order():
    assert len({TotalCost.by(order) for order in permutations(MIXED)}) == 1
    assert TotalCost.by(MIXED) == sum((TotalCost.by([amount]) for amount in MIXED), TotalCost())


def test_the_total_is_the_smaller_of_the_two_that_hold():
    few, many = pure(0.5, 0.5), pure(*[0.01] * 1000)
    assert few.at(DELTA) == 1
    assert many.at(DELTA) == Fraction(epsilon_of(0.05, DELTA)) < 3 < many.epsilon == 10
    mixed = TotalCost.by(MIXED)
    assert mixed.at(DELTA) == Fraction(6, 10) + Fraction(epsilon_of(at_least(mixed.rho), DELTA))
    assert mixed.at(0) == math.inf
    assert few.at(0) == 1
    assert TotalCost().at(DELTA) == TotalCost().at(0) == 0


def test_an_amount_that_overflows_the_conversion_still_counts_as_its_epsilon():
    assert pure(1e6).at(DELTA) == 10**6
    assert not Cap.of(999_999).holds(pure(1e6))


@pytest.mark.parametrize("epsilons", [(0.5,), (1, 1), (0.1,) * 20, (2,)])
@pytest.mark.parametrize("rho", [0.001, 0.02, 0.3])
def test_the_total_is_never_below_the_real_loss(epsilons, rho):
    """Randomised responses, whose losses are ±ε, with a Gaussian mechanism: their δ is known exactly.

    The loss of all responses is ε times a binomial count of heads less tails. At the total, δ is at most the stated
    one; the conversion is not exact, but a total of 60% of it would be refuted in every case.
    """
    n, epsilon = len(epsilons), epsilons[0]
    heads = np.arange(n + 1)
    chance = 1 / (1 + math.exp(-epsilon))
    weights = np.array([math.comb(n, k) * chance**k * (1 - chance) ** (n - k) for k in heads])
    losses = epsilon * (2 * heads - n)
    delta = 1e-6

    def real_delta(total: float) -> float:
        return float(weights @ gaussian_delta(total - losses, rho))

    total = float((pure(*epsilons) + TotalCost(rho=Fraction(rho))).at(delta))
    assert real_delta(total) <= delta < real_delta(0.6 * total)


@pytest.mark.parametrize("delta", [0, 1e-6])
@pytest.mark.parametrize("epsilon", [0.1, 0.3, 2.5])
def test_a_release_of_the_whole_cap_fits_exactly_and_nothing_more(epsilon, delta):
    cap, whole = Cap.of(epsilon, delta), TotalCost.by([Amount.of(epsilon, delta)])
    assert cap.holds(whole)
    assert not cap.holds(whole + pure(1e-5))
    assert cap.holds(pure(epsilon))
    assert not cap.holds(TotalCost.by([Amount(cap.epsilon + Fraction(1, 10**30), "ε")]))


@pytest.mark.parametrize("times", [2, 3, 7, 10])
def test_equal_parts_of_a_cap_fill_it(times):
    cap = Cap.of(0.1 * 7)
    part = Amount(cap.epsilon / times, "ε")
    assert cap.holds(TotalCost.by([part] * times))
    assert not cap.holds(TotalCost.by([*[part] * times, Amount.of(1e-9)]))


@pytest.mark.parametrize("spent", [TotalCost(), TotalCost.by(MIXED), pure(*[0.01] * 150)])
def test_what_is_left_can_be_spent_and_not_more(spent):
    cap = Cap.of(2)
    epsilon, rho = cap.left(spent)
    for left, unit in ((epsilon, "ε"), (rho, "ρ")):
        assert cap.holds(spent + TotalCost.by([Amount(Fraction(left * (1 - 1e-9)), unit)]))
        assert not cap.holds(spent + TotalCost.by([Amount(Fraction(left * (1 + 1e-9)), unit)]))


def test_nothing_is_left_of_a_cap_that_is_spent():
    assert Cap.of(1).left(pure(1)) == Cap.of(1).left(pure(5)) == (0, 0)
    assert Cap.of(1, 0).left(TotalCost.by([Amount.of(0.5, DELTA)])) == (0, 0)
    assert Cap.of(1, 0).left(pure(0.25)) == (0.75, 0)


@pytest.mark.parametrize(("epsilon", "delta"), [(0, 0), (-1, 0), (math.inf, 0), (math.nan, 0), (1, 1), (1, -1e-9)])
def test_a_cap_that_is_none_is_refused(epsilon, delta):
    with pytest.raises(ValueError, match="must be"):
        Cap.of(epsilon, delta)


def test_of_the_smallest_cap_that_is_converted_some_rho_is_left():
    assert Cap.of(1e-6).left(TotalCost())[1] > 0
    assert Cap.of(9e-7).left(TotalCost())[1] == 0


@pytest.mark.parametrize("delta", [0, 1e-9])
@pytest.mark.parametrize("spent", [TotalCost(), pure(0.5), pure(*[0.01] * 50)])
def test_the_room_of_a_cap_is_the_most_releases_of_one_amount_that_it_covers(delta, spent):
    cap, amount = Cap.of(1, delta), Amount.of(0.03)
    room, one = cap.room(spent, amount), TotalCost.by([amount])
    assert cap.holds(spent + one.times(room))
    assert not cap.holds(spent + one.times(room + 1))
    assert one.times(3) == TotalCost.by([amount] * 3)
    if delta == 0:
        assert room == int((1 - spent.epsilon) / amount.value)
    assert spent.at(delta) <= spent.sum_at(delta) == spent.epsilon


def test_a_cap_at_no_delta_has_no_room_for_a_release_that_has_one_and_says_so():
    with pytest.raises(ValueError, match=r"^the cap of ε = 3 is at δ = 0, and has no room for a release at δ > 0"):
        Cap.of(3, 0).check(TotalCost(), Amount.of(1, 1e-9))


@pytest.mark.parametrize("delta", [1e-12, 1e-9, 1e-6])
def test_the_conversion_to_rho_inverts_the_conversion_to_epsilon_and_never_exceeds_epsilon(delta):
    rhos = [rho_of(epsilon, delta) for epsilon in EPSILONS]
    for epsilon, rho in zip(EPSILONS, rhos, strict=True):
        assert epsilon * (1 - 1e-9) <= epsilon_of(rho, delta) <= epsilon
        assert epsilon_of(rho * 1.001, delta) > epsilon  # no larger ρ would do
    assert rhos == sorted(set(rhos))


def test_the_conversion_is_tighter_than_the_textbook_bound():
    """Bun & Steinke (2016): ρ-zCDP implies (ρ + 2√(ρ ln(1/δ)), δ)-DP."""
    for rho in (1e-4, 0.01, 0.5, 10):
        for delta in (1e-9, 1e-5):
            assert rho < epsilon_of(rho, delta) < rho + 2 * math.sqrt(rho * math.log(1 / delta))


def test_epsilon_one_at_a_delta_of_a_billionth_is_the_published_rho():
    assert rho_of(1, 1e-9) == pytest.approx(0.01497, abs=5e-6)


def test_a_rho_whose_epsilon_overflows_has_an_infinite_epsilon():
    assert epsilon_of(1e6, 1e-9) == math.inf


def test_bisection_ends_on_the_side_where_the_condition_holds():
    root = bisect(lambda x: x * x <= 2, 1e-16, 2)
    assert root * root <= 2
    assert root == pytest.approx(math.sqrt(2), rel=1e-12)
    assert bisect(lambda x: True, 1e-16, 2) == pytest.approx(2, rel=1e-12)
