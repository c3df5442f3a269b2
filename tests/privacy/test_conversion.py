import math

import pytest

from mwem_core.privacy.conversion import bisect, epsilon_of, rho_of

EPSILONS = [1e-6, 1e-3, 0.1, 1, 5, 100]


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
