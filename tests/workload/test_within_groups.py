"""Marginals within groups of attributes."""

from itertools import combinations

import numpy as np
import pytest
from oracles import domain_of, random_records

from mwem_core import Seeded, default, parse_workload

DOMAIN = domain_of([2, 3, 2, 4, 2, 3])  # a to f


@pytest.mark.parametrize(
    ("spec", "orders"),
    [("marginals:2:a,b,c|c,d", {2}), ("cuboids:<=2:a,b,c|c,d", {1, 2}), ("marginals:3:a,b,c|c,d", {3, 2})],
)
def test_sets_are_those_within_a_group_once_and_other_attributes_alone(spec, orders):
    Q = parse_workload(spec, DOMAIN)
    groups, found = ({0, 1, 2}, {2, 3}), set(Q.sets)
    assert len(found) == Q.parts
    assert {(4,), (5,)} <= found
    inside = found - {(4,), (5,)}
    assert inside == {
        S
        for k in orders
        for S in combinations(range(6), k)
        if any(set(S) <= group and (k == min(max(orders), len(group)) or "<=" in spec) for group in groups)
    }
    assert parse_workload(Q.spec, DOMAIN).sets == Q.sets
    assert Q.name.endswith("within 2 groups")


def test_one_group_of_all_is_the_workload_without_groups():
    assert parse_workload("marginals:2:*", DOMAIN).sets == parse_workload("marginals:2", DOMAIN).sets


def test_the_default_keeps_what_groups_ask_and_rows_have_the_attributes_of_no_group():
    B = random_records(DOMAIN, 5000, np.random.default_rng(0))
    Q = parse_workload("marginals:2:a,b|c,d,e", DOMAIN)
    *_, last = default(Q, n=5000, epsilon=20.0).rounds(B, Q, noise=Seeded(0))
    assert np.abs(Q.answers(last.model) - Q.answers(B)).max() < 60


def test_a_group_that_nobody_has_is_refused():
    with pytest.raises(ValueError, match="no attribute is named 'x\\*'"):
        parse_workload("marginals:2:x*", DOMAIN)
