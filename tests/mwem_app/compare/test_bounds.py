"""The theoretical bounds beside the errors of trials."""

import math

import numpy as np
import pytest
from trial_results import PAIRS, B

from mwem_app.compare.bounds import bound_on
from mwem_app.compare.metrics import METRICS
from mwem_core.judge import Trial, run_trial

MILLIONS = {"n": 10**7, "epsilons": [0.01, 0.1], "T": None}


def test_theorem_2_3_is_drawn_at_its_best_T_where_it_is_below_1():
    theorem = bound_on(METRICS["Max error"], PAIRS, delta=0.0, **MILLIONS)
    best = [min(_theorem(T, epsilon, 10**7) for T in range(1, 4000)) for epsilon in (0.01, 0.1)]
    assert theorem.points == ((0.01, pytest.approx(best[0])), (0.1, pytest.approx(best[1])))
    assert bound_on(METRICS["Max error"], PAIRS, delta=0.0, **(MILLIONS | {"T": 9})) is None  # above 1
    assert bound_on(METRICS["Max error"], PAIRS, delta=0.0, **(MILLIONS | {"n": 100})) is None
    assert theorem.name == "Theorem 2.3, 95%"
    assert "probability of at least 95%" in theorem.in_words
    assert "the T that makes the bound least" in theorem.in_words


def test_theorem_2_3_is_drawn_at_the_T_that_is_given():
    at_20 = bound_on(METRICS["Max error"], PAIRS, delta=0.0, **(MILLIONS | {"T": 20}))
    assert "T = 20" in at_20.in_words
    assert at_20.points == tuple((epsilon, pytest.approx(_theorem(20, epsilon, 10**7))) for epsilon in (0.01, 0.1))


def test_a_bound_at_a_single_epsilon_has_no_line_but_its_value_in_words():
    theorem = bound_on(METRICS["Max error"], PAIRS, delta=0.0, n=10**5, epsilons=[0.01, 0.1], T=None)
    value = min(_theorem(T, 0.1, 10**5) for T in range(1, 4000))
    assert theorem.points == ((0.1, pytest.approx(value)),)
    assert not theorem.has_line
    assert theorem.in_words == f"{theorem.explanation} It is {value:.3g} at ε = 0.1, the only ε here with a bound."


def test_a_bound_at_two_epsilons_has_a_line_and_no_value_in_words():
    theorem = bound_on(METRICS["Max error"], PAIRS, delta=0.0, **MILLIONS)
    assert theorem.has_line
    assert theorem.in_words == theorem.explanation


@pytest.mark.parametrize(("metric", "delta"), [("Max error", 1e-9), ("Mean TV", 1e-9), ("Squared error", 0.0)])
def test_no_bound_is_drawn_for_a_metric_or_delta_that_it_does_not_cover(metric, delta):
    assert bound_on(METRICS[metric], PAIRS, delta=delta, **MILLIONS) is None


def test_the_optimal_gaussian_measurement_lies_on_the_svd_bound():
    line = bound_on(METRICS["Squared error"], PAIRS, delta=1e-9, **MILLIONS)
    trials = [Trial(system="planner", epsilon=0.1, seed=seed, delta=1e-9) for seed in range(40)]
    mean = np.mean([run_trial(B, PAIRS, trial).answers.mean_squared_error for trial in trials])
    assert line.points[1][1] == pytest.approx(mean, rel=0.3)  # which has a standard error of 0.07


def _theorem(T, epsilon, n):
    return 2 * math.sqrt(math.log(16) / T) + 2 * T * (2 * math.log(PAIRS.size) + 3 * math.log(40 * T)) / (epsilon * n)
