"""Predicates of a mixed workload measured themselves, after its other terms: the model, the budget, the rule."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from oracles import assert_private, domain_of, joint, neighbours, random_records

from mwem_core import MWEM, Seeded, default, encode, parse_workload, read_table
from mwem_core.domain.domain import Domain
from mwem_core.intervals.intervals import intervals
from mwem_core.model.corrected import Corrected
from mwem_core.model.loglinear import LogLinear
from mwem_core.model.measurement import Measurement
from mwem_core.model.weighted_records import WeightedRecords
from mwem_core.mwem import asked
from mwem_core.mwem.asked import apart, asks_apart, may_ask_apart, moved_table, with_counts
from mwem_core.mwem.expected import expected_tv, relative_to_alone, with_query_share

SIZES, N, SAMPLES = (3, 2, 4), 600, Path(__file__).parents[2] / "sample_data"
PLANS = [
    {"plan": "one-way"},
    {"plan": "residuals"},
    {"plan": "marginals", "delta": 1e-6},
    {"plan": "cells"},
    {"plan": "select", "T": 2, "select": "tables", "last_fit": "prior"},
    {"plan": "one-way", "plan_share": 0.6, "T": 1, "select": "tables", "penalty": "noise"},
]


def bits():
    return domain_of((2, 2, 2))


def table():
    return random_records(domain_of(SIZES), N, np.random.default_rng(0))


def mixed(domain):
    return parse_workload("marginals:2 + where:a == 0 and b == 1; c >= 2", domain)


def known(A, counts):
    """Predicates over (0, 1) and (2,), with these counts."""
    first, second = np.zeros((3, 2)), np.array([0.0, 0, 1, 1])
    first[0, 1] = 1
    return [
        Measurement(S, np.array(m), 0.1, q) for S, m, q in zip(((0, 1), (2,)), counts, (first, second), strict=True)
    ]


def test_predicates_and_other_terms_are_parted_and_the_others_keep_their_weights():
    Q = parse_workload("2*marginals:1 + where:a == 0 + 3*parities:2 + where:b == 1; a == 1 and c == 0", bits())
    others, predicates = apart(Q)
    assert others.spec == "2*marginals:1 + 3*parities:2"
    assert (predicates.family, predicates.size) == ("predicates", 3)
    B = random_records(bits(), 50, np.random.default_rng(1))
    asked_of = [term.workload for term in Q.terms if term.workload.family == "predicates"]
    assert predicates.answers(B).tolist() == np.concatenate([each.answers(B) for each in asked_of]).tolist()
    assert apart(parse_workload("marginals:1 + where:a == 0", bits()))[0].family == "marginals"
    assert asks_apart(Q)
    for spec in ("marginals:2", "where:a == 0", "marginals:1 + parities:2", "where:a == 0 + where:b == 1"):
        assert not asks_apart(parse_workload(spec, bits()))


def test_a_log_linear_model_is_moved_to_the_counts_and_no_further():
    """Inside and outside of predicates that do not overlap in what they read, by hand: p times one factor for each."""
    rng = np.random.default_rng(1)
    A = LogLinear.of(SIZES, float(N), {S: rng.normal(size=[SIZES[a] for a in S]) for S in ((0, 1), (1, 2))})
    measured, p = known(A, (90.0, 350.0)), joint(A)
    moved = with_counts(A, measured)
    for _ in range(500):
        for m in measured:
            q, share = m.q[:, :, None] if m.attrs == (0, 1) else m.q, m.value / N
            inside = (p * q).sum()
            p = p * np.where(q > 0, share / inside, (1 - share) / (1 - inside))
    assert joint(moved) == pytest.approx(p, rel=1e-3)


@pytest.mark.parametrize("corrected", [False, True])
def test_where_rows_answer_only_the_tables_that_predicates_read_are_moved(corrected):
    rows = WeightedRecords.drawn_from(LogLinear.uniform(SIZES, float(N)), 300, np.random.default_rng(0))
    tables = {(0, 1): np.full((3, 2), N / 6), (1, 2): np.full((2, 4), N / 8)} if corrected else {}
    A = Corrected(rows, tables) if corrected else rows
    moved = with_counts(A, known(A, (90.0, 350.0)))
    assert isinstance(moved, Corrected)
    assert moved.A is rows
    assert moved.marginal((0, 1))[0, 1] == pytest.approx(90)
    assert moved.marginal((2,))[2:].sum() == pytest.approx(350)
    assert moved.marginal((0, 1)).sum() == pytest.approx(N)
    if corrected:
        assert moved.tables[1, 2] is tables[1, 2]


def test_where_a_tree_would_have_too_many_cells_tables_are_moved(monkeypatch):
    A = LogLinear.uniform(SIZES, float(N))
    monkeypatch.setattr(asked, "MAX_FITTED_CELLS", A.cells)
    moved = with_counts(A, known(A, (90.0, 350.0)))
    assert isinstance(moved, Corrected)
    assert moved.marginal((0, 1))[0, 1] == pytest.approx(90)


def test_counts_that_no_table_has_are_taken_as_the_nearest_it_can_have():
    A = LogLinear.uniform(SIZES, float(N))
    none, all_ = (with_counts(A, known(A, counts)) for counts in ((-40.0, 300.0), (10.0, 700.0)))
    assert none.marginal((0, 1))[0, 1] == pytest.approx(0, abs=1)
    assert all_.marginal((2,))[2:].sum() == pytest.approx(N, abs=1)
    whole = Measurement((2,), np.array(20.0), 1.0, np.ones(4))
    nothing = Measurement((2,), np.array(20.0), 1.0, np.zeros(4))
    assert moved_table(np.full(4, 10.0), [whole, nothing]) == pytest.approx(np.full(4, 10.0))


@pytest.mark.parametrize("settings", PLANS)
def test_a_share_measures_each_predicate_and_all_of_the_budget_is_spent(settings):
    B = table()
    Q = mixed(B.domain)
    settings = MWEM(**{"epsilon": 0.8, "step": 3.0, "query_share": 0.25, **settings})
    *_, before, last = settings.rounds(B, Q, noise=Seeded(3))
    assert last.ledger.is_spent
    assert before.ledger.exact == settings.guarantee.budget.exact * Fraction(0.75)
    assert last.index == before.index + 1 == settings.planned_rounds(B.total, Q)
    part = settings.guarantee.budget.part(Fraction(0.25))
    assert [m.scale for m in last.planned] == pytest.approx([part.part(Fraction(1, 2)).scale / 2] * 2)
    answers = last.model.answers(apart(Q)[1])
    assert answers == pytest.approx([float(m.value) for m in last.planned], abs=0.02 * N)
    noise = [float(m.value) for m in last.planned] - apart(Q)[1].answers(B)
    assert np.abs(noise).max() < 8 * last.planned[0].scale
    assert np.abs(noise).min() > 0


@pytest.mark.parametrize("settings", PLANS[:4])
def test_a_neighbour_moves_what_is_measured_by_no_more_than_was_paid_for(settings):
    """Of rounds that select before, the audit replays pairs of neighbours (`audit.pairs`)."""
    B = random_records(domain_of(SIZES), 25, np.random.default_rng(5))
    settings = MWEM(**{"epsilon": 0.8, "step": 3.0, "query_share": 0.25, "cell_budget": 200, **settings})
    assert_private(settings, B, B.total, mixed(B.domain))
    assert list(neighbours(B, np.random.default_rng(0)))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"query_share": 1.0}, "query_share is a share of the budget, at least 0 and less than 1, got 1.0"),
        ({"query_share": 0.2, "plan": "nothing"}, "needs a plan that measures tables, and the last model as output"),
        ({"query_share": 0.2, "plan": "hierarchical"}, "got plan 'hierarchical' and output 'last'"),
        ({"query_share": 0.2, "output": "average"}, "got plan 'select' and output 'average'"),
    ],
)
def test_shares_out_of_range_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        MWEM(**{"epsilon": 1.0, **settings})


def test_a_workload_without_predicates_beside_other_terms_is_refused_before_anything_is_spent():
    settings = MWEM(epsilon=1.0, query_share=0.2, select="tables")
    with pytest.raises(ValueError, match="for predicates beside other terms, not for marginals: choose 0"):
        settings.check(parse_workload("marginals:2", bits()))
    too_many = replace(settings, T=40)
    with pytest.raises(ValueError, match="rounds must be at most 3, the number of marginals"):
        too_many.check(mixed(domain_of(SIZES)))


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_share_is_nearly_the_best_one_by_its_own_expectation(delta):
    Q = mixed(domain_of((9, 8, 30)))
    for epsilon in (0.1, 1.0):
        plain = MWEM(epsilon=epsilon, delta=delta, plan="marginals")
        subsets = relative_to_alone(Q, 5000.0, plain.guarantee.budget)
        settings = with_query_share(plain, subsets, 5000.0)
        tried = [replace(settings, query_share=share) for share in np.linspace(0.05, 0.95, 19).tolist()]
        least = min(expected_tv(each, subsets, 5000.0) for each in tried)
        assert expected_tv(settings, subsets, 5000.0) <= 1.08 * least


def adult(*names):
    domain = Domain.from_toml((SAMPLES / "adult_unbinned.toml").read_text(encoding="utf-8"))
    return encode(read_table(SAMPLES / "adult.parquet"), domain.project(names))


def test_the_default_measures_predicates_itself_where_a_large_table_would_tell_them():
    """Age by hours has 7,000 cells. A run of its own for each part, with half of ε, errs by more in the mean."""
    B = adult("age", "hours-per-week", "education", "sex", "race")
    Q = parse_workload('marginals:2 + where:age >= 65 and hours-per-week >= 40; sex == "Female"', B.domain)
    settings = default(Q, n=B.total, epsilon=0.3)
    assert 0.1 < settings.query_share < 0.7
    others, predicates = apart(Q)
    asked_of = slice(Q.size - predicates.size, Q.size)

    def mean_errors(run, Q, parts):
        exact, found = Q.answers(B), []
        for seed in range(3):
            *_, last = run.rounds(B, Q, noise=Seeded(seed))
            gaps = np.abs(Q.answers(last.model) - exact)
            found.append([gaps[part].sum() for part in parts])
        return np.mean(found, axis=0)

    tables = slice(0, Q.size - predicates.size)
    together = mean_errors(settings, Q, (tables, asked_of))
    (of_tables,) = mean_errors(default(others, n=B.total, epsilon=0.15), others, (slice(None),))
    (of_predicates,) = mean_errors(default(predicates, n=B.total, epsilon=0.15), predicates, (slice(None),))
    assert (together / [of_tables, of_predicates]).mean() < 1
    without = mean_errors(replace(settings, query_share=0.0), Q, (asked_of,))
    assert together[1] < without[0] / 5


def test_what_a_run_by_itself_would_do_for_the_other_terms_is_done_for_them():
    """Among pairs alone the default selects; beside predicates it selects as well, for what is left of ε."""
    B = adult("age", "education", "sex", "race", "workclass", "occupation", "relationship")
    Q = parse_workload('marginals:2 + where:age >= 65 and sex == "Female"', B.domain)
    settings = default(Q, n=B.total, epsilon=0.1)
    assert settings.query_share > 0
    alone = default(apart(Q)[0], n=B.total, epsilon=settings.on_others.epsilon)
    assert settings == replace(alone, epsilon=0.1, query_share=settings.query_share)


@pytest.mark.parametrize("n", [1.0, 7.0, 30.0, 1000.0])
def test_few_records_leave_a_default_that_can_run(n):
    """Where the other terms alone are not worth measuring, at all of ε or at what predicates leave, they are not."""
    for epsilon, delta in ((0.01, 0.0), (1.0, 0.0), (1.0, 1e-6)):
        for spec in ("marginals:2 + where:a == 0 and b == 1; c >= 2", "marginals:1 + parities:1 + where:a == 0"):
            Q = parse_workload(spec, domain_of(SIZES if "parities" not in spec else (2, 2, 2)))
            settings = default(Q, n=n, epsilon=epsilon, delta=delta)
            settings.check(Q)
            B = random_records(Q.domain, int(n), np.random.default_rng(0))
            *_, last = settings.rounds(B, Q, noise=Seeded(0))
            assert np.isfinite(last.model.answers(Q)).all()


def test_too_many_predicates_are_not_measured_each_by_itself():
    domain = domain_of((2,) * 6)
    values = [f"{attribute.name} == {value}" for attribute in domain.attributes for value in (0, 1)]
    texts = "; ".join(f"{first} and {second}" for first, second in combinations(values, 2))
    Q = parse_workload(f"marginals:1 + where:{texts}", domain)
    assert may_ask_apart(Q)
    many = parse_workload("marginals:1 + " + " + ".join([f"where:{texts}"] * 10), domain)
    assert not may_ask_apart(many)
    assert default(many, n=1000, epsilon=1.0).query_share == 0
    large = parse_workload("marginals:1 + where:" + "; ".join(["a == 3 and b == 4"] * 12), domain_of((300, 300)))
    assert large.terms[1].workload.cells > 2**20
    assert not may_ask_apart(large)


@pytest.mark.parametrize("settings", PLANS[:2] + PLANS[4:])
def test_intervals_of_predicates_come_from_their_own_counts(settings):
    """60 runs: 90 to 99% of the intervals of measured predicates hold the truth."""
    B = table()
    Q = mixed(B.domain)
    settings = MWEM(**{"epsilon": 1.0, "step": 3.0, "query_share": 0.3, **settings})
    asked_of, truth, held = slice(Q.size - 2, Q.size), Q.answers(B), []
    for seed in range(60):
        found = intervals(Q, settings, list(settings.rounds(B, Q, noise=Seeded(seed))))
        assert found.measured[asked_of].all()
        assert ((found.low <= truth) & (truth <= found.high)).mean() > 0.8
        held.append(((found.low <= truth) & (truth <= found.high))[asked_of].mean())
        assert (found.high - found.low)[asked_of].max() < 12 * 2 / (2 * 0.3)
    assert 0.9 < np.mean(held) <= 0.99


def test_budgets_of_zcdp_are_shared_exactly():
    settings = MWEM(epsilon=1.0, delta=1e-6, query_share=0.25)
    assert settings.on_others.epsilon == pytest.approx(math.sqrt(0.75))
    assert settings.on_others.guarantee.budget.amount == pytest.approx(
        0.75 * settings.guarantee.budget.amount, rel=0.05
    )
