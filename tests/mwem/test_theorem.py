"""What theory promises, against enumeration and simulation."""

import itertools
import math

import numpy as np
import pytest
from oracles import domain_of, random_records

from mwem_core import MWEM, Seeded
from mwem_core.mwem.mwem import figure_1
from mwem_core.mwem.theorem import BETA, best_rounds, theorem_bound
from mwem_core.privacy import ZCDP, Pure
from mwem_core.relatives import direct_error
from mwem_core.workload import families

SETTINGS = [
    {"n": n, "domain_size": cells, "queries": queries, "epsilon": epsilon}
    for n, cells, queries, epsilon in itertools.product([10, 700, 48_842], [2, 4357, 10**14], [2, 2000], [0.01, 1, 10])
] + [{"n": n, "domain_size": 64, "queries": 20, "epsilon": 1.0} for n in (12, 15, 18, 24, 30)]  # best at 1, 2 or 3


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_best_rounds_is_the_least_of_the_bound_over_every_number_of_rounds(setting):
    bounds = [theorem_bound(**setting, rounds=T) for T in range(1, 2000)]
    best = best_rounds(**setting)
    if best < 2000:
        assert best == 1 + int(np.argmin(bounds))
    else:
        assert theorem_bound(**setting, rounds=best) < min(bounds)
        assert theorem_bound(**setting, rounds=best) <= theorem_bound(**setting, rounds=best + 1)
        assert theorem_bound(**setting, rounds=best) <= theorem_bound(**setting, rounds=best - 1)


@pytest.mark.parametrize("rounds", [1, 3, 9])
def test_the_bound_is_the_formula_of_theorem_2_3_at_the_probability_that_the_paper_prints(rounds):
    found = theorem_bound(n=1000, domain_size=64, queries=20, rounds=rounds, epsilon=0.5, beta=2 * rounds / 20)
    assert found == pytest.approx(2 * 1000 * math.sqrt(math.log(64) / rounds) + 10 * rounds * math.log(20) / 0.5)


@pytest.mark.parametrize("c", [0.5, 1, 3])
def test_the_bound_is_the_papers_version_with_a_constant_c(c):
    found = theorem_bound(n=1000, domain_size=64, queries=500, rounds=4, epsilon=0.5, beta=2 * 4 / 500**c)
    assert found == pytest.approx(2 * 1000 * math.sqrt(math.log(64) / 4) + (4 + 6 * c) * 4 * math.log(500) / 0.5)


def test_the_bound_is_the_same_promise_where_the_papers_own_would_fail_always():
    """2T/|Q| is above 1 from T = |Q|/2 on."""
    assert BETA == 0.05
    bounds = [theorem_bound(n=10**6, domain_size=27, queries=27, rounds=T, epsilon=1.0) for T in (13, 14, 100)]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] < 10**6


def test_theorem_2_3_holds_as_often_as_it_promises_over_100_runs():
    """And so do the two halves of Lemma A.1, each in all rounds but for a chance of β/2.

    The noise exceeds (2T/ε) ln(2T/β) with a chance of exactly β/2T in a round, so runs with such noise are counted
    within four standard deviations of what that makes. The other two are worst cases: chance needs no allowance. The
    bound is below n. These many runs take seconds.
    """
    T, epsilon, n, runs = 16, 0.5, 16_000, 100
    domain = domain_of([16])
    Q = families.ranges(domain, ["a"], "all")
    short, missed, off = np.zeros((3, runs))  # the most in any round, and the error of the output
    for seed in range(runs):
        B = random_records(domain, n, np.random.default_rng(seed))
        rounds, truth = list(figure_1(epsilon=epsilon, T=T).rounds(B, Q, noise=Seeded(seed))), Q.answers(B)
        for before, after in itertools.pairwise(rounds):
            errors = np.abs(Q.answers(before.A) - truth)
            short[seed] = max(short[seed], errors.max() - errors[after.chosen])
            missed[seed] = max(missed[seed], abs(after.measurement.value - truth[after.chosen]))
        off[seed] = np.abs(Q.answers(rounds[-1].model) - truth).max()
    for beta in (0.5, 0.05):
        chance = 1 - (1 - beta / (2 * T)) ** T
        noisy = np.mean(missed > 2 * T * math.log(2 * T / beta) / epsilon)
        assert noisy == pytest.approx(chance, abs=4 * math.sqrt(chance * (1 - chance) / runs))
        assert np.mean(short > 4 * T * math.log(2 * T * Q.size / beta) / epsilon) <= beta / 2
        bound = theorem_bound(n=n, domain_size=16, queries=Q.size, rounds=T, epsilon=epsilon, beta=beta)
        assert bound < n
        assert np.mean(off > bound) <= beta


def test_the_best_bound_grows_as_corollary_2_5_says():
    """At its T, and at the probability that is printed, 3 · 10^(1/3) n^(2/3) (ln|D| ln|Q| / ε)^(1/3).

    T itself grows with (εn)^(2/3), but for logarithms: 1000 times the records are worth less than 100 times the rounds.
    """
    public = {"domain_size": 2**40, "queries": 5000, "epsilon": 1.0}
    ideal = 3 * 10 ** (1 / 3) * 1e12 ** (1 / 3) * (math.log(2**40) * math.log(5000)) ** (1 / 3)
    T = round((10**6 * math.sqrt(math.log(2**40)) / (10 * math.log(5000))) ** (2 / 3))
    assert ideal <= theorem_bound(n=10**6, rounds=T, beta=2 * T / 5000, **public) <= 1.01 * ideal
    few, many = (best_rounds(n=n, **public) for n in (10**6, 10**9))
    assert 50 * few < many < 100 * few


def test_one_query_and_domains_beyond_floating_point_are_bounded():
    assert theorem_bound(n=100, domain_size=64, queries=1, rounds=1, epsilon=1) == pytest.approx(
        200 * math.sqrt(math.log(64)) + 6 * math.log(40)
    )
    assert math.isfinite(theorem_bound(n=100, domain_size=2**5000, queries=10, rounds=3, epsilon=1))


@pytest.mark.parametrize("beta", [1.0, 2, -0.1, 0.0, math.nan], ids=repr)
def test_a_chance_of_failure_that_is_none_is_refused(beta):
    with pytest.raises(ValueError, match=r"^beta must be a (positive number|probability below 1), got "):
        theorem_bound(n=100, domain_size=64, queries=10, rounds=3, epsilon=1, beta=beta)


@pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf, "1", True], ids=repr)
@pytest.mark.parametrize("name", ["n", "rounds", "epsilon"])
def test_a_bound_of_nonsense_is_refused(name, bad):
    setting = {"n": 100, "domain_size": 64, "queries": 10, "rounds": 3, "epsilon": 1} | {name: bad}
    with pytest.raises(ValueError, match=rf"^{name} must be a positive number, got "):
        theorem_bound(**setting)


@pytest.mark.parametrize("queries", [1, 2, 30, 1000])
@pytest.mark.parametrize("sensitivity", [1, 28])
@pytest.mark.parametrize("budget", [Pure(0.5), ZCDP(0.02)], ids=["laplace", "gaussian"])
def test_direct_error_is_the_mean_and_the_mean_largest_noise_of_asking_everything(budget, sensitivity, queries):
    """Simulated 2,000 times: the mean of the maxima deviates by less than their own mean / √2,000; four of them.

    Laplace noise of all queries together has scale Δ₁/ε; Gaussian Δ₂/√(2ρ) with Δ₂ = √Δ₁, the answers being 0 or ±1.
    """
    rng, n = np.random.default_rng(queries), 1000
    if budget.unit == "ε":
        noise = rng.laplace(scale=sensitivity / 0.5, size=(2000, queries))
    else:
        noise = rng.normal(scale=math.sqrt(sensitivity) / math.sqrt(2 * 0.02), size=(2000, queries))
    errors = np.abs(noise) / n
    mean, largest = direct_error(n=n, queries=queries, sensitivity=sensitivity, budget=budget)
    assert mean == pytest.approx(errors.mean(), rel=4 / math.sqrt(2000))
    assert largest == pytest.approx(errors.max(axis=1).mean(), rel=4 / math.sqrt(2000))


def test_direct_error_of_a_hundred_million_queries_is_finite():
    """The largest of N Laplace draws has mean ln N + 0.5772 and a little, in scales."""
    assert direct_error(n=1, queries=10**8, sensitivity=1, budget=Pure(1.0))[1] == pytest.approx(18.998, abs=0.01)


@pytest.mark.parametrize("repeats", [False, True])
def test_a_run_by_the_theorem_makes_the_best_number_of_rounds_and_without_repeats_no_more_than_there_are_queries(
    repeats,
):
    Q = families.marginals(domain_of([2, 3, 2]), 2)
    settings = MWEM(epsilon=1.0, T="theorem", repeats=repeats)
    for n in (20, 500, 100_000):
        best = best_rounds(n=n, domain_size=12, queries=Q.size, epsilon=1.0)
        assert settings.planned_rounds(n, Q) == (best if repeats else min(best, Q.size))
    assert settings.planned_rounds(100_000, Q) >= Q.size > settings.planned_rounds(20, Q)
