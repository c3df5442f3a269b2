"""Counting rows into marginals, beside a count row by row."""

from itertools import combinations

import numpy as np
import pytest

from mwem_core.domain import count, counting, distinct


def drawn(sizes, rows, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.integers(size, size=rows).astype(np.uint8) for size in sizes], rng


def one_by_one(codes, sizes, S, weights):
    """The oracle: each row added to its cell."""
    table = np.zeros([sizes[a] for a in S])
    np.add.at(table, tuple(codes[a] for a in S), weights)
    return table


@pytest.mark.parametrize(
    ("sizes", "k"),
    [
        ((2,) * 12, 1),  # one group holds all sets
        ((2,) * 12, 3),
        ((3, 1, 5, 2, 7, 4, 1, 2, 6), 2),  # attributes of one value are in a group too
        ((3, 200, 2, 4, 2, 150, 3), 2),  # two attributes are alone in their groups
        ((50, 60, 70), 2),  # no set shares its groups with another
    ],
)
def test_marginals_counted_in_groups_are_those_counted_one_by_one(sizes, k):
    codes, rng = drawn(sizes, 20_000)
    sets = [S for order in {1, k} for S in combinations(range(len(sizes)), order)]
    sets = [sets[i] for i in rng.permutation(len(sets))] + [sets[0], sets[-1][::-1]]  # in any order, and once more
    whole = list(count(codes, sizes, sets))
    weights = rng.random(20_000)
    for S, table, weighted in zip(sets, whole, count(codes, sizes, sets, weights), strict=True):
        assert (table == one_by_one(codes, sizes, S, 1.0)).all()
        assert weighted == pytest.approx(one_by_one(codes, sizes, S, weights))


def test_pairs_of_attributes_of_few_values_take_an_eighth_of_the_counts(monkeypatch):
    """Thirty attributes of five values: ten groups of three and their 45 pairs hold all 435 pairs of attributes."""
    counted, each = [], counting._counted
    monkeypatch.setattr(counting, "_counted", lambda *given: counted.extend(given[2]) or each(*given))
    codes, _ = drawn((5,) * 30, 20_000)
    assert len(list(count(codes, (5,) * 30, list(combinations(range(30), 2))))) == 435
    assert len(counted) == 10 + 45


def test_groups_of_many_cells_are_not_counted_for_few_rows(monkeypatch):
    """A table of 5^6 cells would take longer than 100 rows for each of its nine pairs."""
    shapes, each = [], counting._counted
    monkeypatch.setattr(counting, "_counted", lambda *given: shapes.extend(given[1]) or each(*given))
    codes, _ = drawn((5,) * 30, 100)
    list(count(codes, (5,) * 30, list(combinations(range(30), 2))))
    assert max(shapes) <= 10


def test_no_rows_are_counted_as_zero():
    sets = list(combinations(range(6), 2))
    assert [table.tolist() for table in count([np.zeros(0, np.uint8)] * 6, (2,) * 6, sets)] == [[[0, 0], [0, 0]]] * 15


def test_no_sets_have_no_marginals():
    codes, _ = drawn((3, 2), 10)
    assert list(count(codes, (3, 2), [])) == []


@pytest.mark.parametrize("sizes", [(3, 4, 2), (200, 250, 250) * 3])  # the second has more cells than 64 bits count
@pytest.mark.parametrize("weighted", [False, True])
def test_distinct_rows_are_those_found_one_by_one(sizes, weighted):
    codes, rng = drawn([min(size, 3) for size in sizes], 500)
    weights = rng.integers(1, 4, size=500).astype(float) if weighted else np.ones(500)
    expected: dict[tuple[int, ...], float] = {}
    for row, weight in zip(zip(*(column.tolist() for column in codes), strict=True), weights.tolist(), strict=True):
        expected[row] = expected.get(row, 0.0) + weight
    rows, found = distinct(codes, sizes, weights if weighted else None)
    assert [column.dtype for column in rows] == [column.dtype for column in codes]
    assert dict(zip(zip(*(column.tolist() for column in rows), strict=True), found.tolist(), strict=True)) == expected


def test_no_rows_are_no_distinct_rows():
    rows, found = distinct([np.zeros(0, np.uint8)] * 2, (3, 4))
    assert [len(column) for column in rows] == [0, 0]
    assert len(found) == 0
