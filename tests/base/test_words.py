"""Names in a sentence."""

import pytest

from mwem_core.base.words import listed


@pytest.mark.parametrize(("names", "text"), [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")])
def test_names_are_listed_as_people_do(names, text):
    assert listed(names) == text
