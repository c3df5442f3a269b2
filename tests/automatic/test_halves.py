"""What a noisy difference says of a split: against integrals, and what is learned from many."""

import math

import numpy as np
import pytest

from mwem_core.automatic.refinement import COMPONENTS, EQUAL_WEIGHTS, NEARLY_EMPTY, STEEPEST, STRENGTHS, Splits

SPLITS = Splits(
    low=np.array([0.0, 0.0, 5.0, 0.0]),
    high=np.array([40.0, 300.0, 30.0, 7.0]),
    expected=np.array([20.0, 140.0, 25.0, 3.5]),
    spread=np.array([400.0, 22_400.0, 60.0, 12.0]),
)
MEASURED, DEVIATION = np.array([11.0, 150.0, 24.0, -4.0]), 6.0


@pytest.mark.parametrize("component", range(COMPONENTS))
def test_the_posterior_mean_of_every_component_is_its_integral(component):
    """The oracle adds up prior times likelihood on a grid of 200,000 counts between the bounds."""
    only = np.eye(COMPONENTS)[component]
    means, weights = SPLITS.posterior(MEASURED, DEVIATION, only)
    assert weights.tolist() == only.tolist()
    for i, mean in enumerate(means):
        low, high, expected, spread = (x[i] for x in (SPLITS.low, SPLITS.high, SPLITS.expected, SPLITS.spread))
        t = np.linspace(low, high, 200_001)
        if component == len(STRENGTHS):
            assert mean == expected
            continue
        if component < len(STRENGTHS):
            logs = -((t - expected) ** 2) * STRENGTHS[component] / (2 * spread)
        else:
            rate = min(1 / ((high - low) * NEARLY_EMPTY[component - len(STRENGTHS) - 1]), STEEPEST / DEVIATION)
            logs = np.logaddexp(-rate * (t - low), -rate * (high - t))
        logs -= (MEASURED[i] - t) ** 2 / (2 * DEVIATION**2)
        density = np.exp(logs - logs.max())
        assert mean == pytest.approx((t * density).sum() / density.sum(), rel=0.02, abs=0.02 * DEVIATION)


def simulated(kind, splits=2000, deviation=5.0):
    rng = np.random.default_rng(3)
    whole = rng.uniform(20, 200, splits)
    expected = whole / 2
    truth = {"even": expected, "empty": whole * (rng.random(splits) < 0.5), "any": whole * rng.random(splits)}[kind]
    known = Splits(np.zeros(splits), whole, expected, expected * (whole - expected))
    return known, truth, truth + deviation * rng.normal(size=splits)


@pytest.mark.parametrize(("kind", "least"), [("even", 50.0), ("empty", 20.0), ("any", 1.0)])
def test_learned_weights_remove_the_noise_that_the_splits_allow_to_remove(kind, least):
    """Splits that are all even lose nearly all of their noise, empty halves most of it, and any splits gain no more."""
    known, truth, measured = simulated(kind)
    found, weights = known.posterior(measured, 5.0, EQUAL_WEIGHTS)
    assert weights.sum() == pytest.approx(1)
    assert ((measured - truth) ** 2).mean() > least * ((found - truth) ** 2).mean()


def test_the_weights_of_a_coarser_level_decide_where_there_is_nothing_to_learn_from():
    one = Splits(np.zeros(1), np.full(1, 100.0), np.full(1, 50.0), np.full(1, 2500.0))
    even, anything = np.full(COMPONENTS, 1e-6), np.full(COMPONENTS, 1e-6)
    even[len(STRENGTHS)] = anything[0] = 1.0
    (to_even,), _ = one.posterior(np.array([70.0]), 10.0, even / even.sum())
    (to_measured,), _ = one.posterior(np.array([70.0]), 10.0, anything / anything.sum())
    assert to_even == pytest.approx(50, abs=0.1)
    assert to_measured > 65


def test_means_stay_between_the_bounds_however_far_off_the_measurement_and_however_small_the_noise():
    for deviation in (1e-6, 1.0, 1e6):
        for off in (-1e9, -1.0, 0.0, 1e9):
            means, weights = SPLITS.posterior(MEASURED + off, deviation, EQUAL_WEIGHTS)
            assert (means >= SPLITS.low).all()
            assert (means <= SPLITS.high).all()
            assert math.isclose(weights.sum(), 1)
