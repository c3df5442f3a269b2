"""The downward closure of a workload, against subsets listed one by one."""

import itertools

import numpy as np
import pytest
from oracles import domain_of
from workloads import SPECS, workload

from mwem_core.workload import families
from mwem_core.workload.subsets import closure, lower, overlap


def subsets(Q, orders):
    """Every set of some attributes of any one set of Q."""
    return sorted({S for W in Q.sets for k in orders for S in itertools.combinations(W, k)})


@pytest.mark.parametrize("spec", SPECS)
def test_the_closure_is_every_nonempty_subset_once_as_a_whole_marginal(spec):
    Q = workload(spec)
    closed = closure(Q)
    assert sorted(closed.sets) == subsets(Q, range(1, 5 + 1))
    assert closed.size == sum(Q.domain.cells(S) for S in closed.sets)
    assert closed.tabular


@pytest.mark.parametrize("max_order", [1, 2])
def test_max_order_limits_the_closure_to_sets_of_so_many_attributes(max_order):
    Q = families.marginals(domain_of([2, 3, 2, 4]), 3)
    assert sorted(closure(Q, max_order=max_order).sets) == subsets(Q, range(1, max_order + 1))


def test_closing_twice_adds_nothing():
    Q = families.cuboids(domain_of([2, 3, 2, 4]), 3)
    assert closure(closure(Q)).sets == closure(Q).sets


@pytest.mark.parametrize("spec", SPECS)
def test_overlap_sums_the_attributes_shared_with_every_set_of_the_workload(spec):
    Q = workload(spec)
    candidates = closure(Q)
    expected = [sum(len(set(S) & set(W)) for W in Q.sets) for S in candidates.sets]
    assert overlap(Q, candidates).tolist() == expected
    assert np.all(overlap(Q, candidates) >= 1)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_lower_marginals_are_all_of_one_attribute_fewer(k):
    Q = families.marginals(domain_of([2, 3, 2, 4]), k)
    assert sorted(lower(Q).sets) == subsets(Q, [max(1, k - 1)])
    assert lower(Q) is lower(Q)


def test_smaller_sets_are_among_the_lower_ones_once():
    Q = families.cuboids(domain_of([2, 3, 2, 4]), 3, up_to=True)
    assert sorted(lower(Q).sets) == subsets(Q, [1, 2])
