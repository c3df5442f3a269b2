"""Errors by pair of attributes and by group of queries."""

import numpy as np
import pytest
from trial_results import BITS, PAIRS

from mwem_app.compare.where import error_by_pair, has_pair_map, part_errors, query_groups
from mwem_core import Domain, parse_workload

RNG = np.random.default_rng(0)
SCHEMA = "".join(f'[[attribute]]\nname = "{a}"\nvalues = ["0", "1"]\n' for a in "abcd")


def test_the_error_of_a_pair_is_the_mean_over_the_marginals_that_hold_both():
    triples, gap = parse_workload("marginals:3", BITS), RNG.random(4 * 8)
    errors = part_errors(triples, gap)
    assert errors == pytest.approx(gap.reshape(4, 8).sum(axis=1) / 2)
    by_pair = error_by_pair(triples, gap)
    for a in range(4):
        for b in range(a + 1):
            holding = [e for S, e in zip(triples.sets, errors, strict=True) if {a, b} <= set(S)]
            assert by_pair[a, b] == pytest.approx(np.mean(holding))
    assert np.isnan(by_pair[np.triu_indices(4, 1)]).all()


@pytest.mark.parametrize(
    ("spec", "applies"),
    [("marginals:2", True), ("cuboids:2", True), ("parities:2", True), ("marginals:4", False), ("where:a == 1", False)],
)
def test_a_map_of_pairs_needs_several_parts_about_attributes_alone(spec, applies):
    assert has_pair_map(parse_workload(spec, Domain.from_toml(SCHEMA))) == applies


def test_single_queries_are_groups_where_there_are_few_queries():
    workload = parse_workload("marginals:1", BITS)
    groups = query_groups(workload, RNG.random(workload.size))
    assert [label for label, _ in groups] == [workload.query(j)[2] for j in range(8)]
    assert [list(queries) for _, queries in groups] == [[j] for j in range(8)]


def test_groups_hold_every_query_once_in_order_of_the_true_answer():
    truth = RNG.random(PAIRS.size)
    groups = query_groups(PAIRS, truth)
    joined = np.concatenate([queries for _, queries in groups])
    assert len(groups) == 10
    assert groups[0][0] == f"{truth.min():.2g} to {np.sort(truth)[2]:.2g}"
    assert sorted(joined) == list(range(PAIRS.size))
    assert (np.diff(truth[joined]) >= 0).all()
