"""The tree of intervals: its nodes, and least squares against dense linear algebra."""

import math

import numpy as np
import pytest

from mwem_core.relatives.ranges.tree import LeastSquares, Tree, with_total

SHAPES = [(1, 2), (2, 2), (5, 2), (8, 2), (9, 3), (10, 3), (17, 4), (23, 23), (40, 7)]
shapes = pytest.mark.parametrize(("cells", "branching"), SHAPES)


def matrix(tree, cells):
    """The nodes as rows over the cells."""
    return tree.sums(np.eye(cells))


def instance(cells, branching, seed=0):
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
    _, M, precisions, fit = instance(cells, branching)
    noisy = np.random.default_rng(1).normal(size=(len(M), 3)) * 10
    root = np.sqrt(precisions)[:, None]
    expected = np.linalg.lstsq(root * M, root * noisy, rcond=None)[0]
    assert fit.leaves(noisy) == pytest.approx(expected, abs=1e-8)
    assert fit.leaves(noisy[:, 0]) == pytest.approx(expected[:, 0], abs=1e-8)


@shapes
def test_it_is_unbiased_exact_counts_come_back(cells, branching):
    tree, _, _, fit = instance(cells, branching)
    x = np.random.default_rng(2).poisson(3, size=cells)
    assert fit.leaves(tree.sums(x).astype(float)) == pytest.approx(x)


@shapes
def test_variances_and_shares_are_those_of_the_dense_covariance(cells, branching):
    _, M, precisions, fit = instance(cells, branching)
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
    _, M, precisions, fit = instance(cells, branching)
    noisy = np.random.default_rng(4).normal(size=len(M)) * 10
    root = np.append(np.sqrt(precisions), 1e6)
    rows, values = np.vstack([M, np.ones(cells)]), np.append(noisy, 25.0)
    expected = np.linalg.lstsq(root[:, None] * rows, root * values, rcond=None)[0]
    assert with_total(fit.leaves(noisy), fit.shares, 25.0) == pytest.approx(expected, abs=1e-6)
