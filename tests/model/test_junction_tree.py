"""Junction trees: the running intersection property, paths and subtrees."""

import itertools

import numpy as np
import pytest

from mwem_core.model.junction_tree import JunctionTree

CHAIN = JunctionTree.over([(0, 1), (1, 2), (2, 3), (3, 4)], [2] * 6)  # and attribute 5, a tree of its own


def clique_sets(ks, tree=CHAIN):
    return [tuple(sorted(tree.cliques[k])) for k in ks]


def connected(tree, members):
    """Whether cliques of one tree are connected: exactly one has its parent outside."""
    return sum(tree.parent[k] not in members for k in members) == 1


@pytest.mark.parametrize("seed", range(20))
def test_tree_covers_its_sets_and_has_the_running_intersection_property(seed):
    rng = np.random.default_rng(seed)
    sizes = [int(s) for s in rng.integers(2, 9, size=10)]
    sets = [tuple(sorted(rng.choice(10, size=3, replace=False).tolist())) for _ in range(rng.integers(0, 9))]
    tree = JunctionTree.over(sets, sizes)
    assert all(tree.find_clique(S) is not None for S in [*sets, *((a,) for a in range(10))])
    assert not any(set(a) < set(b) for a, b in itertools.permutations(tree.cliques, 2))
    assert all(connected(tree, tree.cliques_with[a]) for a in range(10))
    assert sorted(tree.order) == list(range(len(tree.cliques)))
    assert all(tree.order.index(p) < tree.order.index(k) for k, p in enumerate(tree.parent) if p >= 0)
    for k, p in enumerate(tree.parent):
        shared = set(tree.cliques[k]) & set(tree.cliques[p]) if p >= 0 else set()
        assert tree.separator[k] == tuple(sorted(shared))


@pytest.mark.parametrize("seed", range(20))
def test_a_subtree_contains_its_attributes_and_is_connected_within_each_tree(seed):
    rng = np.random.default_rng(seed)
    sets = [tuple(sorted(rng.choice(10, size=2, replace=False).tolist())) for _ in range(9)]
    tree = JunctionTree.over(sets, [2] * 10)
    for S in itertools.combinations(range(10), 3):
        members = tree.subtree(S)
        assert set(S) <= {a for k in members for a in tree.cliques[k]}
        assert members == [k for k in tree.order if k in members]
        for root in {tree.root[k] for k in members}:
            assert connected(tree, {k for k in members if tree.root[k] == root})


def test_paths_subtrees_and_neighbourhoods_of_a_chain():
    first, last = CHAIN.clique_for((0, 1)), CHAIN.clique_for((3, 4))
    assert clique_sets(CHAIN.path(first, last)) == [(0, 1), (1, 2), (2, 3), (3, 4)]
    assert clique_sets(CHAIN.path(last, first)) == [(3, 4), (2, 3), (1, 2), (0, 1)]
    assert sorted(clique_sets(CHAIN.subtree((0, 2)))) == [(0, 1), (1, 2)]
    assert sorted(clique_sets(CHAIN.subtree((0, 5)))) == [(0, 1), (5,)]
    assert sorted(clique_sets(CHAIN.neighbourhood(CHAIN.clique_for((1, 2)), 1))) == [(0, 1), (1, 2), (2, 3)]
    assert CHAIN.neighbourhood(last, 0) == [last]


def test_the_clique_of_a_set_is_the_smallest_that_contains_it():
    tree = JunctionTree.over([(0, 1, 2), (2, 3)], [2] * 4)
    assert clique_sets([tree.clique_for((2,))], tree) == [(2, 3)]
    assert tree.find_clique((1, 3)) is None
    with pytest.raises(ValueError, match=r"no clique holds the attributes \(1, 3\): build the tree to cover them"):
        tree.clique_for((1, 3))


def test_a_forest_has_the_cliques_of_its_trees_and_no_edge_between_them():
    other = JunctionTree.over([(6, 7), (7, 8)], [2] * 9, [6, 7, 8])
    forest = JunctionTree.forest([CHAIN, other, CHAIN])
    assert forest.cliques == (*CHAIN.cliques, *other.cliques, *CHAIN.cliques)
    assert forest.separator == (*CHAIN.separator, *other.separator, *CHAIN.separator)
    first = 0
    for tree in (CHAIN, other, CHAIN):
        part = range(first, first + len(tree.cliques))
        assert [forest.parent[k] for k in part] == [p + first if p >= 0 else -1 for p in tree.parent]
        assert [forest.order[k] - first for k in part] == list(tree.order)
        first += len(tree.cliques)
