"""Scores are exact: by rational arithmetic, on neighbours, and at their stated sensitivity to the last digit."""

from fractions import Fraction

import numpy as np
import pytest
from oracles import neighbours, random_records
from workloads import MIXED, YES_NO

from mwem_core.domain import Records
from mwem_core.model import LogLinear
from mwem_core.mwem.candidates import Candidates, Tables
from mwem_core.mwem.mwem import MWEM
from mwem_core.privacy import EXACT, STEP, ZCDP, Pure, Seeded, on_grid
from mwem_core.workload import parse_workload

TABLES = [
    ({"candidates": Tables(penalty="noise"), "delta": 1e-6}, "marginals:2", 0.1),
    ({"candidates": Tables(penalty="noise")}, "cuboids:<=3", Pure(0.3).mean_noise),
    ({"candidates": Tables(within="closure")}, "marginals:3", ZCDP(0.07).mean_noise),
]
QUERIES = [
    ({}, spec, 0.0)
    for spec in ("ranges:age,hours:all", 'where:age < 35 and colour == "red"; smoker == 0', "parities:3", "marginals:2")
]


def score_by_fractions(candidates, A, penalty):
    """Σ w (|q(B) - q(A)| - penalty), with both public numbers rounded to the nearest multiple of 2⁻¹⁰."""

    def nearest(x):
        return Fraction(round(Fraction(x) * 1024), 1024)

    answers = [nearest(answer) for answer in candidates.Q.answers(A)]
    costs = np.full(len(answers), penalty)
    terms = [
        abs(Fraction(truth) - answer) - nearest(cost)
        for truth, answer, cost in zip(candidates.truth, answers, costs, strict=True)
    ]
    if not candidates.tables:
        return terms
    ends = np.cumsum(candidates.Q.query_counts)
    weights = [1] * len(ends) if candidates.weights is None else map(Fraction, candidates.weights)
    return [
        weight * sum(terms[end - count : end])
        for weight, end, count in zip(weights, ends, candidates.Q.query_counts, strict=True)
    ]


@pytest.mark.parametrize(("settings", "spec", "penalty"), TABLES + QUERIES)
def test_a_record_moves_an_exact_score_by_its_sensitivity_at_most(settings, spec, penalty):
    """A record more and a record fewer, against models of random weights; the largest move is the sensitivity itself.

    A score of a table may move by less where a cell's error changes sign within the record.
    """
    rng, largest = np.random.default_rng(0), Fraction(0)
    domain = YES_NO if spec.startswith("parities") else MIXED
    Q, algorithm = parse_workload(spec, domain), MWEM(epsilon=1.0, **settings)
    for _ in range(4):
        B = random_records(domain, int(rng.integers(1, 300)), rng)
        weights = {S: rng.normal(size=domain.sizes(S)) for S in ((0, 1), (1, 2), (3,))}
        A = LogLinear.of(domain.shape, rng.uniform(0.5, 2) * B.total, weights)
        exact = []
        for table in (B, *neighbours(B, rng)):
            candidates = algorithm.candidates_for(table, Q, LogLinear.uniform(domain.shape, 1.0))
            scores, _ = candidates.scores(A, 10**6, penalty)
            exact.append(score_by_fractions(candidates, A, penalty))
            assert list(map(Fraction, scores)) == exact[-1]
            assert all((score * 1024).denominator == 1 for score in exact[-1])
        Δ = Fraction(candidates.sensitivity(scores))
        for theirs in exact[1:]:
            moves = [abs(a - b) for a, b in zip(exact[0], theirs, strict=True)]
            assert max(moves) <= Δ
            largest = max(largest, max(moves) / Δ)
    assert largest == 1


def test_scores_kept_from_an_earlier_model_are_exact_too():
    rng = np.random.default_rng(1)
    B = random_records(MIXED, 200, rng)
    Q, penalty = parse_workload("marginals:2", MIXED), Pure(0.3).mean_noise
    A_0 = LogLinear.uniform(MIXED.shape, 200.0)
    candidates = Candidates(B, Q, A_0=A_0, cell_budget=10**6, tables=True, repeats=True)
    for entry in MWEM(epsilon=3.0, T=4, candidates=Tables()).rounds(B, Q, noise=Seeded(0)):
        scores, _ = candidates.scores(entry.A, 10**6, penalty)
        assert list(map(Fraction, scores)) == score_by_fractions(candidates, entry.A, penalty)


def test_sums_in_any_order_are_equal_up_to_the_limit():
    """Half a million numbers on the grid whose sum stays below 2⁴³: no order rounds. Off the grid, orders differ."""
    rng = np.random.default_rng(0)
    values = on_grid(rng.uniform(-1, 1, size=2**19) * EXACT / 2**19)
    assert values.sum() == np.cumsum(values)[-1] == np.cumsum(np.sort(values))[-1] == float(sum(map(Fraction, values)))
    off = values + rng.uniform(0, STEP, size=values.size)
    assert len({off.sum(), np.cumsum(off)[-1], np.cumsum(np.sort(off))[-1]}) > 1


def test_the_grid_moves_a_number_by_at_most_half_a_step():
    values = np.random.default_rng(0).normal(scale=1e4, size=1000)
    assert np.abs(on_grid(values) - values).max() <= STEP / 2
    assert (on_grid(on_grid(values)) == on_grid(values)).all()


def test_every_family_counts_in_whole_records():
    rng = np.random.default_rng(3)
    for spec in ("marginals:3", "cuboids:<=2", "ranges:age,hours:all", "where:age >= 25 or smoker == 1", "parities:5"):
        domain = YES_NO if spec.startswith("parities") else MIXED
        B = random_records(domain, 1001, rng)
        weighted = Records(domain, B.codes, rng.integers(0, 5, size=1001))
        for table in (B, weighted):
            answers = parse_workload(spec, domain).answers(table)
            assert (answers == np.rint(answers)).all()
