"""Questions in words: each kind is read as what it asks, and a misread one is refused with its place and an example."""

from itertools import combinations

import pytest

from mwem_core import Attribute, Domain
from mwem_core.ask.language import examples, read_question
from mwem_core.values import Edges, Range, Values

PEOPLE = Domain(
    (
        Attribute("age", Edges((17, 25, 45, 90))),
        Attribute("hours", Range(0, 9)),
        Attribute("sex", Values(("Female", "Male"))),
        Attribute("by the sea", Values(("no", "yes"))),
        Attribute("mean", Values(("no", "yes"))),
        Attribute("income", Values(("<=50K", ">50K"))),
    )
)


def asked(text: str) -> tuple:
    question = read_question(text, PEOPLE)
    assert question.text == text.strip()
    return question.kind, question.what, question.where, question.by, question.p


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("income == '>50K'", ("share", "income == '>50K'", None, None, 0.5)),
        ("share of income == '>50K' by sex", ("share", "income == '>50K'", None, "sex", 0.5)),
        ("  Mean of age BY sex ", ("mean", "age", None, "sex", 0.5)),
        ("mean age by sex where income=='>50K'", ("mean", "age", "income=='>50K'", "sex", 0.5)),
        ("mean age where income in ('>50K') by sex", ("mean", "age", "income in ('>50K')", "sex", 0.5)),
        ("median age", ("quantile", "age", None, None, 0.5)),
        ("quantile .9 of age", ("quantile", "age", None, None, 0.9)),
        ("difference in mean age by sex", ("difference", "age", None, "sex", 0.5)),
        ("difference in share of age >= 45 by sex", ("difference", "age >= 45", None, "sex", 0.5)),
        ("odds ratio age >= 45 by sex", ("odds ratio", "age >= 45", None, "sex", 0.5)),
        ("odds ratio of age >= 45 and (sex == 'Male' and hours < 4)", ("odds ratio", "age >= 45", None, None, 0.5)),
        ("correlation age hours", ("correlation", "age, hours", None, None, 0.5)),
        ("correlation of age and hours by sex", ("correlation", "age, hours", None, "sex", 0.5)),
        ("table income by sex where age >= 45", ("table", "income, sex", "age >= 45", None, 0.5)),
        ("table of `by the sea`, income", ("table", "by the sea, income", None, None, 0.5)),
        ("`by the sea` == 'yes' by `mean`", ("share", "`by the sea` == 'yes'", None, "mean", 0.5)),
        ("share (sex == 'Male' or income == 'where by')", None),
        ("income == '>50K' ~ age + sex", ("ols", "income == '>50K' ~ age + sex", None, None, 0.5)),
        ("ols age ~ sex", ("ols", "age ~ sex", None, None, 0.5)),
        ("logit income == '>50K' ~ age", ("logit", "income == '>50K' ~ age", None, None, 0.5)),
    ],
)
def test_each_kind_of_question_is_read_as_what_it_asks(text, expected):
    if expected is None:  # words of the language in quotes are a value, which the attribute lacks
        with pytest.raises(ValueError, match="income has no value 'where by'"):
            read_question(text, PEOPLE)
        return
    found = asked(text)
    if expected[0] == "odds ratio" and expected[3] is None:
        expected = (*expected[:3], "(sex == 'Male' and hours < 4)", 0.5)
    assert found == expected


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "a predicate is empty"),
        ("mean", "cannot be read at its end: expected the name of an attribute"),
        ("mean age sex", r"at 'sex' \(character 10\): expected where, by or the end"),
        ("mean age by 'sex'", r"at \"'sex'\" \(character 13\): expected the name"),
        ("mean agee", "no attribute 'agee' in the schema; did you mean 'age'"),
        ("mean sex", "sex has no numbers"),
        ("mean age by sex by income", r"at 'by' \(character 17\): expected one 'by' at most"),
        ("mean age where sex == 'Male", r"at \"'\" \(character 23\): expected another ' after it"),
        ("quantile 2 of age", r"at '2' \(character 10\): expected a share above 0"),
        ("quantile age", r"at 'age' \(character 10\): expected a share above 0"),
        ("difference in mean age", "expected by, and an attribute"),
        ("odds income", r"at 'income' \(character 6\): expected ratio"),
        ("odds ratio age >= 45", "expected two conditions with one 'and' between them"),
        ("correlation age", "expected the names of two attributes"),
        ("table", "expected the name of an attribute"),
        ("logit income", "expected an outcome, a ~ and what it depends on"),
        ("age ~ sex where income == '>50K'", "a regression is of all records: leave out 'where'"),
        ("income > 50 by sex", "income has no order; compare it with == or !="),
        ("income", "cannot be read at its end: expected one of =="),
    ],
)
def test_a_misread_question_is_refused_where_it_goes_wrong_and_with_an_example_that_is_read(text, sentence):
    with pytest.raises(ValueError, match=sentence) as refused:
        read_question(text, PEOPLE)
    example = str(refused.value).partition("a question is, for example, ")[2]
    assert read_question(example, PEOPLE)


@pytest.mark.parametrize(
    "domain",
    [
        PEOPLE,
        PEOPLE.project(["age", "hours"]),
        PEOPLE.project(["sex", "by the sea", "income"]),
        Domain((Attribute("a", Values(('say "a"', 'say "b"'))),)),
    ],
)
def test_examples_are_of_the_own_attributes_and_are_read(domain):
    found = examples(domain, list(combinations(range(len(domain)), 2)))
    assert len({read_question(text, domain).kind for text in found}) >= 1 + (len(domain) > 1)


def test_a_long_question_is_refused():
    with pytest.raises(ValueError, match="2,001 characters, but at most 2,000"):
        read_question("x" * 2001, PEOPLE)
