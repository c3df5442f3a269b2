"""MWEM+PGM and AIM: their settings, AIM cell by cell, and its annealing and one-way marginals in MWEM's loop."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from messages import exactly
from oracles import (
    Script,
    aim_cell_by_cell,
    domain_of,
    random_records,
)

from mwem_core import MWEM, Annealing, Queries, Replay, Seeded, Tables
from mwem_core.privacy import laws
from mwem_core.relatives.pgm import aim, mwem_pgm
from mwem_core.workload import families


def test_the_settings_are_the_published_ones():
    Q = families.marginals(domain_of([3, 2, 4, 2]), 2)
    settings = mwem_pgm(Q, epsilon=1.0)
    assert (settings.candidates, settings.repeats) == (Tables(penalty="cells"), True)
    assert (settings.T, settings.split, settings.cell_budget) == (4, 0.1, 25 * 2**20 // 8)
    assert mwem_pgm(Q, epsilon=1.0, T=9).T == 9


def test_a_workload_with_fewer_marginals_than_attributes_takes_one_round_for_each():
    Q = families.marginals(domain_of([3, 2, 4, 2]), 4)
    assert mwem_pgm(Q, epsilon=1.0).T == Q.parts == 1


AIM = {"candidates": Tables(penalty="noise", within="closure", one_way_first=True)}
AIM |= {"split": 0.1, "repeats": True, "delta": 1e-6}


def table(seed, sizes=(3, 2, 4, 2), n=600):
    return random_records(domain_of(sizes), n, np.random.default_rng(seed))


class GaussianScript(Script):
    """A uniform number per selection, a standard normal draw per number measured."""

    def gaussian(self, exact, rho, sensitivity):
        return self.scaled(exact, laws.gaussian_scale(rho, sensitivity))


@pytest.mark.parametrize("seed", range(10))
def test_the_preset_is_aim_cell_by_cell(seed):
    """The same sets at the same noise scales, the same noisy tables and the same A.

    Both refit by five sweeps in order. The preset's fit is accelerated, and the published one is another solver's.
    """
    rng = np.random.default_rng(seed)
    B = random_records(domain_of([2, 3, 2]), 100, rng)
    Q = families.marginals(B.domain, 2)
    uniforms, normals = rng.random(100).tolist(), rng.normal(size=1000).tolist()
    settings = aim(Q, epsilon=3.0, delta=1e-6, T=8)
    settings = replace(settings, update=Replay(step=1.0, sweeps=5, tolerance=0.0, in_order=True))
    _, *rounds = settings.rounds(B, Q, noise=GaussianScript(uniforms, normals))

    cells, rho = B.marginal((0, 1, 2)).ravel(), settings.guarantee.budget.amount
    A, measured = aim_cell_by_cell(cells, B.domain.shape, Q.sets, 8, rho, 1.0, 5, uniforms, normals)
    assert len(rounds) == len(measured)
    for entry, (S, sigma, values) in zip(rounds, measured, strict=True):
        assert entry.measurement.attrs == S
        assert entry.measurement.scale == pytest.approx(sigma, rel=1e-9)
        assert entry.measurement.value.ravel() == pytest.approx(values, abs=1e-8)
    assert rounds[-1].A.marginal((0, 1, 2)).ravel() == pytest.approx(A, abs=1e-8)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("select", [Queries, Tables])
@pytest.mark.parametrize("T", [5, 40])
def test_annealing_halves_the_noise_after_a_choice_that_moved_no_further_and_spends_the_whole_budget(delta, select, T):
    B = table(1)
    Q = families.marginals(B.domain, 2)
    candidates = select(one_way_first=True)
    settings = MWEM(epsilon=1.0, delta=delta, T=Annealing(T), candidates=candidates, repeats=True)
    budget, mean_noise = settings.guarantee.budget, math.sqrt(2 / math.pi) if delta else 1.0
    _, *rounds = settings.rounds(B, Q, noise=Seeded(0))
    halved = 0
    assert settings.planned_rounds(B.total, Q) is None
    for entry, after in itertools.pairwise(rounds):
        m = entry.measurement
        moved_little = entry.chosen is not None and entry.moved <= mean_noise * m.scale * np.size(m.value)
        halved += moved_little
        if after is not rounds[-1]:
            assert after.measurement.scale == pytest.approx(m.scale / 2 if moved_little else m.scale)
            left = budget.amount - entry.ledger.spent
            step = after.ledger.spent - entry.ledger.spent
            assert left >= 2 * step * (1 - 1e-9) or after.chosen is None
        assert entry.ledger.spent < budget.amount * (1 - 1e-6)
    assert rounds[-1].ledger.spent == pytest.approx(budget.amount, rel=1e-12)
    assert rounds[-1].ledger.spent <= budget.amount
    assert halved or T == 5


@pytest.mark.parametrize("annealing", [False, True])
def test_one_way_marginals_come_first_and_cost_the_measurement_of_a_round(annealing):
    B, T = table(2), 9
    Q = families.marginals(B.domain, 2)
    planned, candidates = Annealing(T) if annealing else T, Tables(one_way_first=True)
    settings = MWEM(epsilon=1.0, T=planned, candidates=candidates, repeats=True, split=0.2)
    rounds = list(settings.rounds(B, Q, noise=Seeded(0)))
    first, full_rounds = rounds[1:5], T if annealing else T - 0.2 * 4
    assert [entry.measurement.attrs for entry in first] == [(0,), (1,), (2,), (3,)]
    assert [entry.label for entry in first] == list(B.domain.names)
    assert all(entry.chosen is None and entry.declined is None for entry in first)
    assert all(entry.chosen is not None for entry in rounds[5:])
    assert [entry.ledger.measure for entry in first] == pytest.approx([0.8 * i / full_rounds for i in (1, 2, 3, 4)])
    assert first[-1].ledger.select == 0
    assert annealing or len(rounds) == 1 + T == 1 + settings.planned_rounds(B.total, Q)
    assert rounds[-1].ledger.spent == pytest.approx(1.0, rel=1e-12)


def test_the_model_grows_with_the_budget_spent():
    B = table(3, (4,) * 6)
    settings = MWEM(epsilon=4.0, T=Annealing(30), cell_budget=300, **AIM)
    _, *rounds = settings.rounds(B, families.marginals(B.domain, 3), noise=Seeded(0))
    for entry in rounds:
        assert entry.A.cells <= 24 + (300 - 24) * entry.ledger.spent / settings.guarantee.budget.amount + 1
    assert any(entry.declined.count for entry in rounds if entry.declined)


def test_aim_has_the_published_constants():
    Q = families.marginals(domain_of([3, 2, 4]), 2)
    settings = aim(Q, epsilon=1.0, delta=1e-6)
    assert (settings.T, settings.cell_budget) == (Annealing(48), 80 * 2**20 // 8)
    assert {name: getattr(settings, name) for name in AIM} == AIM
    assert aim(Q, epsilon=1.0, delta=1e-6, T=7).T == Annealing(7)


def test_rounds_too_few_for_the_one_way_marginals_are_refused():
    Q = families.marginals(domain_of([3, 2, 4]), 2)
    message = "rounds must be at least 3, as the 3 one-way marginals come first; got 2"
    with pytest.raises(ValueError, match=exactly(message)):
        aim(Q, epsilon=1.0, delta=1e-6, T=2).check(Q)
    with pytest.raises(ValueError, match=r"^rounds must be at most 6, the number of marginals, as none is asked twice"):
        MWEM(epsilon=1.0, T=7, candidates=Tables(one_way_first=True)).check(Q)
