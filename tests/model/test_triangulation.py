"""Cliques and connected components against their definitions."""

import itertools
import math

import numpy as np
import pytest

from mwem_core.model.triangulation import connected_components, spanning_forest, triangulate


def random_sets(rng, d):
    return [tuple(sorted(rng.choice(d, size=3, replace=False).tolist())) for _ in range(rng.integers(0, 9))]


def test_untouched_attributes_stay_cliques_of_their_own():
    assert sorted(triangulate([(0, 1)], [2, 2, 2, 2], range(4))) == [(0, 1), (2,), (3,)]


def test_a_cycle_is_cut_by_its_smallest_attributes():
    """Of a cycle of four, either diagonal triangulates it: the one between the attributes of few values is cheaper."""
    cliques = triangulate([(0, 1), (1, 2), (2, 3), (0, 3)], [9, 2, 9, 2], range(4))
    assert sorted(cliques) == [(1, 3, 0), (1, 3, 2)]


@pytest.mark.parametrize("seed", range(20))
def test_the_next_attribute_is_always_the_one_whose_clique_has_the_fewest_cells(seed):
    """The rule, with every clique's cells counted anew at every step."""
    rng = np.random.default_rng(seed)
    sets, sizes = [*random_sets(rng, 12), (0, 1), (1, 2), (2, 3), (0, 3)], rng.integers(2, 9, size=12).tolist()
    graph = {a: {b for S in sets if a in S for b in S} - {a} for a in range(12)}
    expected: list[set[int]] = []
    while graph:
        a = min(graph, key=lambda a: (math.prod(sizes[b] for b in graph[a] | {a}), a))
        others = graph.pop(a)
        if not any(others | {a} <= clique for clique in expected):
            expected.append(others | {a})
        for b in others:
            graph[b] = (graph[b] | others) - {a, b}
    assert sorted(map(sorted, triangulate(sets, sizes, range(12)))) == sorted(map(sorted, expected))


@pytest.mark.parametrize("seed", range(20))
def test_cliques_are_maximal_contain_every_set_and_stay_within_its_component(seed):
    rng = np.random.default_rng(seed)
    sets, sizes = random_sets(rng, 12), rng.integers(2, 9, size=12).tolist()
    cliques = triangulate(sets, sizes, range(12))
    assert all(any(set(S) <= set(clique) for clique in cliques) for S in [*sets, *((a,) for a in range(12))])
    assert not any(set(a) < set(b) for a, b in itertools.permutations(cliques, 2))
    groups = connected_components(sets, range(12))
    assert all(sum(not set(clique).isdisjoint(group) for group in groups) == 1 for clique in cliques)
    assert len(spanning_forest(cliques)) == len(cliques) - len(groups)


@pytest.mark.parametrize("seed", range(20))
def test_connected_components_are_the_finest_partition_that_splits_no_set(seed):
    rng = np.random.default_rng(seed)
    sets = random_sets(rng, 12)
    joined = np.eye(12, dtype=bool)
    for S in sets:
        joined[np.ix_(S, S)] = True
    reached = np.linalg.matrix_power(joined.astype(int), 12) > 0
    expected = {tuple(np.flatnonzero(row).tolist()) for row in reached}
    assert [tuple(group) for group in connected_components(sets, range(12))] == sorted(expected)
