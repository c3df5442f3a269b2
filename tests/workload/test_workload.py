"""Workloads of every family, against brute force over every cell of small domains."""

import numpy as np
import pytest
from messages import exactly
from oracles import query_vectors, random_records
from workloads import MIXED, PARITIES, PREDICATES, RANGES, SPECS, TABLES, bits, workload

from mwem_core.domain import Attribute, Domain
from mwem_core.values import Range
from mwem_core.workload.families import marginals, predicates
from mwem_core.workload.spec import parse_workload
from mwem_core.workload.workload import Workload


@pytest.mark.parametrize("spec", SPECS)
def test_answers_are_the_sums_over_all_cells_of_query_times_count(spec):
    Q = workload(spec)
    B = random_records(Q.domain, 300, np.random.default_rng(len(spec)))
    counts = B.marginal(range(len(Q.domain))).ravel()
    looped = [sum(q * b for q, b in zip(query, counts, strict=True)) for query in query_vectors(Q)]
    assert Q.answers(B).tolist() == looped
    assert Q.answers(B).shape == (Q.size,)


@pytest.mark.parametrize("spec", [*TABLES, *RANGES, *PARITIES])
def test_sensitivity_is_the_most_that_any_one_record_adds_up_to(spec):
    Q = workload(spec)
    assert Q.sensitivity == np.abs(query_vectors(Q)).sum(axis=0).max()


@pytest.mark.parametrize("spec", PREDICATES)
def test_sensitivity_of_predicates_is_a_bound_on_it(spec):
    Q = workload(spec)
    assert np.abs(query_vectors(Q)).sum(axis=0).max() <= Q.sensitivity == Q.size


@pytest.mark.parametrize("spec", SPECS)
def test_queries_lie_between_minus_one_and_one_and_different_queries_have_different_names(spec):
    Q = workload(spec)
    vectors, names = set(), set()
    for j in range(Q.size):
        attrs, q, name = Q.query(j)
        assert q.shape == Q.domain.sizes(attrs)
        assert np.abs(q).max() == 1
        vectors.add((attrs, q.tobytes()))
        names.add(name)
    assert len(names) == len(vectors)


def test_queries_are_numbered_part_by_part():
    Q = marginals(MIXED, 2)
    sums = Q.sum_by_part(np.arange(Q.size, dtype=float))
    for part, S in enumerate(Q.sets):
        numbers = range(Q.offsets[part], Q.offsets[part + 1])
        assert len(numbers) == MIXED.cells(S)
        assert {Q.query(j)[0] for j in numbers} == {S}
        assert sums[part] == sum(numbers)


def test_answers_of_some_parts_are_the_answers_of_all_without_the_other_parts():
    B = random_records(MIXED, 200, np.random.default_rng(0))
    for Q in (marginals(MIXED, 3, up_to=True), predicates(MIXED, ["age >= 25", "smoker == 1"])):
        for seed in range(10):
            parts = np.random.default_rng(seed).random(Q.parts) < 0.5
            assert (Q.answers(B, parts) == Q.answers(B)[Q.repeat_per_query(parts)]).all()
            assert not parts.any() or (Q.answers(B, parts) == Q.only(parts).answers(B)).all()


@pytest.mark.parametrize("changed", [[], [1], [0, 3], [0, 1, 2, 3]])
def test_a_part_reads_the_given_attributes_where_its_set_contains_one_of_them(changed):
    mask = np.isin(np.arange(4), changed)
    for Q in (marginals(MIXED, 2, up_to=True), predicates(MIXED, ["age >= 25 and hours <= 10", "smoker == 1"])):
        assert Q.parts_reading(mask).tolist() == [bool(set(S) & set(changed)) for S in Q.sets]


def test_a_workload_without_queries_is_refused():
    with pytest.raises(ValueError, match=exactly("the workload has no queries: choose at least one")):
        Workload(MIXED, "marginals", "", "", ())


WIDE = Domain(tuple(Attribute(f"x{i}", Range(0, 999)) for i in range(16)))


@pytest.mark.parametrize(
    ("domain", "spec", "message"),
    [
        (
            WIDE,
            "marginals:3",
            "the marginal x0 × x1 × x2 has 1,000,000,000 cells, but at most 50,000,000 fit in memory: "
            "lower k, leave an attribute out, or declare coarser bins",
        ),
        (
            WIDE,
            "ranges:x3,x5,x8:10",
            "the marginal x3 × x5 × x8 has 1,000,000,000 cells, but at most 50,000,000 fit in memory: "
            "lower k, leave an attribute out, or declare coarser bins",
        ),
        (
            WIDE,
            "cuboids:2",
            "the workload has 120,000,000 queries, but at most 100,000,000 fit in memory: "
            "lower k, or leave an attribute out",
        ),
        (
            bits(20),
            "parities:10",
            "the workload has 320,420,752 cells of marginals to read, but at most 100,000,000 fit in memory: "
            "lower k, or leave an attribute out",
        ),
    ],
)
def test_a_workload_too_large_for_memory_is_refused_with_its_size_and_the_limit(domain, spec, message):
    with pytest.raises(ValueError, match=exactly(message)):
        parse_workload(spec, domain)
