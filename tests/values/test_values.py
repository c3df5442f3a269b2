import numpy as np
import pytest
from attributes import EVERY_VALUE_SET, FRACTION, HOURS
from messages import exactly

from mwem_core.forms import MAX_EXACT_FLOAT64
from mwem_core.values import BITS, Edges, Range, Values

CELLS_OF_TEN = HOURS.value_set


def test_bins_are_half_open_and_the_last_is_closed():
    texts = ["17", "24.999", "25", "90", "90.001", "16.9", "-inf"]
    assert Edges((17, 25, 35, 90)).encode(texts).tolist() == [0, 0, 1, 2, -1, -1, -1]


def test_a_range_reads_whole_numbers_in_any_notation():
    assert CELLS_OF_TEN.encode(["1", "10", "11.0", "2.5e1", "26", "0", "2.5"]).tolist() == [0, 0, 1, 2, -1, -1, -1]


@pytest.mark.parametrize("text", ["nan", "NaN", "inf", "-Infinity", "1e999", "abc", "", "1_7"])
@pytest.mark.parametrize("value_set", [Edges((0, 50, 100)), Range(0, 100), BITS], ids=["edges", "range", "bits"])
def test_a_text_that_is_not_a_finite_number_is_outside_every_numeric_value_set(value_set, text):
    assert value_set.encode([text]).tolist() == [-1]


def test_labels_name_bins_as_intervals_and_cells_by_their_ends():
    labels = {
        Edges((17, 25, 90)): ["[17, 25)", "[25, 90]"],
        CELLS_OF_TEN: ["1..10", "11..20", "21..25"],
        Range(-1, 1): ["-1", "0", "1"],
        Range(0, 10, width=10): ["0..9", "10"],
        Values(("red", "")): ["red", ""],
    }
    for value_set, expected in labels.items():
        assert [value_set.label(code) for code in range(value_set.size)] == expected


@pytest.mark.parametrize("attribute", [a for a in EVERY_VALUE_SET if a.ordered], ids=lambda a: a.name)
def test_cells_are_in_order_without_gaps(attribute):
    low, high, closed = attribute.value_set.cells()
    assert len(low) == len(high) == len(closed) == attribute.value_set.size
    assert (low <= high).all()
    step = 0 if isinstance(attribute.value_set, Edges) else 1
    assert (low[1:] == high[:-1] + step).all()
    assert closed[-1]


def test_values_decoded_from_whole_edges_are_all_the_whole_numbers_of_the_bin():
    values = Edges((17, 20, 22)).decode(np.repeat([0, 1], 500), np.random.default_rng(0))
    assert values.dtype == np.int64
    assert (set(values[:500].tolist()), set(values[500:].tolist())) == ({17, 18, 19}, {20, 21, 22})


def test_values_decoded_from_a_range_are_all_the_whole_numbers_of_the_cell():
    values = CELLS_OF_TEN.decode(np.repeat([0, 2], 500), np.random.default_rng(0))
    assert (set(values[:500].tolist()), set(values[500:].tolist())) == (set(range(1, 11)), set(range(21, 26)))


def test_values_decoded_from_fractional_edges_are_uniform_in_the_bin():
    values = FRACTION.value_set.decode(np.zeros(2000, dtype=int), np.random.default_rng(0))
    # 2,000 uniform draws on [0, 0.1): the mean has a standard deviation of 0.1/sqrt(12 · 2000) < 0.0007, and a gap of
    # 0.001 at an end has probability 0.99^2000 < 10^-8.
    assert abs(values.mean() - 0.05) < 0.004
    assert 0 <= values.min() < 0.001
    assert 0.099 < values.max() < 0.1


def test_a_number_that_float64_cannot_hold_exactly_is_refused():
    largest, above = MAX_EXACT_FLOAT64, MAX_EXACT_FLOAT64 + 1
    assert float(largest) == largest
    assert float(above) != above
    assert Range(-largest, largest).size == 2**54 + 1
    assert Edges((-largest, largest)).size == 1
    with pytest.raises(ValueError, match=exactly(f"range must be two whole numbers within ±2^53, got [0, {above}]")):
        Range(0, above)
    with pytest.raises(ValueError, match=exactly(f"edges must be at least two finite numbers, got [0, {above}]")):
        Edges((0, above))
