"""The workload of an analysis: every table that its questions need, weighted by how many need it."""

import numpy as np
import pytest
from releases import released, terms_of

from mwem_core import Domain, Records, Seeded, parse_workload
from mwem_core.ask.analysis_workload import asked_domain, sets_of, workload_of
from mwem_core.ask.release_reader import load_files
from mwem_core.ask.sql import read_questions
from mwem_core.release import bundle, forecast

DOMAIN = Domain.from_toml("""
[[attribute]]
name = "age"
range = [20, 27]

[[attribute]]
name = "sex"
values = ["f", "m"]

[[attribute]]
name = "income"
values = ["low", "high"]

[[attribute]]
name = "town"
values = ["x", "y", "z"]
""")


def spec(text: str) -> str:
    questions = read_questions(text, DOMAIN)
    return workload_of(questions, DOMAIN)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("avg(income = 'high') group by sex", "marginals:2:sex, income"),
        ("count(*) group by income, sex, age", "marginals:3:age, sex, income"),
        ("avg(age)", "marginals:1:age"),
        ("median(age) where sex = 'f'", "marginals:2:age, sex"),
        ("median(age) group by sex", "marginals:2:age, sex"),
        ("age ~ sex + town", "marginals:2:age, sex | age, town | sex, town"),
        ("logit(income = 'high' ~ sex + age)", "marginals:2:age, sex | age, income | sex, income"),
        ("avg(income = 'high') group by sex; avg(age)", "marginals:2:sex, income + marginals:1:age"),
    ],
)
def test_a_question_needs_the_tables_that_it_is_answered_from(text, expected):
    assert spec(text) == expected
    assert parse_workload(expected, DOMAIN).has_residuals


def test_a_table_counts_for_each_question_that_needs_it_or_one_within_it():
    text = "avg(income = 'high') group by sex; odds_ratio(income = 'high') group by sex; avg(age) group by town"
    assert spec(text) == "2*marginals:2:sex, income + marginals:2:age, town"
    assert spec(f"{text}; count(*) group by income, sex, town; avg(age) group by town") == (
        "3*marginals:3:sex, income, town + 2*marginals:2:age, town"
    )


def test_equal_weights_of_one_order_are_a_workload_of_one_family():
    assert parse_workload(spec("count(*) group by income, sex; count(*) group by income, town"), DOMAIN).tabular


def test_only_the_attributes_that_are_asked_about_are_released():
    questions = read_questions("avg(age) group by sex", DOMAIN)
    assert asked_domain(questions, DOMAIN).names == ("age", "sex")


def test_a_question_that_cannot_be_read_is_refused_as_asking_refuses_it():
    with pytest.raises(ValueError, match=r"^SELECT: no attribute 'wealth' in the schema"):
        read_questions("avg(age) group by sex; avg(wealth) group by sex", DOMAIN)


def test_a_name_that_a_workload_cannot_have_is_refused():
    domain = Domain.from_toml('[[attribute]]\nname = "a|b"\nvalues = ["0", "1"]')
    questions = read_questions("count(*) group by `a|b`", domain)
    with pytest.raises(ValueError, match=r"cannot be named in a workload, as \| has a meaning"):
        workload_of(questions, domain)


@pytest.mark.parametrize(
    "text",
    [
        *("avg(income = 'high') group by sex", "avg(age) group by sex", "age ~ sex + town"),
        *("odds_ratio(income = 'high') group by town", "sum(age) group by sex", "variance(age) group by town"),
    ],
)
def test_what_a_question_needs_is_measured_together_by_its_workload(text):
    """On 2,000 records at ε = 20 each answer rests on measurements alone."""
    questions, rng = read_questions(text, DOMAIN), np.random.default_rng(0)
    own = asked_domain(questions, DOMAIN)
    B = Records(own, tuple(rng.integers(0, size, 2_000).astype(np.uint8) for size in own.shape))
    terms = terms_of(workload_of(questions, own), own, epsilon=20.0)
    release = load_files(bundle(released(terms, B, Seeded(0)), rng))
    answers = release.ask(text)
    assert {answer.rests_on for answer in answers} == {"measured together"}
    assert [len(S) for S in sets_of(questions[0], DOMAIN)] == [2] * len(sets_of(questions[0], DOMAIN))


def test_a_forecast_asks_the_questions_and_tells_how_wide_their_answers_are():
    """At a hundred times the budget the noise is next to none, and the sampling error is left."""
    questions, rng = read_questions("avg(income = 'high') group by sex; avg(age)", DOMAIN), np.random.default_rng(0)
    own = asked_domain(questions, DOMAIN)
    B = Records(own, tuple(rng.integers(0, size, 900).astype(np.uint8) for size in own.shape))
    texts = tuple(question.text for question in questions)
    wide, narrow = (
        forecast(terms_of(workload_of(questions, own), own, epsilon=epsilon, questions=texts), [B])
        for epsilon in (1.0, 100.0)
    )
    assert [each.question for each in narrow] == list(texts)
    assert narrow[0].halves[0] == pytest.approx(1.96 * (0.25 / 450) ** 0.5, rel=0.1)
    assert all(one.halves > other.halves for one, other in zip(wide, narrow, strict=True))
    assert str(narrow[0]).startswith(f"{texts[0]}: will be answered, 95% interval about ±0.04")
