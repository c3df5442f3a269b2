"""The text form of workloads: every workload is parsed again from its own text, and errors name what is wrong."""

import numpy as np
import pytest
from messages import exactly
from oracles import query_vectors
from workloads import MIXED, SMOKER, SPECS, workload

from mwem_core.domain import Attribute, Domain
from mwem_core.values import Edges, Range, Values
from mwem_core.workload.families import listed_ranges
from mwem_core.workload.spec import parse_workload


@pytest.mark.parametrize("spec", SPECS)
def test_a_workload_is_parsed_again_from_its_own_text(spec):
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


def test_a_semicolon_in_quotes_does_not_end_a_predicate():
    domain = Domain((Attribute("a;b", Values(("x;y", "z"))), SMOKER))
    Q = parse_workload("""where:`a;b` == "x;y" ;; smoker == 1; `a;b` != 'x;y';""", domain)
    assert [Q.query(j)[2] for j in range(Q.size)] == ['`a;b` == "x;y"', "smoker == 1", "`a;b` != 'x;y'"]
    assert parse_workload(Q.spec, domain).spec == Q.spec


def test_a_column_whose_name_contains_a_comma_or_a_colon_may_have_ranges():
    domain = Domain((Attribute("a,b", Range(0, 4)), Attribute("c:d", Range(0, 4))))
    assert parse_workload("ranges:a,b:all", domain).size == parse_workload("ranges:c:d:all", domain).size == 15


LOW_HIGH = "write low..high, as in 17..30, with the sides of a box joined by x"
NUMBER = "needs a whole number, as in marginals:2 or ranges:age:2000, got"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("marginals:5", "k must be at most the number of attributes, 4, got 5"),
        ("cuboids:<=5", "k must be at most the number of attributes, 4, got 5"),
        ("marginals:0", "k must be a whole number of at least 1, got 0"),
        ("marginals:-1", f"the workload 'marginals:-1' {NUMBER} '-1'"),
        ("marginals:two", f"the workload 'marginals:two' {NUMBER} 'two'"),
        ("marginals:²", f"the workload 'marginals:²' {NUMBER} '²'"),
        ("marginals:", f"the workload 'marginals:' {NUMBER} ''"),
        ("marginals", f"the workload 'marginals' {NUMBER} ''"),
        ("marginals:9999999999", f"the workload 'marginals:9999999999' {NUMBER} '9999999999'"),
        (
            "parities:2",
            "parities need attributes of two values, but 'age' has 5, 'hours' has 4, 'colour' has 3: "
            "leave them out, or ask for marginals",
        ),
        (
            "ranges:age",
            "the workload 'ranges:age' lacks a column or a number: "
            "write ranges:COLUMN[,COLUMN]:COUNT, as in ranges:age:2000",
        ),
        (
            "ranges:colour:5",
            "ranges need an ordered attribute, but 'colour' is categorical: choose one with edges or a range",
        ),
        ("ranges:aeg:5", "no attribute 'aeg' in the schema; did you mean 'age'?"),
        ("ranges:age:0", "the number of ranges must be from 1 to 100,000,000, or all, or prefixes, got 0"),
        (
            "ranges:age:200000000",
            "the number of ranges must be from 1 to 100,000,000, or all, or prefixes, got 200000000",
        ),
        ("ranges:age:some", f"the workload 'ranges:age:some' {NUMBER} 'some'"),
        ("ranges:age:5@x", f"the workload 'ranges:age:5@x' {NUMBER} 'x'"),
        (
            "ranges:age:17..x",
            f"the range '17..x' cannot be read: {LOW_HIGH}",
        ),
        (
            "ranges:age:17..",
            f"the range '17..' cannot be read: {LOW_HIGH}",
        ),
        ("ranges:age:35..25", "the range 35..25 of 'age' contains no value: write low..high within its values"),
        ("ranges:age:91..99", "the range 91..99 of 'age' contains no value: write low..high within its values"),
        ("ranges:age:17..30", "age has edges at 17, 25, 35, 90: 30 falls inside [25, 35); compare with an edge"),
        ("ranges:age:17..25x1..10", "each range needs one interval per attribute (age), got 2 for 1"),
        ("ranges:age:nan..25", "age >= needs a number, got nan"),
        ("where:", "a predicate is empty: write a question such as age >= 40 and sex = 'Female'"),
        ("where: ; ", "a predicate is empty: write a question such as age >= 40 and sex = 'Female'"),
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
def test_a_text_that_names_no_workload_is_refused(spec, message):
    with pytest.raises(ValueError, match=exactly(message)):
        parse_workload(spec, MIXED)
