"""The numbers of the lesson Choosing: scores by hand, draws against their laws."""

import math

import numpy as np
import pytest
from scipy import stats

from mwem_app.course import choosing
from mwem_core import Seeded
from mwem_core.privacy import mechanisms

QUESTIONS = ['sleep == "6 to 8 h"', 'drink == "coffee"', 'year == "third" and drink == "tea"']


def test_a_score_is_how_far_the_count_is_from_equal_shares(survey, students):
    sleep = sum(each[1] == "6 to 8 h" for each in students)
    coffee = sum(each[2] == "coffee" for each in students)
    tea = sum(each[0] == "third" and each[2] == "tea" for each in students)
    expected = [abs(sleep - round(200 / 3)), abs(coffee - round(200 / 3)), abs(tea - round(200 / 9))]
    assert choosing.surprises(survey, QUESTIONS).tolist() == expected


def test_the_uniform_draws_are_uniform():
    """Kolmogorov-Smirnov; a correct sampler fails at this level for one seed in 10,000."""
    assert stats.kstest(choosing.uniforms(20_000, Seeded(1)), "uniform").pvalue > 1e-4


@pytest.mark.parametrize("select", [mechanisms.exponential, mechanisms.permute_and_flip])
def test_spins_follow_the_law_of_the_mechanism_and_so_do_its_own_draws(select):
    """Chi-square of 20,000 spins, and of as many draws of the mechanism itself; one seed in 10,000 fails."""
    scores, noise = np.array([12.0, 10, 10, 7, 0]), Seeded(2)
    law = choosing.law(scores, epsilon=0.5, select=select)
    spun = choosing.wins(law, choosing.uniforms(20_000, Seeded(1)))
    drawn = np.bincount([select(scores, epsilon=0.5, sensitivity=1, noise=noise) for _ in range(20_000)])
    for counts in (spun, drawn):
        assert stats.chisquare(counts, 20_000 * law).pvalue > 1e-4


def test_a_spin_at_any_point_falls_to_someone():
    edges = np.array([0.0, 0.5, 1 - 1e-16])
    assert choosing.wins(np.array([0.5, 0.5, 0.0]), edges).tolist() == [1, 2, 0]


def test_the_odds_of_a_gap_are_e_for_each_two_sensitivities_over_epsilon():
    assert choosing.gap_odds(20, epsilon=0.1, sensitivity=1) == pytest.approx(math.e)
    assert choosing.gap_odds(20, epsilon=0.1, sensitivity=0.5) == pytest.approx(math.e**2)
