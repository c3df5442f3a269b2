"""Error over ε and over T, and what is read off the curves."""

import math
from dataclasses import replace

import pytest
from trial_results import result

from mwem_app.compare.curves import best_T, crossing, over_epsilon, over_T
from mwem_app.compare.metrics import METRICS

TV = METRICS["Mean TV"]


def test_curves_have_the_chosen_T_and_a_rule_stands_at_the_rounds_it_ran():
    results = [result(0.1 * T, T=T) for T in (2, 4)] + [result(0.05, rounds=3), result(0.5, system="uniform")]
    assert [curve.name for curve in over_epsilon(results, TV, 4)] == ["mwem", "uniform"]
    (curve,) = over_T(results, TV, 1.0)
    assert [(point.x, point.T) for point in curve.points] == [(2, 2), (3, None), (4, 4)]
    assert best_T(curve) == "**the rule's T = 3**, tied with T = 2, T = 4"


def test_stages_are_where_a_system_does_the_same_however_many_rounds():
    ran = {0.1: "9 rounds", 0.2: "1 round", 0.5: "16 rounds", 1.0: "all 28 marginals measured once"}
    results = [replace(result(1 / e, system="automatic", epsilon=e), ran=words) for e, words in ran.items()]
    (curve,) = over_epsilon(results, TV, None)
    stages = [(first.x, last.x, words) for first, last, words in curve.stages]
    assert stages == [(0.1, 0.5, "9 to 16 rounds"), (1.0, 1.0, "all 28 marginals measured once")]
    assert curve.title == "Automatic"
    (same,) = over_epsilon(results[-1:], TV, None)
    assert same.title == "Automatic (all 28 marginals measured once)"


def test_results_that_do_not_say_what_ran_have_no_stages():
    (curve,) = over_epsilon([result(0.1), result(0.2, epsilon=2.0)], TV, None)
    assert (curve.stages, curve.title) == ([], "MWEM")


def test_a_crossing_is_interpolated_linearly_between_logarithms():
    x = [0.1, 1.0, 10.0]
    assert crossing(x, [1 / e for e in x], 0.5) == pytest.approx(2.0)
    assert crossing(x, [1 / e for e in x], 1.0) == pytest.approx(1.0)
    assert crossing(x, [1.0, 0.5, 0.4], 2.0) == 0
    assert crossing(x, [1.0, 0.5, 0.4], 0.3) == math.inf
    assert crossing(x, [1.0, 3.0, 0.4], 2.0) == pytest.approx(10 ** (math.log(3 / 2) / math.log(3 / 0.4)))  # the last
