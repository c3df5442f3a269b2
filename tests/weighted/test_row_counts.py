"""Batches of measurements on weighted rows: what they hold, and that together they update as one by one."""

import math
from itertools import combinations

import numpy as np
import pytest

from mwem_core.model import Measurement
from mwem_core.weighted.row_counts import (
    MAX_BATCH_CELLS,
    MAX_CHANGE,
    CountedBatch,
    CountedMeasurement,
    batches,
    in_groups,
)
from mwem_core.weighted.weighted_records import WeightedRecords

SIZES, TOTAL = (6, 5, 8, 2, 9, 70, 80), 1000.0
PAIRS = list(combinations(range(len(SIZES)), 2))


@pytest.fixture(scope="module")
def A():
    """300 rows, which leave most cells of every batch without one."""
    rng = np.random.default_rng(0)
    codes = [rng.integers(size, size=300) for size in SIZES]
    return WeightedRecords.of_draws(SIZES, TOTAL, codes, {})


@pytest.fixture(scope="module")
def measurements():
    """Of every pair of attributes; one is a residual, and one a single query."""
    rng = np.random.default_rng(1)
    tables = [Measurement(S, rng.normal(20, 9, [SIZES[a] for a in S]), rng.uniform(1, 3)) for S in PAIRS]
    tables[3] = Measurement(PAIRS[3], tables[3].value, 2.0, centred=True)
    tables[7] = Measurement(PAIRS[7], np.array(300.0), 1.5, rng.choice([0.0, 1.0], tables[7].value.shape))
    return tables


def test_measurements_share_small_tables(A, measurements):
    """Each is in one batch; 21 pairs, of which only those of two large attributes need a batch of their own."""
    found = list(batches(A, in_groups(measurements, SIZES)))
    assert sorted(m.S for batch in found for m in batch.measurements) == PAIRS
    assert len(found) <= len(PAIRS) / 3
    for batch in found:
        assert batch.shape == tuple(SIZES[a] for a in sorted({a for m in batch.measurements for a in m.S}))
        assert math.prod(batch.shape) <= MAX_BATCH_CELLS or len(batch.measurements) == 1


def test_measurements_of_one_set_share_a_batch(measurements):
    assert [len(together) for _, together in in_groups([measurements[0]] * 2, SIZES)] == [2]


def test_a_batch_updates_the_rows_as_its_measurements_do_one_by_one(A, measurements):
    """To rounding: the shares of the rows, the log-weights and the squared residuals."""
    together, alone = A.weights / TOTAL, A.weights / TOTAL
    theta = [{S: np.zeros([SIZES[a] for a in S]) for S in PAIRS} for _ in range(2)]
    groups, least = in_groups(measurements, SIZES), min(m.scale for m in measurements)
    for _ in range(3):
        squares = [e for batch in batches(A, groups) for e in batch.update(together, theta[0], 1.0)]
        expected = []
        for m in (m for _, together in groups for m in together):
            counted = CountedMeasurement.of(m, m.attrs, TOTAL, least)
            own = CountedBatch(m.value.shape or m.q.shape, A.cell(m.attrs), [counted])
            expected += own.update(alone, theta[1], 1.0)
        assert squares == pytest.approx(expected)
    assert together == pytest.approx(alone)
    for S in PAIRS:
        assert theta[0][S] == pytest.approx(theta[1][S])


def test_no_log_weight_changes_by_more_than_the_most_either_way():
    """A query that adds some cells and takes off others, of next to no records, which the measurement wants by far."""
    q, table = np.array([1.0, -1.0, 0.0]), np.array([0.0001, 0.0001, 0.9998])
    m, theta = Measurement((0,), np.array(500.0), 0.0, q), {(0,): np.zeros(3)}
    CountedMeasurement.of(m, (0,), TOTAL, 0.0).update(table, theta, 1.0)
    assert np.diff(theta[0,]) == pytest.approx([-2 * MAX_CHANGE, MAX_CHANGE])
    assert table.sum() == pytest.approx(1)
