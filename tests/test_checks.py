import math

import numpy as np
import pytest
from messages import exactly

from mwem_core.checks import check_positive, hint, is_whole, repeated


def test_repeated_items_are_those_that_stood_before():
    assert repeated(["a", "b", "a", "c", "a", "b"]) == ["a", "a", "b"]
    assert repeated(["a", "b", "c"]) == repeated([]) == []


def test_truth_values_and_fractions_are_not_whole_numbers():
    assert [value for value in (0, -3, 2**70, True, False, 1.0, "1", None) if is_whole(value)] == [0, -3, 2**70]


def test_a_hint_suggests_similar_names_or_lists_the_first_eight():
    assert hint("blu", ["red", "blue"]) == "; did you mean 'blue'?"
    assert hint("age1", ["age2", "age3", "sex"]) == "; did you mean 'age3' or 'age2'?"
    assert hint("x", ["red", "blue"]) == "; there are 'red', 'blue'"
    assert hint("x", "abcdefghi") == "; there are 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h' …"


def test_a_hint_looks_for_similar_names_among_a_thousand_at_most():
    names = [f"name {i:04}" for i in range(1001)]
    assert "did you mean" in hint("name 000", names[:1000])
    assert hint("name 000", names).startswith("; there are 'name 0000', ")


@pytest.mark.parametrize("bad", [0, 0.0, -1.0, math.nan, math.inf, -math.inf, "1", None, True, 1j], ids=repr)
def test_a_value_that_is_not_a_positive_number_is_refused_by_its_name(bad):
    with pytest.raises(ValueError, match=exactly(f"rho must be a positive number, got {bad!r}")):
        check_positive(epsilon=1, rho=bad)


def test_positive_numbers_pass():
    check_positive(tiny=5e-324, whole=1, numpy=np.float64(2.5))
