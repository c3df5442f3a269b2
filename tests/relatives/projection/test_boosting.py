"""Boosting for queries: the attenuated weights, what they cost, and what the median's errors are bound by."""

import itertools
import math

import numpy as np
import pytest
from oracles import domain_of, random_records

from mwem_core import Seeded
from mwem_core.data.records import Records
from mwem_core.relatives.projection.boosting import Boosting, attenuated, preset
from mwem_core.workload import families


class Recorded:
    """Seeded noise, or another run's outputs, and everything that was asked of it."""

    def __init__(self, source, choices=None, values=None):
        self.source, self.choices, self.values = source, choices and iter(choices), values and iter(values)
        self.weights, self.exact, self.chosen, self.measured = [], [], [], []

    def choose(self, weights):
        self.weights.append(weights)
        self.chosen.append(next(self.choices) if self.choices else self.source.choose(weights))
        return self.chosen[-1]

    def gaussian(self, exact, scale):
        self.exact.append(exact)
        self.measured.append(next(self.values) if self.values else self.source.gaussian(exact, scale))
        return self.measured[-1]


def a_run(seed, d=5, n=300, **settings):
    """A table, a workload of parities, settings, the rounds and what the noise source saw."""
    B = random_records(domain_of([2] * d), n, np.random.default_rng(seed))
    Q = families.parities(B.domain, 2)
    algorithm = Boosting(**{"epsilon": 2.0, "delta": 1e-6, "T": 4, "draws": 40, **settings})
    noise = Recorded(Seeded(seed))
    return B, Q, algorithm, list(algorithm.rounds(B, Q, noise=noise)), noise


def test_attenuation_moves_by_no_more_than_two_over_mu_and_stays_within_one():
    errors = np.linspace(0, 50, 1001)
    a = attenuated(errors, 10.0, 20.0)
    assert (a[errors <= 10] == 1).all()
    assert (a[errors >= 30] == -1).all()
    assert attenuated(np.array([20.0]), 10.0, 20.0) == pytest.approx(0)
    assert np.abs(np.diff(a) / np.diff(errors)).max() == pytest.approx(2 / 20)


@pytest.mark.parametrize("settings", [{"T": 1}, {"T": 2}, {"T": 5, "split": 0.5}, {"T": 3, "draws": 1}], ids=str)
def test_last_round_has_spent_exactly_the_budget(settings):
    _, _, algorithm, rounds, _ = a_run(0, **settings)
    spent = [entry.ledger.spent for entry in rounds]
    assert [entry.index for entry in rounds] == list(range(1, algorithm.T + 1))
    assert spent == sorted(spent)
    assert spent[-1] == pytest.approx(algorithm.guarantee.budget.amount, rel=1e-9)
    share = algorithm.split if algorithm.T > 1 else 0
    assert rounds[-1].ledger.select == pytest.approx(share * algorithm.guarantee.budget.amount, rel=1e-9)


def test_neighbours_cannot_be_told_apart_by_more_than_the_ledger_says():
    """The same outputs on B and B ± 1 record at the same public n: a draw's log-probabilities move by no more than its
    ε, whose ε²/8 add up to what the ledger has for them; a measurement moves by 1 in L2."""
    moved_at_all = 0.0
    for seed in range(4):
        B, Q, algorithm, rounds, ours = a_run(seed)
        row = tuple(int(np.random.default_rng(seed).integers(2)) for _ in B.codes)
        more = Records(B.domain, tuple(np.append(c, x).astype(c.dtype) for c, x in zip(B.codes, row, strict=True)))
        fewer = Records(B.domain, tuple(column[1:] for column in B.codes))
        for table in (more, fewer):
            object.__setattr__(table, "total", B.total)
            theirs = Recorded(None, ours.chosen, ours.measured)
            list(algorithm.rounds(table, Q, noise=theirs))
            paid = 0.0
            for i, (w, v) in enumerate(zip(ours.weights, theirs.weights, strict=True)):
                t = i // algorithm.draws + 1
                epsilon = 4 * algorithm.alpha(Q.size) * t / algorithm.mu(Q.size)
                gap = np.abs((w - np.logaddexp.reduce(w)) - (v - np.logaddexp.reduce(v))).max()
                assert gap <= epsilon + 1e-12
                moved_at_all = max(moved_at_all, gap)
                paid += epsilon**2 / 8
            assert paid == pytest.approx(rounds[-1].ledger.select, rel=1e-9)
            for x, y in zip(ours.exact, theirs.exact, strict=True):
                assert np.linalg.norm(x - y) == pytest.approx(1)
    assert moved_at_all > 0


def by_round(noise, algorithm):
    """Of each round that draws, the weights' logarithms: -α Σ a, a (T - 1, M) array."""
    return np.array(noise.weights[:: algorithm.draws])


def test_weights_are_those_of_the_attenuated_errors():
    """The first round's model is its only synopsis."""
    B, Q, algorithm, rounds, noise = a_run(0)
    a = attenuated(np.abs(rounds[0].model.answers(Q) - Q.answers(B)), algorithm.lam(B.total), algorithm.mu(Q.size))
    assert by_round(noise, algorithm)[0] == pytest.approx(-algorithm.alpha(Q.size) * a)


@pytest.mark.parametrize(("epsilon", "draws"), [(0.5, 40), (5.0, 40), (50.0, 3)])
@pytest.mark.parametrize("seed", range(2))
def test_queries_the_median_serves_badly_are_no_more_than_the_weights_that_are_left(epsilon, draws, seed):
    """#{q: the median of t synopses errs by λ + μ} <= Σ_q exp(-α Σ a) <= M Π (cosh α - r sinh α), r the mean of a_s.

    The mean is by D_s; for every t below T, as the last round's a is never formed.
    """
    B, Q, algorithm, rounds, noise = a_run(seed, epsilon=epsilon, draws=draws, n=100)
    alpha, bad = algorithm.alpha(Q.size), algorithm.lam(B.total) + algorithm.mu(Q.size)
    before, product = np.zeros(Q.size), float(Q.size)
    for weights, entry in zip(by_round(noise, algorithm), rounds, strict=False):
        D = np.exp(before) / np.exp(before).sum()
        r = D @ ((before - weights) / alpha)
        product *= math.cosh(alpha) - r * math.sinh(alpha)
        served_badly = (np.abs(entry.model.answers(Q) - Q.answers(B)) >= bad).sum()
        assert served_badly <= np.exp(weights).sum() <= product * (1 + 1e-9)
        before = weights
        assert served_badly or draws > 3  # three draws of 15 parities leave most to guess


def test_with_the_advantage_that_alpha_supposes_no_query_is_served_badly():
    """At little noise the synopses serve nearly all queries nearly always, and then M Π (cosh α - r sinh α) < 1."""
    B, Q, algorithm, rounds, noise = a_run(0, n=100, epsilon=300.0, T=3, draws=100)
    advantage = math.tanh(algorithm.alpha(Q.size))
    steps = np.vstack([np.zeros(Q.size), by_round(noise, algorithm)])
    for before, after in itertools.pairwise(steps):
        D = np.exp(before) / np.exp(before).sum()
        assert D @ ((before - after) / algorithm.alpha(Q.size)) > advantage
    worst = np.abs(rounds[-1].model.answers(Q) - Q.answers(B)).max()
    assert worst < algorithm.lam(B.total) + algorithm.mu(Q.size) < B.total


def test_rounds_bring_out_what_is_promised_of_alpha():
    """M (1 - r²)^(T/2) = 1 for r = tanh α: the least advantage that T rounds turn into all of M queries."""
    for M, T in ((15, 1), (136, 5), (5050, 20)):
        r = math.tanh(Boosting(epsilon=1.0, delta=1e-6, draws=1, T=T).alpha(M))
        assert M * (1 - r * r) ** (T / 2) == pytest.approx(1, rel=1e-6)


def test_no_cell_of_a_marginal_errs_by_more_than_the_worst_parity():
    B = random_records(domain_of([2] * 6), 400, np.random.default_rng(0))
    parities, marginals = families.parities(B.domain, 3), families.marginals(B.domain, 3)
    algorithm, seen = Boosting(epsilon=1.0, delta=1e-6, draws=30, T=1), Recorded(Seeded(0))
    (one,) = algorithm.rounds(B, parities, noise=seen)
    (two,) = algorithm.rounds(B, marginals, noise=Recorded(None, None, seen.measured))
    worst = np.abs(one.model.answers(parities) - parities.answers(B)).max()
    assert np.abs(two.model.answers(marginals) - marginals.answers(B)).max() <= worst + 1e-9


def test_a_synopsis_keeps_what_was_measured_where_its_projection_is_farther_off_than_the_noise():
    """Eight different records, many times over, at little noise: of the one round, all that was drawn is as it was."""
    kinds = np.random.default_rng(0).integers(0, 2, (8, 6)).astype(np.uint8)
    B = Records(domain_of([2] * 6), tuple(kinds[np.arange(20_000) % 8].T))
    Q = families.parities(B.domain, 2)
    for epsilon, kept in ((5.0, True), (0.01, False)):
        noise = Recorded(Seeded(0))
        algorithm = Boosting(epsilon=epsilon, delta=1e-6, T=1, draws=40)
        (entry,) = algorithm.rounds(B, Q, noise=noise)
        drawn = np.bincount(np.random.default_rng(0).integers(Q.size, size=40), minlength=Q.size)
        measured = noise.measured[0] / np.sqrt(drawn[drawn > 0] / 40)
        answers = entry.model.answers(Q)[drawn > 0]
        assert (np.abs(answers - np.clip(measured, -B.total, B.total)).max() < 1e-6) == kept


def test_one_round_draws_nothing_by_the_data():
    _, _, _, _, noise = a_run(0, T=1)
    assert not noise.weights


def test_preset_draws_each_parity_four_times_and_takes_rounds():
    domain = domain_of([2] * 5)
    Q = families.marginals(domain, 2)
    assert preset(Q, epsilon=1.0, delta=1e-6) == Boosting(epsilon=1.0, delta=1e-6, draws=60)
    assert preset(Q, epsilon=1.0, delta=1e-6, T=2).T == 2


def test_what_cannot_be_served_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match="boosting adds Gaussian noise, which needs delta > 0"):
        Boosting(epsilon=1.0, delta=0.0, draws=10)
    with pytest.raises(ValueError, match="draws must be a whole number of at least 1, got 0"):
        Boosting(epsilon=1.0, delta=1e-6, draws=0)
    with pytest.raises(ValueError, match="T must be a whole number of at least 1, got 'adaptive'"):
        preset(families.parities(domain_of([2, 2]), 1), n=10, epsilon=1.0, delta=1e-6, T="adaptive")
    with pytest.raises(ValueError, match="split must lie between 0 and 1"):
        Boosting(epsilon=1.0, delta=1e-6, draws=10, split=1.0)
    algorithm = Boosting(epsilon=1.0, delta=1e-6, draws=10)
    with pytest.raises(ValueError, match="parities need attributes of two values, 'b' has 3"):
        algorithm.check(families.marginals(domain_of([2, 3]), 1))
    domain = domain_of([2] * 3)
    empty = random_records(domain, 0, np.random.default_rng(0))
    with pytest.raises(ValueError, match="the table has no records: there is nothing to release"):
        algorithm.rounds(empty, families.parities(domain, 1), noise=Seeded(0))
