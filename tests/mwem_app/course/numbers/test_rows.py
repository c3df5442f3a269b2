"""Rows are the model's expected numbers, rounded."""

import numpy as np
import pytest

from mwem_app.course.mwem.mwem_numbers import COUNTS, EPSILON, ROW_DRAWS, ROWS_SHOWN, T, rows, watch
from mwem_core import Seeded


def test_each_cell_has_its_expected_number_of_rows_rounded(B, Q):
    run = watch(B, Q, epsilon=EPSILON, T=T, noise=Seeded(1))
    made = rows(run.A, B.domain, np.random.default_rng(0))
    assert made.first.shape == (len(COUNTS), ROW_DRAWS, ROWS_SHOWN, 3)
    assert made.expected.sum() == pytest.approx(1)
    for count, draws in zip(COUNTS, made.counts, strict=True):
        assert (draws.sum(axis=1) == count).all()
        assert np.abs(draws - count * made.expected).max() < 2  # of 400 independent draws, a cell may be off by 10
