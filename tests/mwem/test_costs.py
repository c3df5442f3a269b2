"""What measurements cost: together all of the budget, and large tables more than small ones."""

from collections import deque
from fractions import Fraction

import numpy as np
import pytest
from oracles import domain_of, random_records

from mwem_core import MWEM, Annealing, Seeded, Tables, default, mwem_by_rule, parse_workload
from mwem_core.base import change
from mwem_core.domain import Domain
from mwem_core.model import LogLinear
from mwem_core.mwem.candidates import Candidates, penalty_of
from mwem_core.privacy import STEP, ZCDP, Pure
from mwem_core.workload import Costs, relative_costs, weights_of_tables


@pytest.fixture
def domain() -> Domain:
    return domain_of([2, 3, 5, 30, 40])


@pytest.mark.parametrize("unit", ["ε", "ρ"])
def test_a_typical_table_costs_1_and_none_more_than_twice_as_much_or_less_than_half(domain, unit):
    Q = parse_workload("marginals:2", domain)
    relative = relative_costs(Q, unit)
    weights = weights_of_tables(Q.part_cells.astype(float), unit)
    assert relative == pytest.approx([min(2.0, max(0.5, w / np.prod(weights) ** (1 / len(weights)))) for w in weights])
    assert (relative.min(), relative.max()) == (0.5, 2.0)  # 6 cells, and 1,200
    same = relative_costs(parse_workload("marginals:2", domain_of([4] * 5)), unit)
    assert same == pytest.approx(np.ones(10))


@pytest.mark.parametrize("budget", [Pure(1.0), ZCDP(0.1)])
def test_whatever_is_chosen_T_measurements_cost_all_of_the_budget_and_not_a_digit_more(budget):
    rng, T = np.random.default_rng(0), 7
    mean = budget.part(Fraction(1, T))
    for _ in range(50):
        relative = rng.uniform(0.5, 2.0, 30)
        costs, chosen = Costs(T, relative), rng.integers(30, size=T)
        paid = [costs.of(int(j), mean).exact for j in chosen]
        assert sum(paid) == budget.exact
        assert min(paid) > 0


def test_typical_measurements_cost_the_same_and_others_what_was_expected_of_them():
    mean, T = Pure(0.1), 5
    costs = Costs(T, np.ones(3))
    assert [costs.of(j, mean).exact for j in (0, 1, None, 2, 0)] == [Fraction(1, 10)] * T
    relative = np.array([0.5, 1.0, 2.0])
    expected = Costs(T, relative).expected
    assert expected == pytest.approx([0.5 * 5 / 4.5, 1.0, 2 * 5 / 6])
    for j in range(3):
        assert float(Costs(T, relative).of(j, mean).exact) == pytest.approx(0.1 * expected[j], rel=1e-9)
    assert Costs(1, relative).of(0, mean).exact == mean.exact  # the only one gets all


def test_without_relative_costs_each_costs_the_mean_whatever_it_is():
    costs = Costs(2, None)
    assert costs.expected is None
    assert [costs.of(None, Pure(amount)).exact for amount in (0.1, 0.2, 0.3)] == [
        Pure(a).exact for a in (0.1, 0.2, 0.3)
    ]


@pytest.mark.parametrize("budget", [Pure(0.05), ZCDP(0.001)])
def test_a_part_of_a_budget_has_the_noise_that_its_penalty_reckons_with(budget):
    shares = np.array([0.5, 0.8, 1.0, 2.0])
    parts = [budget.part(share) for share in shares.tolist()]
    assert budget.scale_at(shares) == pytest.approx([part.scale for part in parts])
    assert penalty_of("noise", budget, shares) == pytest.approx([part.mean_noise for part in parts])


def test_a_score_is_less_what_measuring_the_table_at_its_own_cost_would_err(domain):
    B, measuring = random_records(domain, 90, np.random.default_rng(0)), Pure(0.05)
    Q, uniform = parse_workload("marginals:2", domain), LogLinear.uniform(domain.shape, 90.0)
    shares = Costs(4, relative_costs(Q, "ε")).expected
    candidates = Candidates(B, Q, A_0=uniform, cell_budget=10**6, tables=True, repeats=False)
    scores, _ = candidates.scores(uniform, 10**6, penalty_of("noise", measuring, shares))
    expected = []
    for S, share in zip(Q.sets, shares.tolist(), strict=True):
        table = uniform.marginal(S)
        expected.append(np.abs(B.marginal(S) - table).sum() - table.size * measuring.part(share).mean_noise)
    assert scores == pytest.approx(expected, abs=1200 * STEP)


@pytest.mark.parametrize("delta", [0.0, 1e-9])
def test_rounds_measure_with_the_noise_that_they_paid_for_large_tables_with_less(adult, delta):
    Q = parse_workload("marginals:2", adult.domain)
    settings = mwem_by_rule(Q, n=adult.total, epsilon=0.3, delta=delta)
    assert settings.by_cells
    _, *rounds = settings.rounds(adult, Q, noise=Seeded(0))
    unit = settings.guarantee.budget
    spent = np.diff([0.0, *(made.ledger.measure for made in rounds)])
    assert [made.measurement.scale for made in rounds] == pytest.approx(
        [unit.part(s / unit.amount).scale for s in spent]
    )
    assert rounds[-1].ledger.is_spent
    cells = [made.measurement.value.size for made in rounds]
    assert np.corrcoef(np.log(cells), np.log(spent))[0, 1] > 0.6
    assert all(np.ndim(made.selection.penalty) for made in rounds)


def test_rounds_by_cells_answer_the_pairs_of_adult_with_less_error_than_rounds_that_cost_the_same(adult):
    """Four seeds, ε = 0.3: .89 of the total variation."""
    Q = parse_workload("marginals:2", adult.domain)
    truth, settings = Q.answers(adult), default(Q, n=adult.total, epsilon=0.3)
    equal = change(settings, {"candidates.by_cells": False, "T": 14})

    def error(each: MWEM) -> float:
        runs = [deque(each.rounds(adult, Q, noise=Seeded(seed)), 1)[0] for seed in range(4)]
        return float(np.mean([np.abs(Q.answers(run.model) - truth).sum() for run in runs]))

    assert error(settings) < 0.95 * error(equal)


@pytest.mark.parametrize(
    ("spec", "settings", "says"),
    [
        ("marginals:2", {"T": Annealing(2), "repeats": True}, "given number of rounds"),
        ("marginals:2 + ranges:d:10", {}, "whole tables cost by their cells, not"),
    ],
)
def test_costs_by_cells_are_refused_where_no_tables_are_selected_in_a_number_of_rounds(domain, spec, settings, says):
    with pytest.raises(ValueError, match=says):
        MWEM(**{"epsilon": 1.0, "T": 2, "candidates": Tables(by_cells=True)} | settings).check(
            parse_workload(spec, domain)
        )
