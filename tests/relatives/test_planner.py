"""The optimal Gaussian mechanism for marginals, against matrices over the whole domain."""

import itertools
import math
from functools import reduce

import numpy as np
import pytest
from oracles import domain_of, query_vectors, random_records

from mwem_core import Seeded
from mwem_core.data.records import Records
from mwem_core.matrix.residuals import Residuals
from mwem_core.relatives.planner import Planner, plan, preset
from mwem_core.workload import families

CASES = {
    "one attribute": ([4], 1, False),
    "pairs": ([3, 2, 4], 2, False),
    "pairs of bits": ([2, 2, 2, 2], 2, False),
    "triples": ([3, 2, 2, 2], 3, False),
    "all orders to two": ([3, 2, 4], 2, True),
}
cases = pytest.mark.parametrize(("sizes", "k", "up_to"), CASES.values(), ids=CASES)


class Given:
    """A noise source of given draws in units of its scale (none without), that remembers what was exact."""

    def __init__(self, draws=None):
        self.draws = draws

    def gaussian(self, exact, scale):
        """Exact plus the draws."""
        self.exact, self.scale = exact.copy(), scale
        return exact if self.draws is None else exact + scale * self.draws


def answers(settings, B, Q, noise):
    """Of the only round."""
    (only,) = settings.rounds(B, Q, noise=noise)
    return only.model.answers(Q)


def instance(sizes, k, up_to):
    """Settings, a table, its workload and the workload's queries as rows over the domain."""
    B = random_records(domain_of(sizes), 100, np.random.default_rng(0))
    Q = families.marginals(B.domain, k, up_to=up_to)
    return Planner(epsilon=0.7, delta=1e-6), B, Q, np.array(query_vectors(Q))


def covariance(settings, B, Q):
    """Of the answers, exactly: they are the truth plus a linear map J of standard normal draws, found one by one."""
    still = Given()
    truth = answers(settings, B, Q, still)
    J = np.array([answers(settings, B, Q, Given(draw)) - truth for draw in np.eye(still.exact.size)])
    return J.T @ J


@cases
def test_the_sum_of_variances_is_the_least_of_any_matrix_mechanism(sizes, k, up_to):
    """(Σσ)²/|D| of the queries less their means, n being known, times the σ² = 1/2ρ of one count: Li & Miklau's bound,
    which every choice of Gaussian noise obeys with this constant, is met."""
    settings, B, Q, W = instance(sizes, k, up_to)
    singular = np.linalg.svd(W - W.mean(axis=1, keepdims=True), compute_uv=False)
    least = singular.sum() ** 2 / Q.domain.size / (2 * settings.guarantee.budget.amount)
    assert np.trace(covariance(settings, B, Q)) == pytest.approx(least, rel=1e-9)


@cases
def test_it_errs_no_more_than_noise_on_every_cell_of_the_workload(sizes, k, up_to):
    settings, B, Q, _ = instance(sizes, k, up_to)
    direct = Q.size * Q.sensitivity / (2 * settings.guarantee.budget.amount)
    assert np.trace(covariance(settings, B, Q)) < direct


@cases
def test_the_answers_are_unbiased_and_those_of_one_table_of_n_records(sizes, k, up_to):
    """Without noise the truth, and linear in the noise, so the truth on average; W t = answers has a solution."""
    settings, B, Q, W = instance(sizes, k, up_to)
    still = Given()
    assert answers(settings, B, Q, still) == pytest.approx(Q.answers(B), abs=1e-9)
    draws = np.random.default_rng(1).normal(size=still.exact.size)
    up, down = (answers(settings, B, Q, Given(sign * draws)) for sign in (1, -1))
    assert (up + down) / 2 == pytest.approx(Q.answers(B), abs=1e-9)
    assert W @ np.linalg.lstsq(W, up, rcond=None)[0] == pytest.approx(up, abs=1e-8)
    assert Q.by_part(up) == pytest.approx(np.full(Q.parts, 100.0))


@cases
def test_every_record_moves_what_is_measured_by_exactly_the_sensitivity_that_is_paid_for(sizes, k, up_to):
    """By brute force, a record added at every cell of D: L2 norm 1, at σ = 1/√2ρ."""
    settings, B, Q, _ = instance(sizes, k, up_to)
    before, after = Given(), Given()
    answers(settings, B, Q, before)
    for cell in np.ndindex(*sizes):
        more = tuple(np.append(c, np.uint8(x)) for c, x in zip(B.codes, cell, strict=True))
        answers(settings, Records(B.domain, more), Q, after)
        assert np.linalg.norm(after.exact - before.exact) == pytest.approx(1)
    assert before.scale == pytest.approx(1 / math.sqrt(2 * settings.guarantee.budget.amount))


@cases
def test_it_is_residual_planner(sizes, k, up_to):
    """The paper's own: for each A measure (⊗ Sub or 1ᵀ) x with noise σ_A² ⊗ Sub Subᵀ, Sub = [1, -I]; all of it by
    matrices over D. As precise an estimate of x, and so the same covariance, at the same ρ for every record."""
    settings, B, Q, W = instance(sizes, k, up_to)
    residuals, rho = Residuals.of(Q), settings.guarantee.budget.amount
    order = sorted({J for S in Q.sets for m in range(1, k + 1) for J in itertools.combinations(S, m)})
    precision = np.zeros((Q.domain.size, Q.domain.size))
    for kind, scales in zip(residuals.sizes[1:], plan(residuals), strict=True):
        for A, s in zip([A for A in order if Q.domain.sizes(A) == kind], scales, strict=True):
            subs = [np.hstack([np.ones((n - 1, 1)), -np.eye(n - 1)]) for n in kind]
            M = reduce(np.kron, [subs[A.index(a)] if a in A else np.ones((1, n)) for a, n in enumerate(sizes)])
            noise = reduce(np.kron, [sub @ sub.T for sub in subs]) / (2 * rho * s**2)
            precision += M.T @ np.linalg.solve(noise, M)
    assert precision.diagonal() / 2 == pytest.approx(np.full(Q.domain.size, rho))
    expected = W @ np.linalg.pinv(precision, rcond=1e-10) @ W.T
    assert covariance(settings, B, Q) == pytest.approx(expected, abs=1e-8 * np.abs(expected).max())


def test_one_round_spends_all_of_the_budget():
    settings, B, Q, _ = instance([3, 2, 4], 2, False)
    (only,) = settings.rounds(B, Q, noise=Seeded(0))
    assert only.index == settings.planned_rounds(B.total, Q) == 1
    assert only.ledger.spent == only.ledger.measure == settings.guarantee.budget.amount
    assert only.model.total == 100


def test_cuboids_are_served_as_marginals_are():
    settings, B, Q, _ = instance([3, 2, 4], 2, False)
    cuboids = families.cuboids(B.domain, 2)
    assert (answers(settings, B, cuboids, Seeded(0)) == answers(settings, B, Q, Seeded(0))).all()


def test_without_cells_below_zero_it_is_nearer_to_the_truth():
    """Five tables, of noise far above their counts."""
    _, _, Q, _ = instance([3, 2, 4], 2, False)
    for seed in range(5):
        B = random_records(Q.domain, 60, np.random.default_rng(seed))
        plain, cleaned = (
            answers(Planner(epsilon=0.3, delta=1e-6, clean=clean), B, Q, Seeded(seed))
            for clean in ("none", "non-negative")
        )
        assert plain.min() < 0 <= cleaned.min()
        assert np.linalg.norm(cleaned - Q.answers(B)) < np.linalg.norm(plain - Q.answers(B))


def test_the_preset_reads_epsilon_and_delta():
    Q = families.marginals(domain_of([3, 2]), 2)
    assert preset(Q, n=10, epsilon=0.5, delta=1e-6, T=4) == Planner(epsilon=0.5, delta=1e-6)


def test_what_cannot_be_done_is_refused_before_anything_is_read():
    with pytest.raises(ValueError, match="Gaussian noise is never pure: give a delta above 0, well below 1/n"):
        Planner(epsilon=1.0, delta=0.0)
    with pytest.raises(ValueError, match="clean must be none or non-negative, got 'least-squares'"):
        Planner(epsilon=1.0, delta=1e-6, clean="least-squares")
    settings = Planner(epsilon=1.0, delta=1e-6)
    with pytest.raises(ValueError, match="the plan is for marginals and cuboids, not for parities: ask for marginals"):
        settings.rounds(None, families.parities(domain_of([2, 2]), 2), noise=Seeded(0))
    with pytest.raises(ValueError, match=r"all their subsets have .* cells together"):
        settings.check(families.marginals(domain_of([2] * 16), 15))
    empty = Records(domain_of([2]), (np.zeros(0, np.uint8),))
    with pytest.raises(ValueError, match="no records"):
        settings.rounds(empty, families.marginals(empty.domain, 1), noise=Seeded(0))
