"""The log-linear model against brute force over the whole domain."""

import itertools
import math

import numpy as np
import pytest
from models import marginal_by_hand, random_model, random_set, random_sizes, without_cache
from oracles import joint

from mwem_core.model.loglinear import LogLinear, share_a_component
from mwem_core.model.measurement import Measurement
from mwem_core.model.replay import replay


@pytest.mark.parametrize("seed", range(50))
def test_marginals_entropy_and_probabilities_equal_brute_force(seed):
    """All marginals in one call, and each in a call of its own."""
    rng = np.random.default_rng(seed)
    A = random_model(rng, random_sizes(rng))
    p, d = joint(A), len(A.sizes)
    sets = [S for k in range(d + 1) for S in itertools.combinations(range(d), k)]
    for S, marginal in zip(sets, A.marginals(sets), strict=True):
        want = marginal_by_hand(p, S)
        assert marginal.shape == want.shape
        assert np.abs(marginal / A.total - want).max() <= 1e-10
        assert np.abs(without_cache(A).marginal(S) / A.total - want).max() <= 1e-10
    entropy = -(p[p > 0] * np.log(p[p > 0])).sum()
    assert A.entropy() == pytest.approx(entropy, abs=1e-9)
    cells = tuple(axis.ravel() for axis in np.indices(A.sizes))
    assert A.probability(cells) == pytest.approx(p.ravel(), abs=1e-10)


def test_the_uniform_model_has_equal_cells_and_the_greatest_entropy():
    A = LogLinear.uniform((2, 3, 5), 60.0)
    assert A.marginal((0, 1, 2)) == pytest.approx(np.full((2, 3, 5), 2.0))
    assert A.marginal(()) == pytest.approx(60.0)
    assert A.entropy() == pytest.approx(math.log(30))
    assert A.cells == 2 + 3 + 5


def test_a_single_clique_is_the_dense_table():
    log = np.random.default_rng(1).normal(size=(3, 4, 2))
    A = LogLinear.of((3, 4, 2), 1.0, {(0, 1, 2): log})
    assert [len(c.tree.cliques) for c in A.components] == [1]
    assert A.marginal((0, 1, 2)) == pytest.approx(np.exp(log) / np.exp(log).sum())


def test_a_thousand_attributes_cost_a_thousand_small_tables():
    A = LogLinear.uniform((2,) * 1000, 1.0)
    A = replay(A, [Measurement((3, 700), np.array([[0.4, 0.1], [0.1, 0.4]]), 0.1)], step=2.0, sweeps=50)
    assert A.cells == 998 * 2 + 4
    assert A.marginal((3, 5, 700)).sum(axis=1) == pytest.approx(np.array([[0.4, 0.1], [0.1, 0.4]]), abs=1e-3)


@pytest.mark.parametrize("seed", range(20))
def test_marginals_by_the_array_are_marginals_one_by_one(seed, monkeypatch):
    """Of bits and of mixed sizes, in one component and in many; pairs both one by one and from the matrix of all."""
    rng = np.random.default_rng(seed)
    sizes = (2,) * 9 if seed % 2 else tuple(int(s) for s in rng.integers(2, 4, size=9))
    A = LogLinear.uniform(sizes, 100.0)
    for _ in range(rng.integers(1, 9)):
        S = random_set(rng, 9)
        shape = [sizes[a] for a in S]
        m = 100 * rng.dirichlet(np.ones(math.prod(shape))).reshape(shape)
        A = replay(A, [Measurement(S, m, 1.0)], step=2.0, sweeps=4)
    blocks = [np.array(list(itertools.combinations(range(9), k))) for k in (1, 2, 3)]
    singly = [np.concatenate([without_cache(A).marginal(tuple(S)).ravel() for S in block.tolist()]) for block in blocks]
    for cells, want in zip(A.flat_marginals(blocks), singly, strict=True):
        assert cells == pytest.approx(want, abs=1e-9)
    for work in (0, np.inf):
        monkeypatch.setattr("mwem_core.model.loglinear.MATRIX_WORK", work)
        (pairs,) = without_cache(A).flat_marginals(blocks[1:2])
        assert pairs == pytest.approx(singly[1], abs=1e-9)


def test_all_of_many_sets_are_covered_even_where_one_changes_the_tree_that_held_another():
    """(1, 3) is within a clique of a cycle's tree, which (0, 4) changes."""
    cycle, others = [(0, 1), (3, 4), (1, 2), (2, 4), (0, 3)], [(1, 3), (0, 4)]
    A = LogLinear.uniform((4,) * 5, 1.0).covering(cycle)
    assert [A.covers(S) for S in others] == [True, False]
    assert not A.covering(others[1:]).covers((1, 3))
    wider = A.covering(others)
    assert all(wider.covers(S) for S in cycle + others)


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("seed", range(10))
def test_covering_keeps_the_distribution_and_the_components_it_does_not_touch(seed, count):
    rng = np.random.default_rng(seed)
    A = random_model(rng, random_sizes(rng), measurements=3)
    sets = [random_set(rng, len(A.sizes)) for _ in range(count)]
    wider = A.covering(sets)
    assert all(wider.covers(S) for S in sets)
    assert joint(wider) == pytest.approx(joint(A), abs=1e-12)
    touched = np.zeros(len(A.sizes), bool)
    for S in sets:
        if not A.covers(S):
            touched |= np.isin(A.component_of, A.component_of[list(S)])
    assert wider.changed_since(A).tolist() == touched.tolist()


def test_component_parts_and_share_a_component_follow_the_measured_sets():
    A = LogLinear.of((2,) * 6, 1.0, {(0, 3): np.zeros((2, 2)), (3, 5): np.zeros((2, 2)), (1, 2): np.zeros((2, 2))})
    assert [(component.attrs, part) for component, part in A.component_parts((1, 3, 4, 5))] == [
        ((1, 2), (1,)),
        ((0, 3, 5), (3, 5)),
        ((4,), (4,)),
    ]
    assert share_a_component(A, np.array([[0, 5], [0, 1], [1, 2], [2, 4]])).tolist() == [True, False, True, False]


def test_the_marginal_of_one_set_by_the_array_is_that_of_the_set():
    """Of independent attributes, of two in one clique, of two across a tree and of two in different components."""
    rng = np.random.default_rng(0)
    A = LogLinear.of((2, 3, 4, 2), 9.0, {(0, 1): rng.normal(size=(2, 3)), (1, 2): rng.normal(size=(3, 4))})
    for S in ((0,), (3,), (0, 1), (0, 2), (2, 3), (0, 1, 3)):
        (cells,) = without_cache(A).flat_marginals([np.array([S])])
        assert cells == pytest.approx(A.marginal(S).ravel())


def test_cells_without_weight_add_nothing_to_the_entropy():
    """Three equal cells, and one whose weight is too small for a number."""
    A = LogLinear.of((2, 2), 1.0, {(0, 1): np.array([[0.0, -800.0], [0.0, 0.0]])})
    assert A.entropy() == pytest.approx(np.log(3))
