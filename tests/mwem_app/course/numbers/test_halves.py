"""The error against the share that measures: the runs are MWEM's, and the committed ones are reproducible."""

import math
from dataclasses import replace

import numpy as np
import pytest

from mwem_app.course.lesson import stored_trials
from mwem_app.course.mwem.mwem_numbers import EPSILON, SEEDS, SHARES, T, Trial, share_effects, share_trial, watch
from mwem_core import Seeded, paper


@pytest.fixture(scope="module")
def committed():
    return stored_trials("halves", Trial)


def test_at_one_half_a_trial_is_the_run_of_the_lesson(B, Q):
    run = watch(B, Q, epsilon=EPSILON, T=T, noise=Seeded(4))
    assert share_trial(B, Q, share=0.5, seed=4).error == pytest.approx(run.misplaced[-1])


def test_every_share_is_committed_once_per_seed_and_is_what_the_mechanism_gives_now(B, Q, committed):
    assert [(each.share, each.seed) for each in committed] == [(s, seed) for s in SHARES for seed in range(SEEDS)]
    for before in committed[3::120]:
        assert share_trial(B, Q, share=before.share, seed=before.seed).error == pytest.approx(before.error, rel=1e-4)


def test_the_noise_and_the_chance_are_those_of_a_run(B, Q, committed):
    at = share_effects(committed, B, Q)
    for i, share in list(enumerate(SHARES))[::4]:
        _, first, *_ = replace(paper(Q, epsilon=EPSILON, T=T), split=1 - share).rounds(B, Q, noise=Seeded(0))
        assert first.measurement.scale == pytest.approx(at.noise[i])
    chances = watch(B, Q, epsilon=EPSILON, T=T, noise=Seeded(0)).probabilities[0]
    assert at.chance[SHARES.index(0.5)] == pytest.approx(chances.max(), rel=0.05)  # a run rounds answers to a grid


def test_more_measuring_means_less_noise_and_more_chance_and_the_middle_is_best(B, Q, committed):
    at = share_effects(committed, B, Q)
    assert (np.diff(at.noise) < 0).all()
    assert (np.diff(at.chance) < 0).all()
    assert 0.3 <= at.best <= 0.6
    error = at.mean.std() / math.sqrt(SEEDS)
    assert at.mean[0] > at.mean.min() + 3 * error
    assert at.mean[-1] > at.mean.min() + 3 * error
