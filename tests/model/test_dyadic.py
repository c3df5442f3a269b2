"""Dyadic intervals: counts of all levels agree, and differences of different levels are orthogonal."""

import itertools
import math

import numpy as np
import pytest

from mwem_core.model.measurement import bounds, counts, differences, heights, up_to, values

every_shape = pytest.mark.parametrize("sizes", [(1,), (2,), (5,), (8,), (13,), (3, 5), (4, 2), (1, 6)], ids=str)


def levels_of(sizes):
    return [(0,) * len(sizes), *up_to(heights(sizes))]


@every_shape
def test_a_count_is_the_sum_of_the_values_within_its_bounds(sizes):
    table = np.random.default_rng(0).integers(0, 9, sizes)
    for levels in levels_of(sizes):
        cuts = [bounds(size, level) for size, level in zip(sizes, levels, strict=True)]
        found = counts(table, levels)
        assert found.shape == tuple(2**level for level in levels)
        for index in np.ndindex(*found.shape):
            box = tuple(slice(cut[i], cut[i + 1]) for cut, i in zip(cuts, index, strict=True))
            assert found[index] == table[box].sum()


@every_shape
def test_counts_of_a_coarser_level_are_those_of_any_finer_level_added_up(sizes):
    table = np.random.default_rng(1).integers(0, 9, sizes)
    for fine, coarse in itertools.product(levels_of(sizes), repeat=2):
        if all(f >= c for f, c in zip(fine, coarse, strict=True)):
            assert counts(counts(table, fine), coarse).tolist() == counts(table, coarse).tolist()
            assert differences(counts(table, fine), coarse, sizes) == pytest.approx(differences(table, coarse, sizes))


@pytest.mark.parametrize("size", [2, 5, 8, 13])
def test_intervals_of_a_level_differ_by_at_most_one_value_and_end_as_single_ones(size):
    for level in range(heights([size])[0] + 1):
        widths = np.diff(bounds(size, level))
        assert widths.sum() == size
        assert widths.max() - widths.min() <= 1
        if level:
            assert values(size, level).ravel().tolist() == widths.tolist()
    assert widths.max() == 1


@every_shape
def test_differences_of_two_levels_are_orthogonal_and_with_the_total_determine_the_table(sizes):
    cells = math.prod(sizes)
    unit = np.eye(cells).reshape(cells, *sizes)
    by_level = [np.array([differences(e, k, sizes).ravel() for e in unit]).T for k in up_to(heights(sizes))]
    for a, b in itertools.combinations(by_level, 2):
        assert np.abs(a @ b.T).max() < 1e-12
    assert all(np.abs(rows.sum(axis=1)).max() < 1e-12 for rows in by_level)  # none sees the uniform table
    assert np.linalg.matrix_rank(np.concatenate([*by_level, np.ones((1, cells))])) == cells
