"""The grid of scores: the nearest multiple of its step, and sums without rounding."""

import numpy as np

from mwem_core.privacy.grid import EXACT, STEP, on_grid


def test_values_go_to_the_nearest_multiple_of_the_step_and_stay_there():
    values = np.random.default_rng(0).normal(scale=1e4, size=1000)
    on = on_grid(values)
    assert np.abs(on - values).max() <= STEP / 2
    assert (on / STEP == np.rint(on / STEP)).all()
    assert on_grid(on).tolist() == on.tolist()
    assert on_grid(np.array([0.6 * STEP, -3.4 * STEP, 2.0])).tolist() == [STEP, -3 * STEP, 2.0]


def test_sums_of_values_on_the_grid_are_exact_in_any_order_below_the_limit():
    on = on_grid(np.random.default_rng(1).uniform(-1, 1, size=1000) * EXACT / 1000)
    exact = sum(int(value / STEP) for value in on)
    for order in (np.arange(1000), np.arange(1000)[::-1], np.argsort(np.abs(on))):
        assert int(np.cumsum(on[order])[-1] / STEP) == exact
