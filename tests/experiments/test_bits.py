"""Tables of bits hold what they say."""

from itertools import pairwise

import numpy as np
import pytest

from mwem_core import Attribute, Domain, Records
from mwem_core.experiments.experiment_tables import (
    binary_records,
    bits_in_classes,
    independent_bits,
    join_attributes,
    subsample,
)
from mwem_core.values import BITS, Values


def test_a_value_without_missing_ones_is_its_number_in_binary():
    domain = Domain((Attribute("a", Values(("x", "?", "y", "z"))), Attribute("b", Values(("no", "yes")))))
    B = Records(domain, (np.array([0, 1, 2, 3]), np.array([1, 1, 0, 1])), np.array([2, 5, 1, 1]))
    A = binary_records(B)
    assert A.domain.names == ("a bit 0", "a bit 1", "b bit 0")
    assert sorted(zip(*A.codes, strict=True)) == [(0, 0, 1), (0, 0, 1), (0, 1, 1), (1, 0, 0)]


def test_independent_bits_are_1_as_often_as_asked_and_the_same_every_time():
    B = independent_bits(10_000, 3, share=1 / 3, seed=1)
    again = independent_bits(10_000, 3, share=1 / 3, seed=1)
    assert all(np.array_equal(a, b) for a, b in zip(B.codes, again.codes, strict=True))
    assert [column.mean() for column in B.codes] == pytest.approx([1 / 3] * 3, abs=5 * (2 / 9 / 10_000) ** 0.5)


def test_records_stand_beside_others():
    A, B = independent_bits(5, 2, share=0.5, seed=1), independent_bits(5, 3, share=0.5, seed=2)
    other = Domain(tuple(Attribute(f"other {i}", BITS) for i in range(3)))
    both = join_attributes(A, Records(other, B.codes))
    assert both.domain.names == ("bit 0", "bit 1", "other 0", "other 1", "other 2")
    assert both.codes == A.codes + B.codes


def test_bits_depend_on_each_other_through_a_class_and_more_bits_leave_the_first_as_they_are():
    B, more = bits_in_classes(20_000, 6, seed=1), bits_in_classes(20_000, 9, seed=1)
    assert all(np.array_equal(a, b) for a, b in zip(B.codes, more.codes[:6], strict=True))
    correlations = np.corrcoef(np.array(more.codes))[np.triu_indices(9, 1)]
    assert np.abs(correlations).max() > 10 / 20_000**0.5  # standard errors of independent bits


def test_a_part_has_each_record_at_most_once_and_fewer_records_are_among_more():
    whole = Records(Domain((Attribute("a", Values(("x", "y", "z"))),)), (np.array([0, 1, 2]),), np.array([50, 30, 20]))
    counts = [subsample(whole, n, seed=0).marginal((0,)) for n in (10, 60, 100)]
    assert [count.sum() for count in counts] == [10, 60, 100]
    assert all((fewer <= more).all() for fewer, more in pairwise(counts))
    assert counts[-1].tolist() == [50, 30, 20]
