"""The bounds drawn beside the trials' errors."""

import math

import numpy as np
import pytest
from trial_results import PAIRS, B

from mwem_core.evaluation.trials import Trial, run_trial
from ui.results.bounds import bound_on
from ui.results.metrics import METRICS

TV = METRICS["Mean TV"]


def test_theory_draws_what_it_promises_and_nothing_else():
    """Theorem 2.3 at its best T, or at the T given, below 1; the SVD bound, on which the optimal measurement lies."""
    many, given = 10**7, {"n": 10**7, "epsilons": [0.01, 0.1], "T": None}
    theorem = bound_on(METRICS["Max error"], PAIRS, delta=0.0, **given)
    best = [min(_theorem(T, epsilon, many) for T in range(1, 4000)) for epsilon in (0.01, 0.1)]
    assert theorem.points == ((0.01, pytest.approx(best[0])), (0.1, pytest.approx(best[1])))
    at_nine = bound_on(METRICS["Max error"], PAIRS, delta=0.0, **(given | {"T": 9}))
    assert at_nine is None  # above 1
    assert bound_on(METRICS["Max error"], PAIRS, delta=0.0, **(given | {"n": 100})) is None
    assert bound_on(METRICS["Max error"], PAIRS, delta=1e-9, **given) is None
    assert bound_on(TV, PAIRS, delta=1e-9, **given) is None
    assert bound_on(METRICS["Squared error"], PAIRS, delta=0.0, **given) is None
    line = bound_on(METRICS["Squared error"], PAIRS, delta=1e-9, **given)
    trials = [Trial(system="planner", epsilon=0.1, seed=seed, delta=1e-9) for seed in range(40)]
    mean = np.mean([run_trial(B, PAIRS, trial).answers.mean_squared_error for trial in trials])
    assert line.points[1][1] == pytest.approx(mean, rel=0.3)  # which has a standard error of 0.07


def _theorem(T, epsilon, n):
    return 2 * math.sqrt(math.log(16) / T) + 10 * T * math.log(PAIRS.size) / (epsilon * n)
