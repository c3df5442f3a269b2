"""What a measurement answers, how strong a prior is against it, and the pooling of repeated ones."""

from dataclasses import replace

import numpy as np
import pytest

from mwem_core.model.measurement import Measurement, Prior, differences, pool

MARGINAL = np.array([[4.0, 1.0, 2.0], [0.0, 6.0, 3.0]])


def test_the_answer_is_the_part_of_the_marginal_that_was_measured():
    whole = Measurement((0, 1), MARGINAL, 1.0)
    assert whole.answer(MARGINAL) is MARGINAL
    halves = replace(whole, levels=(1, 2))
    assert np.array_equal(halves.answer(MARGINAL), differences(MARGINAL, (1, 2), (2, 3)))
    q = np.array([[1.0, 0.0, 0.5], [0.0, -1.0, 0.0]])
    assert replace(whole, q=q).answer(MARGINAL) == 4.0 + 1.0 - 6.0
    off = replace(whole, centred=True).answer(MARGINAL)
    assert off.sum(axis=0) == pytest.approx(np.zeros(3))
    assert off.sum(axis=1) == pytest.approx(np.zeros(2))


def test_a_priors_ridge_is_its_strength_times_the_variance_of_the_noise_in_shares():
    m = Measurement((0,), np.zeros(2), 3.0)
    assert Prior(5.0, 2.0, {}).ridge(m, 60.0) == pytest.approx(5 * (2 * 3**2) / 60**2)


def test_repeated_measurements_are_averaged_by_their_precision():
    """1/scale² is 1 and 1/4: the mean is 4/5 of the first and 1/5 of the second, of variance 1/(1 + 1/4)."""
    once, again = (Measurement((0,), np.array(v), scale) for v, scale in (([10.0, 20.0], 1.0), ([20.0, 0.0], 2.0)))
    other = Measurement((1,), np.array([7.0]), 1.0)
    together, alone = pool([once, other, again])
    assert together.value == pytest.approx([12.0, 16.0])
    assert together.scale == pytest.approx(0.8**0.5)
    assert alone is other
    centred_too = replace(again, centred=True)
    assert pool([once, centred_too]) == [once, centred_too]
