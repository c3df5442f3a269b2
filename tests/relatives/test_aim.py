"""AIM and MWEM+PGM as settings of the loop: each piece by its own law."""

import itertools
import math

import numpy as np
import pytest
from oracles import domain_of, random_records

from mwem_core import MWEM, Seeded
from mwem_core.data.records import Records
from mwem_core.model.loglinear import LogLinear
from mwem_core.mwem.candidates import Candidates
from mwem_core.relatives.aim import aim
from mwem_core.relatives.mwem_pgm import mwem_pgm
from mwem_core.workload import families
from mwem_core.workload.closure import closure

AIM = {"select": "tables", "penalty": "noise", "candidates": "closure", "first": "one-way", "annealing": True}
AIM |= {"split": 0.1, "repeats": True, "delta": 1e-6}


def table(seed, sizes=(3, 2, 4, 2), n=600):
    return random_records(domain_of(sizes), n, np.random.default_rng(seed))


def test_candidates_are_the_closure_each_weighed_by_what_it_shares_with_the_workload():
    for Q in (families.marginals(domain_of([3, 2, 4, 2]), 3), families.cuboids(domain_of([2, 3, 2]), 2, up_to=True)):
        B = random_records(Q.domain, 50, np.random.default_rng(0))
        uniform = LogLinear.uniform(Q.domain.shape, 50.0)
        candidates = Candidates(B, Q, A_0=uniform, cell_budget=10**6, tables=True, repeats=True, closed=True)
        subsets = {S for W in Q.sets for k in range(1, len(W) + 1) for S in itertools.combinations(W, k)}
        assert sorted(candidates.Q.sets) == sorted(subsets)
        weights = [sum(len(set(S) & set(W)) for W in Q.sets) for S in candidates.Q.sets]
        assert candidates.weights.tolist() == weights
        gaps = [np.abs(B.marginal(S) - uniform.marginal(S)).sum() - 0.7 * Q.domain.cells(S) for S in candidates.Q.sets]
        scores, _ = candidates.scores(uniform, 10**6, 0.7)
        assert scores == pytest.approx(np.array(weights) * gaps)
        assert candidates.sensitivity(scores) == max(weights)
        ones = np.where([len(S) == 1 for S in candidates.Q.sets], scores, -np.inf)
        assert candidates.sensitivity(ones) == max(
            w for w, S in zip(weights, candidates.Q.sets, strict=True) if len(S) == 1
        )


def test_closure_asks_about_no_attribute_the_workload_does_not():
    domain = domain_of([2, 3, 4])
    assert closure(families.ranges(domain, ["a", "c"], 5)).sets == ((0,), (2,), (0, 2))


class Follower:
    """Follows a run's outputs on another table, and keeps what it was asked to choose from and to measure."""

    def __init__(self, rounds):
        self.choices = iter([made.chosen for made in rounds if made.chosen is not None])
        self.values = iter([made.measurement.value for made in rounds])
        self.weights, self.exact = [], []

    def choose(self, weights):
        self.weights.append(weights)
        return next(self.choices)

    def gaussian(self, exact, scale):
        self.exact.append(exact)
        return next(self.values)


@pytest.mark.parametrize("seed", range(8))
def test_neighbours_cannot_be_told_apart_by_more_than_each_round_pays_for(seed):
    """The same outputs on B and B ± 1 record: as many rounds at the same prices, so annealing reads outputs only; a
    selection's log-probabilities within its ε, ρ = ε²/8, and a measured table within 1."""
    rng, B = np.random.default_rng(seed), table(seed, (3, 2, 4), 40)
    Q, settings = families.marginals(B.domain, 2), MWEM(epsilon=2.0, T=20, **AIM)
    rounds = list(settings.rounds(B, Q, noise=Seeded(seed)))
    ours, largest = Follower(rounds[1:]), 0.0
    list(settings.rounds(B, Q, noise=ours))
    paid = [b.ledger.select - a.ledger.select for a, b in itertools.pairwise(rounds) if b.chosen is not None]
    extra = [int(rng.integers(size)) for size in B.domain.shape]
    more = tuple(np.append(codes, x).astype(codes.dtype) for codes, x in zip(B.codes, extra, strict=True))
    for codes in (more, tuple(np.delete(codes, seed) for codes in B.codes)):
        other, neighbour = Follower(rounds[1:]), Records(B.domain, codes)
        object.__setattr__(neighbour, "total", B.total)  # n is public
        again = list(settings.rounds(neighbour, Q, noise=other))
        assert [made.ledger for made in again] == [made.ledger for made in rounds]
        for w, v, rho in zip(ours.weights, other.weights, paid, strict=True):
            gap = np.abs((w - np.logaddexp.reduce(w)) - (v - np.logaddexp.reduce(v))).max()
            largest = max(largest, gap / math.sqrt(8 * rho))
            assert gap <= math.sqrt(8 * rho) + 1e-9
        for x, y in zip(ours.exact, other.exact, strict=True):
            assert np.abs(x - y).sum() <= 1 + 1e-9
    assert largest > 0.05


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("select", ["queries", "tables"])
@pytest.mark.parametrize("T", [5, 40])
def test_annealing_halves_the_noise_where_a_choice_moved_no_more_and_spends_exactly_all(delta, select, T):
    B = table(1)
    Q = families.marginals(B.domain, 2)
    settings = MWEM(epsilon=1.0, delta=delta, T=T, select=select, first="one-way", annealing=True, repeats=True)
    budget, mean = settings.guarantee.budget, math.sqrt(2 / math.pi) if delta else 1.0
    rounds, halved = list(settings.rounds(B, Q, noise=Seeded(0)))[1:], 0
    assert settings.planned_rounds(B.total, Q) is None
    for made, after in itertools.pairwise(rounds):
        m = made.measurement
        taught = made.chosen is None or made.moved > mean * m.scale * np.size(m.value)
        halved += not taught
        if after is not rounds[-1]:
            assert after.measurement.scale == pytest.approx(m.scale if taught else m.scale / 2)
            left = budget.amount - made.ledger.spent
            step = after.ledger.spent - made.ledger.spent
            assert left >= 2 * step * (1 - 1e-9) or after.chosen is None
        assert made.ledger.spent < budget.amount * (1 - 1e-6)
    assert rounds[-1].ledger.spent == pytest.approx(budget.amount, rel=1e-12)
    assert rounds[-1].ledger.spent <= budget.amount
    assert halved or T == 5


@pytest.mark.parametrize("annealing", [False, True])
def test_one_way_marginals_come_first_and_cost_what_a_round_measures_with(annealing):
    B, T = table(2), 9
    Q = families.marginals(B.domain, 2)
    settings = MWEM(epsilon=1.0, T=T, select="tables", first="one-way", annealing=annealing, repeats=True, split=0.2)
    rounds = list(settings.rounds(B, Q, noise=Seeded(0)))
    ones, room = rounds[1:5], T if annealing else T - 0.2 * 4
    assert [made.measurement.attrs for made in ones] == [(0,), (1,), (2,), (3,)]
    assert [made.label for made in ones] == list(B.domain.names)
    assert all(made.chosen is None and made.declined is None for made in ones)
    assert all(made.chosen is not None for made in rounds[5:])
    assert [made.ledger.measure for made in ones] == pytest.approx([0.8 * i / room for i in (1, 2, 3, 4)])
    assert ones[-1].ledger.select == 0
    assert annealing or len(rounds) == 1 + T == 1 + settings.planned_rounds(B.total, Q)
    assert rounds[-1].ledger.spent == pytest.approx(1.0, rel=1e-12)


def test_the_model_grows_with_the_budget_spent():
    B = table(3, (4,) * 6)
    settings = MWEM(epsilon=4.0, T=30, cell_budget=300, **AIM)
    rounds = list(settings.rounds(B, families.marginals(B.domain, 3), noise=Seeded(0)))
    for made in rounds[1:]:
        assert made.A.cells <= 24 + (300 - 24) * made.ledger.spent / settings.guarantee.budget.amount + 1
    assert any(made.declined.count for made in rounds if made.declined)


def test_aim_has_the_published_constants():
    Q = families.marginals(domain_of([3, 2, 4]), 2)
    settings = aim(Q, epsilon=1.0, delta=1e-6)
    assert (settings.T, settings.split, settings.cell_budget) == (48, 0.1, 80 * 2**20 // 8)
    for name, value in AIM.items():
        assert getattr(settings, name) == value


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_mwem_pgm_measures_a_marginal_an_attribute_and_may_ask_again(delta):
    B = table(4)
    Q = families.marginals(B.domain, 2)
    settings = mwem_pgm(Q, epsilon=1.0, delta=delta)
    *_, last = settings.rounds(B, Q, noise=Seeded(0))
    assert last.index == settings.planned_rounds(B.total, Q) == 4
    assert last.ledger.spent == pytest.approx(settings.guarantee.budget.amount)
    assert (settings.penalty, settings.split, settings.repeats, settings.T) == ("cells", 0.1, True, 4)
    assert mwem_pgm(families.marginals(B.domain, 4), epsilon=1.0).T == 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"candidates": "closure"}, "candidates 'closure' are whole tables: choose select='tables' with it"),
        (
            {"annealing": True, "repeats": True, "T": "adaptive"},
            "annealing, and one-way marginals first, need a number of rounds, got 'adaptive'",
        ),
        (
            {"first": "one-way", "T": "theorem"},
            "annealing, and one-way marginals first, need a number of rounds, got 'theorem'",
        ),
        (
            {"annealing": True},
            "annealing measures a query again, with less noise: allow repeats with it",
        ),
    ],
)
def test_settings_that_contradict_each_other_are_refused(settings, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        MWEM(epsilon=1.0, **settings)


def test_rounds_that_leave_nothing_to_select_are_refused():
    Q = families.marginals(domain_of([3, 2, 4]), 2)
    with pytest.raises(ValueError, match=r"^rounds must be at least 4, as the 3 one-way marginals come first; got 3$"):
        aim(Q, epsilon=1.0, delta=1e-6, T=3).check(Q)
    with pytest.raises(ValueError, match=r"^rounds must be at most 6, the number of marginals, as none is asked twice"):
        MWEM(epsilon=1.0, T=7, select="tables", first="one-way").check(Q)


def test_heirs_refuse_what_they_were_not_made_for():
    domain = domain_of([2, 2, 2])
    with pytest.raises(
        ValueError, match=r"^AIM runs under zCDP, which needs a delta above 0: choose one well below 1/n$"
    ):
        aim(families.marginals(domain, 2), epsilon=1.0)
    for make, name in ((aim, "AIM"), (mwem_pgm, "MWEM\\+PGM")):
        with pytest.raises(ValueError, match=f"^{name} measures whole marginals: .* not parities$"):
            make(families.parities(domain, 2), epsilon=1.0, delta=1e-6)
