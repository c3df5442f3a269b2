"""Tables of bits hold what they say."""

import numpy as np
import pytest

from mwem_core import Attribute, Domain, Records
from mwem_core.domain.values import BITS, Values
from mwem_core.experiments import bits


def test_a_value_without_missing_ones_is_its_number_in_binary():
    domain = Domain((Attribute("a", Values(("x", "?", "y", "z"))), Attribute("b", Values(("no", "yes")))))
    B = Records(domain, (np.array([0, 1, 2, 3]), np.array([1, 1, 0, 1])), np.array([2, 5, 1, 1]))
    A = bits.in_binary(B)
    assert A.domain.names == ("a bit 0", "a bit 1", "b bit 0")
    assert sorted(zip(*A.codes, strict=True)) == [(0, 0, 1), (0, 0, 1), (0, 1, 1), (1, 0, 0)]


def test_independent_bits_are_1_as_often_as_asked_and_the_same_every_time():
    B = bits.independent(10_000, 3, share=1 / 3, seed=1)
    again = bits.independent(10_000, 3, share=1 / 3, seed=1)
    assert all(np.array_equal(a, b) for a, b in zip(B.codes, again.codes, strict=True))
    assert [column.mean() for column in B.codes] == pytest.approx([1 / 3] * 3, abs=5 * (2 / 9 / 10_000) ** 0.5)


def test_records_stand_beside_others():
    A, B = bits.independent(5, 2, share=0.5, seed=1), bits.independent(5, 3, share=0.5, seed=2)
    other = Domain(tuple(Attribute(f"other {i}", BITS) for i in range(3)))
    both = bits.beside(A, Records(other, B.codes))
    assert both.domain.names == ("bit 0", "bit 1", "other 0", "other 1", "other 2")
    assert both.codes == A.codes + B.codes
