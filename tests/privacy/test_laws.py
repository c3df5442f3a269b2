"""The laws of both selection mechanisms, exactly: by enumeration, in their privacy, and compared in their means."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from mwem_core.privacy.laws import exponential_law, permute_and_flip_law
from mwem_core.privacy.mechanisms import permute_and_flip
from mwem_core.privacy.noise import Seeded

SPREADS = [0.0, 0.01, 1.0, 30.0, 1e5]


def flip_in_every_order(weights) -> list[float]:
    """The mechanism as McKenna & Sheldon (2020) state it: in random order, take j with probability exp(w_j - max w)."""
    chances, orders = [0.0] * len(weights), list(itertools.permutations(range(len(weights))))
    for order in orders:
        nobody_yet = 1 / len(orders)
        for j in order:
            taken = math.exp(weights[j] - max(weights))
            chances[j] += nobody_yet * taken
            nobody_yet *= 1 - taken
    return chances


@pytest.mark.parametrize("spread", SPREADS)
def test_permute_and_flip_has_the_law_of_its_definition(spread):
    rng = np.random.default_rng(0)
    for _ in range(50):
        weights = spread * rng.normal(size=4)
        assert permute_and_flip_law(weights) == pytest.approx(flip_in_every_order(weights), abs=1e-13)
        weights[rng.integers(4)] = -math.inf
        assert permute_and_flip_law(weights) == pytest.approx(flip_in_every_order(weights), abs=1e-13)


@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize("candidates", [1, 2, 100, 100_000])
def test_permute_and_flip_takes_some_candidate(candidates, spread):
    """The sum of its probabilities: it tests the quadrature where no enumeration reaches."""
    weights = spread * np.random.default_rng(1).normal(size=candidates)
    assert permute_and_flip_law(weights).sum() == pytest.approx(1, abs=1e-12)


def test_among_equals_permute_and_flip_takes_each_equally_often():
    assert permute_and_flip_law(np.full(5000, 3.0)) == pytest.approx(np.full(5000, 1 / 5000))


@pytest.mark.parametrize("scores", [[0.0, 1.0, 2.0, 5.0], [5000.0, -math.inf, 5001.0, 5003.0]], ids=["plain", "large"])
def test_draws_of_permute_and_flip_follow_its_law(scores):
    """Chi-square of 50,000 draws; a correct sampler fails at this level for one seed in 10,000."""
    noise, draws = Seeded(1), 50_000
    chosen = [permute_and_flip(np.array(scores), epsilon=0.8, sensitivity=0.5, noise=noise) for _ in range(draws)]
    expected = np.array(flip_in_every_order([0.8 * score for score in scores]))
    counts = np.bincount(chosen, minlength=len(scores))
    assert (counts[expected == 0] == 0).all()
    assert stats.chisquare(counts[expected > 0], draws * expected[expected > 0]).pvalue > 1e-4


def test_the_mean_score_of_permute_and_flip_is_never_below_that_of_the_exponential_mechanism():
    """The theorem of McKenna & Sheldon (2020): its mean loss is no larger, and at best half as large."""
    rng, gains = np.random.default_rng(2), []
    for _ in range(500):
        scores = rng.choice([0.1, 1, 10]) * rng.normal(size=rng.integers(2, 40))
        loss = scores.max() - scores
        flipped, exponential = permute_and_flip_law(scores) @ loss, exponential_law(scores) @ loss
        gains.append(exponential / flipped)
    assert 1 - 1e-9 <= min(gains) < 1.2 < 1.9 < max(gains) <= 2 + 1e-9


def test_a_choice_by_permute_and_flip_is_epsilon_dp_between_neighbouring_scores():
    """If each score moves by at most Δ, each probability changes by a factor of at most e^ε, for some by as much."""
    rng, worst = np.random.default_rng(0), 0.0
    for _ in range(50):
        epsilon = rng.uniform(0.01, 3)
        weights = epsilon / 2 * rng.choice([0.3, 3]) * rng.normal(size=rng.integers(2, 5))
        law = permute_and_flip_law(weights)
        for signs in itertools.product([-1, 0, 1], repeat=len(weights)):
            moved = permute_and_flip_law(weights + epsilon / 2 * np.array(signs))
            ratio = np.abs(np.log(law / moved)).max()
            assert ratio <= epsilon * (1 + 1e-9)
            worst = max(worst, ratio / epsilon)
    assert worst > 0.99


def test_the_log_probabilities_of_permute_and_flip_span_nearly_two_epsilon():
    """So ε²/8, which the exponential mechanism's span of ε gives, is not enough: its ρ at small ε is ε²/2."""
    epsilon = 0.01
    p, q = permute_and_flip_law(np.zeros(2)), permute_and_flip_law(np.array([-epsilon / 2, epsilon / 2]))
    assert np.ptp(np.log(p / q)) == pytest.approx(2 * epsilon, rel=0.01)
    assert p @ np.log(p / q) == pytest.approx(epsilon**2 / 2, rel=0.02)
    r, s = exponential_law(np.zeros(2)), exponential_law(np.array([-epsilon / 2, epsilon / 2]))
    assert np.ptp(np.log(r / s)) == pytest.approx(epsilon)
    assert r @ np.log(r / s) == pytest.approx(epsilon**2 / 8, rel=0.02)
