"""Numbers that decide are multiples of a step, whatever their last bits."""

import numpy as np

from mwem_core.output.exchange import in_steps

STEP = 2.0**-10


def test_a_number_moves_to_a_multiple_of_the_step_that_is_about_half_of_it_away_at_most():
    values = np.random.default_rng(0).normal(scale=1000, size=10**4)
    found = in_steps(values, STEP)
    assert (found / STEP == np.rint(found / STEP)).all()
    assert np.abs(found - values).max() <= (0.5 + 2.0**-12) * STEP


def test_last_bits_do_not_matter_at_multiples_and_halves():
    for values in (np.arange(2000) * STEP, (np.arange(2000) + 0.5) * STEP):
        below, above = np.nextafter(values, -np.inf), np.nextafter(values, np.inf)
        assert in_steps(below, STEP).tolist() == in_steps(values, STEP).tolist() == in_steps(above, STEP).tolist()
