"""Strengths: the most probable λ of simulated residuals."""

import math
from functools import partial

import numpy as np
import pytest
from oracles import domain_of, random_records

from mwem_core import parse_workload
from mwem_core.matrix.subsets import Subsets
from mwem_core.model.loglinear import LogLinear
from mwem_core.model.measurement import Measurement
from mwem_core.model.most_probable import most_probable
from mwem_core.model.prior.strength import fit_by_order, most_probable_strength
from mwem_core.model.sums import centred

N, SIZES = 300, (2, 3, 2, 4)


def test_the_most_probable_strength_finds_that_of_simulated_residuals():
    """Sixty residuals of a known prior variance: within a factor of 1.5. Without a signal, at least 5."""
    rng, n, sizes = np.random.default_rng(5), 10_000.0, (4,) * 60
    A = LogLinear.uniform(sizes, n)
    for λ in (5.0, 50.0, 500.0):
        sd = n / math.sqrt(λ * 4)
        values = [centred(rng.normal(scale=math.hypot(sd, 20.0), size=4)) for _ in sizes]
        found = most_probable_strength(A, [Measurement((a,), v, 20.0, centred=True) for a, v in enumerate(values)], 1.0)
        assert λ / 1.5 < found < λ * 1.5
    noise = [centred(rng.normal(scale=2000.0, size=4)) for _ in sizes]
    assert most_probable_strength(A, [Measurement((a,), v, 2000.0, centred=True) for a, v in enumerate(noise)], 1.0) > 5


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
    exact = {A: centred(B.marginal(A)) for A in subsets.sets}
    measured = [
        Measurement(
            A, exact[A] if len(A) == 1 else centred(rng.normal(scale=1e4, size=exact[A].shape)), scale, centred=True
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
