import numpy as np
import pytest
from oracles import domain_of, random_records

from mwem_core.domain.source import Source, attribute_sets, flatten

BLOCKS = [np.array([[0, 1], [1, 2], [0, 2]]), np.array([[2], [0]]), np.zeros((1, 0), dtype=int)]


@pytest.fixture(scope="module")
def records():
    return random_records(domain_of((2, 3, 4)), 200, np.random.default_rng(0))


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
