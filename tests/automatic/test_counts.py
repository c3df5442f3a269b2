"""The plan that measures every predicate itself: what it spends, its noise, its fit and when the default takes it."""

import math
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from messages import exactly
from oracles import assert_private, domain_of, random_records
from plans import plan_of

from mwem_core import Counts, Records, Seeded, default, parse_workload
from mwem_core.automatic import counts as counts_module
from mwem_core.automatic.counts import MAX_ROWS, count_variance, fitted_rows, noisy_counts
from mwem_core.automatic.expected_error import expected_tv
from mwem_core.automatic.typical_tables import prior_variances, queried_tv
from mwem_core.judge import errors
from mwem_core.model import LogLinear
from mwem_core.prior import query_strength
from mwem_core.privacy import Accountant, Guarantee
from mwem_core.relatives import direct_error
from mwem_core.weighted import WeightedRecords, drawn_rows
from mwem_core.workload import Subsets

SMALL, LARGE = (2, 3, 2, 4), (4, 5, 6, 4, 5, 6, 2)  # 48 cells, which are all rows; and 28,800, of which rows are drawn
ASKED = "where:a == 1 and b < 2; b in (0, 2) or c == 1; d >= 2; d >= 1; a == 1 and b == 0 or a == 0 and d == 3"
every_delta = pytest.mark.parametrize("delta", [0.0, 1e-9])
every_size = pytest.mark.parametrize("sizes", [SMALL, LARGE])


@cache
def table(sizes=SMALL, n=300):
    return random_records(domain_of(sizes), n, np.random.default_rng(1))


def asked(Q):
    return [Q.query(j)[:2] for j in range(Q.size)]


@every_delta
@every_size
def test_the_plan_spends_the_whole_budget_and_tells_neighbours_apart_by_no_more(sizes, delta):
    B = table(sizes)
    Q = parse_workload(ASKED, B.domain)
    assert_private(Counts(epsilon=0.7, delta=delta), B, 300, Q)


@every_delta
def test_counts_have_half_of_the_noise_of_direct_noise_around_the_true_ones(delta):
    """2,000 draws: means within 5 standard errors, variances within 20% (their standard error is 3 to 5%)."""
    B, guarantee, noise = table(), Guarantee(0.5, delta), Seeded(3)
    Q = parse_workload(ASKED, B.domain)
    runs = [noisy_counts(B, Q, 300.0, Accountant(guarantee.budget, noise)) for _ in range(2000)]
    off, variance = np.array([counts for counts, _ in runs]) - Q.answers(B), count_variance(Q, guarantee.budget)
    assert guarantee.budget.variance_at(runs[0][1]) == pytest.approx(variance)
    assert np.abs(off.mean(axis=0)).max() < 5 * math.sqrt(variance / 2000)
    assert off.var(axis=0) == pytest.approx(variance, rel=0.2)
    direct, _ = direct_error(n=1, queries=Q.size, sensitivity=Q.sensitivity, budget=guarantee.budget)
    assert np.abs(off).mean() == pytest.approx(direct / 2, rel=0.05)


@every_delta
@every_size
def test_answers_err_no_more_than_the_noisy_counts_do(sizes, delta):
    """In the mean over 10 seeds, at noise from a tenth of a percent of the records to their number and more."""
    B = table(sizes, 2000)
    Q = parse_workload(ASKED, B.domain)
    truth = Q.answers(B)
    for epsilon in (0.001, 0.1, 1.0):
        fitted, noisy = [], []
        for seed in range(10):
            *_, last = Counts(epsilon=epsilon, delta=delta).rounds(B, Q, noise=Seeded(seed))
            fitted.append(np.abs(last.model.answers(Q) - truth).mean())
            noisy.append(np.abs([float(m.value) for m in last.planned] - truth).mean())
        assert np.mean(fitted) < 1.02 * np.mean(noisy)


@every_size
def test_without_noise_the_counts_are_met(sizes):
    B = table(sizes)
    Q = parse_workload(ASKED, B.domain)
    A_0 = LogLinear.uniform(B.domain.shape, 300.0)
    A = fitted_rows(A_0, asked(Q), Q.answers(B), 1e-6, draws=MAX_ROWS, tolerance=0.01)
    assert A.answers(Q) == pytest.approx(Q.answers(B), abs=0.01)


def test_the_fit_is_the_most_probable_table():
    """Its stationarity: log p - log A_0 is Σ θ_j q_j but for a constant, with θ = (m - q(p)) n² / (λ variance)."""
    B, variance, n = table(), 30.0, 300.0
    Q = parse_workload(ASKED, B.domain)
    counts = Q.answers(B) + np.array([5.0, -3.0, 4.0, 2.0, -6.0])
    A = fitted_rows(LogLinear.uniform(SMALL, n), asked(Q), counts, variance, draws=MAX_ROWS, tolerance=1e-16)
    values = np.array([q.ravel()[A.cell(S)] for S, q in asked(Q)]).T
    strength = query_strength(np.cov(values.T, ddof=0), counts - n * values.mean(axis=0), variance, n)
    theta = (counts - A.answers(Q)) * n / (strength * variance)
    logs = np.log(A.weights) - values @ theta
    assert logs == pytest.approx(np.full(48, logs.mean()), abs=1e-5)


def test_a_domain_of_few_cells_keeps_all_of_them():
    B = table()
    *_, last = Counts(epsilon=1.0).rounds(B, parse_workload(ASKED, B.domain), noise=Seeded(0))
    assert isinstance(last.model, WeightedRecords)
    assert last.model.rows == 48
    assert last.model.weights.min() > 0


@every_delta
def test_the_round_has_every_predicate_with_its_noisy_count_and_the_scale_of_its_noise(delta):
    B, settings = table(), Counts(epsilon=1.0, delta=delta)
    Q = parse_workload(ASKED, B.domain)
    *_, last = settings.rounds(B, Q, noise=Seeded(0))
    counts, scale = noisy_counts(B, Q, 300.0, Accountant(settings.guarantee.budget, Seeded(0)))
    assert [float(m.value) for m in last.planned] == counts.tolist()
    assert {m.scale for m in last.planned} == {scale}
    for m, (S, q) in zip(last.planned, asked(Q), strict=True):
        assert (m.attrs, m.q.tolist()) == (S, q.tolist())


def test_predicates_that_hardly_any_draw_of_the_uniform_table_meets_are_fitted():
    """Nine tenths of the records are in one of 10^8 cells, and each predicate names four of its eight values."""
    rng, domain = np.random.default_rng(0), domain_of([10] * 8)
    B = Records(domain, tuple(np.where(np.arange(1000) < 900, 3, rng.integers(10, size=1000)) for _ in range(8)))
    fours = [domain.names[i : i + 4] for i in range(5)]
    Q = parse_workload("where:" + "; ".join(" and ".join(f"{a} == 3" for a in names) for names in fours), domain)
    *_, last = Counts(epsilon=100.0).rounds(B, Q, noise=Seeded(0))
    assert last.model.answers(Q) == pytest.approx(Q.answers(B), abs=1)  # the noise has a scale of 0.025


@every_delta
def test_the_default_measures_few_predicates_of_many_attributes_themselves(delta):
    """A ring of twelve attributes of four values, 16,777,216 cells, which no table can hold."""
    B = chained(12, 2000)
    names = [*B.domain.names, B.domain.names[0]]
    Q = parse_workload("where:" + "; ".join(f"{a} >= 2 and {b} < 2" for a, b in pairwise(names)), B.domain)
    settings = default(Q, n=2000, epsilon=1.0, delta=delta)
    assert plan_of(settings) == "counts"
    measured = mean_error(settings, B, Q, 6)
    direct = min(
        direct_error(n=2000, queries=12, sensitivity=12, budget=Guarantee(1.0, d).budget)[0] for d in {0.0, delta}
    )
    assert measured < 0.7 * direct
    assert measured / 1.5 < 2 * expected_tv(settings, Subsets.of(Q), 2000) < 1.5 * measured


def test_the_default_is_decided_by_public_numbers():
    """Two predicates are measured themselves; a predicate asked 60 times is not, as each of the 60 costs noise."""
    domain = domain_of(LARGE)
    few = parse_workload("where:a == 1 and b < 2 and f >= 3; c == 0 or e == 1", domain)
    many = parse_workload("where:" + "; ".join(["a == 1"] * 60), domain)
    assert plan_of(default(few, n=2000, epsilon=1.0)) == "counts"
    assert plan_of(default(many, n=2000, epsilon=1.0)) != "counts"


def test_the_expected_error_is_that_of_a_normal_posterior():
    """(K⁻¹ + I/v)⁻¹, with K estimated from 20,000 draws of the residuals; within 3%."""
    Q, n, variance = parse_workload(ASKED, domain_of(SMALL)), 300.0, 40.0
    subsets, rng = Subsets.of(Q), np.random.default_rng(0)
    prior, drawn = prior_variances(subsets, n), np.zeros((20_000, Q.size))
    for each, read in zip(prior, subsets.read, strict=True):
        drawn[:, read.predicates] += rng.normal(scale=each**0.5, size=(20_000, read.vectors.shape[1])) @ read.vectors.T
    K = drawn.T @ drawn / len(drawn)
    posterior = np.diag(np.linalg.inv(np.linalg.inv(K) + np.eye(Q.size) / variance))
    expected = np.sqrt(posterior / (2 * np.pi)).mean() / n
    assert queried_tv(subsets, prior, n, variance=variance) == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("marginals:2", "only predicates are counted one by one, not marginals: choose another system"),
        (
            "where:" + "; ".join(["a == 1"] * 500),
            "500 predicates are too many to fit together: ask fewer, or choose MWEM",
        ),
    ],
)
def test_what_the_plan_cannot_serve_is_refused_before_any_budget_is_spent(spec, message):
    B = table()
    with pytest.raises(ValueError, match=exactly(message)):
        Counts(epsilon=1.0).rounds(B, parse_workload(spec, B.domain), noise=Seeded(0))


def chained(d, n):
    """Records of d attributes of four values, each of which mostly repeats the one before."""
    rng, B = np.random.default_rng(0), random_records(domain_of([4] * d), n, np.random.default_rng(0))
    codes = [B.codes[0]]
    for code in B.codes[1:]:
        codes.append(np.where(rng.random(n) < 0.7, codes[-1], code))
    return replace(B, codes=tuple(codes))


def mean_error(settings, B, Q, seeds):
    truth, found = Q.answers(B), []
    for seed in range(seeds):
        *_, last = settings.rounds(B, Q, noise=Seeded(seed))
        found.append(errors(Q, Q.answers(last.model), truth, B.total).mean_error)
    return np.mean(found)


def test_rows_are_drawn_again_by_the_last_fit_where_too_few_stay_in_effect(monkeypatch):
    """Half of the records meet a query that one in 20 uniform rows does; 3,000 of 4,000 rows in effect are asked."""
    likes, A_0 = [], LogLinear.uniform(LARGE, 2000.0)
    monkeypatch.setattr(counts_module, "MIN_EFFECTIVE", 3000.0)
    monkeypatch.setattr(
        counts_module, "drawn_rows", lambda A, like, *of: likes.append(like) or drawn_rows(A, like, *of)
    )
    queries = asked(parse_workload("where:a == 1 and b == 2; c == 0", domain_of(LARGE)))
    A = fitted_rows(A_0, queries, np.array([1000.0, 300.0]), 4.0, draws=4000, tolerance=0.01)
    assert len(likes) > 1
    assert likes[0] is A_0
    assert A_0.marginal((0,))[1] < likes[1].marginal((0,))[1]
    found = [float((q * A.marginal(S)).sum()) for S, q in queries]
    assert found == pytest.approx([1000, 300], abs=40)
