"""The exponential mechanism by enumeration: its law, its privacy against every neighbour, its accuracy theorem."""

import itertools
import math

import numpy as np
import pytest
from messages import exactly

from mwem_core.privacy.exponential_mechanism import ExponentialMechanism
from mwem_core.privacy.noise import Seeded

GRID = range(11)


def median_score(values):
    """Minus |values below - values above| at each point of the grid: one value changes it by at most 1."""
    values = np.asarray(values)
    return np.array([-abs(int((values < r).sum()) - int((values > r).sum())) for r in GRID], float)


def failure_bound(mechanism, data, t):
    """The bound on the probability of a score of at most OPT - 2t: exp(-εt/2Δ) / μ(S_t).

    OPT is the best score among candidates with μ > 0. S_t holds the candidates with a score above OPT - t, and μ sums
    to 1. Proof: P(score <= OPT - 2t) / P(S_t) is at most exp(-εt/2Δ) times the ratio of the two sets' masses.
    """
    scores = mechanism.score(data)
    base = np.ones(len(scores)) if mechanism.base is None else mechanism.base
    mass = base[scores > scores[base > 0].max() - t].sum() / base.sum()
    return math.exp(-mechanism.epsilon * t / (2 * mechanism.sensitivity)) / mass


def median_of(epsilon, base=None):
    return ExponentialMechanism(candidates=GRID, score=median_score, epsilon=epsilon, base=base)


def law(mechanism, data):
    """μ(r) exp(ε s(r) / 2Δ), normalised, candidate by candidate."""
    base = [1.0] * len(mechanism.candidates) if mechanism.base is None else mechanism.base
    scores = mechanism.score(data)
    masses = [
        mu * math.exp(mechanism.epsilon * s / (2 * mechanism.sensitivity)) for mu, s in zip(base, scores, strict=True)
    ]
    return [mass / math.fsum(masses) for mass in masses]


BASES = [None, np.arange(11.0), np.array([0.0, 1.0] * 5 + [7.0])]


@pytest.mark.parametrize("base", BASES, ids=["uniform", "rising", "with zeros"])
@pytest.mark.parametrize("sensitivity", [0.5, 1.0, 3.0])
def test_probabilities_are_the_base_measure_times_the_exponential_of_the_score(base, sensitivity):
    mechanism = ExponentialMechanism(
        candidates=GRID, score=median_score, epsilon=0.9, sensitivity=sensitivity, base=base
    )
    p = mechanism.probabilities([1, 4, 4, 6, 9])
    assert p == pytest.approx(law(mechanism, [1, 4, 4, 6, 9]))
    assert p.sum() == pytest.approx(1)


@pytest.mark.parametrize("base", BASES, ids=["uniform", "rising", "with zeros"])
def test_no_neighbour_changes_a_candidates_probability_by_more_than_e_to_the_epsilon(base):
    """Every table of up to three values, against every table with one more value."""
    epsilon, largest = 0.7, 0.0
    mechanism = median_of(epsilon, base)
    for size in range(4):
        for data in itertools.combinations_with_replacement(GRID[::2], size):
            p = mechanism.probabilities(data)
            for extra in GRID:
                q = mechanism.probabilities((*data, extra))
                possible = p > 0
                assert ((q > 0) == possible).all()
                largest = max(largest, np.abs(np.log(p[possible] / q[possible])).max())
    assert 0.5 * epsilon < largest <= epsilon + 1e-12


@pytest.mark.parametrize("base", BASES, ids=["uniform", "rising", "with zeros"])
def test_the_probability_of_a_score_far_below_the_best_is_within_the_theorems_bound(base):
    data = [2, 3, 3, 3, 5, 7, 8, 8, 9, 9, 10, 10] * 3
    informative = 0
    for epsilon, t in itertools.product([0.05, 0.5, 2.0], [0.5, 1.0, 4.0, 10.0, 15.0]):
        mechanism = median_of(epsilon, base)
        scores, p = median_score(data), mechanism.probabilities(data)
        best = scores[p > 0].max()
        bound = failure_bound(mechanism, data, t)
        assert p[scores <= best - 2 * t].sum() <= bound
        informative += 0 < bound < 1
    assert informative >= 3  # a bound of 1 or more excludes nothing


def test_200_draws_keep_the_theorems_bound_and_follow_the_law():
    """Within four standard errors of 200 draws."""
    data, t = [2, 3, 3, 3, 5, 7, 8, 8, 9, 9, 10, 10] * 3, 4.0
    mechanism = median_of(1.0)
    drawn = [mechanism.choose(data, noise=Seeded(seed)) for seed in range(200)]
    scores = median_score(data)
    bound = failure_bound(mechanism, data, t)
    assert bound < 0.5
    assert np.mean(scores[drawn] <= scores.max() - 2 * t) <= bound + 4 * math.sqrt(bound / 200)
    p = mechanism.probabilities(data)
    shares = np.bincount(drawn, minlength=11) / 200
    assert (np.abs(shares - p) <= 4 * np.sqrt(p * (1 - p) / 200) + 0.005).all()  # a rare candidate may be drawn once


def test_a_candidate_without_mass_is_never_chosen():
    only = median_of(1e-6, base=np.eye(11)[7])
    assert {only.choose([1, 1, 1], noise=Seeded(seed)) for seed in range(20)} == {7}


def test_candidates_may_be_anything():
    words = ExponentialMechanism(
        candidates=["yes", "no"], score=lambda votes: np.array([votes.count("yes"), votes.count("no")]), epsilon=100.0
    )
    assert words.choose(["no", "no", "yes"], noise=Seeded(0)) == "no"


NOT_A_MEASURE = "the base measure must be finite, at least 0, and above 0 for some candidate"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"epsilon": 0.0}, "epsilon must be a positive number, got 0.0"),
        ({"sensitivity": -1.0}, "sensitivity must be a positive number, got -1.0"),
        ({"candidates": []}, "there is nothing to choose from: list at least one candidate"),
        ({"base": np.ones(3)}, "the base measure needs one number per candidate: 2, got 3"),
        (
            {"base": np.array([1.0, -1.0])},
            NOT_A_MEASURE,
        ),
        ({"base": np.zeros(2)}, NOT_A_MEASURE),
        (
            {"base": np.array([1.0, np.nan])},
            NOT_A_MEASURE,
        ),
    ],
)
def test_settings_out_of_range_are_refused_on_construction(settings, message):
    with pytest.raises(ValueError, match=exactly(message)):
        ExponentialMechanism(**{"candidates": ["a", "b"], "score": np.zeros, "epsilon": 1.0, **settings})


def test_a_score_for_other_candidates_is_refused():
    wrong = ExponentialMechanism(candidates=["a", "b"], score=lambda _: np.zeros(3), epsilon=1.0)
    with pytest.raises(ValueError, match=exactly("the score must give one number per candidate: 2, got 3")):
        wrong.choose(None, noise=Seeded(0))
