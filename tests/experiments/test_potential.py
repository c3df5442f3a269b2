"""The potential: what is followed of a run, its curve over T, and the rule on frames made up on either side of it."""

import math
from dataclasses import replace

import pytest
from weights_instances import instance

from mwem_core import Seeded
from mwem_core.experiments import results
from mwem_core.experiments.theorem_experiments import (
    ERROR_BOUND,
    EXACT,
    FIGURE_1,
    LECTURE,
    NOISY,
    START,
    UNIFORM,
    follow,
)
from mwem_core.judge import Trial, relative_entropy
from mwem_core.mwem import figure_1
from mwem_core.relatives import Weights

FIGURE_1_RUN = Trial(system="mwem-paper", epsilon=0.5, seed=3, T=5, changed=FIGURE_1)


@pytest.mark.parametrize(
    ("trial", "settings"),
    [
        (Trial(system="weights", epsilon=1.0, seed=3, T=9), Weights(T=9)),
        (FIGURE_1_RUN, figure_1(epsilon=0.5, T=5)),
        (replace(FIGURE_1_RUN, epsilon=50.0), figure_1(epsilon=50.0, T=5)),
    ],
    ids=["without noise", "much noise", "little noise"],
)
def test_a_step_is_promised_its_error_squared_less_its_noise_squared(trial, settings):
    B, Q = instance("parities", 2)
    start, *rounds = settings.rounds(B, Q, noise=Seeded(3))
    A, promised, gaps = start.A, [], []
    for entry in rounds:
        exact = Q.answers(B)[entry.chosen]
        error, noise = Q.answers(A)[entry.chosen] - exact, entry.measurement.value - exact
        promised.append((error**2 - noise**2) / (2 * B.total) ** 2)
        gaps.append(promised[-1] - relative_entropy(B, A) + relative_entropy(B, entry.A))
        A = entry.A
    followed = follow(B, Q, trial).more
    assert followed["promised"] == pytest.approx(relative_entropy(B, start.A) - math.fsum(promised))
    assert followed["shortfall"] == pytest.approx(max(gaps))
    assert followed["potential"] == pytest.approx(relative_entropy(B, A))
    assert trial.system != "weights" or followed["shortfall"] < 0


def test_committed_runs_of_a_seed_begin_as_each_other_so_that_a_line_by_T_is_one_by_round():
    frame = results.read_committed("potential")
    runs = frame[frame["shortfall"].notna()].sort_values("T").groupby(["table", "method", "seed"], observed=True)
    assert len(runs) == 4 * (1 + 25 + 25)
    assert runs["shortfall"].is_monotonic_increasing.all()  # it is the most of all steps so far


def potential(short=-0.1, noisy_short=-0.1, error=0.1, bound=0.5, start=1.0):
    """One table at T = 5; Ψ_0 may be at most 2."""
    common = {"table": "czech", "T": 5, "seed": 0, "epsilon": 1.0}
    rows = [
        {"method": EXACT, "potential": 0.4, "promised": 0.7, "shortfall": short, "max_error": error},
        {"method": next(iter(NOISY)), "potential": 0.5, "promised": 1.5, "shortfall": noisy_short, "max_error": 0.3},
        {"method": UNIFORM, "T": None, "potential": start, "max_error": 0.4},
        {"method": START, "T": None, "epsilon": None, "potential": 2.0},
        {"method": ERROR_BOUND, "epsilon": None, "max_error": bound},
    ]
    return results.frame_of([common | row for row in rows], LECTURE.metrics)


@pytest.mark.parametrize(
    ("frame", "holds"),
    [
        (potential(), "holds"),
        (potential(short=1e-14), "holds"),  # rounding
        (potential(bound=1.5), "holds with conditions"),  # the bound is above n
        (potential(short=1e-9), "does not hold"),
        (potential(noisy_short=1e-9), "does not hold"),
        (potential(error=0.6), "does not hold"),  # above the bound
        (potential(start=2.1), "does not hold"),  # Ψ_0 above log|D|
    ],
)
def test_the_rule(frame, holds):
    assert LECTURE.verdict(frame).holds == holds


def test_the_numbers_compare_the_fall_with_the_promise():
    verdict = LECTURE.verdict(potential())
    assert "Ψ falls 2 to 2 times as far in 5 rounds as promised" in verdict.numbers
    assert "to a fall in 0 of 1 runs, and Ψ did fall in 1" in verdict.flips
