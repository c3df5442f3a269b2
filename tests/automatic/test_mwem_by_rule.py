"""The public rules of MWEM and Automatic: what they read, what they give, and that they pay."""

from dataclasses import replace

import numpy as np
import pytest
from oracles import domain_of
from plans import plan_of

from mwem_core import Attribute, Domain, Planned, Records, Seeded, default, parse_workload
from mwem_core.automatic import best_hierarchy, measured_in_words, rounds_in
from mwem_core.automatic.mwem_rules import (
    LARGE_TREE,
    cells_by_rule,
    mwem_by_rule,
    one_way_by_rule,
    rounds_by_rule,
    rounds_in_time,
)
from mwem_core.base import change
from mwem_core.judge import errors
from mwem_core.model import LogLinear
from mwem_core.values import Range


@pytest.mark.parametrize(
    ("n", "epsilon", "cells"),
    [(0, 1.0, 10**5), (48_842, 0.1, 10**5), (48_842, 1.0, 244_210), (48_842, 2.0, 488_420), (1e8, 1.0, 500_000)],
)
def test_more_records_or_budget_afford_a_larger_model(n, epsilon, cells):
    assert cells_by_rule(20, n=n, epsilon=epsilon) == cells


@pytest.mark.sweep
def test_a_large_tree_would_pay_where_rows_take_over_early(adult):
    """At ε = 10 its error is a fifth less at least: 23% in the mean of six seeds, 22 to 25% in each."""
    Q = parse_workload("marginals:2", adult.domain)
    settings = mwem_by_rule(Q, n=adult.total, epsilon=10.0)
    truth, found = Q.answers(adult), []
    assert settings.update.rows_from < 1
    for cells in (LARGE_TREE, 10**5):
        rounds = replace(settings, cell_budget=cells).rounds(adult, Q, noise=Seeded(0))
        *_, last = (entry for entry in rounds if isinstance(entry.model, LogLinear))
        assert last.model.cells <= cells
        found.append(errors(Q, Q.answers(last.model), truth, adult.total).mean_tv)
    assert np.divide(*found) < 0.8


@pytest.mark.parametrize(
    ("sizes", "spec", "T", "first"),
    [
        ((9, 16, 7, 14, 6, 5, 2, 42), "marginals:3", 5, 8),  # 15 attributes in rounds, of 16
        ((9, 16, 7, 14, 6, 5, 2, 42), "marginals:3", 6, 0),
        ((9, 16, 7, 14, 6, 5, 2, 42), "ranges:a0:100", 1, 0),  # single queries
        ((3,) * 8, "marginals:3", 1, 0),  # tables hardly larger
        ((3,) * 7 + (4,), "marginals:3", 1, 8),
        ((9, 16, 7), "marginals:3", 1, 0),  # all there is to ask
        ((2,) * 8, "parities:2", 8, 8),  # 14 bits in rounds, on average
        ((2,) * 8, "parities:2", 9, 0),
        ((9, 16, 7, 14, 6, 5, 2, 42), "marginals:1", 5, 0),  # which they are themselves
    ],
)
def test_one_way_marginals_come_first_where_rounds_reach_few_and_large_attributes(sizes, spec, T, first):
    domain = Domain(tuple(Attribute(f"a{i}", Range(0, size - 1)) for i, size in enumerate(sizes)))
    assert one_way_by_rule(parse_workload(spec, domain), T) == first


def test_one_way_marginals_first_pay_where_the_rule_takes_them(adult):
    """Three attributes at a time, ε = 0.03: at most 0.7 of the error; it is 0.6 in the mean of ten seeds."""
    Q = parse_workload("marginals:3", adult.domain)
    settings = mwem_by_rule(Q, n=adult.total, epsilon=0.03)
    assert (settings.candidates.one_way_first, settings.T) == (True, 10)
    truth, found = Q.answers(adult), []
    for tried in (settings, change(settings, {"candidates.one_way_first": False, "T": 4})):  # by the rule for T alone
        models = [[*tried.rounds(adult, Q, noise=Seeded(seed))][-1].model for seed in range(6)]
        found.append(np.mean([errors(Q, Q.answers(model), truth, adult.total).mean_tv for model in models]))
    assert np.divide(*found) < 0.7


@pytest.mark.parametrize(
    ("sizes", "spec", "n", "limited"),
    [
        ((2,) * 16, "marginals:3", 21_574, False),  # one table, whose rounds price nothing
        ((6,) * 25 + (2, 5, 5), "marginals:2", 2_800, True),  # 71 rounds among 378 pairs take 4 s
        ((9, 16, 7, 14, 6, 5, 2, 42) + (10,) * 3, "marginals:3", 48_842, False),
        # of whose 364 triples no model could hold most cells, so that they take no time
        ((85, 9, 100, 16, 7, 15, 6, 5, 2, 100, 100, 99, 42, 2), "marginals:3", 48_842, False),
        ((4,) * 40, "marginals:2", 50_000, True),  # 196 rounds take 40 s
        ((10,) * 100, "marginals:2", 100_000, True),
        ((5,) * 300, "marginals:2", 50_000, True),
        ((5,) * 1000, "marginals:2", 50_000, True),  # of which few can be scored in time
    ],
)
def test_time_limits_the_rounds_on_wide_tables_only(sizes, spec, n, limited):
    domain = Domain(tuple(Attribute(f"a{i}", Range(0, size - 1)) for i, size in enumerate(sizes)))
    Q = parse_workload(spec, domain)
    rule, most = rounds_by_rule(Q, n=n, epsilon=10.0), rounds_in_time(Q)
    assert (most < rule) == limited
    settings = mwem_by_rule(Q, n=n, epsilon=10.0)
    assert settings.T == settings.first_rounds(Q) + min(rule, most)
    settings.check(Q)
    assert mwem_by_rule(Q, n=n, epsilon=10.0, T=rule).T == rule


@pytest.mark.slow
@pytest.mark.parametrize("values", [2, 5])
def test_the_few_rounds_that_time_allows_err_less_than_one_way_marginals_alone(values):
    """60 attributes, four latent classes, 1,770 pairs, δ = 1e-9: 5% less. 303 rounds by the rule take minutes."""
    rng, n = np.random.default_rng(0), 50_000
    latent = rng.integers(4, size=n)
    shares = rng.dirichlet(np.full(values, 0.7), size=(60, 4)).cumsum(axis=2)
    codes = tuple((rng.random(n)[:, None] > table[latent, :-1]).sum(axis=1).astype(np.uint8) for table in shares)
    B = Records(Domain(tuple(Attribute(f"a{i}", Range(0, values - 1)) for i in range(60))), codes)
    Q = parse_workload("marginals:2", B.domain)
    settings = default(Q, n=n, epsilon=1.0, delta=1e-9)
    rounds = rounds_in(settings)
    assert plan_of(settings) == "staged" or rounds.candidates.one_way_first
    assert rounds.T - rounds.first_rounds(Q) == rounds_in_time(Q)
    truth, found = Q.answers(B), []
    for tried in (settings, Planned(epsilon=1.0, delta=1e-9, plan="one-way")):
        *_, last = tried.rounds(B, Q, noise=Seeded(0))
        found.append(errors(Q, Q.answers(last.model), truth, n).mean_tv)
    assert np.divide(*found) < 0.97


@pytest.mark.parametrize(("T", "first"), [(7, False), (8, True), ("adaptive", False), ("theorem", False)])
def test_a_number_of_rounds_too_small_for_the_one_way_marginals_goes_without_them(adult, T, first):
    Q = parse_workload("marginals:3", adult.domain)
    settings = mwem_by_rule(Q, n=adult.total, epsilon=0.03, T=T)
    assert (settings.T, settings.candidates.one_way_first) == (T, first)
    settings.check(Q)


@pytest.mark.parametrize("delta", [0.0, 1e-9])
def test_every_round_measures_with_the_noise_that_was_announced(adult, delta):
    Q = parse_workload("marginals:3", adult.domain)
    settings = mwem_by_rule(Q, n=adult.total, epsilon=0.03, delta=delta)
    assert not settings.by_cells
    budget, T = settings.guarantee.budget, settings.planned_rounds(adult.total, Q)
    announced = budget.part((1 - settings.split) / settings.full_rounds(T, Q)).scale
    _, *rounds = settings.rounds(adult, Q, noise=Seeded(0))
    assert [made.measurement.scale for made in rounds] == pytest.approx([announced] * T)
    assert rounds[-1].ledger.spent == pytest.approx(budget.amount)


@pytest.mark.parametrize(
    ("spec", "plan"),
    [
        ("ranges:a:100", "halvings"),
        ("ranges:a,b:100", "halvings"),
        ("ranges:a,b,c:100", "select"),  # of three attributes
        ("ranges:a:0..4", "select"),  # one range: its noise alone is less than that of many counts
    ],
)
@pytest.mark.parametrize("delta", [0.0, 1e-9])
def test_the_default_measures_ranges_by_the_plan_of_the_least_expected_error(spec, plan, delta):
    workload = parse_workload(spec, domain_of((30, 20, 5)))
    settings = default(workload, n=5000, epsilon=1.0, delta=delta)
    assert plan_of(settings) == plan
    if plan == "halvings":
        Q, tables = workload, best_hierarchy(workload, settings.guarantee.budget, 5000).tables
        text = measured_in_words(settings, Q, 5000)
        assert text.startswith("**Counts of ")
        assert all(" × ".join(f"{2**level:,}" for level in levels) in text for levels in tables)


@pytest.mark.parametrize(
    ("n", "epsilon", "size", "rows_from"), [(30_000, 10, 7, 0.5), (30_000, 1, 7, 1), (30_000, 10, 40, 1)]
)
def test_rows_take_over_where_a_larger_tree_would_pay_and_they_can_hold_the_tables(n, epsilon, size, rows_from):
    domain = Domain(tuple(Attribute(f"a{i}", Range(0, size)) for i in range(8)))
    assert mwem_by_rule(parse_workload("marginals:3", domain), n=n, epsilon=epsilon).update.rows_from == rows_from


@pytest.mark.parametrize(("spec", "near"), [("marginals:2", True), ("parities:2", True), ("ranges:a0:all", False)])
def test_only_rounds_that_measure_residuals_end_in_a_fit_near_a_prior(spec, near):
    domain = Domain(tuple(Attribute(f"a{i}", Range(0, 1)) for i in range(3)))
    assert mwem_by_rule(parse_workload(spec, domain), n=100, epsilon=1.0).update.near_prior == near


@pytest.mark.parametrize(
    "spec", ["marginals:1", "marginals:2", "cuboids:3", "where:a < 3", "ranges:a:all", "ranges:a,b:9"]
)
@pytest.mark.parametrize(("n", "epsilon"), [(1, 0.01), (100, 0.1), (10**6, 10.0)])
@pytest.mark.parametrize("delta", [0.0, 1e-9])
def test_rounds_of_mwem_select_whatever_the_workload_and_the_budget(spec, n, epsilon, delta):
    Q = parse_workload(spec, domain_of((30, 4, 5)))
    settings = mwem_by_rule(Q, n=n, epsilon=epsilon, delta=delta)
    assert (plan_of(settings), settings.delta) == ("select", delta)
    assert settings.planned_rounds(n, Q) > settings.first_rounds(Q)


@pytest.mark.parametrize("n", [0, -3, float("nan"), float("inf")])
@pytest.mark.parametrize("spec", ["marginals:2", "ranges:a:all", "marginals:1 + where:a == 0"])
def test_a_number_of_records_that_is_none_is_refused(n, spec):
    for preset in (default, mwem_by_rule):
        with pytest.raises(ValueError, match="n must be a positive number, got"):
            preset(parse_workload(spec, domain_of((3, 2, 4))), n=n, epsilon=1.0)
