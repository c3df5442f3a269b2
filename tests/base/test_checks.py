"""What is checked of a caller's input: first mistakes end in a sentence, and no message shows a table."""

import math
import re
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from messages import exactly

from mwem_core import (
    MWEM,
    Direct,
    Domain,
    Planned,
    PrivBayes,
    Seeded,
    Tables,
    default,
    encode,
    nearest_rows,
    paper,
    parse_workload,
    rows_csv,
    sample,
)
from mwem_core.base import check_positive, find_duplicates, hint, is_whole, join_names
from mwem_core.privacy import ZCDP, Accountant, Pure


def test_repeated_items_are_those_that_stood_before():
    assert find_duplicates(["a", "b", "a", "c", "a", "b"]) == ["a", "a", "b"]
    assert find_duplicates(["a", "b", "c"]) == find_duplicates([]) == []


def test_names_are_joined_as_people_do():
    assert [join_names(names) for names in (["a"], ["a", "b"], ["a", "b", "c"])] == ["a", "a and b", "a, b and c"]


def test_truth_values_and_fractions_are_not_whole_numbers():
    assert [value for value in (0, -3, 2**70, True, False, 1.0, "1", None) if is_whole(value)] == [0, -3, 2**70]


def test_a_hint_suggests_similar_names_or_lists_the_first_eight():
    assert hint("blu", ["red", "blue"]) == "; did you mean 'blue'?"
    assert hint("age1", ["age2", "age3", "sex"]) == "; did you mean 'age3' or 'age2'?"
    assert hint("x", ["red", "blue"]) == "; there are 'red', 'blue'"
    assert hint("x", "abcdefghi") == "; there are 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h' …"


def test_a_hint_looks_for_similar_names_among_a_thousand_at_most():
    names = [f"name {i:04}" for i in range(1001)]
    assert "did you mean" in hint("name 000", names[:1000])
    assert hint("name 000", names).startswith("; there are 'name 0000', ")


@pytest.mark.parametrize("bad", [0, 0.0, -1.0, math.nan, math.inf, -math.inf, "1", None, True, 1j], ids=repr)
def test_a_value_that_is_not_a_positive_number_is_refused_by_its_name(bad):
    with pytest.raises(ValueError, match=exactly(f"rho must be a positive number, got {bad!r}")):
        check_positive(epsilon=1, rho=bad)


def test_positive_numbers_pass():
    check_positive(tiny=5e-324, whole=1, numpy=np.float64(2.5))


def test_an_exact_amount_is_shown_as_a_number_and_a_table_as_its_kind():
    with pytest.raises(ValueError, match=exactly("epsilon must be a positive number, got 0")):
        check_positive(epsilon=Fraction(0))
    with pytest.raises(ValueError, match=exactly("epsilon must be a positive number, got a DataFrame")):
        check_positive(epsilon=pd.DataFrame({"secret": [1234567]}))


SCHEMA = Path(__file__).parents[2] / "sample_data" / "class_survey.toml"
TEXT = SCHEMA.read_text(encoding="utf-8")
DOMAIN = Domain.from_toml(TEXT)
PEOPLE = pd.read_csv(SCHEMA.with_suffix(".csv"))
B, Q, RNG = encode(PEOPLE, DOMAIN), parse_workload("marginals:2", DOMAIN), np.random.default_rng(0)
FEWER = B.project(["year", "sleep"])


@cache
def last_round():
    """The last round of a short run."""
    return list(paper(Q, epsilon=1.0, T=1).rounds(B, Q, noise=Seeded(0)))[-1]


def rows():
    return nearest_rows(Q, last_round().model, 10, np.random.default_rng(0))


def spent_account() -> Accountant:
    account = Accountant(Pure(1.0), Seeded(0))
    account.measure(np.zeros(2), cost=account.left)
    return account


FIRST_MISTAKES: dict[str, tuple[Callable[[], object], str]] = {
    "a path for a schema": (lambda: Domain.from_toml(SCHEMA), "a schema is read from its text, such as"),
    "a schema's text for a domain": (lambda: encode(PEOPLE, TEXT), "a table is read under a Domain, as"),
    "a schema's path for a domain": (lambda: encode(PEOPLE, str(SCHEMA)), "a table is read under a Domain, as"),
    "a path for a table": (lambda: encode("people.csv", DOMAIN), "a table must be a DataFrame"),
    "arguments in another order": (lambda: parse_workload(DOMAIN, "marginals:2"), "a workload is named by a text"),
    "a workload's order alone": (lambda: parse_workload(2, DOMAIN), "a workload is named by a text"),
    "a DataFrame for a domain": (lambda: parse_workload("marginals:2", PEOPLE), "a workload is of the attributes"),
    "records for a domain": (lambda: parse_workload("marginals:2", B), "a workload is of the attributes"),
    "a text for a workload": (lambda: default("marginals:2", n=1, epsilon=1.0), "settings are for a workload"),
    "records for their number": (
        lambda: default(Q, n=B, epsilon=1.0),
        "n must be a positive number, got a R",
    ),
    "a text for a number": (lambda: default(Q, n="9", epsilon=1.0), "n must be a positive number, got '9'"),
    "a text for ε": (lambda: MWEM(epsilon="1"), "epsilon must be a positive number, got '1'"),
    "a word for an update": (lambda: MWEM(epsilon=1.0, update="newest"), "update must be one of Newest, Replay, got"),
    "a word for candidates": (lambda: MWEM(epsilon=1.0, candidates="tables"), "candidates must be one of Queries, Tab"),
    "a word for a start": (
        lambda: MWEM(epsilon=1.0, start="uniform"),
        "start must be a start, such as UniformStart(), got",
    ),
    "a mechanism that is none": (lambda: MWEM(epsilon=1.0, selection="max"), "selection must be one of exponential, "),
    "an output that is none": (lambda: MWEM(epsilon=1.0, output="mean"), "output must be one of last, average, got"),
    "a penalty that is none": (lambda: Tables(penalty="all"), "penalty must be one of none, cells, noise"),
    "a plan that is none": (lambda: Planned(epsilon=1.0, within="all"), "within must be one of workload, lower, got"),
    "a score that is none": (lambda: PrivBayes(epsilon=1.0, score="Z"), "score must be one of F, R, got 'Z'"),
    "a text for the workload of a run": (lambda: run(Q="marginals:2"), "a run needs a workload, as parse_workload"),
    "a run's arguments in another order": (lambda: run(B=Q, Q=B), "a run needs a workload, as parse_workload"),
    "a DataFrame for records": (lambda: run(B=PEOPLE), "a run needs records of the workload's attributes, as encode"),
    "records of other attributes": (lambda: run(B=FEWER), "a run needs records of the workload's attributes, as enc"),
    "a seed for noise": (lambda: run(noise=1), "noise must be a source such as Seeded(), got 1"),
    "no noise": (lambda: run(noise=None), "noise must be a source such as Seeded(), got None"),
    "a class for noise": (lambda: run(noise=Seeded), "noise must be a source such as Seeded(), got a type"),
    "a generator for noise": (lambda: run(noise=RNG), "noise must be a source such as Seeded(), got a Generator"),
    "a seed for a generator": (lambda: nearest_rows(Q, last_round().model, 10, 1), "rng must be a generator such as"),
    "noise for a generator": (lambda: sample(DOMAIN, last_round().model, 9, Seeded(1)), "rng must be a generator such"),
    "a total for a number of rows": (
        lambda: sample(DOMAIN, last_round().model, 9.5, RNG),
        "the number of rows must be",
    ),
    "a seed for the rows of a file": (lambda: rows_csv(rows(), 1), "rng must be a generator such as"),
    "a spent budget": (
        lambda: (account := spent_account()).measure(np.zeros(2), cost=account.left),
        "a draw must cost more than 0 ε: 0 of the budget is left",
    ),
    "a cost of nothing": (
        lambda: Accountant(ZCDP(1.0), Seeded(0)).choose(np.zeros(2), cost=ZCDP(0)),
        "a draw must cost more than 0 ρ: 1 of the budget is left",
    ),
}


def run(B=B, Q=Q, noise=None):
    """All rounds of two systems, which begin in different ways."""
    for settings in (Direct(epsilon=1.0), paper(parse_workload("marginals:2", DOMAIN), epsilon=1.0, T=1)):
        list(settings.rounds(B, Q, noise=noise))


@pytest.mark.parametrize(("mistake", "said"), FIRST_MISTAKES.values(), ids=FIRST_MISTAKES)
def test_a_first_mistake_ends_in_a_sentence_that_says_what_is_needed(mistake, said):
    with pytest.raises(ValueError, match=f"^{re.escape(said)}") as problem:
        mistake()
    assert len(str(problem.value)) < 200
    assert "\n" not in str(problem.value)
