"""Randomised response: its guarantee, its estimate, and the coverage of its interval, by simulation and exactly."""

import itertools
import math

import numpy as np
import pytest
from messages import exactly
from scipy import stats

from mwem_core.privacy.noise import Seeded
from mwem_core.privacy.randomised_response import RandomisedResponse, count_law

TWO_FAIR_COINS = math.log(3)
EPSILONS = [0.5, TWO_FAIR_COINS, 2.0, 3.0]
# Classes of one size and one ε: the least and the largest mean coverage over x, and the bounds for single x.
PER_SETTING = {5: (0.94, 0.975, 0.91, 0.99), 20: (0.94, 0.97, 0.92, 0.99), 200: (0.94, 0.96, 0.93, 0.965)}


def covers(coins: RandomisedResponse, n: int) -> np.ndarray:
    """Whether the interval for each count (column) contains each x (row): (n + 1, n + 1)."""
    ends = np.array([coins.interval(yes, n) for yes in range(n + 1)]) * n
    x = np.arange(n + 1)[:, None]
    return (ends[:, 0] - 1e-9 <= x) & (x <= ends[:, 1] + 1e-9)


def test_the_interval_covers_95_percent_of_10_000_simulated_classes():
    """Sizes 5 to 200, any true share, four ε. The classes are fixed and the coins are random.

    The standard error of the measured coverage is √(0.95 · 0.05 / 10,000) = 0.2%. The next test bounds the exact
    coverage of each setting; its mean over all of these is 95.15%, so 1% is four standard errors.
    """
    rng, hits = np.random.default_rng(0), 0
    for n, epsilon in itertools.product(rng.integers(5, 201, size=25).tolist(), EPSILONS):
        coins = RandomisedResponse(epsilon)
        x = np.round(rng.uniform(size=100) * n).astype(int)
        yes = rng.binomial(x, coins.truth) + rng.binomial(n - x, 1 - coins.truth)
        hits += int(covers(coins, n)[x, yes].sum())
    assert abs(hits / 10_000 - 0.95) < 0.01


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("n", PER_SETTING)
def test_the_coverage_in_classes_of_one_size_is_near_95_percent_for_every_share(n, epsilon):
    """Computed without simulation. There are n + 1 counts only, so a small class cannot be covered exactly."""
    coins = RandomisedResponse(epsilon)
    coverage = (count_law(coins.truth, n) * covers(coins, n)).sum(axis=1)
    least_mean, largest_mean, least, largest = PER_SETTING[n]
    assert least_mean < coverage.mean() < largest_mean
    assert least < coverage.min()
    assert coverage.max() < largest


def test_the_law_of_the_count_is_that_of_two_binomials():
    law = count_law(0.7, 6)
    for x, yes in itertools.product(range(7), repeat=2):
        both = (stats.binom.pmf(k, x, 0.7) * stats.binom.pmf(yes - k, 6 - x, 0.3) for k in range(yes + 1))
        assert law[x, yes] == pytest.approx(sum(both))


def test_an_answer_is_true_with_probability_p():
    """20,000 answers of each truth: 5 standard errors are 1.6%."""
    coins = RandomisedResponse(1.0)
    truths = np.repeat([True, False], 20_000)
    true = coins.answers(truths, noise=Seeded(1)) == truths
    for half in np.split(true, 2):
        assert half.mean() == pytest.approx(math.e / (1 + math.e), abs=0.016)
    assert coins.answers(truths[:0], noise=Seeded(1)).dtype == bool


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_one_answer_multiplies_the_odds_by_e_to_the_epsilon_and_no_more(epsilon):
    coins = RandomisedResponse(epsilon)
    for prior in (0.01, 0.5, 0.9):
        for answer, factor in ((True, math.exp(epsilon)), (False, math.exp(-epsilon))):
            after = coins.belief(prior, answer=answer)
            assert after / (1 - after) == pytest.approx(factor * prior / (1 - prior))


def test_two_coins_have_the_law_of_one_pointer():
    for epsilon in EPSILONS:
        coins = RandomisedResponse(epsilon)
        assert coins.first_coin + (1 - coins.first_coin) / 2 == pytest.approx(coins.truth)
        assert RandomisedResponse.of_coins(coins.first_coin).epsilon == pytest.approx(epsilon)
    assert RandomisedResponse.of_coins(1 / 2).epsilon == pytest.approx(TWO_FAIR_COINS)
    for never in (0, 1):
        message = f"the first coin must show heads with a probability between 0 and 1, got {never}"
        with pytest.raises(ValueError, match=exactly(message)):
            RandomisedResponse.of_coins(never)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_estimate_is_unbiased_and_its_error_does_not_depend_on_the_share(epsilon):
    coins, n = RandomisedResponse(epsilon), 40
    estimates, law = np.array([coins.estimate(yes, n) for yes in range(n + 1)]), count_law(coins.truth, n)
    shares = np.arange(n + 1) / n
    assert law @ estimates == pytest.approx(shares, abs=1e-12)
    assert np.sqrt(law @ estimates**2 - shares**2) == pytest.approx(coins.standard_error(n))


@pytest.mark.parametrize(("epsilon", "n"), [(0.1, 1), (1.0, 30), (20.0, 200)])
def test_an_interval_lies_between_none_and_all_and_moves_up_with_the_count(epsilon, n):
    """The answers of a class may have a count that no share makes likely: all say yes, or hardly anyone."""
    ends = np.array([RandomisedResponse(epsilon).interval(yes, n) for yes in range(n + 1)])
    assert (ends >= 0).all()
    assert (ends <= 1).all()
    assert (ends[:, 0] <= ends[:, 1]).all()
    assert (np.diff(ends, axis=0) >= 0).all()
    assert ends[::-1, ::-1] == pytest.approx(1 - ends)  # yes and no are symmetric


def test_a_class_that_is_100_times_as_large_has_a_tenth_of_the_error():
    coins = RandomisedResponse(1.0)
    assert coins.standard_error(3000) == pytest.approx(coins.standard_error(30) / 10)


@pytest.mark.parametrize(
    ("yes", "n", "problem"),
    [
        (0, 0, "the number of answers must be a whole number of at least 1, got 0"),
        (6, 5, "the count of yes must be a whole number from 0 to 5, got 6"),
        (-1, 5, "the count of yes must be a whole number from 0 to 5, got -1"),
    ],
)
def test_a_count_that_no_class_gives_is_refused(yes, n, problem):
    for read in (RandomisedResponse(1.0).estimate, RandomisedResponse(1.0).interval):
        with pytest.raises(ValueError, match=exactly(problem)):
            read(yes, n)


def test_no_privacy_is_refused():
    with pytest.raises(ValueError, match=exactly("epsilon must be a positive number, got 0")):
        RandomisedResponse(0)
