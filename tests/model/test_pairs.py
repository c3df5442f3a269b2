"""The matrix of all pairs of attributes against brute force."""

import itertools
import math

import numpy as np
import pytest
from models import marginal_by_hand

from mwem_core.model.component import Component

TREES = {
    "a single clique": [(0, 1, 2)],
    "a chain": [(0, 1), (1, 2), (2, 3), (3, 4)],
    "a star": [(0, 1), (0, 2), (0, 3), (0, 4)],
    "wide separators": [(0, 1, 2), (1, 2, 3), (1, 3, 4), (3, 5)],
}


@pytest.mark.parametrize("sets", TREES.values(), ids=TREES)
def test_pair_marginals_equal_brute_force(sets):
    rng = np.random.default_rng(0)
    d = 1 + max(map(max, sets))
    sizes = (3, 2, 4, 2, 3, 2)[:d]
    theta = {S: rng.normal(size=[sizes[a] for a in S]) for S in sets}
    component = Component.of(sizes, range(d), theta)
    log = sum(theta[S].reshape([sizes[a] if a in S else 1 for a in range(d)]) for S in sets)
    p = np.exp(log) / np.exp(log).sum()
    for a, b in itertools.permutations(range(d), 2):
        (table,) = component.pairs.tables(np.array([[a, b]]), (sizes[a], sizes[b]))
        pair = marginal_by_hand(p, (a, b))
        assert table == pytest.approx(pair if a < b else pair.T, abs=1e-12)
    assert component.pairs.shares.sum() == pytest.approx(d**2)
    assert math.isclose(np.trace(component.pairs.shares), d)  # on the diagonal each attribute's own marginal


@pytest.mark.parametrize("sets", TREES.values(), ids=TREES)
def test_a_value_of_no_share_has_none_in_any_pair(sets):
    """exp(-1000) is 0: the value's row in the separators, by which shares are divided, is empty."""
    d, rng = 1 + max(map(max, sets)), np.random.default_rng(1)
    sizes = (3, 2, 4, 2, 3, 2)[:d]
    theta = {S: rng.normal(size=[sizes[a] for a in S]) for S in sets}
    for S in sets:
        for a in {0, 1} & set(S):
            np.moveaxis(theta[S], S.index(a), 0)[1] -= 1000
    pairs = Component.of(sizes, range(d), theta).pairs
    assert pairs.shares.sum() == pytest.approx(d**2)
    for a, b in itertools.permutations(range(d), 2):
        (table,) = pairs.tables(np.array([[a, b]]), (sizes[a], sizes[b]))
        assert table.sum() == pytest.approx(1)
        assert (table[1] == 0).all() or a > 1
