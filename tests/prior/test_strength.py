"""Strengths: the most probable λ of simulated residuals, and how much of each is believed."""

import math
from functools import partial

import numpy as np
import pytest
from oracles import domain_of, random_records

from mwem_core import parse_workload
from mwem_core.base import constants
from mwem_core.model import LogLinear, Measurement, centre, most_probable, replay
from mwem_core.prior.strength import (
    Gaps,
    fit_by_order,
    most_probable_strength,
    spreads_around,
    with_believed_noise,
)
from mwem_core.workload import Subsets

N, SIZES = 300, (2, 3, 2, 4)


def test_the_most_probable_strength_finds_that_of_simulated_residuals():
    """Sixty residuals of a known prior variance: within a factor of 1.5. Without a signal, at least 5."""
    rng, n, sizes = np.random.default_rng(5), 10_000.0, (4,) * 60
    A = LogLinear.uniform(sizes, n)
    for λ in (5.0, 50.0, 500.0):
        sd = n / math.sqrt(λ * 4)
        values = [centre(rng.normal(scale=math.hypot(sd, 20.0), size=4)) for _ in sizes]
        found = most_probable_strength(A, [Measurement((a,), v, 20.0, centred=True) for a, v in enumerate(values)], 1.0)
        assert λ / 1.5 < found < λ * 1.5
    noise = [centre(rng.normal(scale=2000.0, size=4)) for _ in sizes]
    assert most_probable_strength(A, [Measurement((a,), v, 2000.0, centred=True) for a, v in enumerate(noise)], 1.0) > 5


def test_a_residual_varies_around_uneven_attributes_as_kl_says():
    """By the inverse of KL's second derivative, diag(1/p), among the tables whose marginals are all 0."""
    shares = [np.array([0.07, 0.93]), np.array([0.6, 0.3, 0.1]), np.array([0.02, 0.9, 0.05, 0.03])]
    start = LogLinear.uniform((2, 3, 4), 1e4)
    A = replay(start, [Measurement((a,), 1e4 * p, 1.0) for a, p in enumerate(shares)], step=0.5, sweeps=2000)
    for attrs in ((0, 1), (1, 2), (0, 1, 2)):
        shape, p = tuple(len(shares[a]) for a in attrs), A.marginal(attrs).ravel() / 1e4
        patterns = np.array([centre(cell.reshape(shape)).ravel() for cell in np.eye(len(p))])
        vectors = np.linalg.svd(patterns)[0][:, : math.prod(n - 1 for n in shape)]
        covariance = np.linalg.inv(vectors.T / p @ vectors)
        gaps = Gaps.of(A, [Measurement(attrs, np.zeros(shape), 1.0, centred=True)], 1.0, np.ones(1), spreads_around)
        assert gaps.spread == pytest.approx([1e8 * np.trace(covariance) / len(covariance)], rel=1e-3)


def test_a_value_that_nobody_has_leaves_a_residual_some_variance():
    nobody = Measurement((0,), np.array([0.0, 100.0]), 1.0)
    A = replay(LogLinear.uniform((2, 2), 100.0), [nobody], step=0.5, sweeps=5000)
    measured = Measurement((0, 1), np.array([[9.0, -9.0], [-9.0, 9.0]]), 2.0, centred=True)
    (found,) = with_believed_noise(A, [measured], 2.0, 50.0, spreads_around)
    assert 0 < found.scale < np.inf


@pytest.mark.parametrize(("law", "unit_variance"), [("normal", 1.0), ("laplace", 2.0)])
def test_noise_is_seldom_taken_for_residuals_whatever_its_law(law, unit_variance):
    """Pure noise on six bits, a thousand times: λ is below a quarter of the typical 8 in less than one of 25.

    It is 30 times for normal noise and 13 times for Laplace noise, which taken for normal would make it 53.
    """
    rng, A, scale = np.random.default_rng(9), LogLinear.uniform((2,) * 6, 70.0), 60.0
    draws = getattr(rng, law)(scale=scale, size=(1000, 6))
    found = [
        most_probable_strength(
            A,
            [Measurement((a,), np.array([v, -v]) / 2, scale / math.sqrt(2), centred=True) for a, v in enumerate(six)],
            unit_variance,
        )
        for six in draws
    ]
    assert np.mean(np.array(found) < 2) < 0.04


def test_an_order_that_noise_drowns_leaves_the_model_as_the_lower_orders_have_it():
    B, n = random_records(domain_of(SIZES), N, np.random.default_rng(1)), float(N)
    Q = parse_workload("marginals:2", B.domain)
    subsets, rng = Subsets.of(Q), np.random.default_rng(6)
    exact = {A: centre(B.marginal(A)) for A in subsets.sets}
    measured = [
        Measurement(
            A, exact[A] if len(A) == 1 else centre(rng.normal(scale=1e4, size=exact[A].shape)), scale, centred=True
        )
        for A in subsets.sets
        for scale in [0.1 if len(A) == 1 else 1e4]
    ]
    close = partial(most_probable, unit_variance=1.0, iterations=5000, tolerance=1e-12)
    start = LogLinear.uniform(SIZES, n)
    fitted = partial(fit_by_order, fit=lambda A, own, strength: close(A, own, strength=strength))
    ones, pairs = fitted(start, measured, 1.0)
    (above,) = fitted(ones, measured, 1.0, above=1)
    assert above.answers(Q) == pytest.approx(pairs.answers(Q))
    assert pairs.answers(Q) == pytest.approx(ones.answers(Q), abs=0.02 * n)
    assert pairs.marginal((1,)) == pytest.approx(B.marginal((1,)), abs=0.02 * n)


def pairs(values, scale):
    """Measured residuals of two bits each, by their only coordinate, and the uniform model of 10,000 records."""
    sign = np.array([[1.0, -1.0], [-1.0, 1.0]])
    found = [Measurement((2 * a, 2 * a + 1), v / 2 * sign, scale, centred=True) for a, v in enumerate(values)]
    return LogLinear.uniform((2,) * (2 * len(found)), 10_000.0), found


def test_with_one_strength_for_all_every_residual_keeps_its_noise(monkeypatch):
    monkeypatch.setattr(constants, "SPREAD_IN_ORDER", 0.0)
    A, measured = pairs([5.0, -300.0, 40.0], 20.0)
    assert [m.scale for m in with_believed_noise(A, measured, 2.0, 50.0)] == pytest.approx([20.0] * 3)


def test_lower_orders_stay_as_they_were_measured():
    A, measured = pairs([5.0, -300.0, 40.0], 20.0)
    one = Measurement((0,), np.array([7.0, -7.0]), 20.0, centred=True)
    first, *rest = with_believed_noise(A, [one, *measured], 2.0, 5000.0)
    assert first is one
    assert rest[1].scale < 20.0 < rest[0].scale
    assert with_believed_noise(A, [one], 2.0, 50.0) == [one]


def test_what_is_believed_is_the_mean_over_all_strengths():
    """By a sum over a fine grid of λ.

    The five nodes end at 17 times the typical variance: a residual ten times the noise keeps .02 less.
    """
    gaps = Gaps(1e4, np.full(4, 1e6), np.full(4, 400.0), np.ones(4), np.array([0.0, 20.0, 60.0, 200.0]) ** 2)
    x = np.linspace(-8, 8, 4001)
    v = 1e6 / (5000.0 * np.exp(constants.SPREAD_IN_ORDER * x))[:, None]
    density = np.exp(-(x[:, None] ** 2) / 2 - gaps.squares / (v + 400.0) / 2) / np.sqrt(v + 400.0)
    kept = (density * v / (v + 400.0)).sum(axis=0) / density.sum(axis=0)
    noise = gaps.believed_noise(5000.0)
    assert 200.0 / (200.0 + noise) == pytest.approx(kept, abs=0.025)
    assert (np.diff(kept) > 0).all()
    assert noise[0] > 400.0 > noise[-1]


@pytest.mark.parametrize(("spread", "gain"), [(0.0, 1.08), (2.0, 0.83)])
def test_what_is_believed_errs_less_where_strengths_are_uneven(spread, gain):
    """2,000 pairs of bits whose λ spread as said about 5,000, under noise of four times their typical variance.

    Where all are alike 7% is lost; where they differ as real tables' do, 19% is gained.
    """
    rng, size, scale, unit = np.random.default_rng(7), 2000, 140.0, 10_000.0**2 / 4
    exact = rng.normal(size=size) * np.sqrt(unit / 5000.0 * np.exp(spread * rng.normal(size=size)))
    A, measured = pairs(exact + rng.normal(scale=scale, size=size), scale)
    λ = most_probable_strength(A, measured, 1.0)
    errors = []
    for residuals in (measured, with_believed_noise(A, measured, 1.0, λ)):
        noise = np.array([m.scale for m in residuals]) ** 2
        found = unit / λ / (unit / λ + noise) * np.array([2 * m.value[0, 0] for m in measured])
        errors.append(((found - exact) ** 2).sum())
    assert errors[1] <= gain * errors[0]
