"""Predicates: the plan of the default, its expected error and that of selection, beside the measured ones."""

from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from oracles import domain_of, random_records
from plans import plan_of

from mwem_core import Domain, Planned, Seeded, default, encode, parse_workload, read_table
from mwem_core.automatic import mwem_by_rule
from mwem_core.automatic.expected_error import expected_tv
from mwem_core.automatic.typical_tables import prior_variances, queried_tv, selected_tv
from mwem_core.judge import errors
from mwem_core.model import LogLinear
from mwem_core.workload import Subsets

SAMPLES = Path(__file__).parents[2] / "sample_data"


@pytest.fixture(scope="module")
def czech():
    schema = Domain.from_toml((SAMPLES / "czech.toml").read_text(encoding="utf-8"))
    return encode(read_table(SAMPLES / "czech.csv"), schema, count="count")


def where(domain, attributes=(0, 1, 2, 3), size=3):
    """All conjunctions of `size` of these attributes' values, in a row of attributes."""
    equal = [[f'`{domain.names[a]}` == "{label}"' for label in domain.attributes[a].labels] for a in attributes]
    rows = [equal[i : i + size] for i in range(len(equal) - size + 1)]
    return parse_workload("where:" + "; ".join(" and ".join(each) for row in rows for each in product(*row)), domain)


def mean_error(settings, B, Q, seeds):
    """In shares, the mean over queries and seeds."""
    truth, found = Q.answers(B), []
    for seed in range(seeds):
        *_, last = settings.rounds(B, Q, noise=Seeded(seed))
        found.append(errors(Q, Q.answers(last.model), truth, B.total).mean_error)
    return np.mean(found)


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
@pytest.mark.parametrize("delta", [0.0, 1e-9])
def test_of_predicates_the_plan_of_the_default_has_less_than_half_the_error_of_selection(czech, epsilon, delta):
    Q = where(czech.domain)
    settings = default(Q, n=czech.total, epsilon=epsilon, delta=delta)
    selecting = mwem_by_rule(Q, n=czech.total, epsilon=epsilon, delta=delta)
    assert (plan_of(settings), settings.delta) == ("cells", 0.0)
    planned = mean_error(settings, czech, Q, 4)
    assert planned < mean_error(selecting, czech, Q, 4) / 2
    assert planned / 2 < 2 * expected_tv(settings, Subsets.of(Q), czech.total) < 2 * planned


def test_the_expected_error_of_selected_predicates_is_within_a_factor_of_2_of_the_measured(czech):
    Q = where(czech.domain)
    for epsilon in (0.1, 0.3, 1.0):
        settings = mwem_by_rule(Q, n=czech.total, epsilon=epsilon)
        measured = mean_error(settings, czech, Q, 4)
        assert measured / 2 < 2 * expected_tv(settings, Subsets.of(Q), czech.total) < 2 * measured, epsilon


def test_the_expected_error_once_all_predicates_are_selected_is_that_of_a_normal_posterior(czech):
    """(K⁻¹ + I/v)⁻¹, for the covariance K of the answers, estimated from 20,000 draws of the residuals; within 3%."""
    Q, n, variance = where(czech.domain, (0, 1, 2), 2), czech.total, 400.0
    subsets, rng = Subsets.of(Q), np.random.default_rng(0)
    prior = prior_variances(subsets, n)
    drawn = np.zeros((20_000, Q.size))
    for each, read in zip(prior, subsets.read, strict=True):
        normal = rng.normal(scale=each**0.5, size=(len(drawn), read.vectors.shape[1]))
        drawn[:, read.predicates] += normal @ read.vectors.T
    K = drawn.T @ drawn / len(drawn)
    posterior = np.diag(K - K @ np.linalg.solve(K + variance * np.eye(Q.size), K))
    expected = np.sqrt(posterior / (2 * np.pi)).mean() / n
    assert selected_tv(subsets, prior, n, T=Q.size, variance=variance, held=1.0) == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("variance", [0.01, 400.0])
@pytest.mark.parametrize("T", [1, 3, 8])
def test_each_round_is_expected_to_select_the_largest_error_and_to_lower_all_that_overlap(czech, T, variance):
    """The covariance of the answers, conditioned on one noisy answer after another; eight are all there are.

    Rounding decides between equal errors, and the two that are selected in turn may lower the others differently.
    """
    Q, n, held = where(czech.domain, (0, 1, 2), size=2), 1841.0, 0.4
    assert Q.size == 8
    subsets = Subsets.of(Q)
    prior, K = prior_variances(subsets, n), np.zeros((Q.size, Q.size))
    for each, read in zip(prior, subsets.read, strict=True):
        K[np.ix_(read.predicates, read.predicates)] += each * read.vectors @ read.vectors.T
    chosen: list[int] = []
    for _ in range(T):
        j = max((j for j in range(Q.size) if j not in chosen), key=lambda j: K[j, j])
        K = K - np.outer(K[j], K[j]) / (K[j, j] + variance)
        chosen.append(j)
    roots, left = np.sqrt(np.maximum(np.diag(K), 0.0)), [j for j in range(Q.size) if j not in chosen]
    total = roots[chosen].sum() + (roots[left].sum() * (1 - held) / (1 - T / Q.size) if left else 0.0)
    found = selected_tv(subsets, prior, n, T=T, variance=variance, held=held)
    assert found == pytest.approx(total / (np.sqrt(2 * np.pi) * n * Q.size), rel=1e-3)


def test_attributes_that_no_predicate_names_stay_uniform_and_cost_nothing(czech):
    Q = where(czech.domain, (1, 4), 2)
    settings = default(Q, n=czech.total, epsilon=1.0)
    *_, last = settings.rounds(czech, Q, noise=Seeded(0))
    assert plan_of(settings) == "cells"  # of all attributes that are named
    assert [m.attrs for m in last.planned] == [(1, 4)]
    for a in (0, 2, 3, 5):
        assert last.model.marginal((a,)) == pytest.approx(czech.total / 2)


@pytest.mark.parametrize("delta", [0.0, 1e-9])
@pytest.mark.parametrize("plan", ["one-way", "residuals", "marginals"])
def test_predicates_that_link_few_of_many_attributes_are_fitted_on_a_tree(plan, delta):
    """A ring of nine attributes of four values, 262,144 cells. At ε = 100 the counts are met to within the noise."""
    B = random_records(domain_of([4] * 9), 2000, np.random.default_rng(0))
    names = [*B.domain.names, B.domain.names[0]]
    Q = parse_workload("where:" + "; ".join(f"{a} >= 2 and {b} < 2" for a, b in pairwise(names)), B.domain)
    settings = Planned(epsilon=100.0, delta=delta, plan=plan)
    *rounds, last = settings.rounds(B, Q, noise=Seeded(0))
    assert len(rounds) == settings.planned_rounds(B.total, Q)
    assert last.ledger.spent == pytest.approx(settings.guarantee.budget.amount)
    assert isinstance(last.model, LogLinear)
    if plan != "one-way":
        assert last.model.answers(Q) == pytest.approx(Q.answers(B), abs=20)


def test_a_predicate_of_pairs_alone_is_measured_by_its_pairs():
    """Whether an odd number of two bits is 1 reads no one-way marginal, and is known to within the noise."""
    B = random_records(domain_of((2, 2, 2)), 500, np.random.default_rng(0))
    Q = parse_workload("where:a == 1 and b == 0 or a == 0 and b == 1", B.domain)
    for delta in (0.0, 1e-9):
        settings = Planned(epsilon=10.0, delta=delta, plan="residuals")
        *_, last = settings.rounds(B, Q, noise=Seeded(0))
        assert last.model.answers(Q) == pytest.approx(Q.answers(B), abs=5)


def test_predicates_with_too_many_cells_select():
    domain = Domain.from_toml("".join(f'[[attribute]]\nname = "a{i}"\nrange = [0, 299]\n' for i in range(3)))
    Q = parse_workload("where:a0 >= 3 and a1 >= 4 and a2 >= 5", domain)
    assert plan_of(default(Q, n=1000, epsilon=1.0)) == "select"


@pytest.mark.parametrize("variance", [1e-12, 1.0])
def test_predicates_that_say_the_same_of_ever_so_many_records_have_an_expected_error(variance):
    """Twice the same question: of 10⁹ records the covariance is 10¹⁷ times the noise, and has no inverse."""
    n, subsets = 1e9, Subsets.of(parse_workload("where:a != 1; a >= 1 or a != 1; a == 0", domain_of((2,))))
    prior = prior_variances(subsets, n, 1.0)
    idle = subsets.mean_tv(prior, n)
    assert 0 <= queried_tv(subsets, prior, n, variance=variance) < 1e-6 * idle
    assert 0 <= selected_tv(subsets, prior, n, T=3, variance=variance, held=1.0) < 1e-6 * idle
