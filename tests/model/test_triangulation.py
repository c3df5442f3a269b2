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


def eliminate(sets, order):
    """The maximal cliques that this order of elimination makes: `order` gives the next attribute of a graph."""
    graph = {a: {b for S in sets if a in S for b in S} - {a} for S in sets for a in S}
    cliques: list[set[int]] = []
    while graph:
        a = order(graph)
        others = graph.pop(a)
        if not any(others | {a} <= clique for clique in cliques):
            cliques.append(others | {a})
        for b in others:
            graph[b] = (graph[b] | others) - {a, b}
    return cliques


def cells(cliques, sizes):
    return sum(math.prod(sizes[a] for a in clique) for clique in cliques)


@pytest.mark.parametrize("d", [8, 12])
@pytest.mark.parametrize("seed", range(20))
def test_the_next_attribute_is_the_one_whose_clique_has_the_fewest_cells(seed, d):
    """The rule, with all cells counted anew at every step. Eight attributes leave it only for fewer cells."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 9, size=d).tolist()
    sets = [*random_sets(rng, d), (0, 1), (1, 2), (2, 3), (0, 3), *((a,) for a in range(d))]
    expected = eliminate(sets, lambda graph: min(graph, key=lambda a: (cells([graph[a] | {a}], sizes), a)))
    cliques = triangulate(sets, sizes, range(d))
    if d == 12 or cells(cliques, sizes) == cells(expected, sizes):
        assert sorted(map(sorted, cliques)) == sorted(map(sorted, expected))
    else:
        assert cells(cliques, sizes) < cells(expected, sizes)


@pytest.mark.parametrize("seed", range(60))
def test_no_elimination_order_of_a_few_attributes_gives_fewer_cells(seed):
    """Against brute force over every order."""
    rng = np.random.default_rng(seed)
    d = 3 + seed % 4
    sizes, pairs = rng.integers(2, 17, size=d).tolist(), list(itertools.combinations(range(d), 2))
    chosen = rng.choice(len(pairs), size=min(len(pairs), int(rng.integers(d - 1, 2 * d))), replace=False)
    sets = [*(pairs[i] for i in chosen), tuple(sorted(rng.choice(d, size=3, replace=False).tolist()))]
    sets = sets[seed % 2 :] + [(a,) for a in range(d)]
    orders = (iter(order) for order in itertools.permutations(range(d)))
    least = min(cells(eliminate(sets, lambda _, order=order: next(order)), sizes) for order in orders)
    assert cells(triangulate(sets, sizes, range(d)), sizes) == least


def test_every_loop_of_four_attributes_of_adult_is_cut_by_its_cheaper_diagonal():
    sizes = (9, 16, 7, 15, 6, 5, 2, 42)
    for four in itertools.combinations(range(8), 4):
        for a, b, c, d in {(four[0], *rest) for rest in itertools.permutations(four[1:]) if rest[0] < rest[2]}:
            loop = [tuple(sorted(pair)) for pair in ((a, b), (b, c), (c, d), (d, a))]
            cheaper = min(cells([(a, b, c), (a, c, d)], sizes), cells([(a, b, d), (b, c, d)], sizes))
            assert cells(triangulate(loop, sizes, four), sizes) == cheaper


@pytest.mark.parametrize("seed", range(20))
def test_one_more_set_never_makes_eight_attributes_cheaper(seed):
    rng = np.random.default_rng(seed)
    sizes, pairs = rng.integers(2, 17, size=8).tolist(), list(itertools.combinations(range(8), 2))
    order = [pairs[i] for i in rng.permutation(len(pairs))]
    held = [cells(triangulate(order[:k], sizes, range(8)), sizes) for k in range(len(order) + 1)]
    assert held == sorted(held)


@pytest.mark.parametrize("d", [8, 12])
@pytest.mark.parametrize("seed", range(20))
def test_cliques_are_maximal_contain_every_set_and_stay_within_its_component(seed, d):
    rng = np.random.default_rng(seed)
    sets, sizes = random_sets(rng, d), rng.integers(2, 9, size=d).tolist()
    cliques = triangulate(sets, sizes, range(d))
    assert all(any(set(S) <= set(clique) for clique in cliques) for S in [*sets, *((a,) for a in range(d))])
    assert not any(set(a) < set(b) for a, b in itertools.permutations(cliques, 2))
    groups = connected_components(sets, range(d))
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
