"""The rules decide as they say, on frames made up to be on either side of them."""

import math
from dataclasses import replace

import numpy as np
import pytest
from oracles import domain_of, query_vectors, random_records

from mwem_core.domain import Domain
from mwem_core.experiments.claim import Batch
from mwem_core.experiments.contingency import BARAK, FIGURE3, FLOORS, IMPROVED_MWEM, PLAIN, UNIFORM
from mwem_core.experiments.figure2 import BOUND, FIGURE2, MWEM, UNIFORM as UNIFORM2
from mwem_core.experiments.results import frame_of
from mwem_core.experiments.theorem_experiments import (
    BOUND as THEOREM_BOUND,
    EXACT,
    EXACT_BOUND,
    MWEM as FIGURE_1,
    THEOREM,
)
from mwem_core.workload import families


def figure2(ours, bound=1000.0, uniform=50.0):
    """One set; `ours` at T = 1 and 10."""
    rows = [(MWEM, T, y) for T, y in zip((1, 10), ours, strict=True)]
    rows += [(BOUND, None, bound), (UNIFORM2, None, uniform), ("Laplace on every range", None, 1e9)]
    common = {"table": "capital loss", "workload": "ranges:capital-loss:2000", "epsilon": 0.1, "seed": 0}
    return frame_of([common | {"method": m, "T": T, "mean_squared_error": y} for m, T, y in rows], FIGURE2.metrics)


@pytest.mark.parametrize(
    ("frame", "holds"),
    [
        (figure2([1.0, 5.0]), "holds"),  # 1000 times below the bound, and better than uniform
        (figure2([10.0, 5.0]), "holds with conditions"),  # only 200 times below it
        (figure2([1.0, 2.0], uniform=0.5), "holds with conditions"),  # but uniform is better
        (figure2([2000.0, 999.0]), "holds with conditions"),  # the best T counts
        (figure2([2000.0, 1001.0]), "does not hold"),
    ],
)
def test_figure_2(frame, holds):
    assert FIGURE2.verdict(frame).holds == holds


def test_figure_2_with_one_side_divided_multiplies_the_bound_alone():
    frame = figure2([10.0, 5.0])
    both, one = (
        FIGURE2.figure(frame, normalisation=option).points.set_index("method")["y"]
        for option in FIGURE2.choices["normalisation"]
    )
    assert one[BOUND] == 2000 * both[BOUND]
    assert one[MWEM] == both[MWEM] == 5.0
    assert list(FIGURE2.figure(frame).points["method"]) == [MWEM, "Laplace on every range", UNIFORM2, BOUND]
    assert FIGURE2.figure(frame, rounds="T = 10").points.set_index("method")["y"][MWEM] == 5.0


def test_figure_2_has_the_bound_of_the_singular_values():
    """2 ln(2/δ)/ε² (Σ singular)² / (|D| |Q|) at δ = 1/n, also for more ranges than cells and for codes in none."""
    (a, b), rng = domain_of([5, 4]).attributes, np.random.default_rng(0)
    B = random_records(Domain((replace(a, missing="?"), b)), 60, rng)
    for ranges in (7, 90):
        Q = families.ranges(B.domain, ["a", "b"], ranges)
        singular = np.linalg.svd(np.array(query_vectors(Q)), compute_uv=False)
        expected = 2 * math.log(2 * 60) / 0.5**2 * singular.sum() ** 2 / (B.domain.size * Q.size)
        (bound,) = FIGURE2.references(B, Q, Batch("", "", (), (0.5,), 1))
        assert (bound.epsilon, bound.value) == (0.5, pytest.approx(expected, rel=1e-6))


def figure3(barak, plain, improved, uniform=10.0, floor=1.0):
    """One table; each at ε = 1 and 10."""
    values = {BARAK: barak, PLAIN: plain, IMPROVED_MWEM: improved, UNIFORM: (uniform, uniform)}
    values[FLOORS[2]] = (floor, floor)
    return frame_of(
        [
            {
                "table": "czech",
                "method": m,
                "epsilon": e,
                "relative_entropy": y,
                "T": 5 if m in (PLAIN, IMPROVED_MWEM) else None,
            }
            for m, pair in values.items()
            for e, y in zip((1.0, 10.0), pair, strict=True)
        ],
        FIGURE3.metrics,
    )


@pytest.mark.parametrize(
    ("frame", "holds"),
    [
        (figure3((5, 0.1), (4, 4), (6, 1.0)), "holds"),  # plain is better at 1, improved reaches the floor at 10
        (figure3((5, 0.1), (4, 4), (6, 1.1)), "holds with conditions"),  # it does not reach the floor
        (figure3((5, 0.1), (4, 4), (6, 1.0), uniform=3), "holds with conditions"),  # uniform is better
        (figure3((3, 9), (4, 4), (6, 1.0)), "does not hold"),  # Barak et al. is better
    ],
)
def test_figure_3(frame, holds):
    assert FIGURE3.verdict(frame).holds == holds


def theorem(errors, bound=0.5, exact=0.1, exact_bound=0.2):
    """One table at T = 5; an error per seed."""
    rows = [(FIGURE_1, seed, error) for seed, error in enumerate(errors)]
    rows += [(THEOREM_BOUND, None, bound), (EXACT, 0, exact), (EXACT_BOUND, None, exact_bound)]
    common = {"table": "czech", "T": 5}
    return frame_of([common | {"method": m, "seed": s, "max_error": y} for m, s, y in rows], THEOREM.metrics)


@pytest.mark.parametrize(
    ("frame", "holds"),
    [
        (theorem([0.1, 0.4]), "holds"),
        (theorem([0.1, 0.4], bound=1.5), "holds with conditions"),  # the bound is above n
        (theorem([0.1, 0.6]), "does not hold"),  # one trial is above the bound
        (theorem([0.1, 0.4], exact=0.3), "does not hold"),  # the run without noise is above its own
    ],
)
def test_the_theorem(frame, holds):
    assert THEOREM.verdict(frame).holds == holds
