"""Merging neighbouring values."""

import numpy as np
import pytest

from mwem_core.domain.merging import low_end, merge_starts, merged, merged_labels


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
    assert merged(table, [np.array([0, 2]), np.array([0, 3])]).tolist() == [
        [table[:2, :3].sum(), table[:2, 3:].sum()],
        [table[2:, :3].sum(), table[2:, 3:].sum()],
    ]
