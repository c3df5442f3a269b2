"""What a release is asked, from its files: values in their intervals, what they rest on, and what is refused."""

import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from releases import released, terms_of

from mwem_core import Attribute, Domain, Records, Seeded
from mwem_core.ask.answers import LEAST_COVERAGE, STRONG, largest_tilt
from mwem_core.ask.loaded_release import LoadedRelease
from mwem_core.ask.release_reader import load_files
from mwem_core.base import constants
from mwem_core.encoding import read_rows
from mwem_core.forms import NumberStyle
from mwem_core.model import Measurement
from mwem_core.privacy import Guarantee
from mwem_core.release import bundle
from mwem_core.values import Edges, Range, Values

N = 3000


def planted() -> Records:
    """c is mostly whether a and b differ, which no pair of them shows; x depends on a."""
    rng = np.random.default_rng(0)
    a, b = rng.random(N) < 0.5, rng.random(N) < 0.4
    c = a ^ b ^ (rng.random(N) < 0.2)
    x = np.minimum(rng.poisson(1 + a), 4)
    names = [Attribute(name, Values(("no", "yes"))) for name in "abc"]
    domain = Domain((*names, Attribute("x", Range(0, 4))))
    return Records(domain, tuple(column.astype(np.uint8) for column in (a, b, c, x)))


B = planted()


@pytest.fixture(scope="module")
def cells() -> LoadedRelease:
    """All cells were measured."""
    found = released(terms_of("marginals:2", B.domain, epsilon=3.0), B, Seeded(0))
    return load_files(bundle(found, np.random.default_rng(1)))


def with_tables(cells: LoadedRelease, order: int, scale: float) -> LoadedRelease:
    """What a release of the same table would be that measured all tables of so many attributes, and no others."""
    rng = np.random.default_rng(0)
    tables = [
        Measurement(S, B.marginal(S) + rng.laplace(0, scale, B.domain.sizes(S)), scale)
        for S in combinations(range(4), order)
    ]
    return replace(cells, measurements=(Measurement((), np.array(float(N)), 1.0), *tables))


@pytest.fixture(scope="module")
def pairs(cells) -> LoadedRelease:
    """All pairs were measured, and no others."""
    return with_tables(cells, 2, 2.0)


def test_every_answer_of_measured_cells_is_near_the_truth_and_rests_on_what_was_measured(cells):
    a, b, c, x = (code.astype(int) for code in B.codes)
    truths = [
        (cells.ask("avg(c == 'yes') group by a", of="table"), [c[a == g].mean() for g in (0, 1)]),
        (cells.ask("avg(x) where b == 'no'", of="table"), [x[b == 0].mean()]),
        (cells.ask("difference(x) group by a", of="table"), [x[a == 1].mean() - x[a == 0].mean()]),
        (cells.ask("share(*) group by a, b, c", of="table"), (B.marginal((0, 1, 2)) / N).ravel()),
    ]
    for answers, truth in truths:
        for answer, exact in zip(answers, truth, strict=True):
            assert answer.rests_on == "measured together"
            assert answer.value == pytest.approx(exact, abs=1.5 * (answer.high - answer.low))
            assert answer.low < answer.value < answer.high


def test_the_population_is_less_certain_than_the_table(cells):
    (of_table,), (of_population,) = (cells.ask("avg(a == 'yes')", of=of) for of in ("table", "population"))
    assert of_table.value == of_population.value
    widths = [answer.high - answer.low for answer in (of_table, of_population)]
    assert widths[1] ** 2 - widths[0] ** 2 == pytest.approx((2 * 1.96) ** 2 * 0.25 / N, rel=0.02)


def test_a_planted_interaction_is_covered_where_cells_are_there_and_refused_where_pairs_are(cells, pairs):
    exact = B.marginal((0, 1, 2)).ravel() / N
    for answer, truth in zip(cells.ask("share(*) group by a, b, c", of="table"), exact, strict=True):
        assert answer.low <= truth <= answer.high
    refused = pairs.ask("share(*) group by a, b, c", of="table")
    assert all("An interaction of a × b × c was not measured" in answer.refused for answer in refused)
    assert all(np.isnan(answer.value) for answer in refused)
    with pytest.raises(ValueError, match="is refused"):
        pairs.ask("x ~ a*b")


def test_a_share_that_is_not_known_is_bounded_by_the_tables_within_it(pairs):
    question = "a == 'yes' and b == 'yes' and c == 'yes'"
    (answer,) = pairs.ask(f"avg({question})", of="table")
    truth = (B.codes[0] & B.codes[1] & B.codes[2]).mean()
    assert answer.rests_on == "bounded"
    assert answer.low <= truth <= answer.high


def test_pairs_determine_least_squares_and_copies_a_logistic_regression(pairs):
    least = pairs.ask("x ~ a + b", of="table")
    logistic = pairs.ask("logit(c == 'yes' ~ x)", of="table")
    assert {answer.rests_on for answer in (*least, *logistic)} == {"measured together"}
    common = [np.bincount(code).argmax() for code in B.codes[:2]]  # that the other value is compared with
    columns = np.stack([np.ones(N), B.codes[0] != common[0], B.codes[1] != common[1]], axis=1).astype(float)
    exact = np.linalg.lstsq(columns, B.codes[3].astype(float), rcond=None)[0]
    assert [answer.value for answer in least] == pytest.approx(exact, abs=0.05)
    by_model = pairs.ask("logit(c == 'yes' ~ x + a)", of="table")
    assert {answer.rests_on or "refused" for answer in by_model} <= {"by the model", "refused"}


def test_a_pair_that_was_not_measured_is_refused_with_what_to_measure(cells):
    release = with_tables(cells, 1, 2.0)
    (answer,) = release.ask("odds_ratio(a == 'yes') group by b")
    assert answer.refused == (
        "a × b was not measured, so a model alone would answer: declare the question in a release's --for, or measure"
        " every table by --algorithm tables."
    )
    assert release.ask("avg(a == 'yes')")[0].rests_on == "measured together"


@pytest.mark.parametrize("scale", [300.0, 1e5])
def test_what_noise_drowns_is_refused(cells, scale):
    release = with_tables(cells, 2, scale)
    answers = [*release.ask("odds_ratio(a == 'yes') group by b"), *release.ask("x ~ a + b")]
    assert all("noise is too large" in answer.refused or "perhaps none" in answer.refused for answer in answers[:1])
    assert all(np.isnan(answer.value) == bool(answer.refused) for answer in answers)
    assert "noise is too large" in release.ask("median(x) where a == 'yes'")[0].refused or scale < 1e5


def test_copies_have_the_attributes_asked_for_and_as_many_rows_as_the_release_has_records(cells):
    first, second = cells.copies(2, attributes=["x", "b"])
    assert list(first.columns) == list(second.columns) == ["b", "x"]
    assert len(first) == round(cells.known.total[0])
    assert not first.equals(second)


def test_a_quantile_has_the_cells_that_noise_allows(cells):
    (answer,) = cells.ask("percentile_cont(0.75) within group (order by x)", of="table")
    assert answer.low <= np.quantile(B.codes[3], 0.75, method="inverted_cdf") <= answer.high


def test_an_interval_endures_interactions_that_are_strong():
    """1,000,000 draws of noise and of an interaction three deviations stronger than the typical one."""
    rng, tilt = np.random.default_rng(0), largest_tilt()
    strong = tilt * np.exp(STRONG * constants.UNCERTAINTY / 2) * rng.standard_normal(10**6)
    held = np.abs(rng.standard_normal(10**6) + strong) <= 1.96 * np.sqrt(1 + tilt**2)
    assert held.mean() == pytest.approx(LEAST_COVERAGE, abs=0.001)


@pytest.mark.parametrize("scale", [2.0, 30.0, 100.0])
def test_a_planted_interaction_is_refused_however_large_the_noise(cells, scale):
    refused = with_tables(cells, 2, scale).ask("share(*) group by a, b, c")
    assert all(answer.refused for answer in refused)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda r: r.ask("max(x)"), "the largest is one record's value"),
        (lambda r: r.ask(["x"]), "a question is a text, such as select avg"),
        (lambda r: r.ask("avg(a == 'yes')", of="sample"), "the population or the table"),
        (lambda r: r.ask("avg(a == 'maybe')"), "a has no value 'maybe'"),
        (lambda r: r.ask("median(a)"), "a has no numbers"),
        (lambda r: r.ask("odds_ratio(a == 'yes')"), "odds_ratio.* compares groups"),
        (
            lambda r: r.ask("percentile_cont(1.0) within group (order by x)"),
            "a percentile is of one attribute",
        ),
        (lambda r: r.ask("corr(x)"), "cannot be read at"),
        (lambda r: r.copies(0), "m is a whole number of copies"),
        (lambda r: r.ask("logit(x ~ a)"), "needs an outcome of two values"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused_in_a_sentence(cells, call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call(cells)


PEOPLE = Domain(
    (
        Attribute("age", Edges((0, 18, 40, 65, 75), inside=NumberStyle()), missing="?"),
        Attribute("kids", Range(0, 4)),
        Attribute("sex", Values(("F", "M"))),
        Attribute("job", Values(("a", "b", "c")), missing="NA"),
    )
)
SHARE, ANY = (0, 1), (-np.inf, np.inf)
POSSIBLE = {  # of each question, the least and the most that an answer may be
    "age >= 40": SHARE,
    "age >= 40 where sex = 'F'": SHARE,
    "sex = 'F' and job = 'a' and kids = 0": SHARE,
    "avg(age >= 40) group by job": SHARE,
    "avg(age >= 40) group by job, sex": SHARE,
    "age >= 40 where age >= 40": (1, 1),
    "share(*) group by sex, job": SHARE,
    "share(*) where kids = 0 group by age, job": SHARE,
    "avg(age)": (0, 75),
    "avg(age) group by job": (0, 75),
    "avg(age) where age < 40": (0, 39),
    "avg(kids) where kids >= 3": (3, 4),
    "count(*) group by job": (0, np.inf),
    "count(*) where job is null": (0, np.inf),
    "sum(kids) group by sex, job": (0, np.inf),
    "stddev(kids) group by sex": (0, np.inf),
    "median(age) group by sex": (0, 75),
    "quantile(kids, .9) where kids < 3": (0, 2),
    "difference(age) group by job": (-75, 75),
    "difference(age >= 40) group by sex": (-1, 1),
    "odds_ratio(sex = 'F') group by job": (0, np.inf),
    "odds_ratio(age >= 40, kids >= 2)": (0, np.inf),
    "corr(age, kids)": (-1, 1),
    "kids ~ sex + job": ANY,
    "kids ~ sex where job = 'a'": ANY,
    "logit(sex == 'M' ~ kids)": ANY,
}


def of_tables(domain: Domain, B: Records, scale: float, order: int, rng: np.random.Generator) -> LoadedRelease:
    """What is read of a release that measured n and all tables of so many attributes with Laplace noise."""
    n = float(len(B.codes[0]))
    tables = [
        Measurement(S, B.marginal(S) + rng.laplace(0, scale, domain.sizes(S)), scale)
        for S in combinations(range(len(domain)), order)
    ]
    return LoadedRelease(
        domain=domain,
        guarantee=Guarantee(1.0),
        manifest={},
        measurements=(Measurement((), np.array(n + rng.laplace(0, scale)), scale), *tables),
        public_total=None,
        laplace=True,
        model=None,  # pyright: ignore[reportArgumentType]
        rows=Records(domain, tuple(codes if len(codes) else np.zeros(1, np.uint8) for codes in B.codes)),
    )


@pytest.mark.parametrize(("seed", "n", "scale"), [(0, 0, 1.0), (1, 3, 30.0), (2, 40, 1000.0), (3, 1000, 0.1)])
def test_no_answer_to_any_question_leaves_what_is_possible(seed, n, scale):
    """Tables of none to 1,000 records, some with empty groups, and noise from none to more than there are records."""
    rng = np.random.default_rng(seed)
    shares = [rng.dirichlet(np.full(k, rng.choice([0.1, 1.0]))) for k in PEOPLE.shape]
    codes = tuple(rng.choice(k, n, p=p).astype(np.uint8) for k, p in zip(PEOPLE.shape, shares, strict=True))
    release, answered = of_tables(PEOPLE, Records(PEOPLE, codes), scale, 1 + seed % 3, rng), 0
    for text, (least, most) in POSSIBLE.items():
        for of in ("table", "population"):
            answers = release.ask(text, of=of)
            for answer in answers:
                assert np.isfinite([answer.value, *answer.interval]).all() == (not answer.refused), answer
                if not answer.refused:
                    answered += 1
                    assert least - 1e-9 <= answer.low <= answer.value <= answer.high <= most + 1e-9, answer
                else:
                    assert answer.refused.endswith("."), answer
            if text.startswith("share(*)") and not any(answer.refused for answer in answers):
                assert sum(answer.value for answer in answers) == pytest.approx(1)
    assert answered or n == 0 or scale >= n / 3


def with_numbers(n: int, rng: np.random.Generator) -> tuple[Domain, pd.DataFrame]:
    """Siblings, most of them few, and wages with a long tail and round numbers; all lower in one group."""
    domain = Domain(
        (
            Attribute("siblings", Edges((0, 1, 2, 3, 6, 15), inside=NumberStyle())),
            Attribute("wage", Edges((0, 250, 500, 1000, 2500, 9000), inside=NumberStyle()), missing="-"),
            Attribute("group", Values(("a", "b"))),
        )
    )
    group = rng.random(n) < 0.4
    wage = np.exp(6 + 0.3 * group + rng.normal(0, 0.6, n)).clip(0, 8999)
    wage = np.where(rng.random(n) < 0.5, np.floor(wage / 100) * 100, np.floor(wage)).astype(int).astype(str)
    frame = {
        "siblings": np.minimum(rng.poisson(rng.gamma(1.2, 1.0 + group)), 14).astype(str),
        "wage": np.where(rng.random(n) < 0.2, "-", wage),
        "group": np.where(group, "b", "a"),
    }
    return domain, pd.DataFrame(frame)


@pytest.mark.parametrize("scale", [0.01, 20.0])
def test_means_of_binned_numbers_hold_those_of_the_file(scale):
    """Of 30 tables, means and means by group: bins bound them, so that more than 95% hold, with and without noise."""
    held = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        domain, frame = with_numbers(3000, rng)
        release = of_tables(domain, read_rows(frame, domain), scale, 2, rng)
        for name in ("siblings", "wage"):
            numbers = np.array([np.nan if text == "-" else float(text) for text in frame[name]])
            truths = [np.nanmean(numbers), *(np.nanmean(numbers[frame["group"] == group]) for group in "ab")]
            answers = [
                *release.ask(f"avg({name})", of="table"),
                *release.ask(f"avg({name}) group by `group`", of="table"),
            ]
            held += [answer.low <= truth <= answer.high for answer, truth in zip(answers, truths, strict=True)]
            (median,) = release.ask(f"median({name})", of="table")
            held.append(median.low <= np.nanquantile(numbers, 0.5, method="inverted_cdf") <= median.high)
    assert np.mean(held) >= 0.95


def test_a_bin_of_one_whole_number_is_that_number():
    rng = np.random.default_rng(0)
    domain = Domain(
        (Attribute("kids", Edges((0, 1, 2, 2.5), inside=NumberStyle())), Attribute("b", Values(("x", "y"))))
    )
    kids = rng.integers(0, 3, 1000)
    B = Records(domain, (kids.astype(np.uint8), np.zeros(1000, np.uint8)))
    (answer,) = of_tables(domain, B, 0.001, 2, rng).ask("avg(kids)", of="table")
    assert answer.value == pytest.approx(kids.mean(), abs=1e-4)
    assert answer.high - answer.low < 1e-3
    assert answer.note == ""


def test_an_empty_group_is_told_from_noise_and_by_its_name():
    rng = np.random.default_rng(0)
    codes = (rng.integers(0, 4, 2000), rng.integers(0, 5, 2000), np.zeros(2000), rng.integers(0, 2, 2000))
    release = of_tables(PEOPLE, Records(PEOPLE, tuple(c.astype(np.uint8) for c in codes)), 5.0, 2, rng)
    women, men = release.ask("avg(age) group by sex")
    assert not women.refused
    assert re.fullmatch(
        r"There are at most \d\d? records where age is a number and sex = M, and perhaps none: .*", men.refused
    )
    for answers in (release.ask("odds_ratio(sex == 'M') group by kids"), release.ask("age >= 40 ~ sex")):
        assert all("perhaps none" in answer.refused for answer in answers)


def test_a_release_of_no_records_says_so():
    empty = Records(PEOPLE, tuple(np.zeros(0, np.uint8) for _ in range(4)))
    release = of_tables(PEOPLE, empty, 1.0, 2, np.random.default_rng(1))
    (answer,) = release.ask("avg(kids)")
    assert "records where all are counted, and perhaps none" in answer.refused
    (share,) = release.ask("avg(sex == 'M')")
    assert 0 <= share.low <= share.value <= share.high <= 1
