"""What lower marginals and measured predicates are expected to leave unknown, and where the default takes them."""

import itertools
from collections import deque
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from measured_errors import mean_error, measured_tv, sample
from oracles import domain_of, random_records
from plans import plan_of

from mwem_core import Domain, Planned, Seeded, default, parse_workload
from mwem_core.automatic import mwem_by_rule, rounds_by_rule
from mwem_core.automatic.announcement import measured_in_words
from mwem_core.automatic.expected_error import expected_tv, subsets_of
from mwem_core.automatic.sizes import rows_to_fit
from mwem_core.automatic.typical_tables import (
    INFORMATIONS,
    WEIGHTS,
    left_variances,
    may_select_lower,
    prior_variances,
    queried_tv,
    selected_tv,
)
from mwem_core.base import change, constants
from mwem_core.model import JunctionTree, LogLinear
from mwem_core.workload import Subsets, lower

SAMPLES = Path(__file__).parents[2] / "sample_data"


def lower_settings(Q, *, plan="select", **budget):
    if plan != "select":
        return Planned(**budget, plan=plan, within="lower")
    return change(mwem_by_rule(lower(Q), n=5000, **budget), {"candidates.within": "lower"})


@pytest.mark.parametrize("plan", ["select", "residuals"])
@pytest.mark.parametrize("delta", [0.0, 1e-9])
def test_only_lower_marginals_are_measured_and_all_of_the_budget_is_spent(plan, delta):
    B = random_records(domain_of([2, 3, 2, 4]), 500, np.random.default_rng(0))
    Q = parse_workload("marginals:3", B.domain)
    settings = lower_settings(Q, plan=plan, epsilon=1.0, delta=delta)
    rounds = list(settings.rounds(B, Q, noise=Seeded(0)))
    measured = {len(m.attrs) for entry in rounds for m in (*entry.measurements, *entry.planned)}
    assert measured <= {1, 2}
    assert 2 in measured
    assert len(rounds) - 1 == settings.planned_rounds(B.total, Q)
    assert rounds[-1].ledger.spent == pytest.approx(settings.guarantee.budget.amount, rel=1e-9)


@pytest.mark.slow
def test_without_noise_only_what_lower_marginals_leave_is_expected():
    """At ε = 10⁶: the variances left of three attributes' residuals, and 0 of the others, within 1%."""
    Q = parse_workload("marginals:3", domain_of([2, 3, 2, 4]))
    subsets, settings = subsets_of(Q), lower_settings(Q, plan="residuals", epsilon=1e6, delta=1e-9)
    left = [
        subsets.mean_tv(
            np.where(subsets.order == 3, constants.LEFT_OF_LOWER * prior_variances(subsets, 5000, each), 0.0), 5000
        )
        for each in INFORMATIONS
    ]
    assert expected_tv(settings, subsets, 5000) == pytest.approx(np.dot(WEIGHTS, left), rel=0.01)


def test_rounds_are_expected_to_leave_what_the_prior_says_and_a_plan_a_part_of_it():
    Q = parse_workload("marginals:3", domain_of([2, 3, 2, 4]))
    subsets, prior = subsets_of(Q), prior_variances(subsets_of(Q), 5000, 0.01)
    for plan, share in (("select", 1.0), ("residuals", constants.LEFT_OF_LOWER)):
        settings = lower_settings(Q, plan=plan, epsilon=1.0, delta=1e-9)
        assert left_variances(settings, subsets, 5000, 0.01) == pytest.approx(share * prior)


def test_rows_are_expected_to_err_as_drawn_ones_do():
    """Triples of rows drawn uniformly, beside what rows add to a plan on ten attributes of four values, within 3%."""
    Q = parse_workload("marginals:3", domain_of([4] * 10))
    subsets, settings = subsets_of(Q), lower_settings(Q, plan="residuals", epsilon=1.0, delta=1e-9)
    rows = rows_to_fit(lower(Q))
    added = left_variances(settings, subsets, 5000, 0.01) - constants.LEFT_OF_LOWER * prior_variances(
        subsets, 5000, 0.01
    )
    codes, rng = list(itertools.combinations(range(10), 3)), np.random.default_rng(0)
    drawn = [np.bincount(rng.integers(64, size=rows), minlength=64) / rows - 1 / 64 for _ in codes]
    assert np.abs(drawn).sum() / (2 * len(codes)) == pytest.approx(subsets.mean_tv(added, 5000), rel=0.03)


def test_a_tree_of_the_workloads_sets_holds_as_many_pairs_as_rounds_may_select():
    """Pairs added to a tree of triples one by one: 2 d - 3 fit into d - 2 cliques of three, whatever the order."""
    Q = parse_workload("marginals:3", domain_of([8] * 7))
    settings = change(lower_settings(Q, epsilon=1.0), {"candidates.one_way_first": False, "cell_budget": 5 * 8**3})
    assert may_select_lower(replace(settings, T=11), Q)
    assert not may_select_lower(replace(settings, T=12), Q)
    assert not may_select_lower(replace(settings, T=11, cell_budget=5 * 8**3 - 1), Q)
    pairs = [(0, 1), *((i, j) for j in range(2, 7) for i in (j - 2, j - 1))]
    assert len(pairs) == 11
    assert sum(8 ** len(clique) for clique in JunctionTree.over(pairs, Q.domain.shape).cliques) == 5 * 8**3


@pytest.fixture(scope="module")
def of_triples(adult):
    """Triples of Adult at ε = 0.1: rounds on pairs that cost the same each, rounds on triples, and the default's."""
    Q = parse_workload("marginals:3", adult.domain)
    settings, on_triples = (preset(Q, n=adult.total, epsilon=0.1) for preset in (default, mwem_by_rule))
    assert (plan_of(settings), settings.candidates.within, settings.by_cells) == ("select", "lower", True)
    assert not on_triples.by_cells
    T = rounds_by_rule(lower(Q), n=adult.total, epsilon=0.1)
    return Q, (replace(settings, T=T, candidates=replace(settings.candidates, by_cells=False)), on_triples, settings)


@pytest.mark.sweep
def test_at_small_epsilon_rounds_on_pairs_need_a_smaller_tree_for_triples_of_adult(adult, of_triples):
    """Under two thirds of the cells in the mean of 12 runs, and without a last fit near a prior less error.

    The default's pairs cost by their cells. So large ones lose less to the penalty, and its trees are between the two.
    """
    Q, settings = of_triples
    runs = [[deque(each.rounds(adult, Q, noise=Seeded(seed)), 1)[0].model for seed in range(12)] for each in settings]
    assert all(isinstance(tree, LogLinear) for trees in runs for tree in trees)
    pairs, triples, by_cells = (np.mean([tree.cells for tree in trees]) for trees in runs)
    assert pairs <= 2 / 3 * triples
    assert pairs < by_cells < triples
    pairs, triples = (
        measured_tv(change(each, {"update.near_prior": False}), adult, Q, 24).mean() for each in settings[:2]
    )
    assert pairs < 0.95 * triples


@pytest.mark.sweep
def test_at_small_epsilon_rounds_on_pairs_answer_triples_of_adult_better(adult, of_triples):
    """48 seeds: pairs that cost by their cells, as the default's do, err by .93 of triples; with equal costs by 1.05.

    With the noise of cells as penalty, triples select small tables too, so that pairs must cost by their cells to gain.
    """
    Q, settings = of_triples
    pairs, triples, by_cells = (measured_tv(each, adult, Q, 48).mean() for each in settings)
    assert by_cells < 0.96 * triples
    assert by_cells < pairs


def test_residuals_of_pairs_compete_under_zcdp_only(adult):
    Q = parse_workload("marginals:3", adult.domain)
    chosen = default(Q, n=adult.total, epsilon=1.0, delta=1e-9)
    assert (plan_of(chosen), chosen.within, chosen.delta) == ("residuals", "lower", 1e-9)
    assert expected_tv(chosen, subsets_of(Q), adult.total) > measured_tv(chosen, adult, Q, 1).mean() > 0
    assert default(Q, n=adult.total, epsilon=1.0).candidates.within == "workload"
    assert measured_in_words(chosen, Q, adult.total) == "**All 28 marginals of 2 attributes measured once**."


def test_pairs_have_no_lower_marginals_but_the_one_way_plan(adult):
    Q = parse_workload("marginals:2", adult.domain)
    for epsilon in (0.03, 0.3, 3.0):
        assert default(Q, n=adult.total, epsilon=epsilon, delta=1e-9).measured(Q) is Q


@pytest.fixture(scope="module")
def czech():
    return sample("czech")


def where(domain, attributes=(0, 1, 2, 3), size=3):
    """All conjunctions of `size` of these attributes' values, in a row of attributes."""
    equal = [[f'`{domain.names[a]}` == "{label}"' for label in domain.attributes[a].labels] for a in attributes]
    rows = [equal[i : i + size] for i in range(len(equal) - size + 1)]
    return parse_workload("where:" + "; ".join(" and ".join(each) for row in rows for each in product(*row)), domain)


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
