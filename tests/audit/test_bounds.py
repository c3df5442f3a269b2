"""Lower bounds on ε: never above the truth, near it where the outputs show it, by intervals that hold."""

import math

import numpy as np
import pytest
from scipy.stats import beta

from mwem_core.audit.attacks import EPSILON, FALSE_ALARM, TIGHT, clopper_pearson, laplace, lower_bound, targets
from mwem_core.audit.twins import HalfTheNoise, attack as gives_away
from mwem_core.privacy import Seeded

MECHANISMS = {each.name: each for each in targets()}


@pytest.mark.parametrize("k", [0, 1, 17, 99, 100])
def test_the_intervals_are_clopper_and_pearson_s(k):
    low, high = clopper_pearson(np.array(k), 100)
    assert low == pytest.approx(beta.ppf(FALSE_ALARM / 2, k, 101 - k) if k else 0.0)
    assert high == pytest.approx(beta.ppf(1 - FALSE_ALARM / 2, k + 1, 100 - k) if k < 100 else 1.0)


def test_outputs_that_do_not_depend_on_the_input_prove_nothing():
    rng = np.random.default_rng(0)
    assert lower_bound(rng.normal(size=20_000), rng.normal(size=20_000)) == 0


def test_outputs_that_tell_the_input_prove_an_epsilon_that_grows_with_their_number():
    """All of m/2 outputs in an event that has none of the others: p >= (α/2)^(2/m) and q <= 1 - p."""
    for m in (1_000, 10_000):
        p = (FALSE_ALARM / 2) ** (2 / m)
        assert lower_bound(np.zeros(m), np.ones(m)) == pytest.approx(math.log(p / (1 - p)))


def test_delta_is_taken_off():
    """Outputs 1 with probability 0.3 against 0.1: ln 3 at δ = 0, ln 2 at δ = 0.1, nothing at δ = 0.2."""
    rng = np.random.default_rng(0)
    ours, theirs = rng.random(100_000) < 0.3, rng.random(100_000) < 0.1
    for delta, truth in ((0.0, math.log(3)), (0.1, math.log(2)), (0.2, 0.0)):
        found = lower_bound(ours, theirs, delta=delta)
        assert truth - 0.15 < found <= truth


def test_a_dependence_between_two_columns_is_found_where_each_column_alone_is_the_same():
    rng = np.random.default_rng(0)
    x, y = rng.integers(2, size=20_000), rng.integers(2, size=20_000)
    ours, theirs = np.column_stack([x, x]), np.column_stack([x, y])
    assert lower_bound(ours[:, 0], theirs[:, 1]) == 0
    assert lower_bound(ours, theirs) > 3


@pytest.mark.slow
@pytest.mark.parametrize("name", MECHANISMS)
def test_no_bound_exceeds_what_the_mechanism_states_and_tight_ones_come_near(name):
    """At 30,000 draws on each side, the bounds of tight mechanisms are a tenth below ε. Choices of a release take time,
    so there are few; an audit by hand has more."""
    mechanism = MECHANISMS[name]
    few = mechanism.slow and "release" in name
    draws = 2_000 if few else 30_000 if mechanism.tight or not mechanism.slow else 8_000
    found = lower_bound(*(mechanism.outputs(side, draws) for side in (0, 1)), delta=mechanism.delta)
    assert found <= mechanism.epsilon
    assert found >= TIGHT * mechanism.epsilon or few or not mechanism.tight


def test_a_mechanism_that_states_less_than_it_costs_is_given_away():
    assert gives_away(laplace(Seeded(0)), 20_000) == ""
    assert gives_away(laplace(HalfTheNoise(0)), 20_000).endswith(f"not {EPSILON:g}")
