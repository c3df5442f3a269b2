"""Relaxed projection: the theorem's bound and exponents, the budget, and when the projection is not used."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from exact_body import ExactBody
from parity_instances import clusters, exponent, noisy, on_cells, parities_up_to, repeated
from scipy.optimize import nnls

from mwem_core import Seeded, Witness
from mwem_core.domain import Records
from mwem_core.privacy import Accountant, Guarantee
from mwem_core.relatives.parity_body import Parities, RelaxedBody
from mwem_core.relatives.relaxed_projection import (
    MAX_PROJECTION_STEPS,
    MAX_WORK,
    RelaxedProjection,
    max_steps,
    needed_steps,
    project,
    synopsis,
)
from mwem_core.workload import families


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("sigma", [1.0, 30.0, 1000.0])
def test_the_error_is_within_the_theorems_bound_for_the_noise_drawn(sigma, seed):
    """|z - truth|² <= 2 h(noise) + gap: the proof's bound before it takes the mean, with both sides certified."""
    z, g, scale, body = noisy(clusters(15, 300, seed), 2, sigma, seed)
    projection = project(z + g, scale, body, 60)
    width = body.bound(scale * g, body.furthest(scale * g))
    assert ((scale * projection.x - z) ** 2).sum() <= 2 * width + projection.certified


def test_the_theorems_bound_is_exceeded_in_at_most_the_promised_share_of_200_runs():
    """The squared error exceeds 2 n σ (w + √(2 ln(1/β))) + gap in at most a share β of the runs.

    β near 1 gives the smallest bound. The bound is of the worst table, so chance needs no allowance. w is the mean of
    the 200 draws' widths.
    """
    errors, widths, gaps, sigma, n = [], [], [], 30.0, 400
    for seed in range(200):
        z, g, scale, body = noisy(clusters(8, n, seed), 2, sigma, seed)
        projection = project(z + g, scale, body, needed_steps(scale, body, sigma))
        errors.append(((scale * projection.x - z) ** 2).sum())
        widths.append(body.bound(scale * g, body.furthest(scale * g)) / (n * sigma))
        gaps.append(projection.certified)
    for beta in (0.05, 0.5, 0.9):
        bound = 2 * n * sigma * (np.mean(widths) + math.sqrt(2 * math.log(1 / beta)))
        assert np.mean(np.array(errors) > bound + np.array(gaps)) <= beta
        assert np.mean(np.array(widths) > np.mean(widths) + math.sqrt(2 * math.log(1 / beta))) <= beta


def hardest(d, k, n, sigma=40.0):
    """The mean squared error of two draws, as a share of the noise's σ² M, on the table where it is largest.

    The tables have 1, 2, 4, ... 32 different records.
    """
    queries, rng = parities_up_to(d, k), np.random.default_rng(0)
    root = np.sqrt(queries.weights(queries.workload))
    body, errors = RelaxedBody(queries), []
    steps = needed_steps(n * root, body, sigma)
    for different in 2 ** np.arange(6):
        draws = []
        for _ in range(2):
            z = root * queries.workload.answers(repeated(rng.integers(0, 2, (different, d)), n))
            projection = project(z + sigma * rng.normal(size=queries.size), n * root, body, steps)
            draws.append(((n * root * projection.x - z) ** 2).sum())
        errors.append(np.mean(draws))
    return max(errors) / (sigma**2 * queries.size)


@pytest.mark.parametrize(
    ("k", "d", "sizes"),
    [(2, 60, [500, 1000, 2000, 4000]), pytest.param(3, 20, [400, 800, 1600, 3200], marks=pytest.mark.sweep)],
)
def test_the_squared_error_grows_as_n_on_the_hardest_tables(k, d, sizes):
    """As n, while the noise it is divided by does not grow. In shares of n it falls as 1/n.

    The theorem is of the worst table of n records at each n. One table for all n would be easy for small n, where all
    is noise, and easy for large n. The tolerance is 0.3, as six kinds of tables are not all, and the error at n = 4000
    is near that of the noise.
    """
    errors = [hardest(d, k, n) for n in sizes]
    assert max(errors) < 0.5
    assert exponent(sizes, errors) == pytest.approx(1, abs=0.3)


@pytest.mark.parametrize(("k", "widths"), [(2, [30, 60, 120]), pytest.param(3, [14, 24, 40], marks=pytest.mark.sweep)])
def test_the_squared_error_grows_with_d_as_the_mean_width_on_the_hardest_tables(k, widths):
    """As d^(⌈k/2⌉/2); the noise's grows as the number of parities, about d^k.

    The tolerance is 0.3, as six kinds of tables are not all, and as the orders below k count for small d.
    """
    errors = [hardest(d, k, 1200) for d in widths]
    counts = [parities_up_to(d, k).size for d in widths]
    assert max(errors) < 0.5
    assert exponent(widths, np.array(errors) * counts) == pytest.approx(math.ceil(k / 2) / 2, abs=0.3)
    assert exponent(widths, counts) == pytest.approx(k, abs=0.1)


@pytest.mark.parametrize("family", [families.parities, families.marginals])
def test_one_record_moves_the_measurement_by_one_in_l2(family):
    """Each parity of weight moves by 1, so the bound is reached: the noise is no larger than it must be."""
    B = clusters(6, 50, 0)
    Q = family(B.domain, 3)
    fewer = Records(B.domain, tuple(column[1:] for column in B.codes))
    witnesses = [Witness(Seeded(0)), Witness(Seeded(0))]
    for table, witness in zip((B, fewer), witnesses, strict=True):
        list(RelaxedProjection(epsilon=1.0, delta=1e-6).rounds(table, Q, noise=witness))
    assert np.linalg.norm(witnesses[0].exact - witnesses[1].exact) == pytest.approx(1)


def test_the_release_depends_on_the_data_through_the_noisy_measurement_alone():
    first, second = clusters(6, 100, 0), clusters(6, 100, 1)
    Q, settings = families.marginals(first.domain, 2), RelaxedProjection(epsilon=1.0, delta=1e-6)

    class SameOutput:
        def gaussian(self, exact, rho, sensitivity):
            return np.random.default_rng(0).normal(scale=sensitivity / math.sqrt(2 * rho), size=len(exact))

    (ours,), (theirs,) = (settings.rounds(B, Q, noise=SameOutput()) for B in (first, second))
    assert not (Q.answers(first) == Q.answers(second)).all()
    assert (ours.model.answers(Q) == theirs.model.answers(Q)).all()
    assert ours.label == theirs.label


def synopsis_of(B, weights, cost, noise):
    """All parities of up to two bits, measured with shares of the cost in proportion to these weights."""
    queries, p = parities_up_to(len(B.domain), 2), np.array(weights) / np.sum(weights)
    account = Accountant(cost, noise)
    return synopsis(queries.workload.answers(B), p, float(B.total), RelaxedBody(queries), account, cost=cost)


def test_a_parity_errs_by_the_noise_over_the_root_of_its_share():
    """Without projection its standard deviation is σ/√p: 200 runs, within 4.5 standard errors, for six parities."""
    B, weights, cost = clusters(3, 5000, 0), np.array([1, 2, 4, 8, 16, 32.0]), Guarantee(300.0, 1e-6).budget
    runs = [synopsis_of(B, weights, cost, Seeded(seed)) for seed in range(200)]
    assert runs[0].label == "6 parities, as measured"
    errors = np.array([found.values for found in runs]) - parities_up_to(3, 2).workload.answers(B)
    expected = cost.scale / np.sqrt(weights / weights.sum())
    assert np.abs(np.sqrt((errors**2).mean(axis=0)) / expected - 1).max() <= 4.5 / math.sqrt(2 * 200)


def test_a_parity_without_weight_is_not_measured():
    """Two tables that differ in the parity of both bits alone give the same answers."""
    values = []
    for rows in ([[0, 0], [1, 1]], [[0, 1], [1, 0]]):
        witness = Witness(Seeded(0))
        found = synopsis_of(repeated(np.array(rows), 1000), (1, 1, 0), Guarantee(2.0, 1e-6).budget, witness)
        assert len(witness.exact) == 2
        assert found.label.startswith("2 of 3 parities, projected in")
        values.append(found.values)
    assert (values[0] == values[1]).all()


def test_on_single_bits_the_projection_clips_each_weighted_parity():
    """An oracle: for k = 1 the body is a cube, so its nearest point is found bit by bit, whatever the weights.

    The certificate bounds the squared distance to it: it is at most the noise, σ² for each measured parity.
    """
    B = repeated(np.array([[0, 1, 1, 0], [0, 1, 0, 1]]), 40)
    queries = parities_up_to(4, 1)
    p, n = np.array([0.5, 0.3, 0.15, 0.05]), float(B.total)
    exact, body, cost = queries.workload.answers(B), RelaxedBody(queries), Guarantee(0.3, 1e-6).budget
    for seed in range(10):
        account = Accountant(cost, Seeded(seed))
        y = Seeded(seed).gaussian(np.sqrt(p) * exact, cost.amount, 1.0)
        nearest = np.clip(y / np.sqrt(p), -n, n)
        close = n * project(y, n * np.sqrt(p), body, 1000).x
        assert close == pytest.approx(nearest, abs=0.02 * n)
        found = synopsis(exact, p, n, body, account, cost=cost)
        assert found.outcome.startswith("projected")
        assert (p * (found.values - nearest) ** 2).sum() <= len(p) * cost.scale**2


def test_answers_are_unbiased_if_the_noise_is_too_small_to_project():
    """The mean of 100 runs is within 4.5 of its standard errors, for 21 parities."""
    B = clusters(6, 2000, 0)
    Q = families.parities(B.domain, 2)
    algorithm = RelaxedProjection(epsilon=200.0, delta=1e-6)
    runs = [next(iter(algorithm.rounds(B, Q, noise=Seeded(seed)))) for seed in range(100)]
    assert runs[0].label == "21 parities, as measured"
    bias = np.mean([entry.model.answers(Q) for entry in runs], axis=0) - Q.answers(B)
    standard_error = algorithm.guarantee.budget.scale * math.sqrt(Q.size) / math.sqrt(100)
    assert np.abs(bias).max() <= 4.5 * standard_error
    assert np.abs(bias).max() > 0.1 * standard_error  # there was noise


def test_a_projection_is_not_used_if_it_ends_farther_from_its_goal_than_the_noise():
    """Eight different records, each many times: the needed steps leave an error larger than the noise they remove."""
    B = repeated(np.random.default_rng(0).integers(0, 2, (8, 10)), 20_000)
    Q = families.parities(B.domain, 2)
    algorithm, queries = RelaxedProjection(epsilon=0.2, delta=1e-9), Parities.behind(Q)
    sigma, scale, body = algorithm.guarantee.budget.scale, B.total * np.sqrt(queries.weights(Q)), RelaxedBody(queries)
    (entry,) = algorithm.rounds(B, Q, noise=Seeded(0))
    noise = (np.abs(entry.model.answers(Q) - Q.answers(B)) ** 2).sum()
    assert entry.label == "55 parities, as measured"
    steps = needed_steps(scale, body, sigma)
    y = scale / B.total * Seeded(0).gaussian(Q.answers(B), algorithm.guarantee.budget.amount / 55, 1)
    assert steps <= max_steps(body)
    assert ((B.total * project(y, scale, body, steps).x - Q.answers(B)) ** 2).sum() > 2 * noise
    (entry,) = RelaxedProjection(epsilon=0.01, delta=1e-9).rounds(B, Q, noise=Seeded(0))
    assert entry.label.startswith("55 parities, projected in")


def test_projection_removes_noise_for_few_records_and_many_attributes():
    """The mean |error| is below 0.7 of that of the measurement's noise, σ √M √(2/π)."""
    B = clusters(40, 1000, 0)
    Q, settings = families.parities(B.domain, 2), RelaxedProjection(epsilon=0.5, delta=1e-9)
    (entry,) = settings.rounds(B, Q, noise=Seeded(0))
    mean_error = np.abs(entry.model.answers(Q) - Q.answers(B)).mean()
    assert mean_error < 0.7 * settings.guarantee.budget.scale * math.sqrt(Q.size) * math.sqrt(2 / math.pi)


@pytest.mark.parametrize("body_class", [RelaxedBody, ExactBody])
def test_the_gap_falls_as_one_over_the_steps(body_class):
    """Jaggi's bound with D <= 2n, and a fitted exponent of -1 if the projection lies on the boundary.

    Inside the body, the gap would fall faster. The tolerance is 0.25, as the fit is of one path.
    """
    z, g, scale, body = noisy(clusters(12, 2000, 0), 2, 60.0, 0)
    projection = project(z + g, scale, body_class(body.queries), 300)
    gaps = np.minimum.accumulate(projection.gaps)
    t = np.arange(1, len(gaps) + 1)
    assert len(gaps) == 300
    assert (gaps * (t + 2) <= 6.75 * (2 * 2000) ** 2).all()
    assert exponent(t[5:], gaps[5:]) == pytest.approx(-1, abs=0.25)
    assert projection.certified > 0


def nearest_point(y, vertices):
    """The point of the vertices' convex hull nearest to y, by non-negative least squares over their shares.

    A heavy last row makes the shares sum to 1.
    """
    heavy = 1e4
    shares, _ = nnls(np.vstack([vertices.T, heavy * np.ones(len(vertices))]), np.append(y, heavy))
    return shares @ vertices


@pytest.mark.parametrize("seed", range(5))
def test_the_certified_gap_bounds_the_distance_to_the_nearest_point(seed):
    """On K, for the squared distance and for half of what the squared distance from y exceeds its minimum by."""
    z, g, scale, body = noisy(clusters(4, 60, seed), 2, 20.0, seed)
    y, cells = z + g, on_cells(body.queries)
    nearest = nearest_point(y, np.concatenate([cells, -cells]) * scale)
    for steps in (1, 10, 300):
        projection = project(y, scale, ExactBody(body.queries), steps)
        point = scale * projection.x
        excess = (((y - point) ** 2).sum() - ((y - nearest) ** 2).sum()) / 2
        assert ((point - nearest) ** 2).sum() <= projection.certified + 1e-3
        assert -1e-3 <= excess <= projection.certified + 1e-3
    assert np.abs(point - nearest).max() <= 1.0


@pytest.mark.parametrize("k", [2, 3])
def test_the_certificate_bounds_the_gap_and_the_possible_gain_after_any_step(k):
    """On L: the gap to the furthest vertex and to every cell, and what 2,000 steps gain."""
    z, g, scale, body = noisy(clusters(6, 300, k), k, 30.0, k)
    y, cells = z + g, on_cells(body.queries)
    best = ((y - scale * project(y, scale, body, 2000).x) ** 2).sum() / 2
    for steps in range(1, 41):
        projection = project(y, scale, body, steps)
        point = scale * projection.x
        a = scale * (y - point)
        gap = max(a @ body.furthest(a).x, np.abs(cells @ a).max()) - a @ projection.x
        assert projection.certified >= gap - 1e-6
        assert projection.certified >= ((y - point) ** 2).sum() / 2 - best - 1e-6


def test_the_needed_steps_imply_a_mean_width_that_grows_as_the_root_of_d():
    """For k = 2; the width is n/(σ steps). The tolerance is 0.1, as orders 1 and 2 mix for small d."""
    widths = []
    for d in (20, 40, 80):
        queries = parities_up_to(d, 2)
        scale = 1e7 * np.sqrt(queries.weights(queries.workload))
        widths.append(1e7 / needed_steps(scale, RelaxedBody(queries), 1.0))
    assert exponent([20, 40, 80], widths) == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize(
    ("work", "steps"), [(1.0, MAX_PROJECTION_STEPS), (MAX_WORK / 10.5, 10), (MAX_WORK / 2, 2), (3 * MAX_WORK, 1)]
)
def test_steps_are_limited_by_number_and_by_work_but_one_is_always_allowed(work, steps):
    assert max_steps(SimpleNamespace(work=work)) == steps
