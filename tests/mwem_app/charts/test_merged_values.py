"""Merging neighbouring values."""

import numpy as np
import pytest

from mwem_app.charts.merged_values import low_end, merge_starts, merged_labels, sum_merged, widths
from mwem_core.domain import Attribute
from mwem_core.values import Dates, Edges, Range, Values


@pytest.mark.parametrize(("size", "max_values"), [(5, 5), (5, 9), (100, 31), (4357, 1000), (7, 1)])
def test_merged_values_are_few_enough_as_wide_as_each_other_and_cover_every_code(size, max_values):
    starts = merge_starts(size, max_values)
    assert starts[0] == 0
    assert len(starts) <= max_values
    widths = np.diff(np.append(starts, size))
    assert (widths > 0).all()
    assert len(set(widths[:-1])) <= 1


def test_values_that_fit_are_not_merged():
    assert list(merge_starts(5, 5)) == list(range(5))


def test_a_merged_value_is_labelled_by_its_ends():
    assert merged_labels(tuple("abcde"), np.array([0, 2, 4])) == ["a … b", "c … d", "e"]
    assert merged_labels(("[0, 30)", "[30, 45)", "[45, 99]"), np.array([0])) == ["[0, 99]"]
    assert merged_labels(("-10..-1", "0..9", "10..12"), np.array([0, 2])) == ["-10..9", "10..12"]


@pytest.mark.parametrize("label", ["17", "17 … 21", "17..20", "[17, 21)"])
def test_the_low_end_of_a_label_is_its_first_number(label):
    assert low_end(label) == "17"


def test_merging_sums_the_cells_and_keeps_the_total():
    table = np.arange(15).reshape(3, 5)
    assert sum_merged(table, [np.array([0, 2]), np.array([0, 3])]).tolist() == [
        [table[:2, :3].sum(), table[:2, 3:].sum()],
        [table[2:, :3].sum(), table[2:, 3:].sum()],
    ]


def test_a_bin_is_as_wide_as_its_numbers_and_what_stands_beside_the_numbers_has_no_width():
    heights = Attribute("height", Edges((120, 140, 150, 155, 160, 200)), missing="NA", other=True)
    found = widths(heights, np.arange(heights.size))
    assert found == pytest.approx(np.array([20, 10, 5, 5, 40]) / 16)
    assert widths(heights, np.array([0, 2, 5, 6])) == pytest.approx(np.array([30, 50]) / 40)  # merged


@pytest.mark.parametrize(
    "attribute",
    [
        Attribute("age", Range(17, 90)),
        Attribute("age", Range(0, 89, 10), missing="NA"),
        Attribute("age", Range(3, 3), missing="NA"),
        Attribute("age", Edges((0.0, 0.1, 0.2, 0.3))),
        Attribute("town", Values(("A", "B", "C")), missing="NA"),
        Attribute("day", Dates(("2024-01-01", "2024-12-31"), "day")),
    ],
    ids=lambda attribute: repr(attribute.value_set)[:30],
)
def test_values_that_are_equally_wide_have_the_width_1(attribute):
    assert widths(attribute, np.arange(attribute.size)) == pytest.approx(np.ones(attribute.value_set.size))
