"""Corrected marginals: which sets they answer, and what stays with the model below them."""

import numpy as np
import pytest

from mwem_core.model import LogLinear
from mwem_core.weighted.average import CorrectedModel


@pytest.fixture
def corrected():
    rng = np.random.default_rng(0)
    A = LogLinear.of((2, 3, 4), 100.0, {(a,): rng.normal(size=size) for a, size in enumerate((2, 3, 4))})
    table = rng.random((2, 3))
    return CorrectedModel(A, {(0, 1): table * (100 / table.sum())})


def test_its_own_sets_and_their_subsets_are_answered_from_the_tables(corrected):
    table = corrected.tables[0, 1]
    own, first, second, total = corrected.marginals([(0, 1), (0,), (1,), ()])
    assert own is table
    assert first == pytest.approx(table.sum(axis=1))
    assert second == pytest.approx(table.sum(axis=0))
    assert total == pytest.approx(corrected.total)


def test_all_other_sets_are_answered_by_the_model(corrected):
    sets = [(0, 2), (2,), (0, 1, 2)]
    for answered, own in zip(corrected.marginals(sets), corrected.A.marginals(sets), strict=True):
        assert np.array_equal(answered, own)
    codes = [np.array([0, 1]), np.array([2, 0]), np.array([3, 1])]
    assert np.array_equal(corrected.probability(codes), corrected.A.probability(codes))
    assert (corrected.sizes, corrected.total) == (corrected.A.sizes, corrected.A.total)
