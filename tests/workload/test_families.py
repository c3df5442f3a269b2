"""The families of workloads: which attribute sets and which queries each one has, and the sizes each one refuses."""

import itertools
import math

import numpy as np
import pytest
from messages import exactly
from oracles import domain_of, query_vectors
from workloads import MIXED, YES_NO, bits

from mwem_core.workload.families import cuboids, listed_ranges, marginals, parities, ranges
from mwem_core.workload.spec import parse_workload


def test_marginals_have_a_query_for_every_cell_of_every_set_of_k_attributes():
    Q = marginals(MIXED, 2)
    assert Q.sets == tuple(itertools.combinations(range(4), 2))
    assert Q.size == Q.cells == sum(MIXED.cells(S) for S in Q.sets)
    assert Q.query(0)[2] == "age = [17, 25), hours = 1..10"
    assert Q.query(Q.size - 1)[2] == "colour = blue, smoker = 1"


def test_up_to_k_has_every_order_from_one_to_k():
    for family in (marginals, cuboids):
        orders = [family(MIXED, order) for order in (1, 2, 3)]
        Q = family(MIXED, 3, up_to=True)
        assert Q.sets == tuple(S for by_order in orders for S in by_order.sets)
        assert Q.size == sum(by_order.size for by_order in orders)


@pytest.mark.parametrize("k", range(1, 6))
def test_parities_are_all_the_subsets_of_one_to_k_attributes_once_each(k):
    Q = parities(YES_NO, k)
    sets = [Q.query(j)[0] for j in range(Q.size)]
    assert sorted(sets) == sorted(R for r in range(1, k + 1) for R in itertools.combinations(range(5), r))
    for j, R in enumerate(sets):
        q = Q.query(j)[1]
        for cell in itertools.product((0, 1), repeat=len(R)):
            assert q[cell] == (-1) ** sum(cell)


@pytest.mark.parametrize(
    ("d", "k", "count"), [(6, 2, 22), (6, 3, 42), (8, 2, 37), (8, 3, 93), (16, 2, 137), (16, 3, 697)]
)
def test_parities_with_the_total_are_as_many_as_published(d, k, count):
    assert parities(bits(d), k).size + 1 == count


def test_half_a_million_parities_are_two_arrays():
    Q = parities(bits(1000), 2)
    assert Q.size == 500_500
    assert [block.sets.shape for block in Q.blocks] == [(1000, 1), (499_500, 2)]
    assert Q.query(500_499)[0] == (998, 999)


@pytest.mark.parametrize(("which", "count"), [("all", 6 * 6 * 3), ("prefixes", 3 * 3 * 2), ("17", 17)])
def test_ranges_are_boxes_of_the_ordered_codes(which, count):
    Q = parse_workload(f"ranges:smoker,age,hours:{which}", MIXED)
    assert (Q.sets, Q.size) == (((0, 1, 3),), count)
    extents = [3, 3, 2]  # without the missing and other codes
    for j in range(Q.size):
        _, q, _ = Q.query(j)
        sides = [np.unique(where) for where in np.nonzero(q)]
        assert all(side.tolist() == list(range(side[0], side[-1] + 1)) for side in sides)
        assert all(side[-1] < m for side, m in zip(sides, extents, strict=True))
        assert q.sum() == math.prod(map(len, sides))
        assert which != "prefixes" or all(side[0] == 0 for side in sides)
    if which != "17":
        assert len({Q.query(j)[1].tobytes() for j in range(Q.size)}) == count


def test_random_ranges_are_a_function_of_the_domain_and_the_seed_alone():
    Q = ranges(MIXED, ["age"], 20, seed=1)
    assert query_vectors(ranges(MIXED, ["age"], 20, seed=1)) == query_vectors(Q)
    assert Q.spec == "ranges:age:20@1"
    by_seed = {str(query_vectors(ranges(MIXED, ["age"], 20, seed=seed))) for seed in range(10)}
    assert len(by_seed) == 10


def test_ends_of_a_random_range_are_uniform_on_the_grid():
    """The ends are two uniform draws in order: of m² pairs, one makes [i, i] and two make [i, j].

    50,000 ranges on 4 codes; a share deviates by at most √(.25 / 50,000) = 0.0022 in standard deviation: 5 of them.
    """
    Q = ranges(domain_of([4]), ["a"], 50_000)
    low, high = Q.blocks[0].operator.low[:, 0], Q.blocks[0].operator.high[:, 0]
    for i, j in itertools.combinations_with_replacement(range(4), 2):
        assert np.mean((low == i) & (high == j)) == pytest.approx((1 if i == j else 2) / 16, abs=0.011)


def test_listed_ranges_contain_both_ends_of_a_grid_and_whole_bins():
    Q = parse_workload("ranges:hours,age:1..20x17..35; 11..25x35..90", MIXED)
    assert Q.spec == "ranges:age,hours:17..35x1..20;35..90x11..25"
    first, second = Q.query(0)[1], Q.query(1)[1]
    assert np.argwhere(first).tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert np.argwhere(second).tolist() == [[2, 1], [2, 2]]


@pytest.mark.parametrize("k", [True, 1.0, "2", None, -1])
def test_an_order_that_is_no_whole_number_is_refused(k):
    with pytest.raises(ValueError, match=r"^k must be a whole number of at least 1, got "):
        marginals(MIXED, k)


def test_ranges_of_no_attribute_and_no_ranges_of_one_are_refused():
    with pytest.raises(ValueError, match=r"^ranges need at least one attribute: choose one with edges or a range$"):
        ranges(MIXED, [], 5)
    with pytest.raises(ValueError, match=exactly("the workload has no queries: choose at least one")):
        listed_ranges(MIXED, ["age"], [])


def test_too_many_ranges_are_refused_with_their_number():
    message = "all ranges would be 250,500,250,000 queries, but at most 100,000,000 fit in memory: choose random ranges"
    with pytest.raises(ValueError, match=exactly(message)):
        ranges(domain_of([1000, 1000]), ["a", "b"], "all")


@pytest.mark.parametrize(
    ("d", "spec", "tables"),
    [
        (60, "marginals:30", "the 30-way marginals of 60 attributes are 118,264,581,564,861,424 tables"),
        (1000, "marginals:<=3", "the 3-way marginals of 1000 attributes are 166,667,500 tables"),
        (64, "parities:64", "the 64-way marginals of 64 attributes are 18,446,744,073,709,551,615 tables"),
    ],
)
def test_too_many_attribute_sets_are_refused_before_any_is_listed(d, spec, tables):
    message = f"{tables}, but at most 1,000,000 fit in memory: lower k, or leave an attribute out"
    with pytest.raises(ValueError, match=exactly(message)):
        parse_workload(spec, bits(d))
