"""Corrections: the last rounds measure marginals that the model cannot hold, and correct answers alone."""

from itertools import pairwise

import numpy as np
import pytest
from oracles import domain_of, random_records

from mwem_core import MWEM, Attribute, Domain, Records, Seeded, parse_workload
from mwem_core.domain.numbers import Range
from mwem_core.evaluation.metrics import errors
from mwem_core.model.corrected import Corrected
from mwem_core.model.measurement import Measurement
from mwem_core.mwem.asked import apart
from mwem_core.mwem.candidates import Candidates
from mwem_core.mwem.correcting import STANDS_OUT, share_of
from mwem_core.mwem.correction import corrected_alone
from mwem_core.mwem.penalty import PerCell
from mwem_core.mwem.presets import _corrected, mwem_by_rule
from mwem_core.workload import families

CHAIN = {"T": 3, "select": "tables", "penalty": "counts", "update": "implicit", "tolerance": 0.01, "cell_budget": 1300}


def chained(n=20_000):
    """Four attributes of 20 values that all follow a fifth: a tree of 1,300 cells holds three of their six pairs."""
    rng = np.random.default_rng(0)
    hidden = rng.integers(0, 20, n)
    columns = ((hidden * step + rng.integers(0, 3, n)) % 20 for step in (1, 3, 7, 9))
    return Records(domain_of([20] * 4), tuple(column.astype(np.uint8) for column in columns))


def run(B, Q, seed=0, **settings):
    full = MWEM(**{"epsilon": 21.0, "corrections": 3, **CHAIN, **settings})
    return list(full.rounds(B, Q, noise=Seeded(seed)))


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("first", ["none", "one-way"])
def test_all_of_the_budget_is_spent_and_no_marginal_is_measured_twice(delta, first):
    B = random_records(domain_of([5, 4, 3, 3]), 500, np.random.default_rng(0))
    T = 3 if first == "none" else 6
    rounds = run(B, families.marginals(B.domain, 2), delta=delta, first=first, T=T)
    spent = [entry.ledger.spent for entry in rounds]
    assert [entry.index for entry in rounds] == list(range(T + 4))
    assert spent == sorted(spent)
    assert all(entry.ledger.budget == rounds[-1].ledger.budget for entry in rounds)
    assert rounds[-1].ledger.is_spent
    ledger = rounds[T].ledger
    assert ledger.exact / ledger.budget.exact == pytest.approx(1 - 2.25 / (T + 2.25))
    assert share_of(3, T) == pytest.approx(2.25 / (T + 2.25))
    measured = [entry.measurement.attrs for entry in rounds[1:]]
    assert len(set(measured)) == len(measured)


def test_rounds_before_are_those_of_a_run_with_what_corrections_leave():
    B = chained()
    Q = families.marginals(B.domain, 2)
    corrected, alone = run(B, Q), run(B, Q, epsilon=12.0, corrections=0)
    for entry, other in zip(corrected, alone, strict=False):
        assert (entry.model.answers(Q) == other.model.answers(Q)).all()


def test_corrections_leave_the_model_and_the_answers_to_what_was_not_measured():
    B = chained()
    Q = families.marginals(B.domain, 2)
    rounds = run(B, Q)
    A, last = rounds[3].model, rounds[-1].model
    assert isinstance(last, Corrected)
    assert all(entry.A is A for entry in rounds[4:])
    assert set(last.tables) == {entry.measurement.attrs for entry in rounds[1:]}
    assert (last.marginal((2,)) == A.marginal((2,))).all()
    for table in last.tables.values():
        assert table.min() >= 0
        assert table.sum() == pytest.approx(B.total)


def test_a_round_says_what_it_chose_measured_and_moved():
    B = chained()
    Q = families.marginals(B.domain, 2)
    for before, entry in pairwise(run(B, Q)[3:]):
        m = entry.measurement
        then, now = before.model.marginal(m.attrs), entry.model.marginal(m.attrs)
        assert Q.attrs(entry.chosen) == m.attrs
        assert entry.label == B.domain.label(m.attrs)
        assert entry.residual == pytest.approx(np.abs(m.value - then).sum())
        assert entry.moved == pytest.approx(np.abs(now - then).sum())
        assert entry.selection is None


def test_marginals_that_the_tree_cannot_hold_are_answered_far_better():
    """Three pairs do not fit. In the mean of three runs TV falls to a third and the worst cell to half, or below."""
    B = chained()
    Q = families.marginals(B.domain, 2)
    truth, found = Q.answers(B), {0: [], 3: []}
    for number, of_number in found.items():
        for seed in range(3):
            last = run(B, Q, seed, corrections=number)[-1]
            of = errors(Q, Q.answers(last.model), truth, B.total)
            of_number.append((of.mean_tv, of.max_error))
    without, with_them = (np.mean(found[number], axis=0) for number in (0, 3))
    assert (with_them <= without / (3, 2)).all()


@pytest.mark.parametrize("weights", [None, [1, 2, 1, 3, 1, 1]])
def test_excesses_are_what_cells_err_by_beyond_their_penalty(weights):
    rng = np.random.default_rng(1)
    B = random_records(domain_of([4, 3, 5, 2]), 400, rng)
    Q = families.marginals(B.domain, 2)
    A = run(B, Q, T=1, corrections=0, epsilon=1.0)[-1].model
    weighed = None if weights is None else np.array(weights)
    candidates = Candidates(B, Q, A_0=A, cell_budget=10**6, tables=True, repeats=False, weights=weighed)
    candidates.take(2)
    found = candidates.excesses(A, PerCell(3.0))
    for j, S in enumerate(Q.sets):
        excess = sum(max(0.0, abs(a - b) - 3.0) for a, b in zip(A.marginal(S).flat, B.marginal(S).flat, strict=True))
        excess *= 1 if weights is None else weights[j]
        assert found[j] == (-np.inf if j == 2 else pytest.approx(excess, abs=0.01))


def test_one_record_moves_an_excess_by_at_most_its_sensitivity():
    rng = np.random.default_rng(2)
    B = random_records(domain_of([4, 3, 5, 2]), 60, rng)
    Q = families.marginals(B.domain, 2)
    A = run(B, Q, T=1, corrections=0, epsilon=1.0)[-1].model
    for i in range(20):
        fewer = Records(B.domain, tuple(np.delete(column, i) for column in B.codes))
        found, other = (
            Candidates(each, Q, A_0=A, cell_budget=10**6, tables=True, repeats=False).excesses(A, PerCell(2.0))
            for each in (B, fewer)
        )
        assert np.abs(found - other).max() <= 1.0


def test_small_deviations_are_taken_for_noise_and_large_ones_believed():
    """Noise of 40 records on cells that the model has 50 in: a quarter of it is kept at most."""
    B = chained()
    Q = families.marginals(B.domain, 2)
    A, S, noise = run(B, Q)[3].A, (2, 3), np.random.default_rng(0).laplace(0, 40.0, (20, 20))
    near = Measurement(S, A.marginal(S) + noise, 40.0)
    moved = np.abs(corrected_alone(A, [near], 2.0)[S] - A.marginal(S))
    assert moved.sum() <= 0.25 * np.abs(noise).sum()
    near.value[0, 0] += 4000
    assert corrected_alone(A, [near], 2.0)[S][0, 0] == pytest.approx(near.value[0, 0], abs=STANDS_OUT * near.scale)


@pytest.mark.parametrize(
    ("n", "epsilon", "k", "sizes", "corrections"),
    [
        (300_000, 1.0, 3, [30] * 7, 3),
        (300_000, 0.8, 3, [30] * 7, 2),
        (300_000, 0.4, 2, [30] * 8, 1),
        (300_000, 0.3, 3, [30] * 7, 0),  # a larger model would not pay
        (300_000, 1.0, 3, [7] * 7, 0),  # small tables
        (30_000, 10.0, 3, [10] * 8, 0),  # rows take over early
        (300_000, 1.0, 3, [30, 30, 30, 2], 0),  # all four marginals are measured anyway
    ],
)
def test_the_default_corrects_large_tables_where_a_larger_model_would_pay(n, epsilon, k, sizes, corrections):
    domain = Domain(tuple(Attribute(f"a{i}", Range(0, size - 1)) for i, size in enumerate(sizes)))
    Q = parse_workload(f"marginals:{k}", domain)
    settings = _corrected(mwem_by_rule(Q, n=n, epsilon=epsilon), Q, n)
    assert settings.corrections == corrections
    assert settings.planned_rounds(n, Q) == mwem_by_rule(Q, n=n, epsilon=epsilon).T + corrections


def test_what_is_asked_apart_comes_after_corrections():
    domain = domain_of([6, 6, 5, 9])
    B = random_records(domain, 2000, np.random.default_rng(0))
    Q = parse_workload("marginals:2 + ranges:d:all", domain)
    settings = MWEM(epsilon=2.0, query_share=0.2, corrections=2, **CHAIN)
    assert len(apart(Q)) == 2
    rounds = list(settings.rounds(B, Q, noise=Seeded(0)))
    assert len(rounds) - 1 == settings.planned_rounds(B.total, Q) == 3 + 2 + 1
    assert rounds[-1].ledger.is_spent


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"corrections": -1}, "corrections must be a whole number of at least 0, got -1"),
        ({"corrections": 0.5}, "corrections must be a whole number of at least 0, got 0.5"),
        ({"plan": "marginals"}, "need plan 'select', tables to select, and the last model as output, got plan 'marg"),
        ({"select": "queries", "penalty": "none", "update": "explicit"}, "select 'queries'"),
        ({"output": "average"}, "output 'average'"),
        ({"T": "adaptive"}, "corrections need a number of rounds before them, without annealing or repeats"),
        ({"repeats": True}, "without annealing or repeats"),
    ],
)
def test_settings_that_cannot_correct_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        MWEM(**{"epsilon": 1.0, "corrections": 2, **CHAIN, **settings})


def test_workloads_without_tables_to_correct_or_with_too_few_are_refused():
    domain = domain_of([5, 4, 3])
    with pytest.raises(ValueError, match="at most 0, the number of marginals less 3 that come last"):
        MWEM(epsilon=1.0, corrections=3, **CHAIN).check(families.marginals(domain, 2))
    with pytest.raises(ValueError, match="corrections are of whole tables, not of several families at once"):
        MWEM(epsilon=1.0, corrections=3, **{**CHAIN, "update": "explicit"}).check(
            parse_workload("marginals:2 + ranges:a:all", domain)
        )


@pytest.mark.parametrize("spec", ["cuboids:2", "marginals:2"])
def test_corrections_of_one_way_marginals_alone_leave_the_answers_as_the_model_has_them(spec):
    B = random_records(domain_of((2, 3)), 60, np.random.default_rng(0))
    settings = MWEM(epsilon=1.0, T=1, corrections=1, select="tables", candidates="lower")
    *_, before, last = settings.rounds(B, parse_workload(spec, B.domain), noise=Seeded(0))
    assert last.measurement is not None
    assert last.model.marginal((0, 1)) == pytest.approx(before.model.marginal((0, 1)))
    assert last.ledger.is_spent
