"""Optimal Gaussian marginals, against matrices over the whole domain."""

import itertools
import math
from functools import reduce

import numpy as np
import pytest
from given_noise import GivenNoise
from oracles import domain_of, query_vectors, random_records

from mwem_core import Seeded
from mwem_core.domain import Records
from mwem_core.relatives.planner import Planner, residual_factors
from mwem_core.workload import Residuals, families

CASES = {
    "one attribute": ([4], 1, False),
    "pairs": ([3, 2, 4], 2, False),
    "pairs of bits": ([2, 2, 2, 2], 2, False),
    "triples": ([3, 2, 2, 2], 3, False),
    "all orders to two": ([3, 2, 4], 2, True),
}
cases = pytest.mark.parametrize(("sizes", "k", "up_to"), CASES.values(), ids=CASES)


def answers(settings, B, Q, noise):
    """The answers of the only round."""
    (only,) = settings.rounds(B, Q, noise=noise)
    return only.model.answers(Q)


def instance(sizes, k, up_to):
    """Settings, a table, its workload and the workload's queries as rows over the domain."""
    B = random_records(domain_of(sizes), 100, np.random.default_rng(0))
    Q = families.marginals(B.domain, k, up_to=up_to)
    return Planner(epsilon=0.7, delta=1e-6), B, Q, np.array(query_vectors(Q))


def covariance(settings, B, Q):
    """The exact covariance of the answers: they are the truth plus J times standard normal draws; J row by row."""
    noiseless = GivenNoise()
    truth = answers(settings, B, Q, noiseless)
    J = np.array([answers(settings, B, Q, GivenNoise(draw)) - truth for draw in np.eye(noiseless.exact.size)])
    return J.T @ J


@cases
def test_the_sum_of_variances_is_the_least_of_any_matrix_mechanism(sizes, k, up_to):
    """It meets Li & Miklau's bound, (Σ singular)²/|D| times the variance σ² = 1/2ρ of one count. With this constant the
    bound holds for every choice of Gaussian noise. As n is known, the queries have their means subtracted."""
    settings, B, Q, W = instance(sizes, k, up_to)
    singular = np.linalg.svd(W - W.mean(axis=1, keepdims=True), compute_uv=False)
    least = singular.sum() ** 2 / Q.domain.size / (2 * settings.guarantee.budget.amount)
    assert np.trace(covariance(settings, B, Q)) == pytest.approx(least, rel=1e-9)


@cases
def test_its_squared_error_is_below_that_of_direct_noise_on_the_workload(sizes, k, up_to):
    settings, B, Q, _ = instance(sizes, k, up_to)
    direct = Q.size * Q.sensitivity / (2 * settings.guarantee.budget.amount)
    assert np.trace(covariance(settings, B, Q)) < direct


@cases
def test_answers_are_unbiased_and_consistent_with_one_table_of_n_records(sizes, k, up_to):
    """Unbiased: the truth plus a linear map of the noise. Consistent: W t = answers has a solution t."""
    settings, B, Q, W = instance(sizes, k, up_to)
    noiseless = GivenNoise()
    assert answers(settings, B, Q, noiseless) == pytest.approx(Q.answers(B), abs=1e-9)
    draws = np.random.default_rng(1).normal(size=noiseless.exact.size)
    up, down = (answers(settings, B, Q, GivenNoise(sign * draws)) for sign in (1, -1))
    assert (up + down) / 2 == pytest.approx(Q.answers(B), abs=1e-9)
    assert W @ np.linalg.lstsq(W, up, rcond=None)[0] == pytest.approx(up, abs=1e-8)
    assert Q.sum_by_part(up) == pytest.approx(np.full(Q.parts, 100.0))


@cases
def test_every_added_record_moves_the_measured_vector_by_exactly_its_sensitivity_of_one(sizes, k, up_to):
    """By brute force, for a record added at every cell of D: L2 norm 1, with σ = 1/√2ρ."""
    settings, B, Q, _ = instance(sizes, k, up_to)
    before, after = GivenNoise(), GivenNoise()
    answers(settings, B, Q, before)
    for cell in np.ndindex(*sizes):
        more = tuple(np.append(c, np.uint8(x)) for c, x in zip(B.codes, cell, strict=True))
        answers(settings, Records(B.domain, more), Q, after)
        assert np.linalg.norm(after.exact - before.exact) == pytest.approx(1)
    assert before.scale == pytest.approx(1 / math.sqrt(2 * settings.guarantee.budget.amount))


@cases
def test_it_has_the_covariance_of_residual_planner(sizes, k, up_to):
    """The paper measures, for each A, (⊗ Sub or 1ᵀ) x with noise of covariance σ_A² ⊗ Sub Subᵀ, where Sub = [1, -I].
    Here that is done by matrices over D: the covariance is the same, at the same ρ for every record."""
    settings, B, Q, W = instance(sizes, k, up_to)
    residuals, rho = Residuals.of(Q), settings.guarantee.budget.amount
    order = sorted({J for S in Q.sets for m in range(1, k + 1) for J in itertools.combinations(S, m)})
    precision = np.zeros((Q.domain.size, Q.domain.size))
    for shape, scales in zip(residuals.shapes[1:], residual_factors(residuals), strict=True):
        for A, s in zip([A for A in order if Q.domain.sizes(A) == shape], scales, strict=True):
            subs = [np.hstack([np.ones((n - 1, 1)), -np.eye(n - 1)]) for n in shape]
            M = reduce(np.kron, [subs[A.index(a)] if a in A else np.ones((1, n)) for a, n in enumerate(sizes)])
            noise = reduce(np.kron, [sub @ sub.T for sub in subs]) / (2 * rho * s**2)
            precision += M.T @ np.linalg.solve(noise, M)
    assert precision.diagonal() / 2 == pytest.approx(np.full(Q.domain.size, rho))
    expected = W @ np.linalg.pinv(precision, rcond=1e-10) @ W.T
    assert covariance(settings, B, Q) == pytest.approx(expected, abs=1e-8 * np.abs(expected).max())


def test_cuboids_get_the_same_answers_as_marginals():
    settings, B, Q, _ = instance([3, 2, 4], 2, False)
    cuboids = families.cuboids(B.domain, 2)
    assert (answers(settings, B, cuboids, Seeded(0)) == answers(settings, B, Q, Seeded(0))).all()


def test_the_projection_on_non_negative_marginals_is_nearer_to_the_truth():
    """On five tables, with noise far above their counts."""
    _, _, Q, _ = instance([3, 2, 4], 2, False)
    for seed in range(5):
        B = random_records(Q.domain, 60, np.random.default_rng(seed))
        plain, cleaned = (
            answers(Planner(epsilon=0.3, delta=1e-6, clean=clean), B, Q, Seeded(seed))
            for clean in ("none", "non-negative")
        )
        assert plain.min() < 0 <= cleaned.min()
        assert np.linalg.norm(cleaned - Q.answers(B)) < np.linalg.norm(plain - Q.answers(B))


def test_unsuitable_workloads_are_refused_before_any_data_is_read():
    settings = Planner(epsilon=1.0, delta=1e-6)
    with pytest.raises(ValueError, match="answer marginals and cuboids, not parities: choose marginals"):
        settings.rounds(None, families.parities(domain_of([2, 2]), 2), noise=Seeded(0))
    with pytest.raises(ValueError, match=r"the marginals and their sub-marginals have .* cells"):
        settings.check(families.marginals(domain_of([2] * 16), 15))
