"""What a release is asked, from its files: values in their intervals, what they rest on, and what is refused."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from releases import released, terms_of

from mwem_core import Attribute, Domain, Records, Seeded
from mwem_core.asking.reading import loaded
from mwem_core.asking.refusals import LEAST_COVERAGE, STRONG, largest_tilt
from mwem_core.asking.release import LoadedRelease
from mwem_core.domain.numbers import Range
from mwem_core.domain.values import Values
from mwem_core.fitted import UNCERTAINTY
from mwem_core.model.measurement import Measurement
from mwem_core.releasing.bundle import bundle

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
    return loaded(bundle(found, np.random.default_rng(1)))


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
        (cells.ask("share", "c == 'yes'", by="a", of="table"), [c[a == g].mean() for g in (0, 1)]),
        (cells.ask("mean", "x", where="b == 'no'", of="table"), [x[b == 0].mean()]),
        (cells.ask("difference", "x", by="a", of="table"), [x[a == 1].mean() - x[a == 0].mean()]),
        (cells.ask("table", "a, b, c", of="table"), (B.marginal((0, 1, 2)) / N).ravel()),
    ]
    for answers, truth in truths:
        for answer, exact in zip(answers, truth, strict=True):
            assert answer.rests_on == "measured together"
            assert answer.value == pytest.approx(exact, abs=1.5 * (answer.high - answer.low))
            assert answer.low < answer.value < answer.high


def test_the_population_is_less_certain_than_the_table(cells):
    (of_table,), (of_population,) = (cells.ask("share", "a == 'yes'", of=of) for of in ("table", "population"))
    assert of_table.value == of_population.value
    widths = [answer.high - answer.low for answer in (of_table, of_population)]
    assert widths[1] ** 2 - widths[0] ** 2 == pytest.approx((2 * 1.96) ** 2 * 0.25 / N, rel=0.02)


def test_a_planted_interaction_is_covered_where_cells_are_there_and_refused_where_pairs_are(cells, pairs):
    exact = B.marginal((0, 1, 2)).ravel() / N
    for answer, truth in zip(cells.ask("table", "a, b, c", of="table"), exact, strict=True):
        assert answer.low <= truth <= answer.high
    refused = pairs.ask("table", "a, b, c", of="table")
    assert all("An interaction of a × b × c was not measured" in answer.refused for answer in refused)
    assert all(np.isnan(answer.value) for answer in refused)
    with pytest.raises(ValueError, match="is refused"):
        pairs.ols("x ~ a*b")


def test_a_share_that_is_not_known_is_bounded_by_the_tables_within_it(pairs):
    question = "a == 'yes' and b == 'yes' and c == 'yes'"
    (answer,) = pairs.ask("share", question, of="table")
    truth = (B.codes[0] & B.codes[1] & B.codes[2]).mean()
    assert answer.rests_on == "bounded"
    assert answer.low <= truth <= answer.high


def test_pairs_determine_least_squares_and_copies_a_logistic_regression(pairs):
    least = pairs.ols("x ~ a + b", of="table")
    logistic = pairs.logit("c == 'yes' ~ x", of="table")
    assert {answer.rests_on for answer in (*least, *logistic)} == {"measured together"}
    common = [np.bincount(code).argmax() for code in B.codes[:2]]  # that the other value is compared with
    columns = np.stack([np.ones(N), B.codes[0] != common[0], B.codes[1] != common[1]], axis=1).astype(float)
    exact = np.linalg.lstsq(columns, B.codes[3].astype(float), rcond=None)[0]
    assert [answer.value for answer in least] == pytest.approx(exact, abs=0.05)
    by_model = pairs.logit("c == 'yes' ~ x + a", of="table")
    assert {answer.rests_on or "refused" for answer in by_model} <= {"by the model", "refused"}


def test_a_pair_that_was_not_measured_is_refused_with_what_to_measure(cells):
    release = with_tables(cells, 1, 2.0)
    (answer,) = release.ask("odds ratio", "a == 'yes'", by="b")
    assert answer.refused == "a × b was not measured, so a model alone would answer: measure it."
    assert release.ask("share", "a == 'yes'")[0].rests_on == "measured together"


@pytest.mark.parametrize("scale", [300.0, 1e5])
def test_what_noise_drowns_is_refused(cells, scale):
    release = with_tables(cells, 2, scale)
    answers = [*release.ask("odds ratio", "a == 'yes'", by="b"), *release.ols("x ~ a + b")]
    assert all("noise is too large" in answer.refused for answer in answers[:1])
    assert all(np.isnan(answer.value) == bool(answer.refused) for answer in answers)
    assert "noise is too large" in release.ask("quantile", "x", where="a == 'yes'")[0].refused or scale < 1e5


def test_any_statistic_of_rows_has_an_interval_by_copies(cells):
    def mean_of_x(rows):
        return rows["x"].astype(float).mean()

    (exact,) = cells.ask("mean", "x", of="table")
    answer = cells.interval(mean_of_x, attributes=["x", "a"], of="table")
    assert (answer.name, answer.rests_on) == ("mean_of_x", "by the model")
    assert answer.value == pytest.approx(exact.value, abs=(exact.high - exact.low) / 2)
    assert (answer.high - answer.low) / (exact.high - exact.low) == pytest.approx(1, abs=0.6)  # of 20 copies
    of_population = cells.interval(mean_of_x, attributes=["x", "a"])
    assert of_population.high - of_population.low > answer.high - answer.low


def test_copies_have_the_attributes_asked_for_and_as_many_rows_as_the_release_has_records(cells):
    first, second = cells.copies(2, attributes=["x", "b"])
    assert list(first.columns) == list(second.columns) == ["b", "x"]
    assert len(first) == round(cells.known.total[0])
    assert not first.equals(second)


def test_a_quantile_has_the_cells_that_noise_allows(cells):
    (answer,) = cells.ask("quantile", "x", p=0.75, of="table")
    assert answer.low <= np.quantile(B.codes[3], 0.75, method="inverted_cdf") <= answer.high


def test_an_interval_endures_interactions_that_are_strong():
    """1,000,000 draws of noise and of an interaction three deviations stronger than the typical one."""
    rng, tilt = np.random.default_rng(0), largest_tilt()
    strong = tilt * np.exp(STRONG * UNCERTAINTY / 2) * rng.standard_normal(10**6)
    held = np.abs(rng.standard_normal(10**6) + strong) <= 1.96 * np.sqrt(1 + tilt**2)
    assert held.mean() == pytest.approx(LEAST_COVERAGE, abs=0.001)


@pytest.mark.parametrize("scale", [2.0, 30.0, 100.0])
def test_a_planted_interaction_is_refused_however_large_the_noise(cells, scale):
    refused = with_tables(cells, 2, scale).ask("table", "a, b, c")
    assert all(answer.refused for answer in refused)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda r: r.ask("median", "x"), "nothing is known of a 'median'"),
        (lambda r: r.ask("share", "a == 'yes'", of="sample"), "the population or the table"),
        (lambda r: r.ask("share", "a == 'maybe'"), "a has no value 'maybe'"),
        (lambda r: r.ask("mean", "a"), "a has no numbers"),
        (lambda r: r.ask("odds ratio", "a == 'yes'"), "an odds ratio compares groups"),
        (lambda r: r.ask("quantile", "x", p=1.0), "p is a share"),
        (lambda r: r.ask("correlation", "x"), "a correlation is of two attributes"),
        (lambda r: r.copies(0), "m is a whole number of copies"),
        (lambda r: r.logit("x ~ a"), "needs an outcome of two values"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused_in_a_sentence(cells, call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call(cells)
