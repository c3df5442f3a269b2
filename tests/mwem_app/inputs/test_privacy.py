"""The settings typed under Advanced."""

import pytest

from mwem_app.inputs.privacy import Variant


def variant(system="mwem", rounds="2", delta="0", seed="") -> Variant:
    return Variant(system, rounds, delta, seed)


@pytest.mark.parametrize(("text", "seed"), [("", None), ("0", 0), ("42", 42)])
def test_a_seed_is_a_whole_number_or_empty(text, seed):
    assert variant(seed=text).seed_number == seed


@pytest.mark.parametrize("text", ["-1", "1.5", "x", "²"])
def test_any_other_seed_is_an_error(text):
    with pytest.raises(ValueError, match="the seed must be a whole number of at least 0"):
        assert variant(seed=text).seed_number
