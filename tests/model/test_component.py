"""A component's tables, and what a larger tree changes about them."""

import itertools
import math

import numpy as np
import pytest
from models import chain_model, marginal_by_hand, random_model, random_sizes, without_cache
from oracles import joint

from mwem_core.model.component import Component, product_cells, product_tree


@pytest.mark.parametrize("seed", range(20))
def test_a_large_tree_is_triangulated_again_only_between_the_attributes_of_the_new_set(seed, monkeypatch):
    """The distribution stays, tables stay calibrated, and the tree keeps the running intersection property."""
    monkeypatch.setattr("mwem_core.model.component.MAX_SMALL_TREE_CLIQUES", 0)
    rng = np.random.default_rng(seed)
    A = random_model(rng, tuple(int(s) for s in rng.integers(2, 4, size=8)), measurements=5)
    before = joint(A)
    S = tuple(sorted(rng.choice(8, size=rng.integers(2, 4), replace=False).tolist()))
    wider = A.covering([S])
    assert wider.covers(S)
    assert joint(wider) == pytest.approx(before, abs=1e-12)
    for component in wider.components:
        tree = component.tree
        for a in component.attrs:
            assert sum(tree.parent[k] not in tree.cliques_with[a] for k in tree.cliques_with[a]) == 1
        for clique, belief in zip(tree.cliques, component.beliefs, strict=True):
            marginal = A.marginal(tuple(sorted(clique))) / A.total
            assert belief == pytest.approx(marginal.transpose([sorted(clique).index(a) for a in clique]), abs=1e-12)
    touched = {component for component, _ in A.component_parts(S)}
    assert all(c in wider.components for c in A.components if c not in touched)


def test_a_chain_keeps_the_cliques_outside_of_the_new_sets_subtree(monkeypatch):
    monkeypatch.setattr("mwem_core.model.component.MAX_SMALL_TREE_CLIQUES", 0)
    A = chain_model(np.random.default_rng(0), sizes=(2,) * 8)
    (before,), (after,) = A.components, A.covering([(2, 5)]).components
    sets = [{tuple(sorted(clique)) for clique in component.tree.cliques} for component in (before, after)]
    assert sets[0] - sets[1] == {(2, 3), (3, 4), (4, 5)}
    assert sets[0] & sets[1] == {(0, 1), (1, 2), (5, 6), (6, 7)}
    tables = dict(zip(before.tree.cliques, before.beliefs, strict=True))
    for clique, belief in zip(after.tree.cliques, after.beliefs, strict=True):
        assert clique not in tables or belief is tables[clique]


@pytest.mark.parametrize(("joint_cells", "union_cells"), [(2**18, 2**14), (0, 2**14), (0, 30)])
def test_marginals_outside_of_cliques_do_not_depend_on_how_they_are_grouped(joint_cells, union_cells, monkeypatch):
    monkeypatch.setattr("mwem_core.model.component.MAX_COMPONENT_JOINT_CELLS", joint_cells)
    monkeypatch.setattr("mwem_core.model.component.MAX_GROUP_JOINT_CELLS", union_cells)
    A = without_cache(chain_model(np.random.default_rng(1)))
    (component,), p = A.components, joint(A)
    sets = [(0, 2), (0, 3), (0, 4), (1, 3), (1, 4), (2, 4), (0, 1), (0, 2, 4)]
    for S, marginal in component.marginals(sets).items():
        assert marginal == pytest.approx(marginal_by_hand(p, S), abs=1e-12)


@pytest.mark.parametrize(("cells", "cached"), [(6, True), (5, False)])
def test_marginals_are_computed_once_unless_they_are_too_large_for_the_cache(cells, cached, monkeypatch):
    monkeypatch.setattr("mwem_core.model.component.MAX_CACHED_CELLS", cells)
    component = Component.of((2, 3), (0, 1), {(0, 1): np.arange(6.0).reshape(2, 3)})
    first, again = (component.marginals([(0, 1)])[(0, 1)] for _ in range(2))
    assert again == pytest.approx(first)
    assert ((0, 1) in component._cache) == cached


def test_widening_adds_the_cells_of_the_widened_cliques():
    """Cliques (0, 1), (1, 2), (2, 3) of 4 · 3, 3 · 5 and 5 · 2 cells; (0, 3) adds 0 and 3 to the cliques without."""
    (component,) = chain_model(np.random.default_rng(0), sizes=(4, 3, 5, 2)).components
    assert component.cells == 12 + 15 + 10
    assert component.widening_cells((0, 1)) == 0
    assert component.widening_cells((0, 3)) == 12 * (2 - 1) + 15 * (4 * 2 - 1) + 10 * (4 - 1)


@pytest.mark.parametrize("seed", range(10))
def test_the_cells_of_a_product_are_those_of_its_tree(seed):
    rng = np.random.default_rng(seed)
    A = random_model(rng, random_sizes(rng), measurements=4)
    for S in itertools.combinations(range(len(A.sizes)), 3):
        components = list({id(c): c for c in (A.components[i] for i in A.component_of[list(S)])}.values())
        tree = product_tree(components, [S])
        assert product_cells(components, S) == sum(math.prod(A.sizes[a] for a in clique) for clique in tree.cliques)


def test_a_component_covers_what_lies_within_a_clique_whether_it_was_measured_or_not():
    component = Component.of((2, 2, 2), (0, 1, 2), {(0, 1): np.zeros((2, 2))}, [(1, 2)])
    assert component.covers((0, 1))
    assert component.covers((1, 2))
    assert component.covers((2,))
    assert not component.covers((0, 2))
