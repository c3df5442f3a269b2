"""Several families in one workload: the loop against a plain one, privacy on neighbours, the plan's shares, reports."""

import math
from fractions import Fraction

import numpy as np
import pytest
from oracles import (
    Script,
    domain_of,
    neighbours,
    query_vectors,
    random_records,
    run_down,
)
from plans import plan_of
from workloads import MIXED, YES_NO

from mwem_core import MWEM, Planned, Replay, Seeded, Tables, default, parse_workload
from mwem_core.automatic import ResidualPlan
from mwem_core.automatic.expected_error import expected_tv, subsets_of
from mwem_core.intervals import Estimates, intervals
from mwem_core.judge import errors, errors_by_term
from mwem_core.model import LogLinear
from mwem_core.privacy import ZCDP, Pure
from mwem_core.systems import SYSTEMS
from mwem_core.workload import Subsets, mixture

SPEC = "2*marginals:2 + ranges:a:prefixes + 3*where:b == 1 and c >= 1; a == 0"
ALL = 'marginals:2 + 2*ranges:age,hours:40@5 + ranges:age:all + where:age < 35 and colour == "red"; smoker == 0'


def plain_loop(B, candidates, weights, T, epsilon, cost, uniforms, laplaces):
    """The loop on lists over the domain's cells. A candidate is a list of queries: one, or all cells of a marginal.

    Its score is w (Σ |q(B) - q(A)| - cost a query), chosen with Pr ∝ exp(ε s / 2Δ) for Δ the largest w on offer.
    """
    uniforms, laplaces, n = iter(uniforms), iter(laplaces), float(sum(B))

    def answer(q, table):
        return math.fsum(a * x for a, x in zip(q, table, strict=True))

    A, measured = [n / len(B)] * len(B), {}
    for _ in range(T):
        scores = [
            w * sum(abs(answer(q, B) - answer(q, A)) - cost for q in queries)
            for w, queries in zip(weights, candidates, strict=True)
        ]
        open_ones = [i for i in range(len(candidates)) if i not in measured]
        largest, Δ = max(scores[i] for i in open_ones), max(weights[i] for i in open_ones)
        share = epsilon / (2 * T)
        masses = [math.exp(share * (s - largest) / (2 * Δ)) if i not in measured else 0.0 for i, s in enumerate(scores)]
        j = run_down(masses, next(uniforms))
        measured[j] = [answer(q, B) + next(laplaces) / share for q in candidates[j]]
        for _ in range(100):
            for i, values in measured.items():
                gaps = [m - answer(q, A) for q, m in zip(candidates[i], values, strict=True)]
                A = [
                    a * math.exp(sum(q[x] * gap for q, gap in zip(candidates[i], gaps, strict=True)) / (2 * n))
                    for x, a in enumerate(A)
                ]
                total = sum(A)
                A = [a * n / total for a in A]
    return A, measured


def candidates_of(Q):
    """Whole marginals as lists of their cells, and single queries of the other terms; and the weight of each."""
    vectors, found, weights = query_vectors(Q), [], []
    for term, queries in zip(Q.terms, Q.term_queries, strict=True):
        own = vectors[queries]
        sizes = term.workload.query_counts.tolist() if term.workload.tabular else [1] * len(own)
        starts = np.cumsum([0, *sizes]).tolist()
        found += [own[start : start + size] for start, size in zip(starts, sizes, strict=False)]
        weights += [term.weight] * len(sizes)
    return found, weights


@pytest.mark.parametrize("instance", range(8))
def test_the_mixed_loop_is_the_plain_loop(instance):
    rng = np.random.default_rng(instance)
    domain = domain_of([3, 2, 3])
    B, Q = random_records(domain, 150, rng), parse_workload(SPEC, domain)
    T, epsilon = 4, (0.3, 3.0)[instance % 2]
    uniforms, laplaces = rng.random(T), rng.laplace(size=100)
    settings = MWEM(epsilon=epsilon, T=T, candidates=Tables(penalty="cells"))
    rounds = list(settings.rounds(B, Q, noise=Script(uniforms, laplaces)))
    counts = B.marginal((0, 1, 2)).ravel().tolist()
    A, measured = plain_loop(counts, *candidates_of(Q), T, epsilon, 1.0, uniforms, laplaces)
    assert [entry.chosen for entry in rounds[1:]] == list(measured)
    for entry, values in zip(rounds[1:], measured.values(), strict=True):
        assert entry.measurement.value.ravel() == pytest.approx(values, rel=1e-9)
    assert np.abs(rounds[-1].model.marginal((0, 1, 2)).ravel() - A).max() <= 1e-9 * B.total


@pytest.mark.parametrize("penalty", ["none", "cells", "noise"])
def test_a_record_moves_a_weighted_score_by_the_largest_weight_on_offer_at_most(penalty):
    """Exactly, and some record does move one by that much. Once the heaviest are measured the bound is smaller."""
    rng, largest, bounds = np.random.default_rng(0), Fraction(0), set()
    domain = domain_of([3, 2, 3])
    Q, settings = parse_workload(SPEC, domain), MWEM(epsilon=1.0, candidates=Tables(penalty=penalty), repeats=True)
    for _ in range(3):
        B = random_records(domain, 120, rng)
        A = LogLinear.of(domain.shape, 120.0, {(0, 1): rng.normal(size=(3, 2)), (2,): rng.normal(size=3)})
        for gone in ((), (13, 14)):  # the predicates, whose weight is the largest
            scored = []
            for table in (B, *neighbours(B, rng)):
                candidates = settings.candidates_for(table, Q, LogLinear.uniform(domain.shape, 120.0))
                candidates.open[-len(gone) :] = not gone
                scores, _ = candidates.scores(A, 10**6)
                scored.append([Fraction(score) for score in scores[scores > -np.inf]])
            Δ = Fraction(candidates.sensitivity(scores))
            bounds.add(Δ)
            moves = [abs(a - b) for other in scored[1:] for a, b in zip(scored[0], other, strict=True)]
            assert max(moves) <= Δ
            largest = max(largest, max(moves) / Δ)
    assert (largest, bounds) == (1, {3, 2})


@pytest.mark.parametrize("budget", [Pure(1.0), ZCDP(0.5)], ids=["pure", "zCDP"])
def test_no_other_shares_have_a_smaller_mean_error_than_the_plans(budget):
    """By small moves from one residual's share to another's, in both directions."""
    subsets = Subsets.of(parse_workload(ALL, MIXED))
    plan = ResidualPlan(subsets, budget, 2)
    relative = plan.relative

    def mean_error(shares):
        variances = budget.variance_at(1) * plan._scales_at(shares) ** 2
        return relative.mean_error(subsets.part_errors(variances), 1.0)

    least, rng = mean_error(plan.shares), np.random.default_rng(0)
    for _ in range(200):
        moved = plan.shares * np.exp(rng.normal(scale=0.05, size=len(plan.shares)))
        assert mean_error(moved / moved.sum()) >= least * (1 - 1e-6)


@pytest.mark.parametrize("budget", [Pure(1.0), ZCDP(0.5)], ids=["pure", "zCDP"])
def test_no_part_errs_more_by_noise_than_by_itself_with_its_share(budget):
    """In the mean of the ratios: k parts of equal weight have k times the error each under ε, √k times under zCDP."""
    subsets = Subsets.of(parse_workload(ALL, MIXED))
    equal = Subsets.of(parse_workload(ALL.replace("2*", ""), MIXED))
    assert subsets.Q.size == equal.Q.size
    plan = ResidualPlan(equal, budget, 2)
    k = len(equal.Q.terms)
    together = plan.relative.mean_error(equal.part_errors(plan.scales**2), 1.0)
    assert together <= (k if budget.unit == "ε" else k**0.5)


def test_a_heavier_part_gets_more_of_the_plan_and_errs_less():
    found = []
    for weight in (1, 5, 25):
        Q = parse_workload(f"marginals:2 + {weight}*ranges:age:prefixes", MIXED)
        subsets = Subsets.of(Q)
        plan = ResidualPlan(subsets, Pure(1.0), 2)
        of_parts = np.sqrt(subsets.part_errors(1 / plan.precisions))
        found.append((of_parts[Q.term_parts[1]].item(), of_parts[Q.term_parts[0]].mean()))
    ranges, tables = zip(*found, strict=True)
    assert ranges[0] > ranges[1] > ranges[2]
    assert tables[0] < tables[1] < tables[2]


def test_ranges_read_residuals_as_their_queries_do():
    """The squared error of the part is the variance of its answers, one residual's noise at a time."""
    Q = parse_workload("ranges:age,hours:30@5", MIXED)
    subsets = Subsets.of(Q)
    for variances in np.eye(len(subsets.cells)):
        zeros = (np.zeros(MIXED.sizes(A)) for A in subsets.sets)
        known = Estimates(
            MIXED,
            (0.0, 0.0),
            {A: (zero, v) for A, zero, v in zip(subsets.sets, zeros, variances.tolist(), strict=True)},
            {},
        )
        by_hand = sum(known.answer(*Q.query(j)[:2])[1] for j in range(Q.size))
        assert subsets.part_errors(variances).item() == pytest.approx(by_hand)


@pytest.mark.parametrize("delta", [0.0, 1e-9])
def test_the_default_answers_every_part_and_is_expected_to_err_no_more_than_rounds(delta):
    B, Q = random_records(MIXED, 3000, np.random.default_rng(2)), parse_workload(ALL, MIXED)
    chosen, truth = default(Q, n=B.total, epsilon=2.0, delta=delta), Q.answers(B)
    rounds = list(chosen.rounds(B, Q, noise=Seeded(0)))
    model, uniform = rounds[-1].model, Q.answers(LogLinear.uniform(MIXED.shape, B.total))
    found = zip(
        errors_by_term(Q, model.answers(Q), truth, B.total), errors_by_term(Q, uniform, truth, B.total), strict=True
    )
    assert all(ours.error < spread.error / 5 for ours, spread in found)
    selecting = MWEM(epsilon=2.0, delta=delta, T=6, candidates=Tables(penalty="noise"))
    assert expected_tv(chosen, subsets_of(Q), B.total) <= expected_tv(selecting, subsets_of(Q), B.total)


def test_a_term_errs_as_it_would_by_itself():
    B, Q = random_records(MIXED, 500, np.random.default_rng(3)), parse_workload(ALL, MIXED)
    A, truth = LogLinear.uniform(MIXED.shape, 500.0), Q.answers(B)
    for term, found in zip(Q.terms, errors_by_term(Q, Q.answers(A), truth, 500), strict=True):
        alone = errors(term.workload, term.workload.answers(A), term.workload.answers(B), 500)
        assert found.error == (alone.mean_tv if term.workload.tabular else alone.mean_error)


@pytest.mark.parametrize(
    "settings",
    [
        MWEM(epsilon=1.0, T=5, candidates=Tables(penalty="noise"), update=Replay(step=2.0, sweeps=20)),
        Planned(epsilon=1.0, plan="residuals"),
    ],
    ids=plan_of,
)
def test_intervals_of_a_mixed_run_hold_the_truth(settings):
    """95% of them, within three standard deviations of 20 runs' answers, were they independent by run."""
    B, Q = random_records(MIXED, 2000, np.random.default_rng(4)), parse_workload(ALL, MIXED)
    truth, held = Q.answers(B), []
    for seed in range(20):
        found = intervals(Q, settings, list(settings.rounds(B, Q, noise=Seeded(seed))))
        held.append(np.mean((found.low <= truth) & (truth <= found.high)))
    assert np.mean(held) > 0.95 - 3 * np.std(held) / math.sqrt(20)
    assert found.measured.any()


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_answers_a_mixed_workload_or_refuses_it_in_one_sentence(name):
    Q = parse_workload("marginals:2 + parities:2 + where:a == 'yes' or b == 'yes'", YES_NO)
    B = random_records(YES_NO, 200, np.random.default_rng(5))
    refusal = ""
    try:
        settings = SYSTEMS[name].settings(Q, n=200, epsilon=1.0, T=3)
        *_, last = settings.rounds(B, Q, noise=Seeded(0))
    except ValueError as problem:
        refusal = str(problem)
    if refusal:
        assert "\n" not in refusal
        assert "several families" in refusal or "one family" in refusal
    else:
        assert last.model.answers(Q).shape == (Q.size,)


def test_what_a_mixed_workload_cannot_have_is_refused():
    Q = parse_workload("marginals:2 + parities:2", YES_NO)
    for settings, message in (
        ({"candidates": Tables(within="closure")}, "tables within the closure are of one family"),
        ({"candidates": Tables(), "T": 99}, "the number of candidates"),
    ):
        with pytest.raises(ValueError, match=message):
            MWEM(epsilon=1.0, **settings).check(Q)
    with pytest.raises(ValueError, match="a weight must be positive"):
        mixture([(Q.terms[0].workload, Fraction(0)), (Q.terms[1].workload, Fraction(1))])
