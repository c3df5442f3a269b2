"""Contractions against the product over all cells; groups of attribute sets against their definition."""

import math

import numpy as np
import pytest

from mwem_core.model.contraction import contract, grouped_by_union


@pytest.mark.parametrize("factors", [1, 2, 3])
def test_contraction_is_the_sum_of_the_product(factors):
    rng = np.random.default_rng(factors)
    sizes, parts = {2: 3, 5: 2, 6: 4}, [(2, 6), (6, 5), (5,)][:factors]
    tables = [rng.random([sizes[a] for a in attrs]) for attrs in parts]
    result = contract(list(zip(tables, parts, strict=True)), (2, 6))
    for x2, x6 in np.ndindex(3, 4):
        cells = [{2: x2, 5: x5, 6: x6} for x5 in (range(2) if factors > 1 else [0])]
        products = (math.prod(t[tuple(x[a] for a in S)] for t, S in zip(tables, parts, strict=True)) for x in cells)
        assert result[x2, x6] == pytest.approx(sum(products))


@pytest.mark.parametrize("seed", range(20))
def test_contraction_of_many_tables_is_that_of_einsum(seed):
    """Two to five tables over some of six attributes; those kept are some of the tables' own."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 5, size=6)
    parts = [tuple(rng.choice(6, size=rng.integers(1, 5), replace=False).tolist()) for _ in range(rng.integers(2, 6))]
    used = sorted({a for S in parts for a in S})
    attrs = tuple(rng.permutation(used)[: rng.integers(1, len(used) + 1)].tolist())
    tables = [rng.random(sizes[list(S)]) for S in parts]
    operands = [item for table, S in zip(tables, parts, strict=True) for item in (table, list(S))]
    named = [tuple(100 + a for a in S) for S in parts]  # as on a wide table
    found = contract(list(zip(tables, named, strict=True)), tuple(100 + a for a in attrs))
    assert found == pytest.approx(np.einsum(*operands, list(attrs)))


def test_one_table_is_summed_to_the_attributes_asked_for_in_their_order():
    table = np.random.default_rng(0).random((2, 3, 4))
    assert contract([(table, (6, 2, 5))], (2, 6)) == pytest.approx(table.sum(axis=2).T)


@pytest.mark.parametrize("seed", range(20))
def test_every_set_is_in_one_group_within_its_union_and_unions_are_small(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 6, size=8).tolist()
    sets = list({tuple(sorted(rng.choice(8, size=rng.integers(1, 4), replace=False).tolist())) for _ in range(15)})
    groups = grouped_by_union(sets, sizes, max_cells=60)
    assert sorted(S for _, group in groups for S in group) == sorted(sets)
    for union, group in groups:
        assert set(union) == {a for S in group for a in S}
        cells = math.prod(sizes[a] for a in union)
        assert cells <= 60 or union in group  # only a set that is larger by itself exceeds the limit


def test_overlapping_sets_share_a_union_and_no_sets_have_none():
    assert grouped_by_union([(0, 1), (1, 2), (0, 2), (5, 6)], [2] * 7, 8) == [
        ((0, 1, 2), [(0, 1), (1, 2), (0, 2)]),
        ((5, 6), [(5, 6)]),
    ]
    assert grouped_by_union([], [2], 8) == []
