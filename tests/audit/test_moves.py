"""The distance between two runs' draws against Δ, by each mechanism's proof, and what a draw costs."""

import math

import numpy as np
import pytest

from mwem_core.audit.draws import Draw, compare_draws, cost, usual_proof


def draw(kind, exact, amount=0.5, sensitivity=1.0):
    return Draw(kind, np.array(exact, float), amount, sensitivity, 0)


def between(kind, ours, theirs, proof=None, distance=1, **asked):
    ours, theirs = draw(kind, ours, **asked), draw(kind, theirs, **asked)
    return compare_draws(ours, theirs, proof or usual_proof(ours), distance)


MOVES = [  # kind, ours, theirs, proof, the share of Δ = 1 that one record moved
    ("choose", [3, 5], [4, 4], None, 1.0),
    ("choose", [3, 5, -math.inf], [3, 7, -math.inf], None, 2.0),
    ("permute_and_flip", [3, 5], [3.5, 5], None, 0.5),
    ("choose", [3, 5], [5, 5], "range", 1.0),
    ("choose", [3, 5], [5, 7], "range", 0.0),
    ("choose", [3, 5], [5, 4.5], "range", 1.25),
    ("laplace", [1, 2, 3], [2, 2, 2], None, 2.0),
    ("laplace", [1, 2, 3], [2, 2, 2], "entries", 1.0),
    ("gaussian", [0, 0], [0.6, 0.8], None, 1.0),
    ("gaussian", [0, 0], [1, 1], None, math.sqrt(2)),
]


@pytest.mark.parametrize(("kind", "ours", "theirs", "proof", "share"), MOVES)
def test_a_draw_may_move_by_its_sensitivity_and_no_further(kind, ours, theirs, proof, share):
    moved = between(kind, ours, theirs, proof)
    assert moved.share == pytest.approx(share)
    assert bool(moved.problem) == (share > 1)
    assert not between(kind, ours, theirs, proof, sensitivity=2.0).problem
    assert not between(kind, ours, theirs, proof, distance=2).problem  # two records


def test_a_violation_says_how_far_one_record_moves_what():
    message = "one record moves laplace by 1.5 (L1), more than its Δ = 1"
    assert between("laplace", [1, 2, 3], [2, 2, 5], distance=2).problem == message


@pytest.mark.parametrize("kind", ["choose", "laplace", "gaussian"])
def test_a_nan_is_a_violation(kind):
    assert between(kind, [1.0, 2.0], [1.0, math.nan]).problem


def test_values_on_the_grid_get_no_allowance_and_sums_of_others_get_that_of_float64():
    step = 2.0**-10
    assert between("choose", [1000 * step], [1000 * step + 1 + step]).problem
    assert not between("choose", [0.1], [0.1 + 1 + 1e-15]).problem
    assert between("choose", [0.1], [0.1 + 1 + 1e-9]).problem


@pytest.mark.parametrize(
    ("theirs", "problem"),
    [
        (draw("laplace", [1, 2]), "choose on B, laplace on the neighbour"),
        (draw("choose", [1, 2, 3]), "2 values on B, 3 on the neighbour"),
        (draw("choose", [1, 2], amount=0.25), "the price is 0.5 for Δ = 1 on B, 0.25 for Δ = 1 on the neighbour"),
        (draw("choose", [1, 2], sensitivity=2.0), "the price is 0.5 for Δ = 1 on B, 0.5 for Δ = 2 on the neighbour"),
        (draw("choose", [1, -math.inf]), "other candidates are on offer on the neighbour"),
    ],
)
def test_what_a_draw_is_asked_for_must_not_depend_on_the_record(theirs, problem):
    assert compare_draws(draw("choose", [1, 2]), theirs, "entries", 1).problem == problem


def test_a_draw_costs_what_its_mechanism_proves():
    choice, flip, table, normal = (draw(kind, [1, 2]) for kind in ("choose", "permute_and_flip", "laplace", "gaussian"))
    assert [cost(each, "ε") for each in (choice, flip, table, normal)] == [0.5, 0.5, 0.5, math.inf]
    assert [cost(each, "ρ") for each in (choice, flip, table, normal)] == [0.25 / 8, 0.25 / 2, 0.25 / 2, 0.5]
    assert cost(draw("choose", [0, 0]), "ε") == 0  # a public die
