"""How numbers read."""

import math

import pytest

from mwem_app.base.number_words import count, duration, percent, records, share, size, three_digits


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.5, "0.50"), (0.018, "0.018"), (0.00034, "0.00034"), (3e-7, "3e-07"), (0.0, "0"), (12.3, "12.30")],
)
def test_a_share_has_two_significant_digits(value, text):
    assert share(value) == text


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_share_that_is_no_number_still_reads(value):
    assert share(value) == str(value)


@pytest.mark.parametrize(("value", "text"), [(0.0003, "0.030%"), (0.012, "1.2%"), (0.12, "12%"), (1.0, "100%")])
def test_a_percentage_has_two_significant_digits(value, text):
    assert percent(value) == text


@pytest.mark.parametrize(("value", "text"), [(1234.5, "1,234"), (9.94, "9.9"), (0.5, "0.5"), (0.0123, "0.012")])
def test_records_are_whole_from_ten_up(value, text):
    assert records(value) == text


def test_a_count_takes_the_plural_unless_it_is_one():
    assert (count(1, "query", "queries"), count(0, "query", "queries")) == ("1 query", "0 queries")
    assert count(3982, "round") == "3,982 rounds"


@pytest.mark.parametrize(
    ("cells", "text"), [(64, "64"), (10**9 - 1, "999,999,999"), (10**9, "1.0·10⁹"), (23 * 10**14, "2.3·10¹⁵")]
)
def test_a_large_number_of_cells_is_a_power_of_ten(cells, text):
    assert size(cells) == text


@pytest.mark.parametrize(("value", "text"), [(0.01823, "0.0182"), (1.0399, "1.04"), (12345.4, "12,345")])
def test_three_digits_are_significant(value, text):
    assert three_digits(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "1 s"), (7.4, "7 s"), (38, "40 s"), (99, "100 s"), (100, "2 min"), (605, "10 min")]
)
def test_a_duration_is_rough(seconds, text):
    assert duration(seconds) == text
