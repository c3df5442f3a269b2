"""Statistics of exact answers are those that NumPy computes of the rows."""

import numpy as np
import pytest
from oracles import random_records
from workloads import MIXED

from mwem_core import Attribute, Domain, Records
from mwem_core.ask import descriptive_statistics, regressions
from mwem_core.ask.regressions import parse_formula
from mwem_core.values import BITS, Range, Values

DOMAIN = Domain(
    (Attribute("x", Range(0, 5)), Attribute("y", Range(1, 4)), Attribute("z", BITS), *MIXED.attributes[2:3])
)
B = random_records(DOMAIN, 400, np.random.default_rng(0))
X, Y, Z, COLOUR = (code.astype(float) for code in B.codes)
Y = Y + 1  # a range of whole numbers from 1


def of(statistic, table=B):
    sums = [block.q.reshape(len(block.q), -1) @ table.marginal(block.S).ravel() for block in statistic.blocks]
    return statistic.function(np.concatenate(sums))


def test_shares_and_means_of_groups_are_those_of_their_rows():
    assert of(descriptive_statistics.shares("x >= 2", DOMAIN, by="z", where="y < 4")) == pytest.approx(
        [(X[(z == Z) & (Y < 4)] >= 2).mean() for z in (0, 1)]
    )
    assert of(descriptive_statistics.means("x", DOMAIN, by="colour")) == pytest.approx(
        [X[c == COLOUR].mean() for c in range(3)]
    )


def test_differences_and_odds_ratios_compare_with_the_first_group():
    means = [X[c == COLOUR].mean() for c in range(3)]
    assert of(descriptive_statistics.differences("x", DOMAIN, by="colour")) == pytest.approx(
        [means[1] - means[0], means[2] - means[0]]
    )
    p = [(X[z == Z] >= 3).mean() for z in (0, 1)]
    expected = np.log(p[1] / (1 - p[1]) / (p[0] / (1 - p[0])))
    assert of(descriptive_statistics.odds_ratios("x >= 3", DOMAIN, by="z")) == pytest.approx([expected])


def test_a_correlation_is_that_of_the_rows():
    assert np.tanh(of(descriptive_statistics.correlations("x, y", DOMAIN))) == pytest.approx([np.corrcoef(X, Y)[0, 1]])
    own = Z == 1
    assert np.tanh(of(descriptive_statistics.correlations("x, y", DOMAIN, by="z")))[1] == pytest.approx(
        np.corrcoef(X[own], Y[own])[0, 1]
    )


def test_numbers_totals_and_deviations_of_two_groups_are_those_of_their_rows():
    groups = [(z == Z) & (c == COLOUR) for z in (0, 1) for c in range(3)]
    for statistic, expected in (
        (
            descriptive_statistics.shares("x >= 2", DOMAIN, by=("z", "colour"), of_records=True),
            [(X[g] >= 2).sum() for g in groups],
        ),
        (descriptive_statistics.means("x", DOMAIN, by=("z", "colour"), of_records=True), [X[g].sum() for g in groups]),
        (
            descriptive_statistics.variances("x", DOMAIN, by=("z", "colour"), root=True),
            [np.log(X[g].std()) for g in groups],
        ),
    ):
        assert of(statistic) == pytest.approx(expected)


def test_the_cells_of_a_table_add_up_to_one():
    cells = of(descriptive_statistics.tables(("z", "colour"), DOMAIN))
    assert cells == pytest.approx((B.marginal((2, 3)) / 400).ravel())
    assert cells.sum() == pytest.approx(1)


def test_the_cells_of_a_table_are_in_the_order_that_is_asked_for_and_may_be_of_conditions():
    cells = of(descriptive_statistics.tables(("colour", "z"), DOMAIN))
    assert cells == pytest.approx((B.marginal((2, 3)).T / 400).ravel())
    yes_or_no = of(descriptive_statistics.tables(("colour", "x >= 2"), DOMAIN))
    assert yes_or_no == pytest.approx([np.mean((c == COLOUR) & (v == (X >= 2))) for c in range(3) for v in (0, 1)])


def test_least_squares_is_that_of_the_rows():
    columns = np.stack([np.ones(400), Y, Z, COLOUR == 1, COLOUR == 2], axis=1)
    expected = np.linalg.lstsq(columns, X, rcond=None)[0]
    assert of(regressions.ols("x ~ y + z + colour", DOMAIN, {})) == pytest.approx(expected)


def test_a_regression_of_some_records_is_that_of_their_rows():
    some = Z == 1
    expected = np.linalg.lstsq(np.stack([np.ones(some.sum()), Y[some]], axis=1), X[some], rcond=None)[0]
    assert of(regressions.ols("x ~ y", DOMAIN, {}, where="z = 1")) == pytest.approx(expected)
    beta = of(regressions.logit("x >= 3 ~ y", DOMAIN, {}, where="z = 1"))
    gap = (X[some] >= 3) - 1 / (1 + np.exp(-beta[0] - beta[1] * Y[some]))
    assert [gap.sum(), gap @ Y[some]] == pytest.approx([0, 0], abs=1e-6)


def test_a_logistic_regression_solves_the_score_equations_and_its_derivatives_are_quotients():
    statistic = regressions.logit("z == 1 ~ x + colour", DOMAIN, {3: 1})
    assert statistic.names[2] == "coefficient of colour = red against green"
    beta = of(statistic)
    columns = np.stack([np.ones(400), X, COLOUR == 0, COLOUR == 2], axis=1)
    mean = 1 / (1 + np.exp(-columns @ beta))
    assert columns.T @ (Z - mean) == pytest.approx(np.zeros(4), abs=1e-6)
    counts = B.marginal(statistic.blocks[0].S).ravel()
    exact = statistic.derivatives(counts, 400.0)
    step = np.zeros(len(counts))
    step[7] = 1e-4
    quotient = (statistic.function(counts + step) - statistic.function(counts - step)) / 2e-4
    assert exact[:, 7] == pytest.approx(quotient, rel=1e-5)


def test_a_quantile_lies_in_the_cell_that_has_it_and_its_interval_where_noise_allows():
    statistic = descriptive_statistics.up_to_codes("x", 0.5, DOMAIN)
    value, low, high = descriptive_statistics.quantile_of_cells(of(statistic), np.zeros(5), 0.5, "x", DOMAIN)
    assert np.floor(value) == np.floor(np.quantile(X, 0.5, method="inverted_cdf"))
    assert low <= value <= high <= low + 1
    _, low, high = descriptive_statistics.quantile_of_cells(of(statistic), np.full(5, 2.0), 0.5, "x", DOMAIN)
    assert (low, high) == (0.0, 5.0)


@pytest.mark.parametrize(
    ("formula", "sentence"),
    [
        ("x", r"reads y ~ a \+ b"),
        ("x ~ y:z", "interaction 'y:z' is refused"),
        ("x ~ y * z", "interaction 'y:z' is refused"),
        ("x ~ w", "no attribute 'w'"),
        ("x ~ ", r"reads y ~ a \+ b"),
        ("x ~ y + +", r"right side 'y \+ \+' cannot be read"),
        ("x ~ 0 + y", "has no constant"),
        ("x ~ log(y)", "no attribute|expected a condition"),
        ("x ~ y >= 2", r"a condition as I\(age >= 40\)"),
        ("colour ~ x", "has 3 values"),
    ],
)
def test_a_formula_that_makes_no_sense_is_refused_in_a_sentence(formula, sentence):
    with pytest.raises(ValueError, match=sentence):
        parse_formula(formula, DOMAIN, {})


def test_a_plus_within_quotes_is_no_term():
    domain = Domain((Attribute("a", Values(("x+y", "z"))), Attribute("b", BITS)))
    _, columns = parse_formula("b ~ I(a == 'x+y')", domain, {})
    assert len(columns) == 2


def test_numbers_that_some_records_lack_are_refused_in_a_regression_and_left_out_of_a_mean():
    with pytest.raises(ValueError, match="no number for all records"):
        parse_formula("age ~ smoker", MIXED, {})
    table = Records(MIXED, tuple(np.array(code, np.uint8) for code in ([0, 3, 4], [0, 0, 0], [0, 0, 0], [1, 1, 1])))
    assert of(descriptive_statistics.means("age", MIXED), table) == pytest.approx([20.5])


def test_what_is_to_know_of_bins_and_missing_values_is_in_a_note():
    assert descriptive_statistics.means("age", MIXED).note == (
        "age is in bins: each counts as its middle, as its mean was not measured, and the interval allows for what is"
        " not known. The bin [35, 90] is most of the range: logarithmic edges would tell more."
        " Records whose age is ? or other are left out."
    )
    assert descriptive_statistics.shares("age >= 25", MIXED).note == "Records whose age is ? or other count among all."
    for statistic in (
        descriptive_statistics.differences("age", MIXED, by="smoker"),
        descriptive_statistics.correlations("age, smoker", MIXED),
        regressions.ols(
            "hours ~ smoker", Domain((Attribute("hours", Range(1, 25, width=10)), MIXED.attributes[3])), {}
        ),
    ):
        assert "is in bins" in statistic.note
        assert "are taken to be nearly alike in all groups" in statistic.note
    assert descriptive_statistics.means("x", DOMAIN).note == descriptive_statistics.shares("x >= 2", DOMAIN).note == ""


@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        ("age > 90", r"no record that the schema allows satisfies age > 90: age is a number from 17 to 90"),
        (
            "age < 17 and smoker == 1",
            r"satisfies age < 17 and smoker = 1: age is a number from 17 to 90; smoker is 0 or 1",
        ),
        ("colour == 'red' and colour == 'blue'", r"no record that the schema allows satisfies colour = 'red'"),
    ],
)
def test_a_condition_beyond_the_schema_is_refused_with_its_ends_and_is_no_share_of_0(what, sentence):
    with pytest.raises(ValueError, match=sentence):
        descriptive_statistics.shares(what, MIXED)
    with pytest.raises(ValueError, match=sentence):
        descriptive_statistics.means("age", MIXED, where=what)


def test_a_condition_that_the_rules_of_the_schema_forbid_is_refused():
    domain = Domain(DOMAIN.attributes, never=("x == 5 and z == 1",))
    with pytest.raises(ValueError, match="no record that the schema allows satisfies x >= 5 and z = 1"):
        descriptive_statistics.shares("x >= 5 and z == 1", domain)
    assert descriptive_statistics.shares("x >= 4 and z == 1", domain).most == pytest.approx([1.0])
    assert np.array(descriptive_statistics.tables(("x", "z"), domain).most).tolist() == [1.0] * 11 + [0.0]
