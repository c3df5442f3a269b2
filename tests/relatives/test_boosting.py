"""Boosting for queries: the attenuation weights, their privacy cost, and the bound on the median's errors."""

import itertools
import math

import numpy as np
import pytest
from messages import exactly
from oracles import domain_of, random_records
from parity_instances import repeated
from workloads import bits

from mwem_core import Seeded
from mwem_core.privacy import Accountant, laws
from mwem_core.relatives.boosting import MAX_DRAW_READS, Boosting, attenuation, boosting_preset
from mwem_core.relatives.parity_body import Parities, RelaxedBody
from mwem_core.relatives.relaxed_projection import synopsis
from mwem_core.workload import families


class RecordingNoise:
    """Seeded noise, or the outputs of another run; it records all inputs and outputs."""

    def __init__(self, source, choices=None, values=None):
        self.source, self.choices, self.values = source, choices and iter(choices), values and iter(values)
        self.weights, self.exact, self.chosen, self.measured = [], [], [], []

    def choose(self, scores, epsilon, sensitivity):
        self.weights.append(laws.selection_weights(scores, epsilon, sensitivity))
        drawn = next(self.choices) if self.choices else self.source.choose(scores, epsilon, sensitivity)
        self.chosen.append(drawn)
        return drawn

    def gaussian(self, exact, rho, sensitivity):
        self.exact.append(exact)
        self.measured.append(next(self.values) if self.values else self.source.gaussian(exact, rho, sensitivity))
        return self.measured[-1]


def run_on_parities(seed, d=5, n=300, **settings):
    """A table, all parities of one or two bits, the settings, the rounds, and the noise source of the run."""
    B = random_records(domain_of([2] * d), n, np.random.default_rng(seed))
    Q = families.parities(B.domain, 2)
    algorithm = Boosting(**{"epsilon": 2.0, "delta": 1e-6, "T": 4, "draws": 40, **settings})
    noise = RecordingNoise(Seeded(seed))
    return B, Q, algorithm, list(algorithm.rounds(B, Q, noise=noise)), noise


def test_attenuation_moves_by_at_most_two_over_mu_per_record_and_stays_in_minus_one_to_one():
    errors = np.linspace(0, 50, 1001)
    a = attenuation(errors, 10.0, 20.0)
    assert (a[errors <= 10] == 1).all()
    assert (a[errors >= 30] == -1).all()
    assert attenuation(np.array([20.0]), 10.0, 20.0) == pytest.approx(0)
    assert np.abs(np.diff(a) / np.diff(errors)).max() == pytest.approx(2 / 20)


def log_weights(noise, algorithm):
    """The logarithms of the weights after each round that draws, -α Σ a: (T - 1, M)."""
    return np.array(noise.weights[:: algorithm.draws])


def test_weights_are_those_of_the_attenuated_errors():
    """The first round's model is its only synopsis."""
    B, Q, algorithm, rounds, noise = run_on_parities(0)
    a = attenuation(np.abs(rounds[0].model.answers(Q) - Q.answers(B)), algorithm.lam(B.total), algorithm.mu(Q.size))
    assert log_weights(noise, algorithm)[0] == pytest.approx(-algorithm.alpha(Q.size) * a)


@pytest.mark.parametrize(("epsilon", "draws"), [(0.5, 40), (5.0, 40), (50.0, 3)])
@pytest.mark.parametrize("seed", range(2))
def test_the_median_serves_at_most_as_many_queries_badly_as_the_weights_sum_to(epsilon, draws, seed):
    """#{q: the median of t synopses errs by λ + μ} <= Σ_q exp(-α Σ a) <= M Π (cosh α - r sinh α), for every t < T.

    r is the mean of a_s over D_s. The last round computes no a.
    """
    B, Q, algorithm, rounds, noise = run_on_parities(seed, epsilon=epsilon, draws=draws, n=100)
    alpha, bad = algorithm.alpha(Q.size), algorithm.lam(B.total) + algorithm.mu(Q.size)
    before, product = np.zeros(Q.size), float(Q.size)
    for weights, entry in zip(log_weights(noise, algorithm), rounds, strict=False):
        D = np.exp(before) / np.exp(before).sum()
        r = D @ ((before - weights) / alpha)
        product *= math.cosh(alpha) - r * math.sinh(alpha)
        served_badly = (np.abs(entry.model.answers(Q) - Q.answers(B)) >= bad).sum()
        assert served_badly <= np.exp(weights).sum() <= product * (1 + 1e-9)
        before = weights
        assert served_badly or draws > 3  # three draws leave most of the 15 parities unmeasured


def test_no_query_is_served_badly_if_every_round_has_the_advantage_that_alpha_assumes():
    """At little noise the synopses serve nearly all queries, and then M Π (cosh α - r sinh α) < 1."""
    B, Q, algorithm, rounds, noise = run_on_parities(0, n=100, epsilon=300.0, T=3, draws=100)
    advantage = math.tanh(algorithm.alpha(Q.size))
    steps = np.vstack([np.zeros(Q.size), log_weights(noise, algorithm)])
    for before, after in itertools.pairwise(steps):
        D = np.exp(before) / np.exp(before).sum()
        assert D @ ((before - after) / algorithm.alpha(Q.size)) > advantage
    worst = np.abs(rounds[-1].model.answers(Q) - Q.answers(B)).max()
    assert worst < algorithm.lam(B.total) + algorithm.mu(Q.size) < B.total


def test_alpha_is_that_of_the_least_advantage_that_serves_all_queries_after_T_rounds():
    """M (1 - r²)^(T/2) = 1 for r = tanh α."""
    for M, T in ((15, 1), (136, 5), (5050, 20)):
        r = math.tanh(Boosting(epsilon=1.0, delta=1e-6, draws=1, T=T).alpha(M))
        assert M * (1 - r * r) ** (T / 2) == pytest.approx(1, rel=1e-6)


def test_no_cell_of_a_marginal_errs_by_more_than_the_worst_parity():
    B = random_records(domain_of([2] * 6), 400, np.random.default_rng(0))
    parities, marginals = families.parities(B.domain, 3), families.marginals(B.domain, 3)
    algorithm, noise = Boosting(epsilon=1.0, delta=1e-6, draws=30, T=1), RecordingNoise(Seeded(0))
    (on_parities,) = algorithm.rounds(B, parities, noise=noise)
    (on_marginals,) = algorithm.rounds(B, marginals, noise=RecordingNoise(None, None, noise.measured))
    worst = np.abs(on_parities.model.answers(parities) - parities.answers(B)).max()
    assert 0 < np.abs(on_marginals.model.answers(marginals) - marginals.answers(B)).max() <= worst + 1e-9


@pytest.mark.parametrize(("epsilon", "as_measured"), [(5.0, True), (0.01, False)])
def test_a_synopsis_keeps_its_measurements_if_the_projection_is_farther_off_than_the_noise(epsilon, as_measured):
    """Eight different records, each many times: at little noise the projection is not certified to be near enough."""
    B = repeated(np.random.default_rng(0).integers(0, 2, (8, 6)), 20_000)
    Q, noise = families.parities(B.domain, 2), RecordingNoise(Seeded(0))
    (entry,) = Boosting(epsilon=epsilon, delta=1e-6, T=1, draws=40).rounds(B, Q, noise=noise)
    draws = np.bincount(np.random.default_rng(0).integers(Q.size, size=40), minlength=Q.size)
    drawn = draws > 0
    measured = np.clip(noise.measured[0] / np.sqrt(draws[drawn] / 40), -B.total, B.total)
    assert (np.abs(entry.model.answers(Q)[drawn] - measured).max() < 1e-6) == as_measured


@pytest.mark.parametrize("epsilon", [0.1, 2.0, 50.0])
def test_one_round_is_relaxed_projection_weighted_by_the_draws(epsilon):
    B, Q, algorithm, (entry,), _ = run_on_parities(0, T=1, epsilon=epsilon)
    queries, cost = Parities.behind(Q), algorithm.guarantee.budget
    p = np.bincount(np.random.default_rng(0).integers(Q.size, size=algorithm.draws), minlength=Q.size) / algorithm.draws
    theirs = synopsis(Q.answers(B), p, B.total, RelaxedBody(queries), Accountant(cost, Seeded(0)), cost=cost)
    expected = np.clip(theirs.values, -B.total, B.total)
    assert entry.model.answers(Q) == pytest.approx(expected, abs=1e-9 * B.total)


def test_a_single_round_draws_nothing_from_the_data():
    _, _, _, _, noise = run_on_parities(0, T=1)
    assert not noise.weights
    assert len(noise.measured) == 1


def test_the_preset_draws_each_parity_four_times_in_five_rounds_or_T():
    Q = families.marginals(domain_of([2] * 5), 2)
    assert boosting_preset(Q, epsilon=1.0, delta=1e-6) == Boosting(epsilon=1.0, delta=1e-6, draws=60, T=5)
    assert boosting_preset(Q, epsilon=1.0, delta=1e-6, T=2).T == 2


def test_the_preset_draws_less_often_if_the_weights_of_many_parities_take_long_to_read():
    Q = families.parities(bits(300), 2)
    assert Q.size == 45_150
    assert boosting_preset(Q, epsilon=1.0, delta=1e-6).draws == MAX_DRAW_READS // Q.size == 885


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"delta": 0.0}, "boosting adds Gaussian noise, which needs delta > 0: well below 1/n is usual"),
        ({"draws": 0}, "draws must be a whole number of at least 1, got 0"),
        ({"T": "adaptive"}, "T must be a whole number of at least 1, got 'adaptive'"),
    ],
    ids=str,
)
def test_a_setting_out_of_range_is_refused_on_construction(settings, message):
    with pytest.raises(ValueError, match=exactly(message)):
        Boosting(**{"epsilon": 1.0, "delta": 1e-6, "draws": 10, **settings})
