"""Recorded draws keep what they were asked for; repeated ones return what was recorded, whatever they are asked."""

import numpy as np
import pytest

from mwem_core.audit.draws import DivergedError, Recorder, Repeater
from mwem_core.privacy import Seeded, mechanisms

SCORES, COUNTS = np.array([3.0, -np.inf, 1.0]), np.array([[2.0, 0.0]])


def four_draws(noise, scores, counts):
    """A draw of each kind; the first noisy counts are then altered in place, as an algorithm may do."""
    chosen = mechanisms.exponential(scores, epsilon=0.5, sensitivity=2.0, noise=noise)
    flipped = mechanisms.permute_and_flip(scores, epsilon=0.3, sensitivity=1.0, noise=noise)
    noisy, _ = mechanisms.laplace(counts, epsilon=0.7, sensitivity=3.0, noise=noise)
    released = noisy.tolist()
    noisy += 100
    number, _ = mechanisms.gaussian(np.array(5.0), rho=0.1, sensitivity=1.5, noise=noise)
    return chosen, flipped, released, float(number)


def test_a_recorder_keeps_every_argument_and_the_output_as_it_was_returned():
    recorder = Recorder(Seeded(1))
    chosen, flipped, released, number = four_draws(recorder, SCORES, COUNTS)
    assert [(d.kind, d.amount, d.sensitivity) for d in recorder.draws] == [
        ("choose", 0.5, 2.0),
        ("permute_and_flip", 0.3, 1.0),
        ("laplace", 0.7, 3.0),
        ("gaussian", 0.1, 1.5),
    ]
    assert [d.exact.tolist() for d in recorder.draws] == [SCORES.tolist(), SCORES.tolist(), COUNTS.tolist(), 5.0]
    assert [np.asarray(d.output).tolist() for d in recorder.draws] == [chosen, flipped, released, number]
    assert [d.selects for d in recorder.draws] == [True, True, False, False]


def test_a_recorder_changes_no_draw():
    assert four_draws(Recorder(Seeded(1)), SCORES, COUNTS) == four_draws(Seeded(1), SCORES, COUNTS)


def test_a_repeater_returns_the_recorded_outputs_for_other_values_and_twice_over():
    ours = four_draws(recorder := Recorder(Seeded(1)), SCORES, COUNTS)
    for _ in range(2):
        again = Recorder(Repeater(recorder.draws))
        assert four_draws(again, SCORES + 1, COUNTS + 1) == ours
        assert [d.exact.tolist() for d in again.draws[2:]] == [(COUNTS + 1).tolist(), 5.0]


def test_a_run_that_asks_for_other_draws_has_diverged():
    four_draws(recorder := Recorder(Seeded(1)), SCORES, COUNTS)
    with pytest.raises(DivergedError, match="it asks for laplace where choose was drawn"):
        Repeater(recorder.draws).laplace(COUNTS, 0.7, 3.0)
    with pytest.raises(DivergedError, match="it asks for one draw more, of gaussian"):
        Repeater([]).gaussian(COUNTS, 0.1, 1.5)
