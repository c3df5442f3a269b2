"""Workloads against brute force over every cell of small domains."""

import itertools
import math
import re

import numpy as np
import pytest
from oracles import domain_of, query_vectors, random_records

from mwem_core.domain.attribute import Attribute
from mwem_core.domain.domain import Domain
from mwem_core.domain.values import BITS, Edges, Range, Values
from mwem_core.workload.families import cuboids, listed_ranges, marginals, parities, predicates, ranges
from mwem_core.workload.spec import parse_workload
from mwem_core.workload.workload import Workload

AGE = Attribute("age", Edges((17, 25, 35, 90)), missing="?", other=True)
HOURS = Attribute("hours", Range(1, 25, width=10), missing="?")
COLOUR = Attribute("colour", Values(("red", "green", "blue")))
SMOKER = Attribute("smoker", BITS)
MIXED = Domain((AGE, HOURS, COLOUR, SMOKER))
YES_NO = Domain(tuple(Attribute(name, Values(("no", "yes"))) for name in "abcde"))

EXACTLY_SENSITIVE = [
    *(f"{family}:{order}" for family in ("marginals", "cuboids") for order in ("1", "2", "3", "4", "<=2", "<=4")),
    "ranges:age:1",
    "ranges:age:40",  # random, with repeated ones
    "ranges:age:all",
    "ranges:age:prefixes",
    "ranges:age:17..25;25..90;17..90",
    "ranges:age,hours:30@5",
    "ranges:age,hours:all",
    "ranges:age,hours:prefixes",
    "ranges:age,hours:17..35x1..10;25..90x11..25",
    "ranges:age,hours,smoker:50",
    "ranges:age,hours,smoker:all",
    "ranges:age,hours,smoker:17..35x1..10x0..0",
]
PREDICATES = ["where:age >= 25", 'where:age < 35 and colour == "red"; not (smoker == 1 or hours <= 10); smoker == 0']
PARITIES = [f"parities:{k}" for k in range(1, 6)]


def exactly(message: str) -> str:
    return f"^{re.escape(message)}$"


def workload(spec: str) -> Workload:
    return parse_workload(spec, YES_NO if spec.startswith("parities") else MIXED)


def bits(d: int) -> Domain:
    return Domain(tuple(Attribute(f"b{i}", BITS) for i in range(d)))


@pytest.mark.parametrize("spec", [*EXACTLY_SENSITIVE, *PREDICATES, *PARITIES])
def test_answers_are_the_sums_over_all_cells_of_query_times_count(spec):
    Q = workload(spec)
    B = random_records(Q.domain, 300, np.random.default_rng(len(spec)))
    counts = B.marginal(range(len(Q.domain))).ravel()
    looped = [sum(q * b for q, b in zip(query, counts, strict=True)) for query in query_vectors(Q)]
    assert Q.answers(B).tolist() == looped
    assert Q.answers(B).shape == (Q.size,)


@pytest.mark.parametrize("spec", [*EXACTLY_SENSITIVE, *PARITIES])
def test_sensitivity_is_the_most_that_any_one_record_adds_up_to(spec):
    Q = workload(spec)
    assert Q.sensitivity == np.abs(query_vectors(Q)).sum(axis=0).max()


@pytest.mark.parametrize("spec", PREDICATES)
def test_sensitivity_of_predicates_is_a_bound_on_it(spec):
    Q = workload(spec)
    assert np.abs(query_vectors(Q)).sum(axis=0).max() <= Q.sensitivity == Q.size


@pytest.mark.parametrize("spec", [*EXACTLY_SENSITIVE, *PREDICATES, *PARITIES])
def test_every_query_lies_between_minus_one_and_one_and_has_a_name(spec):
    Q = workload(spec)
    for j in range(Q.size):
        attrs, q, name = Q.query(j)
        assert q.shape == Q.domain.sizes(attrs)
        assert np.abs(q).max() == 1
        assert name


@pytest.mark.parametrize("spec", [*EXACTLY_SENSITIVE, *PREDICATES, *PARITIES])
def test_spec_is_what_the_workload_is_parsed_from(spec):
    Q = workload(spec)
    assert Q.spec == spec
    assert query_vectors(parse_workload(Q.spec, Q.domain)) == query_vectors(Q)


def test_spec_keeps_every_digit_of_a_listed_range():
    domain = Domain(
        (Attribute("f", Edges((0.1, 0.30000000000000004, 1.5))), Attribute("n", Range(1_000_000, 1_300_000)))
    )
    for name, box in [("f", (0.1, 0.30000000000000004)), ("n", (1_234_567, 1_300_000))]:
        Q = listed_ranges(domain, [name], [[box]])
        again = parse_workload(Q.spec, domain)
        assert again.spec == Q.spec
        assert np.flatnonzero(again.query(0)[1]).tolist() == np.flatnonzero(Q.query(0)[1]).tolist()


def test_marginals_ask_for_every_cell_of_every_set_of_k_attributes():
    Q = marginals(MIXED, 2)
    assert Q.sets == tuple(itertools.combinations(range(4), 2))
    assert Q.size == Q.cells == sum(MIXED.cells(S) for S in Q.sets)
    assert Q.query(0)[2] == "age = [17, 25), hours = 1..10"
    assert Q.query(Q.size - 1)[2] == "colour = blue, smoker = 1"


def test_up_to_k_asks_for_every_order_from_one_to_k():
    for family in (marginals, cuboids):
        orders = [family(MIXED, order) for order in (1, 2, 3)]
        Q = family(MIXED, 3, up_to=True)
        assert Q.sets == tuple(S for each in orders for S in each.sets)
        assert Q.size == sum(each.size for each in orders)


def test_queries_are_numbered_part_by_part():
    Q = marginals(MIXED, 2)
    sums = Q.by_part(np.arange(Q.size, dtype=float))
    for part, S in enumerate(Q.sets):
        numbers = range(Q.offsets[part], Q.offsets[part + 1])
        assert len(numbers) == MIXED.cells(S)
        assert {Q.query(j)[0] for j in numbers} == {S}
        assert sums[part] == sum(numbers)


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


def test_random_ranges_are_public_and_repeatable_from_their_seed():
    assert query_vectors(ranges(MIXED, ["age"], 20)) == query_vectors(ranges(MIXED, ["age"], 20))
    assert query_vectors(ranges(MIXED, ["age"], 20, seed=1)) != query_vectors(ranges(MIXED, ["age"], 20))


def test_ends_of_a_random_range_are_uniform_on_the_grid():
    """The ends are two uniform draws in order: of m² pairs, one makes [i, i] and two make [i, j].

    50,000 ranges on 4 codes; a share deviates by at most √(.25 / 50,000) = 0.0022 in standard deviation: 5 of them.
    """
    Q = ranges(domain_of([4]), ["a"], 50_000)
    low, high = Q.blocks[0].operator.low[:, 0], Q.blocks[0].operator.high[:, 0]
    for i, j in itertools.combinations_with_replacement(range(4), 2):
        assert np.mean((low == i) & (high == j)) == pytest.approx((1 if i == j else 2) / 16, abs=0.011)


def test_listed_ranges_hold_both_ends_of_a_grid_and_whole_bins():
    Q = parse_workload("ranges:hours,age:1..20x17..35; 11..25x35..90", MIXED)
    assert Q.spec == "ranges:age,hours:17..35x1..20;35..90x11..25"
    first, second = Q.query(0)[1], Q.query(1)[1]
    assert np.argwhere(first).tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert np.argwhere(second).tolist() == [[2, 1], [2, 2]]


@pytest.mark.parametrize("k", range(1, 6))
def test_parities_are_all_the_subsets_of_one_to_k_attributes_once_each(k):
    Q = parities(YES_NO, k)
    asked = [Q.query(j)[0] for j in range(Q.size)]
    assert sorted(asked) == sorted(R for r in range(1, k + 1) for R in itertools.combinations(range(5), r))
    for j, R in enumerate(asked):
        q = Q.query(j)[1]
        for cell in itertools.product((0, 1), repeat=len(R)):
            assert q[cell] == (-1) ** sum(cell)


@pytest.mark.parametrize(
    ("d", "k", "count"), [(6, 2, 22), (6, 3, 42), (8, 2, 37), (8, 3, 93), (16, 2, 137), (16, 3, 697)]
)
def test_parities_with_the_total_are_as_many_as_published(d, k, count):
    assert parities(bits(d), k).size + 1 == count


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_a_marginal_is_the_signed_mean_of_its_parities(k):
    """marginal_{S,z} = 2^-k Σ_{R ⊆ S} (Π_{i∈R} z_i) parity_R, z in {±1}^k."""
    B = random_records(YES_NO, 500, np.random.default_rng(k))
    Q = parities(YES_NO, k)
    parity = {Q.query(j)[0]: answer for j, answer in enumerate(Q.answers(B))} | {(): B.total}
    for S in itertools.combinations(range(5), k):
        marginal = B.marginal(S)
        subsets = [R for r in range(k + 1) for R in itertools.combinations(range(k), r)]
        for cell in itertools.product((0, 1), repeat=k):
            z = [1 - 2 * code for code in cell]
            signed = sum(math.prod(z[i] for i in R) * parity[tuple(S[i] for i in R)] for R in subsets)
            assert signed / 2**k == marginal[cell]


def test_half_a_million_parities_are_two_arrays():
    Q = parities(bits(1000), 2)
    assert Q.size == 500_500
    assert [block.sets.shape for block in Q.blocks] == [(1000, 1), (499_500, 2)]
    assert Q.query(500_499)[0] == (998, 999)


def test_answers_of_some_parts_are_those_of_all_without_the_others():
    B = random_records(MIXED, 200, np.random.default_rng(0))
    for Q in (marginals(MIXED, 3, up_to=True), predicates(MIXED, ["age >= 25", "smoker == 1"])):
        for seed in range(10):
            parts = np.random.default_rng(seed).random(Q.parts) < 0.5
            assert (Q.answers(B, parts) == Q.answers(B)[Q.per_query(parts)]).all()


def test_parts_that_read_an_attribute_are_told():
    Q = marginals(MIXED, 2, up_to=True)
    changed = np.array([False, True, False, False])
    assert [bool(reads) for reads in Q.reading(changed)] == [1 in S for S in Q.sets]


def test_a_semicolon_in_quotes_does_not_end_a_predicate():
    domain = Domain((Attribute("a;b", Values(("x;y", "z"))), SMOKER))
    Q = parse_workload("""where:`a;b` == "x;y" ;; smoker == 1; `a;b` != 'x;y';""", domain)
    assert [Q.query(j)[2] for j in range(Q.size)] == ['`a;b` == "x;y"', "smoker == 1", "`a;b` != 'x;y'"]
    assert parse_workload(Q.spec, domain).spec == Q.spec


def test_a_column_whose_name_holds_a_comma_or_a_colon_may_have_ranges():
    domain = Domain((Attribute("a,b", Range(0, 4)), Attribute("c:d", Range(0, 4))))
    assert parse_workload("ranges:a,b:all", domain).size == parse_workload("ranges:c:d:all", domain).size == 15


K = "k must be at most the number of attributes, 4, got 5"
NUMBER = "needs a whole number, as in marginals:2 or ranges:age:2000, got"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("marginals:5", K),
        ("cuboids:<=5", K),
        ("marginals:0", "k must be a whole number of at least 1, got 0"),
        ("marginals:-1", f"the workload 'marginals:-1' {NUMBER} '-1'"),
        ("marginals:two", f"the workload 'marginals:two' {NUMBER} 'two'"),
        ("marginals:²", f"the workload 'marginals:²' {NUMBER} '²'"),
        ("marginals:", f"the workload 'marginals:' {NUMBER} ''"),
        ("marginals", f"the workload 'marginals' {NUMBER} ''"),
        ("marginals:9999999999", f"the workload 'marginals:9999999999' {NUMBER} '9999999999'"),
        (
            "parities:2",
            "parities need attributes of two values, 'age' has 5: leave it out, or ask for marginals",
        ),
        (
            "ranges:age",
            "the workload 'ranges:age' lacks its parts: write ranges:COLUMN[,COLUMN]:COUNT, as in ranges:age:2000",
        ),
        (
            "ranges:colour:5",
            "ranges need an ordered attribute, 'colour' is categorical: choose one with edges or a range",
        ),
        ("ranges:aeg:5", "no attribute 'aeg' in the schema; did you mean 'age'?"),
        ("ranges:age:0", "the number of ranges must be from 1 to 100,000,000, or all, or prefixes, got 0"),
        (
            "ranges:age:200000000",
            "the number of ranges must be from 1 to 100,000,000, or all, or prefixes, got 200000000",
        ),
        ("ranges:age:some", f"the workload 'ranges:age:some' {NUMBER} 'some'"),
        ("ranges:age:5@x", f"the workload 'ranges:age:5@x' {NUMBER} 'x'"),
        ("ranges:age:17..x", "the range '17..x' cannot be read: write low..high, as in 17..30, sides joined by x"),
        ("ranges:age:17..", "the range '17..' cannot be read: write low..high, as in 17..30, sides joined by x"),
        ("ranges:age:35..25", "the range 35..25 of 'age' holds no value: write low..high within its values"),
        ("ranges:age:91..99", "the range 91..99 of 'age' holds no value: write low..high within its values"),
        ("ranges:age:17..30", "age has edges at 17, 25, 35, 90: 30 falls inside [25, 35); compare with an edge"),
        ("ranges:age:17..25x1..10", "each range needs an interval for each of age, got 2 for 1"),
        ("ranges:age:nan..25", "age >= needs a number, got nan"),
        ("where:", 'a predicate is empty: write a question such as age >= 40 and sex == "Female"'),
        ("where: ; ", 'a predicate is empty: write a question such as age >= 40 and sex == "Female"'),
        (
            "everything",
            "there is no workload 'everything': "
            "write marginals:K, cuboids:K, parities:K, ranges:COLUMN:COUNT or where:PREDICATE",
        ),
        (
            "",
            "there is no workload '': write marginals:K, cuboids:K, parities:K, ranges:COLUMN:COUNT or where:PREDICATE",
        ),
    ],
)
def test_a_workload_that_makes_no_sense_is_refused(spec, message):
    with pytest.raises(ValueError, match=exactly(message)):
        parse_workload(spec, MIXED)


@pytest.mark.parametrize("k", [True, 1.0, "2", None, -1])
def test_an_order_that_is_no_whole_number_is_refused(k):
    with pytest.raises(ValueError, match=r"^k must be a whole number of at least 1, got "):
        marginals(MIXED, k)


def test_a_workload_of_nothing_is_refused():
    for empty in (lambda: listed_ranges(MIXED, ["age"], []), lambda: Workload(MIXED, "marginals", "", "", ())):
        with pytest.raises(ValueError, match=exactly("the workload asks nothing: choose at least one query")):
            empty()
    with pytest.raises(ValueError, match=r"^ranges need at least one attribute: choose one with edges or a range$"):
        ranges(MIXED, [], 5)


WIDE = Domain(tuple(Attribute(f"x{i}", Range(0, 999)) for i in range(16)))


@pytest.mark.parametrize(
    ("domain", "spec", "message"),
    [
        (
            WIDE,
            "marginals:3",
            "the marginal x0 × x1 × x2 has 1,000,000,000 cells, 50,000,000 fit: "
            "lower k, leave an attribute out, or declare coarser bins",
        ),
        (
            WIDE,
            "ranges:x3,x5,x8:10",
            "the marginal x3 × x5 × x8 has 1,000,000,000 cells, 50,000,000 fit: "
            "lower k, leave an attribute out, or declare coarser bins",
        ),
        (
            WIDE,
            "cuboids:2",
            "the workload has 120,000,000 queries, 100,000,000 fit: lower k, or leave an attribute out",
        ),
        (
            WIDE,
            "ranges:x0,x1:all",
            "all ranges would be 250,500,250,000 queries, 100,000,000 fit: ask for random ones",
        ),
        (
            WIDE,
            "where:x0 == 1 and x1 == 1 and x2 == 1",
            "the predicate 'x0 == 1 and x1 == 1 and x2 == 1' asks of x0 × x1 × x2, 1,000,000,000 cells, "
            "50,000,000 fit in memory: ask of fewer attributes",
        ),
        (
            bits(60),
            "marginals:30",
            "the 30-way marginals of 60 attributes are 118,264,581,564,861,424 tables, 1,000,000 fit: "
            "lower k, or leave an attribute out",
        ),
        (
            bits(1000),
            "marginals:<=3",
            "the 3-way marginals of 1000 attributes are 166,667,500 tables, 1,000,000 fit: "
            "lower k, or leave an attribute out",
        ),
        (
            bits(64),
            "parities:64",
            "the 64-way marginals of 64 attributes are 18,446,744,073,709,551,615 tables, 1,000,000 fit: "
            "lower k, or leave an attribute out",
        ),
        (
            bits(20),
            "parities:10",
            "the workload has 320,420,752 cells of marginals to read, 100,000,000 fit: "
            "lower k, or leave an attribute out",
        ),
    ],
)
def test_a_workload_too_large_to_hold_is_refused_with_its_size_and_what_fits(domain, spec, message):
    with pytest.raises(ValueError, match=exactly(message)):
        parse_workload(spec, domain)
