"""Errors by pair of attributes and by group of queries."""

import numpy as np
import pytest
from trial_results import BITS, PAIRS

from mwem_core import parse_workload
from ui.results.where import error_by_pair, has_pair_map, part_errors, query_groups

RNG = np.random.default_rng(0)


def test_a_map_of_pairs_is_the_mean_over_the_tables_that_hold_both():
    triples, gap = parse_workload("marginals:3", BITS), RNG.random(4 * 8)
    errors = part_errors(triples, gap)
    assert errors == pytest.approx(gap.reshape(4, 8).sum(axis=1) / 2)
    found = error_by_pair(triples, gap)
    for a in range(4):
        for b in range(a + 1):
            holding = [e for S, e in zip(triples.sets, errors, strict=True) if {a, b} <= set(S)]
            assert found[a, b] == pytest.approx(np.mean(holding))
    assert np.isnan(found[np.triu_indices(4, 1)]).all()
    assert has_pair_map(triples)


def test_groups_hold_every_query_once_in_the_order_of_the_truth():
    truth = RNG.random(PAIRS.size)
    found = query_groups(PAIRS, truth)
    joined = np.concatenate([part for _, part in found])
    assert sorted(joined) == list(range(PAIRS.size))
    assert (np.diff(truth[joined]) >= 0).all()
