"""Records and their marginals, counted in any way, are those of the rows."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from messages import exactly
from oracles import domain_of, random_records as records_of
from people import PEOPLE, people

from mwem_core.domain import (
    Attribute,
    Domain,
    Records,
    Source,
    attribute_sets,
    check_not_empty,
    flatten,
    records as records_module,
)
from mwem_core.values import BITS, Range

BLOCKS = [np.array([[0, 1], [1, 2], [0, 2]]), np.array([[2], [0]]), np.zeros((1, 0), dtype=int)]


def random_records(rng: np.random.Generator, shape: tuple[int, ...], rows: int, *, weighted: bool) -> Records:
    domain = Domain(tuple(Attribute(f"x{i}", Range(0, size - 1)) for i, size in enumerate(shape)))
    columns = tuple(rng.integers(size, size=rows).astype(np.uint8) for size in shape)
    return Records(domain, columns, rng.integers(1, 9, size=rows) if weighted else None)


@pytest.mark.parametrize("weighted", [False, True], ids=["rows", "weighted"])
def test_marginals_count_what_a_loop_over_rows_counts(weighted):
    records = random_records(np.random.default_rng(3), (2, 3, 1 + 4, 2), 60, weighted=weighted)
    sets = [attrs for k in range(5) for attrs in itertools.combinations(range(4), k)]
    for attrs, counted in zip(sets, records.marginals(sets), strict=True):
        looped = np.zeros(records.domain.sizes(attrs))
        for row in range(60):
            looped[tuple(records.codes[a][row] for a in attrs)] += (
                1 if records.weights is None else records.weights[row]
            )
        assert counted.dtype == np.float64
        assert counted.shape == looped.shape
        assert (counted == looped).all()
        assert (records.marginal(attrs) == looped).all()


@pytest.mark.parametrize("largest", [0, 9, 2**20, 2**40], ids=["rows", "small", "over float32", "large"])
def test_pairs_of_bits_by_a_matrix_product_are_the_pairs_counted(largest, monkeypatch):
    """In several products of 2^4 rows each; weights up to 2^20 add up to more than float32 holds exactly."""
    monkeypatch.setattr(records_module, "CHUNK_ROWS", 2**4)
    monkeypatch.setattr(Records, "marginals", None)  # nothing is counted
    rng = np.random.default_rng(5)
    columns = tuple(rng.integers(2, size=60).astype(np.uint8) for _ in range(10))
    domain = Domain(tuple(Attribute(f"b{i}", BITS) for i in range(10)))
    records = Records(domain, columns, rng.integers(largest, size=60) if largest else None)
    pairs = np.array(list(itertools.combinations(range(10), 2)))
    weights = [1] * 60 if records.weights is None else records.weights.tolist()
    expected = np.zeros((len(pairs), 2, 2))
    for j, (a, b) in enumerate(pairs):
        for x, y, weight in zip(columns[a], columns[b], weights, strict=True):
            expected[j, x, y] += weight
    (flat,) = records.flat_marginals([pairs])
    assert (flat == expected.ravel()).all()


def test_flat_marginals_are_those_of_any_source():
    records = random_records(np.random.default_rng(6), (2, 3, 2), 40, weighted=True)
    blocks = [np.array([[0, 1], [1, 2]]), np.array([[2]])]
    for flat, expected in zip(records.flat_marginals(blocks), Source.flat_marginals(records, blocks), strict=True):
        assert flat.tolist() == expected.tolist()


def test_the_marginal_over_nothing_is_the_total():
    assert random_records(np.random.default_rng(0), (2, 3), 50, weighted=False).marginal(()) == 50.0


@pytest.mark.parametrize(
    "sets",
    [
        [(1, 2), (0,), (0, 1, 2), (0, 2), (), (1,), (2,), (0, 1), (1, 2), (0,)],
        [(2,), (0, 2), (), (0,), (0, 2), (2,), (), (0,), (0, 2)],
    ],
    ids=["all attributes", "some attributes"],
)
def test_many_marginals_come_in_the_order_of_their_sets(sets):
    records = random_records(np.random.default_rng(0), (2, 3, 4), 50, weighted=False)
    assert len(sets) > records_module.MAX_SETS_BY_ROW
    for attrs, counted in zip(sets, records.marginals(sets), strict=True):
        assert (counted == records.marginal(attrs)).all()


def test_merging_equal_rows_changes_no_marginal_and_not_the_total():
    records = random_records(np.random.default_rng(1), (3, 3, 3), 500, weighted=True)
    merged = records.distinct()
    assert len(merged.codes[0]) == 27
    assert merged.total == records.total
    assert (merged.marginal((0, 1, 2)) == records.marginal((0, 1, 2))).all()
    assert merged.distinct() is merged


def test_rows_of_more_than_63_bits_are_merged():
    rng = np.random.default_rng(2)
    base = random_records(rng, (2,) * 200, 30, weighted=False)
    twice = Records(base.domain, tuple(np.tile(column, 2) for column in base.codes))
    merged = twice.distinct()
    assert merged.weights is not None
    assert merged.weights.tolist() == [2] * 30
    assert {tuple(row) for row in zip(*merged.codes, strict=True)} == {
        tuple(row) for row in zip(*base.codes, strict=True)
    }
    assert base.distinct() is base


def test_projection_keeps_the_marginals_of_the_attributes_it_keeps():
    records = random_records(np.random.default_rng(4), (2, 3, 4), 40, weighted=True)
    projected = records.project(["x2", "x0"])
    assert projected.domain.names == ("x0", "x2")
    assert (projected.marginal((0, 1)) == records.marginal((0, 2))).all()


def test_a_marginal_too_large_to_hold_is_refused():
    domain = Domain(tuple(Attribute(f"x{i}", Range(0, 999)) for i in range(3)))
    records = Records(domain, (np.zeros(2, dtype=np.uint16),) * 3)
    message = "the marginal x0 × x1 × x2 has 1,000,000,000 cells, more than 268,435,456"
    with pytest.raises(ValueError, match=exactly(message)):
        records.marginal((0, 1, 2))


def test_columns_of_records_must_match_the_domain_and_each_other():
    with pytest.raises(ValueError, match=exactly("records need one column per attribute, got 1 for 2")):
        Records(PEOPLE, (np.zeros(3, dtype=np.uint8),))
    with pytest.raises(ValueError, match=exactly("the columns of records must be equally long, got lengths [2, 3]")):
        Records(PEOPLE, (np.zeros(3, dtype=np.uint8), np.zeros(2, dtype=np.uint8)))


@pytest.fixture(scope="module")
def records():
    return records_of(domain_of((2, 3, 4)), 200, np.random.default_rng(0))


def test_flat_marginals_are_the_cells_of_the_marginals_one_set_after_another(records):
    flat = Source.flat_marginals(records, BLOCKS)
    assert [vector.shape for vector in flat] == [(6 + 12 + 8,), (4 + 2,), (1,)]
    for vector, block in zip(flat, BLOCKS, strict=True):
        assert vector.tolist() == [x for S in block.tolist() for x in records.marginal(tuple(S)).ravel()]


def test_a_source_answers_queries_by_asking_them(records):
    class Total:
        def answers(self, source):
            return np.array([float(source.marginal(()))])

    assert records.answers(Total()).tolist() == [200.0]


def test_a_block_without_sets_has_no_cells(records):
    assert attribute_sets(np.zeros((0, 2), dtype=int)) == []
    assert flatten([]).shape == (0,)
    assert [vector.shape for vector in Source.flat_marginals(records, [BLOCKS[0][:0], BLOCKS[1]])] == [(0,), (6,)]


def test_a_table_without_records_is_refused():
    check_not_empty(people("age,sex\n20,F\n"))
    no_rows = Records(PEOPLE, (np.zeros(0, dtype=np.uint8),) * 2)
    no_weight = Records(PEOPLE, (np.zeros(1, dtype=np.uint8),) * 2, np.zeros(1, dtype=np.int64))
    for empty in (no_rows, no_weight):
        with pytest.raises(ValueError, match=exactly("the table has no records: there is nothing to release")):
            check_not_empty(empty)
