"""Weights moved to known sums: iterative proportional fitting by hand, sums that cannot be, and empty groups."""

import numpy as np
import pytest

from mwem_core.weighted.reweighting import rake


def margin(table, axis):
    """The groups of a table's cells along one axis, flattened."""
    return np.indices(table.shape)[axis].ravel()


def test_weights_are_those_of_proportional_fitting_by_hand():
    rng = np.random.default_rng(0)
    table, like = rng.dirichlet(np.ones(12)).reshape(3, 4), rng.dirichlet(np.ones(12)).reshape(3, 4)
    rows, columns = like.sum(axis=1), like.sum(axis=0)
    found = rake(table.ravel(), [(margin(table, 0), rows), (margin(table, 1), columns)], tolerance=1e-12)
    by_hand = table.copy()
    for _ in range(1000):
        by_hand *= (rows / by_hand.sum(axis=1))[:, None]
        by_hand *= columns / by_hand.sum(axis=0)
    assert found.reshape(3, 4) == pytest.approx(by_hand)
    ratio = np.log(found.reshape(3, 4) / table)  # a row's part and a column's: nothing else has changed
    assert ratio - ratio[:1] - ratio[:, :1] + ratio[0, 0] == pytest.approx(np.zeros((3, 4)), abs=1e-9)


def test_what_no_weight_can_have_is_shared_by_the_others():
    weights, group = np.array([1.0, 3.0, 0.0]), np.array([0, 1, 2])
    assert rake(weights, [(group, np.array([1.0, 1.0, 2.0]))], tolerance=1e-9) == pytest.approx([2, 2, 0])
    assert rake(weights, [(group, np.array([0.0, 0.0, 4.0]))], tolerance=1e-9) == pytest.approx(weights)


def test_margins_that_contradict_each_other_end_with_the_last():
    first, last = np.array([10.0, 30.0]), np.array([20.0, 20.0])
    group = np.array([0, 0, 1])
    found = rake(np.array([10.0, 10.0, 20.0]), [(group, first), (group, last)], tolerance=1e-9)
    assert np.bincount(group, found) == pytest.approx(last)
    assert found[0] == pytest.approx(found[1])


def test_sums_of_another_total_are_scaled_to_that_of_the_weights():
    found = rake(np.full(4, 10.0), [(np.array([0, 0, 1, 1]), np.array([3.0, 1.0]))], tolerance=1e-9)
    assert found == pytest.approx([15, 15, 5, 5])
