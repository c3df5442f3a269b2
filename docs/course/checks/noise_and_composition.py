"""Checks of the first notebook: sensitivity, Laplace noise, a guesser, and what several answers cost together."""

import math
from collections.abc import Callable

import numpy as np
import pandas as pd

from checks.student import MARGIN, call, call_for_array, close, require, right

DRAWS = 40_000


def largest_change(function: Callable) -> None:
    """The largest L1 change of an answer when one record is removed."""
    people = pd.DataFrame(
        {"drink": ["tea", "coffee", "tea", "neither"], "hours": [1, 40, 7, 3]}, index=[10, 10, 20, 30]
    )

    def total(table: pd.DataFrame) -> np.ndarray:
        return np.array([table["hours"].sum()])

    def counts(table: pd.DataFrame) -> np.ndarray:
        return np.array([(table["drink"] == drink).sum() for drink in ("tea", "coffee", "neither")])

    def change(answer: Callable) -> float:
        return float(call_for_array(function, answer, people, shape=()))

    here = change(lambda table: counts(table)[:1])
    require(here != 0, "removing a person who drinks tea changes the count of tea. Try every person.")
    require(here > 0, "a change has a size, never below zero: take the absolute value before the largest.")
    require(here == 1, f"one person changes a count by 1, and you say {here:g}. Remove exactly one row at a time.")
    hours = change(total)
    require(
        hours == 40,
        f"in a table with 1, 40, 7 and 3 hours the total changes by 40 at most, and you say {hours:g}. "
        "Try every row, by its position: two rows may have the same label.",
    )
    three = change(lambda table: np.concatenate([counts(table)] * 3))
    require(
        three == 3,
        f"three tables that each change by 1 change by 3 together in L1, and you say {three:g}. "
        "Add up the changes of all entries; the largest is over persons.",
    )
    opposite = change(lambda table: np.array([len(table), -len(table)]))
    require(
        opposite == 2,
        f"of two numbers that change by 1, one falls while the other rises: that is 2 in L1, and you say {opposite:g}. "
        "Take the size of each change before you add.",
    )
    require(
        change(counts) == 1,
        "removing one person changes one cell of a table of counts, by 1. Compare each entry with itself.",
    )
    right("the change is in L1, and it is the largest over all persons of this table.")


def laplace(function: Callable) -> None:
    """Laplace noise of scale Δ/ε on each number: its mean size, its mean, its tails and its independence."""
    rng = np.random.default_rng(1)
    for epsilon, sensitivity in ((1.0, 1.0), (0.25, 1.0), (0.25, 3.0)):
        exact = np.zeros(DRAWS)
        noise = call_for_array(function, exact, epsilon, sensitivity, rng, shape=(DRAWS,))
        require(noise.any(), "the answer is the exact one: where is the noise?")
        require(np.ptp(noise) > 0, "every number gets the same noise. Draw one for each: NumPy's draws have a size.")
        require((noise < 0).any(), "no noisy zero is below zero. Keep negative values: cutting them off is a bias.")
        _require_scale(np.abs(noise).mean(), epsilon, sensitivity)
        mean_size = sensitivity / epsilon
        require(
            abs(noise.mean()) <= MARGIN * math.sqrt(2 / DRAWS) * mean_size,
            f"the noise has a mean of {noise.mean():.2f}, so answers are biased. It should lie around zero.",
        )
        beyond, law = float((np.abs(noise) > 2 * mean_size).mean()), math.exp(-2)
        require(
            abs(beyond - law) <= MARGIN * math.sqrt(law * (1 - law) / DRAWS),
            f"{beyond:.1%} of the noise is beyond twice its mean size, and of Laplace noise {law:.1%} is. "
            "The size is right, the distribution is another.",
        )
    exact = np.array([[10.0, 20.0], [30.0, 1e6]])
    moved = call_for_array(function, exact, 1e6, 1.0, rng, shape=(2, 2)) - exact
    require(
        np.abs(moved).max() < 1, "at ε = 1,000,000 there is almost no noise, yet the answers are off. Add to `exact`."
    )
    again = call_for_array(function, exact, 1e6, 1.0, rng, shape=(2, 2)) - exact
    require(
        (again != moved).all(),
        "two calls give the same noise, so the difference of two answers has none. Draw from the `rng` that is given.",
    )
    right("the noise has mean size Δ/ε, lies around zero, and is drawn for each number.")


def _require_scale(size: float, epsilon: float, sensitivity: float) -> None:
    expected = sensitivity / epsilon

    def near(value: float) -> bool:
        return abs(size - value) <= MARGIN * value / math.sqrt(DRAWS)

    if near(expected):
        return
    hint = "Which number of the mechanism is the scale of NumPy's Laplace draws?"
    if near(1 / epsilon):
        hint = "It does not grow with the sensitivity, which is 3 here."
    elif near(epsilon / sensitivity) or near(epsilon) or near(epsilon * sensitivity):
        hint = "A smaller ε promises more, so it needs more noise."
    elif near(expected * math.sqrt(2)) or near(expected / math.sqrt(2)):
        hint = "A Laplace distribution of scale b has standard deviation √2·b: which of them did you set?"
    require(
        False,
        f"at ε = {epsilon:g} and Δ = {sensitivity:g} the mean size of the noise is {size:.2f}, "
        f"and should be {expected:.2f}. {hint}",
    )


def guess(function: Callable) -> None:
    """The guesser says of noisy counts whether one person is in: right as often as the nearer count is."""
    rng, without = np.random.default_rng(2), 57.0
    for epsilon in (0.5, 2.0):
        present = rng.random(DRAWS) < 0.5
        noisy = without + present + rng.laplace(scale=1 / epsilon, size=DRAWS)
        said = call_for_array(function, noisy, without, shape=(DRAWS,))
        require(np.isin(said, (0, 1)).all(), "a guess is True, the person is in, or False. Give one for each count.")
        won, best = float((said == present).mean()), 1 - math.exp(-epsilon / 2) / 2
        require(
            won >= best - MARGIN * math.sqrt(best * (1 - best) / DRAWS),
            f"at ε = {epsilon:g} you are right in {won:.1%} of the bets, and {best:.1%} are possible. "
            + ("Your guess is better turned around." if won < 0.5 else "Which of the two true counts is nearer?"),
        )
    right("no guess is better: 1 - exp(-ε/2)/2 of the bets are won, below the cap e^ε / (1 + e^ε).")


def noisy_tables(function: Callable) -> None:
    """k tables under one ε: each cell has Laplace noise of scale k/ε."""
    rng = np.random.default_rng(3)
    tables, epsilon = [np.zeros((100, 100)), np.zeros(10_000), np.zeros((200, 50)), np.zeros(10_000)], 0.5
    noisy = call(function, tables, epsilon, rng)
    require(
        isinstance(noisy, list | tuple) and [np.shape(each) for each in noisy] == [each.shape for each in tables],
        "noisy_tables should give a list with a noisy table for each table. Look at what it returns.",
    )
    sizes = [float(np.abs(each).mean()) for each in noisy]
    expected, cells = len(tables) / epsilon, tables[0].size
    hint = "What is the sum of what all tables cost?"
    if max(sizes) < 1.5 / epsilon:
        hint = f"Each table costs ε then, and together they cost {len(tables)} times that."
    elif min(sizes) > 10 * expected:
        hint = "One person is in one cell of a table: a whole table costs no more than one count."
    require(
        all(abs(size - expected) <= MARGIN * expected / math.sqrt(cells) for size in sizes),
        f"for {len(tables)} tables at ε = {epsilon:g} in all, the mean size of their noise is "
        f"{', '.join(f'{size:.1f}' for size in sizes)}, and should be {expected:g}. {hint}",
    )
    right(f"{len(tables)} tables together cost ε, whatever their number of cells.")


def gaussian_scale(function: Callable) -> None:
    """σ for k counts under ρ-zCDP in all: k / 2σ² = ρ."""
    for k, rho in ((1, 0.5), (1, 0.02), (28, 0.02)):
        sigma = float(call_for_array(function, k, rho, shape=()))
        require(sigma > 0, f"a standard deviation is above zero, and for k = {k} and ρ = {rho:g} it is {sigma:g}.")
        cost = k / (2 * sigma**2)
        hint = "Solve the cost of one count for σ." if k == 1 else "ρ adds up over the counts: each has a part of it."
        require(
            close(cost, rho),
            f"{k} count{'s' if k > 1 else ''} with σ = {sigma:.3f} cost{'s' if k == 1 else ''} ρ = {cost:.4g} "
            f"together, and {rho:g} is there. {hint}",
        )
    right("the noise grows with the root of the number of counts; Laplace noise grows with the number.")
