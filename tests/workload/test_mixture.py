"""Mixed workloads as text: weights, quotes, and that a text of one family means what it always did."""

import numpy as np
import pytest
from oracles import random_records
from workloads import MIXED, SPECS, workload

from mwem_core import Domain, parse_workload
from mwem_core.workload.spec import split_terms

SUM = 'marginals:2 + ranges:age:prefixes + where:colour == "red"'


@pytest.mark.parametrize("spec", SPECS)
def test_one_family_is_no_mixture_whatever_its_weight(spec):
    Q = workload(spec)
    assert not Q.terms
    assert Q.family != "mixed"
    assert parse_workload(f"3*{spec}", Q.domain).spec == Q.spec


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        (SUM, SUM),
        ("2 * marginals:1  +  1*ranges:age:5", "2*marginals:1 + ranges:age:5"),
        ("0.5*marginals:1 + ranges:age:5", "marginals:1 + 2*ranges:age:5"),
        ("4*marginals:1 + 6*ranges:age:5", "2*marginals:1 + 3*ranges:age:5"),
        ("marginals:1 + cuboids:<=2 + 7*where:smoker == 1; age >= 25", None),
    ],
)
def test_a_mixture_has_one_spec_that_is_read_as_itself(text, spec):
    Q = parse_workload(text, MIXED)
    assert Q.spec == (spec or text)
    again = parse_workload(Q.spec, MIXED)
    assert (again.spec, again.size) == (Q.spec, Q.size)
    assert [term.weight for term in again.terms] == [term.weight for term in Q.terms]


def test_answers_are_those_of_the_terms_one_after_another():
    B, Q = random_records(MIXED, 300, np.random.default_rng(0)), parse_workload(SUM, MIXED)
    answers = Q.answers(B)
    for term, queries in zip(Q.terms, Q.term_queries, strict=True):
        assert (answers[queries] == term.workload.answers(B)).all()
    assert Q.sensitivity == sum(term.workload.sensitivity for term in Q.terms)
    labels = [Q.query(j)[2] for j in range(Q.size)]
    assert labels == [term.workload.query(j)[2] for term in Q.terms for j in range(term.workload.size)]


def test_candidates_are_whole_marginals_and_single_queries():
    Q = parse_workload(SUM, MIXED)
    assert Q.candidate_counts.sum() == 6 + 3 + 1
    sums = Q.sum_by_candidate(np.arange(Q.size, dtype=float))
    assert len(sums) == 10
    assert sums.sum() == Q.size * (Q.size - 1) / 2
    parts = [Q.candidate(j, tables=True) for j in range(10)]
    assert parts == [*((part, 0) for part in range(6)), (6, 0), (6, 1), (6, 2), (7, 0)]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ('where:x == "a + marginals:2"', ['where:x == "a + marginals:2"']),
        ('where:x == "a" + marginals:2', ['where:x == "a"', "marginals:2"]),
        ("ranges:father's age:5 + ranges:mother's age:5", ["ranges:father's age:5", "ranges:mother's age:5"]),
        ("ranges:a + b:5", ["ranges:a + b:5"]),
        ("marginals:2 + 0.5 * where:`a + where:b` == 1", ["marginals:2", "0.5 * where:`a + where:b` == 1"]),
    ],
)
def test_a_plus_within_a_name_or_quotes_splits_nothing(text, terms):
    assert split_terms(text) == terms


def test_bad_weights_are_refused():
    for text, message in (
        ("0*marginals:1 + cuboids:1", "a weight must be positive, got 0"),
        ("1001*marginals:1 + cuboids:1", "at most 1,000 is allowed"),
        ("marginals:1 + x*cuboids:1", "a whole number"),
    ):
        with pytest.raises(ValueError, match=message):
            parse_workload(text, MIXED)


def test_a_mixture_on_another_domain_of_its_shape_has_its_terms_there_too():
    Q, other = parse_workload(SUM, MIXED), Domain.from_toml(MIXED.to_toml())
    moved = Q.over(other)
    assert all(each.domain is other for each in (moved, *(term.workload for term in moved.terms)))
    assert (moved.spec, moved.term_queries) == (Q.spec, Q.term_queries)
