"""DAWA: its order of cells, its tree, what it spends, and what it refuses."""

import itertools

import numpy as np
import pytest
from messages import exactly
from oracles import domain_of, random_records
from scipy.linalg import block_diag

from mwem_core import Dawa, Hierarchical, Records, Seeded
from mwem_core.privacy import laplace_scale
from mwem_core.relatives.ranges.dawa import curve, plan
from mwem_core.relatives.ranges.greedy import greedy_scales
from mwem_core.relatives.ranges.tree import LeastSquares, Tree
from mwem_core.workload import families


class Noiseless:
    """A noise source that adds no noise, and keeps the exact values and the scales."""

    def __init__(self):
        self.exact, self.scales = [], []

    def laplace(self, exact, epsilon, sensitivity):
        """The exact values."""
        self.exact.append(np.array(exact))
        self.scales.append(laplace_scale(epsilon, sensitivity))
        return np.array(exact, float)


def run(settings, B, Q, noise):
    """The only round."""
    (only,) = settings.rounds(B, Q, noise=noise)
    return only


def random_intervals(m, count, seed=0):
    """(count, m) indicators of random intervals."""
    ends = np.sort(np.random.default_rng(seed).integers(m, size=(count, 2)), axis=1)
    return ((np.arange(m) >= ends[:, :1]) & (np.arange(m) <= ends[:, 1:])).astype(float)


@pytest.mark.parametrize("side", [1, 2, 4, 16])
def test_the_curve_steps_from_cell_to_neighbouring_cell_on_a_square_of_a_power_of_two(side):
    order = curve((side, side))
    steps = np.abs(np.diff(np.array(np.unravel_index(order, (side, side))), axis=1)).sum(axis=0)
    assert (steps == 1).all()
    assert sorted(order) == list(range(side * side))


@pytest.mark.parametrize("sizes", [(3, 5), (1, 7), (10, 2), (6, 6)])
def test_on_other_tables_it_is_the_curve_of_the_enclosing_square_without_the_cells_outside(sizes):
    side = 8 if max(sizes) <= 8 else 16
    codes = np.array(np.unravel_index(curve((side, side)), (side, side)))
    inside = codes[:, (codes[0] < sizes[0]) & (codes[1] < sizes[1])]
    assert curve(sizes).tolist() == np.ravel_multi_index(tuple(inside), sizes).tolist()


@pytest.mark.parametrize("m", [1, 2, 7, 40])
def test_greedy_factors_sum_to_one_from_every_leaf_up(m):
    tree = Tree.of(m, 2)
    scales = greedy_scales(tree, random_intervals(m, 60))
    assert (tree.sums(np.eye(m)).T @ scales) == pytest.approx(np.ones(m))
    assert scales.min() >= 0


def greedy_densely(tree, W, level=-1, first=0, end=None):
    """The factors {(level, first leaf): s} of a node's subtree, by the docstring's steps on dense matrices; C and E."""
    end = W.shape[1] if end is None else end
    if level == tree.depth - 1:
        return {(level, first): 1.0}, np.ones((1, 1)), (W[:, first] ** 2).sum()
    children = [start for start in tree.starts[level + 1] if first <= start < end]
    parts = [greedy_densely(tree, W, level + 1, *ends) for ends in itertools.pairwise([*children, end])]
    C, E = block_diag(*(C for _, C, _ in parts)), sum(E for *_, E in parts)
    if level == -1:
        return {node: s for scales, *_ in parts for node, s in scales.items()}, C, E
    child = np.searchsorted(children, np.arange(first, end), side="right")
    G, decay = W[:, first:end].T @ W[:, first:end], 2 ** (-(level + 1) / 2)
    weighted = C.sum(axis=0) @ np.where(child[:, None] == child, G, decay * G) @ C.sum(axis=0)

    def error(share):
        own = decay * share**2
        return (E - weighted * own / ((1 - share) ** 2 + C.sum() * own)) / (1 - share) ** 2

    share = min((i / 100 for i in range(100)), key=error)
    scales = {node: s * (1 - share) for scales, *_ in parts for node, s in scales.items()}
    covariance = np.linalg.inv((1 - share) ** 2 * np.linalg.inv(C) + share**2)
    return {(level, first): share} | scales, covariance, error(share)


@pytest.mark.parametrize("m", [1, 3, 16, 120])
def test_greedy_factors_are_those_of_the_steps_on_dense_matrices(m):
    tree, W = Tree.of(m, 2), random_intervals(m, 80, seed=m)
    expected, *_ = greedy_densely(tree, W)
    nodes = [(level, first) for level, starts in enumerate(tree.starts) for first in starts]
    assert greedy_scales(tree, W) == pytest.approx([expected[node] for node in nodes])
    assert m < 100 or max(s for (level, _), s in expected.items() if level < tree.depth - 1) > 0


def test_the_plan_is_the_least_expected_error_of_all_branchings_and_the_greedy_tree():
    """Random ranges favour a larger branching with equal factors; ranges in a few places the greedy tree."""
    for queries in (random_intervals(100, 200), np.pad(random_intervals(6, 30), [(0, 0), (0, 94)])):
        binary = Tree.of(100, 2)
        tried = [(tree, np.full(sum(tree.sizes), 1 / tree.depth)) for tree in Tree.of_every_depth(100)]
        tried.append((binary, greedy_scales(binary, queries)))
        errors = []
        for tree, scales in (*tried, plan(queries)):
            M = scales[:, None] * tree.sums(np.eye(100))
            C = np.linalg.inv(M.T @ M)
            C -= np.outer(C.sum(axis=0), C.sum(axis=0)) / C.sum()
            errors.append(np.trace(queries @ C @ queries.T))
        assert errors[-1] == pytest.approx(min(errors[:-1]))
        assert (errors[-2] == min(errors[:-1])) == (queries[:, 6:].max() == 0)


@pytest.mark.parametrize(("sizes", "names"), [([40, 2], ["a"]), ([6, 9], ["a", "b"]), ([2], ["a"])])
def test_the_measured_counts_move_by_at_most_what_the_noise_pays_for(sizes, names):
    """By brute force over all records, at the same buckets: an L1 norm of at most 1, with noise of scale 1/0.75ε."""
    B = random_records(domain_of(sizes), 300, np.random.default_rng(0))
    Q, settings, before = families.ranges(B.domain, names, 30), Dawa(epsilon=0.8), Noiseless()
    label, compared = run(settings, B, Q, before).label, 0
    assert before.scales == pytest.approx([4 / (0.25 * 0.8), 1 / (0.75 * 0.8)])
    for cell in np.ndindex(*sizes):
        more = tuple(np.append(c, np.uint8(x)) for c, x in zip(B.codes, cell, strict=True))
        after = Noiseless()
        if run(settings, Records(B.domain, more), Q, after).label == label:
            moved = np.abs(after.exact[1] - before.exact[1]).sum()
            compared += moved <= 1 + 1e-9
    assert compared >= np.prod(sizes) / 2


def test_a_smaller_split_leaves_the_rest_to_the_counts():
    B = random_records(domain_of([16]), 100, np.random.default_rng(0))
    noise = Noiseless()
    only = run(Dawa(epsilon=2.0, split=0.1), B, families.ranges(B.domain, ["a"], 9), noise)
    assert (only.ledger.select, only.ledger.measure) == pytest.approx((0.2, 1.8))
    assert noise.scales == pytest.approx([4 / 0.2, 1 / 1.8])


def test_almost_without_noise_a_table_of_even_buckets_is_answered_by_few_of_them():
    for sizes, names, table in (
        ([64], ["a"], np.repeat([9, 0, 30, 2], [16, 32, 8, 8])),
        ([8, 8], ["a", "b"], np.kron([[40, 0], [3, 12]], np.ones((4, 4), int))),
    ):
        domain = domain_of(sizes)
        codes = np.unravel_index(np.repeat(np.arange(table.size), table.ravel()), sizes)
        B = Records(domain, tuple(code.astype(np.uint8) for code in codes))
        Q = families.ranges(domain, names, 50)
        only = run(Dawa(epsilon=1e5), B, Q, Seeded(0))
        assert only.model.answers(Q) == pytest.approx(Q.answers(B), abs=0.01)
        assert int(only.label.removesuffix(" buckets")) < 16


def test_at_large_epsilon_it_converges_to_the_truth_of_any_table():
    B = random_records(domain_of([30, 4]), 500, np.random.default_rng(3))
    for names in (["a"], ["a", "b"]):
        Q = families.ranges(B.domain, names, 100)
        assert run(Dawa(epsilon=1e5), B, Q, Seeded(0)).model.answers(Q) == pytest.approx(Q.answers(B), abs=0.01)


def test_on_a_table_of_few_even_buckets_it_beats_noise_on_a_tree():
    """At small ε, 2,048 cells in four even buckets: mean errors over five seeds."""
    x = np.repeat([20, 1, 8, 0], 512)
    B = Records(domain_of([2048]), (np.repeat(np.arange(2048), x).astype(np.uint16),))
    Q = families.ranges(B.domain, ["a"], 500)
    truth = Q.answers(B)
    dawa, tree = (
        np.mean([np.abs(run(s, B, Q, Seeded(seed)).model.answers(Q) - truth).mean() for seed in range(5)])
        for s in (Dawa(epsilon=0.05), Hierarchical(epsilon=0.05))
    )
    assert dawa < tree


def test_the_variances_of_its_fit_are_those_of_its_factors():
    """A node with factor s gets noise of variance 1/s² after division: the precisions of the fit."""
    tree, scales = plan(random_intervals(12, 30))
    fit = LeastSquares.of(tree, scales**2)
    M = tree.sums(np.eye(12))
    assert fit.total_variance == pytest.approx(np.linalg.inv(M.T * scales**2 @ M).sum())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"epsilon": 0}, "epsilon must be a positive number, got 0"),
        ({"split": 0.0}, "split must be a positive number, got 0.0"),
        ({"split": 1.0}, "split must be below 1, got 1: the rest measures the buckets"),
    ],
)
def test_settings_out_of_range_are_refused_on_construction(settings, message):
    with pytest.raises(ValueError, match=exactly(message)):
        Dawa(**{"epsilon": 1.0, **settings})


def test_unsuitable_workloads_are_refused_before_any_data_is_read():
    for Q, message in (
        (
            families.parities(domain_of([2, 2]), 1),
            "DAWA answers ranges of one or two attributes, not parities: choose such ranges",
        ),
        (
            families.ranges(domain_of([2, 2, 2]), ["a", "b", "c"], 3),
            "DAWA answers ranges of one or two attributes, not ranges of more: choose such ranges",
        ),
        (
            families.ranges(domain_of([129, 129]), ["a", "b"], 3),
            "DAWA reads every cell of a × b, which has 16,641, but at most 16,384 fit its time and memory: "
            "declare coarser bins",
        ),
    ):
        with pytest.raises(ValueError, match=exactly(message)):
            Dawa(epsilon=1.0).rounds(None, Q, noise=Seeded(0))
