"""Means and medians over seeds, at a fixed T or at the best."""

import math

import pandas as pd

from mwem_core.experiments.results import frame_of
from mwem_core.experiments.summaries import at, best_T, fixed_T, geometric_mean, medians, points, span


def row(method, epsilon, value, *, T=None, seed=0, table="t"):
    return {"table": table, "method": method, "epsilon": epsilon, "T": T, "seed": seed, "m": value}


FRAME = frame_of(
    [
        *(row("a", 1.0, value, T=5, seed=seed) for seed, value in enumerate([1.0, 2.0, 6.0])),
        *(row("a", 1.0, value, T=10, seed=seed) for seed, value in enumerate([2.0, 3.0, math.inf])),
        row("a", 2.0, 4.0, T=10),
        row("b", 1.0, 7.0),
        row("b", 2.0, None),
        row("floor", None, 0.5, seed=None),
    ],
    ["m"],
)


def test_a_point_is_the_mean_with_the_lowest_and_the_highest_seed():
    line = points(FRAME, "m")
    (point,) = line[(line["method"] == "a") & (line["T"] == 5)].to_dict("records")
    assert (point["y"], point["low"], point["high"], point["seeds"]) == (3.0, 1.0, 6.0, 3)


def test_a_median_is_finite_where_few_trials_are_infinite():
    line = medians(FRAME, "m")
    (point,) = line[(line["method"] == "a") & (line["T"] == 10) & (line["x"] == 1)].to_dict("records")
    assert (point["y"], point["low"], point["high"]) == (3.0, 2.0, 3.0)


def test_the_best_T_has_the_smallest_mean_and_a_fixed_one_is_taken_where_it_ran():
    assert at(best_T(points(FRAME, "m")), "a").to_dict() == {("t", 1.0): 3.0, ("t", 2.0): 4.0}
    assert at(fixed_T(points(FRAME, "m")), "a").to_dict() == {("t", 1.0): math.inf, ("t", 2.0): 4.0}
    assert at(fixed_T(points(FRAME, "m"), 5), "b").to_dict() == {("t", 1.0): 7.0}


def test_a_reference_without_an_epsilon_stands_at_every_one_of_its_panel():
    assert at(points(FRAME, "m"), "floor").to_dict() == {("t", 1.0): 0.5, ("t", 2.0): 0.5}


def test_a_span_and_a_geometric_mean_have_two_digits():
    values = pd.Series([0.5, 2.0, 8.0])
    assert (span(values), geometric_mean(values)) == ("0.5 to 8", "2")
