"""SQL and formulas: each question is read as what it asks; a refusal names its clause and what to ask instead."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from mwem_core import Attribute, Domain, encode, read_table
from mwem_core.ask import LoadedRelease, Question, examples, read_questions
from mwem_core.ask.analysis_workload import sets_of
from mwem_core.base import SAMPLES
from mwem_core.forms import NumberStyle
from mwem_core.model import Measurement
from mwem_core.privacy import Guarantee
from mwem_core.values import Edges, Range, Values

PEOPLE = Domain(
    (
        Attribute("age", Edges((17, 25, 45, 90), inside=NumberStyle())),
        Attribute("hours", Range(0, 9), missing="?"),
        Attribute("sex", Values(("Female", "Male"))),
        Attribute("by the sea", Values(("no", "yes"))),
        Attribute("mean", Values(("no", "yes"))),
        Attribute("income", Values(("<=50K", ">50K"))),
    )
)
RICH = "income = '>50K'"
SHARE = Question("share", RICH)
TYPED = (Path(__file__).parent / "questions.txt").read_text(encoding="utf-8").splitlines()
ASKED = [line.partition("|") for line in TYPED if not line.startswith("#")]
ADULT = "age", "education-num", "hours-per-week", "workclass", "marital-status", "race", "sex", "income"


@pytest.fixture(scope="module")
def adult():
    """What is read of a release of Adult's columns that measured all pairs at ε = 1."""
    domain = Domain.from_toml((SAMPLES / "adult.toml").read_text(encoding="utf-8")).project(ADULT)
    B, rng = encode(read_table(SAMPLES / "adult.parquet"), domain), np.random.default_rng(0)
    scale = float(len(pairs := list(combinations(range(len(domain)), 2))))
    measured = [Measurement(S, B.marginal(S) + rng.laplace(0, scale, domain.sizes(S)), scale) for S in pairs]
    return LoadedRelease(
        domain=domain,
        guarantee=Guarantee(1.0),
        manifest={},
        measurements=tuple(measured),
        public_total=float(B.total),
        laplace=True,
        model=None,  # pyright: ignore[reportArgumentType]
        rows=B,
    )


def test_a_hundred_questions_from_tutorials_are_answered_or_refused_for_their_clause(adult):
    assert len(ASKED) == 100
    for expected, _, text in ASKED:
        try:
            questions = read_questions(text.strip(), adult.domain)
            three = any(len(S) > 2 for question in questions for S in sets_of(question, adult.domain))
            answers = () if three else adult.ask(text.strip())
            found = "needs three" if three else "answered" if any(not a.refused for a in answers) else "refused"
        except ValueError as error:
            found = f"refused {error}"
        assert found.startswith(expected.strip()), (text, found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((text, SHARE) for text in (RICH, "avg(income == '>50K')", 'select avg(income = ">50K")', f"share({RICH})")),
        (f"avg(case when {RICH} then 1 else 0 end)", SHARE),
        ("avg(case income when '>50K' then 1 else 0 end)", SHARE),
        (f"avg(if({RICH}, 1, 0))", SHARE),
        (f"100.0 * count(*) filter (where {RICH}) / count(*)", SHARE),
        (f"round(sum(case when {RICH} then 1.0 else 0 end) / count(*), 2)", SHARE),
        ("avg(mean)", Question("share", "mean = 'yes'")),
        ('avg("by the sea")', Question("share", "\"by the sea\" = 'yes'")),
        ("Select Avg(AGE) From t As x Where x.sex = 'Male' Group By x.`mean`", None),
        ("count(hours)", Question("count", "hours is not null")),
        ("count(*) filter (where age < 45 and sex = 'Male')", Question("count", "age < 45 and sex = 'Male'")),
        ("sum(age)", Question("total", "age")),
        ("sum(age) / count(*)", Question("mean", "age")),
        ("avg(age) filter (where age between 17 and 44)", Question("mean", "age", "age between 17 and 44")),
        (f"avg(age) filter (where {RICH} or mean = 'no') where sex = 'Male'", None),
        ("percentile(age, 90)", Question("quantile", "age", p=0.9)),
        ("quantile(0.9, age)", Question("quantile", "age", p=0.9)),
        ("std(age); var_pop(age)", None),
        ("corr(age, hours) group by sex", Question("correlation", "age, hours", by=("sex",))),
        ("difference(avg(age)) group by sex", Question("difference", "age", by=("sex",))),
        (f"difference({RICH}) group by sex", Question("difference", RICH, by=("sex",))),
        (
            "avg(age) filter (where hours = 1) - avg(age) filter (where hours = 0)",
            Question("difference", "age", "hours = 1 or hours = 0", ("hours = 1",)),
        ),
        ("odds_ratio(age >= 45, sex = 'Male')", Question("odds ratio", "age >= 45", by=("sex = 'Male'",))),
        ("share(*) group by sex, mean, income", Question("table", by=("sex", "mean", "income"))),
        ("select sex s, count(*) n from t group by s order by n desc", Question("count", by=("sex",), order="desc")),
        ("age >= 25, count(*) group by age >= 25", Question("count", by=("age >= 25",))),
        ("age ~ sex where mean = 'yes'", Question("ols", "age ~ sex", "mean = 'yes'")),
        (f"glm({RICH} ~ sex, family = binomial)", Question("logit", f"{RICH} ~ sex")),
        (f"logit {RICH} ~ age", Question("logit", f"{RICH} ~ age")),
    ],
)
def test_each_question_is_read_as_what_it_asks_and_is_said_so_that_it_is_read_again(text, expected):
    found = read_questions(text, PEOPLE)
    by_hand = {
        "Select": (Question("mean", "age", "sex = 'Male'", ("mean",)),),
        "avg(age)": (Question("mean", "age", f"sex = 'Male' and ({RICH} or mean = 'no')"),),
        "std(age);": (Question("deviation", "age"), Question("variance", "age")),
    }
    assert found == ((expected,) if expected else by_hand[text.split()[0]])
    for question in found:
        assert read_questions(question.text, PEOPLE) == (question,)
        assert question.sentence[0].isupper()
        assert question.statistic(PEOPLE)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "SELECT: no statistic is named"),
        ("avg(agee)", "SELECT: no attribute 'agee' in the schema; did you mean 'age'"),
        ("avg(sex)", r"SELECT: sex has no numbers: ask for a share, such as avg\(sex = 'Male'\)"),
        ("count(*) where sex = 'male'", "WHERE: sex has no value 'male'; did you mean 'Male'"),
        ("count(*) where age >= 30", r"WHERE: age has edges at .*: 30 falls inside \[25, 45\)"),
        ("count(*) where sex = 'Male", "a quote in it is not closed"),
        ("count(*) where age > 95", "WHERE: no record that the schema allows satisfies age > 95"),
        ("max(age)", "SELECT: .* is one record's value: ask percentile_cont"),
        ("avg(age) + 1", "SELECT: .* is not answered: there are avg"),
        ("2 * avg(age)", "SELECT: .* is multiplied by 2"),
        ("quantile(age, 0)", "SELECT: a percentile is of one attribute"),
        ("count(*) group by sex with rollup", "GROUP BY: name attributes or conditions"),
        ("odds_ratio(age >= 45)", "GROUP BY: .* compares groups"),
        ("count(*) group by sex order by sex desc", 'ORDER BY: "sex" is no statistic that is selected'),
        ("age ~ sex where mean = 'yes' where sex = 'Male'", "WHERE: there is more than one"),
        ("glm(age ~ sex)", "glm is answered with family = binomial"),
        ("logit(age ~ sex)", "needs an outcome of two values"),
        ("age ~ sex * mean", "FORMULA: the interaction 'sex:mean' is refused"),
        ("select age from t union select age from t", "SELECT: a question is one select"),
        ("with x as (select 1) select count(*) from x", "WITH: a release has one table"),
        ("avg(age) filter (where sex = 'Male') - avg(age) filter (where mean = 'no')", "records may be in both groups"),
        ("x" * 2001, "has 2,001 characters, and at most 2,000"),
        (f"avg({'- ' * 900} age)", "nests too much"),
    ],
)
def test_a_refused_question_names_its_clause_and_its_example_is_read(text, sentence):
    with pytest.raises(ValueError, match=sentence) as refused:
        read_questions(text, PEOPLE)
    _, named, example = str(refused.value).partition("; ask, for example, ")
    assert not named or read_questions(example, PEOPLE)
    assert named or "WHERE" in str(refused.value)


@pytest.mark.parametrize(
    "domain",
    [
        PEOPLE,
        PEOPLE.project(["age", "hours"]),
        PEOPLE.project(["sex", "by the sea", "income"]),
        Domain((Attribute("a", Values(('say "a"', "say 'b'"))),)),
    ],
)
def test_examples_are_of_the_own_attributes_and_are_read(domain):
    found = examples(domain, list(combinations(range(len(domain)), 2)))
    kinds = {question.kind for text in found for question in read_questions(text, domain)}
    assert len(kinds) == len(found) >= 1 + (len(domain) > 1)


def test_two_groups_are_those_of_each_alone_together():
    (question,) = read_questions("avg(age) group by sex, age >= 25", PEOPLE)
    assert question.labels(PEOPLE) == [("Female", "no"), ("Female", "yes"), ("Male", "no"), ("Male", "yes")]
    assert len(question.statistic(PEOPLE).names) == 4
    assert question.parts(PEOPLE)[3] == Question("mean", "age", "sex = 'Male' and (age >= 25)")
