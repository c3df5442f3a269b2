"""Noise on a tree of intervals: its nodes, least squares by dense linear algebra, its law, and what it refuses."""

import itertools
import math

import numpy as np
import pytest
from given_noise import GivenNoise
from messages import exactly
from oracles import domain_of, query_vectors, random_records
from workloads import AGE

from mwem_core import Domain, Hierarchical, Records, Seeded
from mwem_core.relatives.hierarchical import LeastSquares, Tree, best_trees, with_total
from mwem_core.workload import families

SHAPES = [(1, 2), (2, 2), (5, 2), (8, 2), (9, 3), (10, 3), (17, 4), (23, 23), (40, 7)]
shapes = pytest.mark.parametrize(("cells", "branching"), SHAPES)
WORKLOADS = {
    "one attribute": ([23, 2], ["a"]),
    "two attributes": ([7, 5], ["a", "b"]),
    "two values": ([2], ["a"]),
}
cases = pytest.mark.parametrize(("sizes", "names"), WORKLOADS.values(), ids=WORKLOADS)
deltas = pytest.mark.parametrize("delta", [0.0, 1e-6], ids=["laplace", "gaussian"])


def matrix(tree, cells):
    """The nodes as rows over the cells."""
    return tree.sums(np.eye(cells))


def tree_instance(cells, branching, seed=0):
    """A tree, its rows, precisions with unmeasured inner nodes, and their fit."""
    rng, tree = np.random.default_rng(seed), Tree.of(cells, branching)
    precisions = rng.uniform(0.2, 3, size=sum(tree.sizes))
    inner = len(precisions) - cells
    precisions[:inner] *= rng.random(inner) < 0.7
    return tree, matrix(tree, cells), precisions, LeastSquares.of(tree, precisions)


@shapes
def test_each_level_parts_its_parents_and_the_last_has_the_single_cells(cells, branching):
    tree = Tree.of(cells, branching)
    for coarse, fine in zip(tree.starts, tree.starts[1:], strict=False):
        assert set(coarse) <= set(fine)
        assert np.diff(np.searchsorted(fine, coarse), append=len(fine)).max() <= branching
    assert (matrix(tree, cells)[-cells:] == np.eye(cells)).all()
    assert (matrix(tree, cells).sum(axis=0) == tree.depth).all()
    assert tree.depth == max(1, math.ceil(math.log(cells, branching) - 1e-9))


def test_there_is_a_tree_of_every_possible_depth_once():
    assert [tree.depth for tree in Tree.of_every_depth(100)] == [7, 5, 4, 3, 2, 1]
    assert [tree.sizes for tree in Tree.of_every_depth(1)] == [[1]]


@shapes
def test_the_estimate_is_that_of_dense_weighted_least_squares(cells, branching):
    _, M, precisions, fit = tree_instance(cells, branching)
    noisy = np.random.default_rng(1).normal(size=(len(M), 3)) * 10
    root = np.sqrt(precisions)[:, None]
    expected = np.linalg.lstsq(root * M, root * noisy, rcond=None)[0]
    assert fit.leaves(noisy) == pytest.approx(expected, abs=1e-8)
    assert fit.leaves(noisy[:, 0]) == pytest.approx(expected[:, 0], abs=1e-8)


@shapes
def test_it_is_unbiased_exact_counts_come_back(cells, branching):
    tree, _, _, fit = tree_instance(cells, branching)
    x = np.random.default_rng(2).poisson(3, size=cells)
    assert fit.leaves(tree.sums(x).astype(float)) == pytest.approx(x)


@shapes
def test_variances_and_shares_are_those_of_the_dense_covariance(cells, branching):
    _, M, precisions, fit = tree_instance(cells, branching)
    C = np.linalg.inv(M.T * precisions @ M)
    W = np.random.default_rng(3).normal(size=(6, cells))
    t = C.sum()
    known = C - np.outer(C.sum(axis=0), C.sum(axis=0)) / t
    variances, covariances = fit.query_variances(W)
    assert fit.total_variance == pytest.approx(t)
    assert fit.shares == pytest.approx(C.sum(axis=0) / t)
    assert covariances == pytest.approx(W @ C.sum(axis=0) / t)
    assert variances == pytest.approx(np.diag(W @ known @ W.T), abs=1e-9)


@shapes
def test_a_known_total_acts_like_an_exact_measurement_of_the_root(cells, branching):
    _, M, precisions, fit = tree_instance(cells, branching)
    noisy = np.random.default_rng(4).normal(size=len(M)) * 10
    root = np.append(np.sqrt(precisions), 1e6)
    rows, values = np.vstack([M, np.ones(cells)]), np.append(noisy, 25.0)
    expected = np.linalg.lstsq(root[:, None] * rows, root * values, rcond=None)[0]
    assert with_total(fit.leaves(noisy), fit.shares, 25.0) == pytest.approx(expected, abs=1e-6)


def instance(sizes, names, delta):
    """Settings, a table, and random ranges."""
    B = random_records(domain_of(sizes), 200, np.random.default_rng(0))
    return Hierarchical(epsilon=0.5, delta=delta), B, families.ranges(B.domain, names, 40)


def answers(settings, B, Q, noise):
    """The answers of the only round."""
    (only,) = settings.rounds(B, Q, noise=noise)
    return only.model.answers(Q)


@cases
@deltas
def test_every_added_record_moves_the_counts_by_exactly_what_the_noise_pays_for(sizes, names, delta):
    """By brute force over all records: the L1 norm for Laplace noise of scale Δ/ε, L2 for Gaussian noise of Δ/√2ρ."""
    settings, B, Q = instance(sizes, names, delta)
    before, after = GivenNoise(), GivenNoise()
    answers(settings, B, Q, before)
    budget = settings.guarantee.budget
    allowed = before.scale * (math.sqrt(2 * budget.amount) if delta else budget.amount)
    for cell in np.ndindex(*sizes):
        more = tuple(np.append(c, np.uint8(x)) for c, x in zip(B.codes, cell, strict=True))
        answers(settings, Records(B.domain, more), Q, after)
        assert np.linalg.norm((after.exact - before.exact).ravel(), 2 if delta else 1) == pytest.approx(allowed)


@cases
@deltas
def test_answers_are_unbiased_and_those_of_one_table_of_n_records(sizes, names, delta):
    """Unbiased: the truth plus a linear map of the noise. Consistent: W t = answers has a solution t of sum n."""
    settings, B, Q = instance(sizes, names, delta)
    noiseless, W = GivenNoise(), np.array(query_vectors(Q))
    assert answers(settings, B, Q, noiseless) == pytest.approx(Q.answers(B))
    draws = np.random.default_rng(1).normal(size=noiseless.exact.size)
    up, down = (answers(settings, B, Q, GivenNoise(sign * draws)) for sign in (1, -1))
    assert (up + down) / 2 == pytest.approx(Q.answers(B))
    assert up != pytest.approx(Q.answers(B))
    rows, values = np.vstack([W, np.ones(W.shape[1])]), np.append(up, 200)
    assert rows @ np.linalg.lstsq(rows, values, rcond=None)[0] == pytest.approx(values, abs=1e-6)


@cases
@deltas
def test_the_answers_have_the_covariance_of_least_squares_on_all_nodes_with_n_known(sizes, names, delta):
    """Dense: the nodes are Kronecker products of the rows of the attributes' trees, each with noise of one variance."""
    settings, B, Q = instance(sizes, names, delta)
    boxes = Q.blocks[0].operator
    trees = best_trees(boxes, pure=not delta)
    M = np.ones((1, 1))
    for tree, size in zip(trees, boxes.sizes, strict=True):
        M = np.kron(M, tree.sums(np.eye(size)))
    C = np.linalg.inv(M.T @ M)
    C -= np.outer(C.sum(axis=0), C.sum(axis=0)) / C.sum()
    W = np.array([boxes.query(j, Q.domain, Q.attrs(0))[0].ravel() for j in range(Q.size)])
    noiseless = GivenNoise()
    truth = answers(settings, B, Q, noiseless)
    J = np.array([answers(settings, B, Q, GivenNoise(draw)) - truth for draw in np.eye(noiseless.exact.size)])
    assert J.T @ J == pytest.approx(noiseless.scale**2 * (W @ C @ W.T), abs=1e-6 * noiseless.scale**2)


def dense_error(boxes, W, trees, pure):
    """The summed variances of the boxes, up to a factor, by matrices over the table."""
    M = np.ones((1, 1))
    for tree, size in zip(trees, boxes.sizes, strict=True):
        M = np.kron(M, tree.sums(np.eye(size)))
    C = np.linalg.inv(M.T @ M)
    C -= np.outer(C.sum(axis=0), C.sum(axis=0)) / C.sum()
    return math.prod(tree.depth for tree in trees) ** (2 if pure else 1) * np.trace(W @ C @ W.T)


@pytest.mark.parametrize("pure", [True, False])
@pytest.mark.parametrize(("sizes", "names"), [([60], ["a"]), ([9, 14], ["a", "b"])])
def test_the_plan_is_the_best_of_all_combinations_by_dense_algebra(sizes, names, pure):
    Q = families.ranges(domain_of(sizes), names, 50)
    boxes = Q.blocks[0].operator
    W = np.array([boxes.query(j, Q.domain, Q.attrs(0))[0].ravel() for j in range(Q.size)])
    best = min(
        dense_error(boxes, W, trees, pure) for trees in itertools.product(*(map(Tree.of_every_depth, boxes.sizes)))
    )
    assert dense_error(boxes, W, best_trees(boxes, pure=pure), pure) == pytest.approx(best)


def test_the_branching_is_16_for_laplace_noise_and_less_for_gaussian_noise():
    """Qardaji et al. recommend about 16 for Laplace noise. Gaussian noise grows more slowly with the depth."""
    Q = families.ranges(domain_of([4096]), ["a"], 1000)
    laplace, gaussian = (best_trees(Q.blocks[0].operator, pure=pure)[0] for pure in (True, False))
    assert laplace.sizes == [16, 256, 4096]
    assert gaussian.depth > 2 * laplace.depth


def test_the_mean_squared_error_of_400_runs_is_the_planned_one():
    """Within four standard errors."""
    settings, B, Q = instance(*WORKLOADS["two attributes"], 0.0)
    boxes = Q.blocks[0].operator
    W = np.array([boxes.query(j, Q.domain, Q.attrs(0))[0].ravel() for j in range(Q.size)])
    planned = dense_error(boxes, W, best_trees(boxes, pure=True), True) * 2 / 0.5**2 / Q.size
    truth = Q.answers(B)
    errors = np.array([((answers(settings, B, Q, Seeded(s)) - truth) ** 2).mean() for s in range(400)])
    assert errors.mean() == pytest.approx(planned, abs=4 * errors.std() / 20)


def test_a_domain_with_missing_values_keeps_them_out_of_the_ranges():
    """The tree holds the missing records too, since n counts them."""
    domain = Domain((AGE,))
    codes = np.array([0, 1, 1, 2, 3, 3, 4], np.uint8)
    Q = families.ranges(domain, ["age"], "all")
    B = Records(domain, (codes,))
    assert answers(Hierarchical(epsilon=1.0), B, Q, GivenNoise()) == pytest.approx(Q.answers(B))


def test_unsuitable_settings_and_workloads_are_refused_before_any_data_is_read():
    settings = Hierarchical(epsilon=1.0)
    for Q, message in (
        (
            families.marginals(domain_of([3, 2]), 1),
            "a tree of intervals answers ranges of one or two attributes, not marginals: choose such ranges",
        ),
        (
            families.ranges(domain_of([3, 2, 2]), ["a", "b", "c"], 3),
            "a tree of intervals answers ranges of one or two attributes, not ranges of more: choose such ranges",
        ),
        (
            families.ranges(domain_of([100_001]), ["a"], 3),
            "a tree of intervals reads every cell of a, which has 100,001, but at most 100,000 fit its time and "
            "memory: declare coarser bins",
        ),
    ):
        with pytest.raises(ValueError, match=exactly(message)):
            settings.rounds(None, Q, noise=Seeded(0))
