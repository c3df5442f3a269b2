"""Which tables are measured, and the conditionals computed from them."""

import numpy as np
from oracles import domain_of

from mwem_core import Records, Seeded
from mwem_core.privacy import Accountant, Pure
from mwem_core.relatives.privbayes.measuring import conditionals, measured_sets
from mwem_core.relatives.privbayes.recoding import Recoding


class OneLess(Seeded):
    """Noise of -1 on every count."""

    def laplace(self, exact, epsilon, sensitivity):
        return exact - 1.0


def in_one_cell(domain, records=50):
    """Records whose codes are all 0."""
    return Records(domain, tuple(np.zeros(records, np.uint8) for _ in domain.shape))


def tables(recoding, B, network):
    nodes = conditionals(recoding.recode(B), recoding, network, Accountant(Pure(1.0), OneLess(0)))
    return [node.conditional.tolist() for node in nodes]


def test_a_table_within_another_is_not_measured():
    assert measured_sets([(0, ()), (1, (0,)), (2, (0, 1))]) == [(0, 1, 2)]
    assert measured_sets([(0, ()), (1, (0,)), (2, (1,))]) == [(0, 1), (1, 2)]
    assert measured_sets([(2, ()), (0, (2,)), (1, (2, 0))]) == [(0, 1, 2)]
    assert measured_sets([(0, ()), (1, ()), (2, (1,))]) == [(0,), (1, 2)]


def test_a_conditional_is_uniform_where_no_count_is_left():
    """49 records are left in the first cell, and less than none elsewhere."""
    domain = domain_of([3, 2])
    first, second = tables(Recoding.vanilla(domain), in_one_cell(domain), [(0, ()), (1, (0,))])
    assert first == [1, 0, 0]
    assert second == [[1, 0.5, 0.5], [0, 0.5, 0.5]]


def test_bits_that_spell_no_code_get_no_share():
    """Three values in two bits: (1, 1) spells none. After 1 the second bit is surely 0, without any count."""
    domain = domain_of([3, 2])
    recoding = Recoding.bits(domain, gray=False)
    high, low, other = tables(recoding, in_one_cell(domain), [(0, ()), (1, (0,)), (2, (0, 1))])
    assert high == [1, 0]
    assert low == [[1, 1], [0, 0]]
    assert other == [[[1, 0.5], [0.5, 0.5]], [[0, 0.5], [0.5, 0.5]]]
