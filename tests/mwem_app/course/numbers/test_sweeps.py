"""Sweeps are Figure 8's: they walk to what was measured, and read nothing else."""

from dataclasses import replace

import numpy as np
import pytest

from mwem_app.course.mwem.mwem_numbers import EPSILON, SWEEPS, T, sweep_effects, watch
from mwem_core import Seeded


@pytest.fixture(scope="module")
def run(B, Q):
    return watch(B, Q, epsilon=EPSILON, T=T, noise=Seeded(1))


def test_one_sweep_is_a_multiplicative_update_by_each_measurement_in_turn(B, Q, run):
    weights = np.full(Q.domain.shape, B.total / Q.domain.size)
    for m in run.measurements:
        others = tuple(a for a in range(3) if a not in m.attrs)
        q = np.expand_dims(m.q, others)
        weights = weights * np.exp(q * (m.value - (q * weights).sum()) / (2 * B.total))
        weights *= B.total / weights.sum()
    expected = [(np.expand_dims(m.q, tuple({0, 1, 2} - {*m.attrs})) * weights).sum() for m in run.measurements]
    np.testing.assert_allclose(sweep_effects(run, B, Q).answers[SWEEPS.index(1)], expected)


def test_sweeps_walk_to_what_was_measured_and_not_to_the_truth(B, Q, run):
    after = sweep_effects(run, B, Q)
    gaps = np.abs(after.answers - np.array(run.noisy_answers)).max(axis=1)
    assert (np.diff(gaps) < 0).all()
    assert gaps[-1] < 2 < gaps[0]
    assert after.misplaced[-1] < after.misplaced[0] / 2
    wrong = replace(run.measurements[0], value=run.measurements[0].value + 20)
    alone = sweep_effects(replace(run, measurements=(wrong,), chosen=run.chosen[:1]), B, Q)
    assert alone.answers[-1] == pytest.approx(wrong.value, abs=0.1)
