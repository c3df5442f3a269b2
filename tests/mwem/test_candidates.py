"""What a round may choose from: scores kept from round to round, and candidates priced by what they would add."""

import itertools

import numpy as np
import pytest
from oracles import domain_of, random_records

from mwem_core.model import Capacity, Component, LogLinear
from mwem_core.mwem.candidates import Candidates, PenaltyName, Queries, Tables, penalty_of
from mwem_core.mwem.mwem import MWEM
from mwem_core.mwem.updates import Newest
from mwem_core.privacy import STEP, ZCDP, Pure, Seeded, on_grid
from mwem_core.workload import families


def run(B, Q, **settings):
    return list(MWEM(**{"epsilon": 5.0, "T": 8} | settings).rounds(B, Q, noise=Seeded(0)))


def anew(A):
    """The same model as other objects, which remember nothing."""
    return LogLinear(A.sizes, A.total, tuple(Component(c.sizes, c.theta, c.tree, c.beliefs) for c in A.components))


@pytest.mark.parametrize("family", ["parities", "marginals"])
def test_scores_kept_where_a_round_left_a_component_alone_are_scores_from_scratch(family):
    B = random_records(domain_of([2] * 9), 400, np.random.default_rng(0))
    Q = families.parities(B.domain, 2) if family == "parities" else families.marginals(B.domain, 2)
    uniform = LogLinear.uniform(B.domain.shape, B.total)
    candidates = Candidates(B, Q, A_0=uniform, cell_budget=10**6, tables=family == "marginals", repeats=True)
    kept_some = False
    before = None
    for entry in run(B, Q, candidates=Tables() if family == "marginals" else Queries()):
        scores, _ = candidates.scores(entry.A, 10**6)
        gaps = np.abs(on_grid(Q.answers(anew(entry.A))) - Q.answers(B))
        assert scores == pytest.approx(Q.sum_by_part(gaps) if family == "marginals" else gaps, abs=STEP)
        kept_some |= before is not None and not entry.A.changed_since(before).all()
        before = entry.A
    assert kept_some


class Watched:
    """A model or records that remember which marginals they were asked for."""

    def __init__(self, source):
        self.source, self.asked = source, set()

    def __getattr__(self, name):
        return getattr(self.source, name)

    def flat_marginals(self, blocks):
        self.asked |= {tuple(S) for block in blocks for S in block.tolist()}
        return self.source.flat_marginals(blocks)


def test_only_what_a_round_offers_is_counted_or_scored():
    """Not tables that no model could hold, nor those too large for now, nor those measured."""
    B = Watched(random_records(domain_of([2, 3, 4, 5, 6, 7]), 500, np.random.default_rng(2)))
    Q = families.marginals(B.source.domain, 3)
    uniform = LogLinear.uniform((2, 3, 4, 5, 6, 7), 500.0)
    candidates = Candidates(B, Q, A_0=uniform, cell_budget=130, tables=True, repeats=False)
    assert B.asked == {S for S in Q.sets if B.source.domain.cells(S) <= 130}
    uniform_answers = on_grid(Q.answers(LogLinear.uniform((2, 3, 4, 5, 6, 7), 500.0)))
    gaps = Q.sum_by_part(np.abs(uniform_answers - Q.answers(B.source)))
    for allowed in (60, 100, 130):
        A = Watched(LogLinear.uniform((2, 3, 4, 5, 6, 7), 500.0))
        scores, _ = candidates.scores(A, allowed)
        offered = scores > -np.inf
        assert A.asked == {S for S, is_offered in zip(Q.sets, offered, strict=True) if is_offered}
        assert scores[offered] == pytest.approx(gaps[offered])
        j = int(scores.argmax())
        attrs, _, exact, label, number = candidates.take(j)[:5]
        assert (attrs, number) == (Q.sets[j], j)
        assert (exact == B.source.marginal(attrs)).all()
        assert label == B.source.domain.label(attrs)
    assert scores[j] > -np.inf == candidates.scores(A, allowed)[0][j]


@pytest.mark.parametrize("sizes", [[4] * 6, [2, 3, 4, 5, 6, 7], [2] * 10])
def test_offered_are_those_the_model_can_take_and_no_others(sizes):
    """A bound is only ever on the safe side: what is offered fits, what is declined would not have."""
    B = random_records(domain_of(sizes[:6]), 500, np.random.default_rng(1)) if len(sizes) < 10 else None
    domain = B.domain if B else domain_of(sizes)
    B = B or random_records(domain, 500, np.random.default_rng(1))
    Q = families.marginals(domain, 3)
    for entry in run(B, Q, candidates=Tables(), cell_budget=300, update=Newest())[::4]:
        held = entry.A.cells
        for limit in (held, held + 20, 2 * held, 10 * held):
            fits, declined = Capacity(domain, [block.sets for block in Q.blocks], entry.A, 300).takes(entry.A, limit)
            grown = np.array([entry.A.covering([S]).cells for S in Q.sets])
            assert (grown[fits] <= limit).all()
            assert all(entry.A.cells_with(S, limit) > limit for S, fit in zip(Q.sets, fits, strict=True) if not fit)
            assert declined.count == np.count_nonzero(~fits)


def test_a_first_table_larger_than_is_allowed_so_far_is_taken_where_there_is_no_smaller():
    B = random_records(domain_of([10] * 5), 500, np.random.default_rng(0))
    Q = families.marginals(B.domain, 3)
    rounds = run(B, Q, candidates=Tables(), cell_budget=1_500, T=3, update=Newest())
    assert len(rounds) > 1
    assert all(entry.A.cells <= 1_500 for entry in rounds)


def test_what_the_start_holds_already_may_be_asked_whatever_the_cells_allowed():
    """A one-way table of 20 cells is free: the uniform model has it, though it was allowed 10 cells."""
    B = random_records(domain_of([20, 2, 2]), 500, np.random.default_rng(0))
    rounds = run(B, families.marginals(B.domain, 2, up_to=True), candidates=Tables(), cell_budget=10, T=4)
    assert 0 in [entry.chosen for entry in rounds]


def test_a_run_says_what_it_declined_and_why():
    B = random_records(domain_of([4] * 6), 500, np.random.default_rng(0))
    Q = families.marginals(B.domain, 2)
    told = [entry.declined for entry in run(B, Q, candidates=Tables(), cell_budget=100, T=15)]
    assert told[0] is None
    assert any("not offered: the model holds" in each.reason for each in told[1:])
    assert any(not each.reason for each in told[1:])


def test_candidates_are_the_closure_with_scores_weighted_by_overlap_with_the_workload():
    for Q in (families.marginals(domain_of([3, 2, 4, 2]), 3), families.cuboids(domain_of([2, 3, 2]), 2, up_to=True)):
        B = random_records(Q.domain, 50, np.random.default_rng(0))
        uniform = LogLinear.uniform(Q.domain.shape, 50.0)
        settings = MWEM(epsilon=1.0, candidates=Tables(within="closure"), repeats=True)
        candidates = settings.candidates_for(B, Q, uniform)
        sets = candidates.Q.sets
        assert sorted(sets) == sorted({S for W in Q.sets for k in range(1, 5) for S in itertools.combinations(W, k)})
        weights = [sum(len(set(S) & set(W)) for W in Q.sets) for S in sets]
        assert candidates.weights.tolist() == weights
        cost = on_grid(0.7)
        gaps = [np.abs(B.marginal(S) - on_grid(uniform.marginal(S))).sum() - cost * Q.domain.cells(S) for S in sets]
        scores, _ = candidates.scores(uniform, 10**6, 0.7)
        assert scores == pytest.approx(np.array(weights) * gaps)
        assert candidates.sensitivity(scores) == max(weights)
        is_one_way = [len(S) == 1 for S in sets]
        largest = max(weight for weight, one_way in zip(weights, is_one_way, strict=True) if one_way)
        assert candidates.sensitivity(np.where(is_one_way, scores, -np.inf)) == largest


@pytest.mark.parametrize("budget", [Pure(0.05), ZCDP(0.001)])
def test_a_penalty_is_known_by_its_name(budget):
    names: dict[PenaltyName, float] = {"none": 0.0, "cells": 1.0, "noise": budget.mean_noise}
    for name, expected in names.items():
        assert penalty_of(name, budget) == pytest.approx(expected)


def test_candidates_that_only_all_of_the_budget_allows_have_their_penalty_too():
    """No table of 100 cells is allowed early in the run, so all of the budget's cells are allowed at once."""
    B = random_records(domain_of([10] * 5), 500, np.random.default_rng(0))
    A_0, Q = LogLinear.uniform(B.domain.shape, 500.0), families.marginals(B.domain, 2)
    candidates = Candidates(B, Q, A_0=A_0, cell_budget=160, tables=True, repeats=False)
    scores = candidates.offer(A_0, share=0.01, penalty=0.5).scores
    gaps = [np.abs(B.marginal(S) - on_grid(A_0.marginal(S))).sum() - 50 for S in Q.sets]
    assert scores == pytest.approx(gaps)


@pytest.mark.parametrize("budget", [Pure(0.05), ZCDP(0.001)])
def test_a_table_costs_the_noise_of_its_cells_and_is_scored_anew_for_another_model_or_other_noise(budget):
    B = random_records(domain_of([3, 2, 4]), 60, np.random.default_rng(0))
    Q, uniform = families.marginals(B.domain, 2), LogLinear.uniform(B.domain.shape, 60.0)
    candidates = Candidates(B, Q, A_0=uniform, cell_budget=10**6, tables=True, repeats=True)
    for attributes in ({0, 1, 2}, {1, 2}, {0}):
        tables = {(a,): np.linspace(0, 1, B.domain.shape[a]) for a in attributes}
        A = LogLinear.of(B.domain.shape, 60.0, tables)
        for measuring in (budget, budget.part(0.1)):
            expected = [
                np.abs(B.marginal(S) - A.marginal(S)).sum() - A.marginal(S).size * measuring.mean_noise for S in Q.sets
            ]
            scores, _ = candidates.scores(A, 10**6, measuring.mean_noise)
            assert scores == pytest.approx(expected, abs=12 * STEP)  # a step for each of at most twelve cells
