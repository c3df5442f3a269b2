"""Checks of the third notebook: the steps of Figure 1, the whole against the library's, and the replay of Figure 8.

Tables are vectors over the cells of D, and queries the rows of a matrix, (|Q|, |D|).
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from checks.student import call_for_array, call_for_index, close, require, right
from mwem_core import Domain, Records, Seeded, Witness, figure_1, parse_workload

N = 100.0
GRID = 0.01  # records; the library's scores are rounded to a finer grid than this
SCHEMA = """
[[attribute]]
name = "a"
values = ["1", "2", "3"]

[[attribute]]
name = "b"
values = ["1", "2", "3", "4"]
"""


class Meter(Witness):
    """A noise source that notes what it is asked for: (scores or exact value, ε at Δ = 1, what it gave)."""

    def __init__(self, seed: int):
        super().__init__(Seeded(seed))
        self.choices: list[tuple[np.ndarray, float, int]] = []
        self.draws: list[tuple[np.ndarray, float, np.ndarray]] = []

    def choose(self, scores: np.ndarray, epsilon: float | Fraction, sensitivity: float | Fraction) -> int:
        """Note the scores and ε/Δ, and let the source choose."""
        scores = np.array(scores, float)
        chosen = super().choose(scores, epsilon, sensitivity)
        self.choices.append((scores, float(epsilon / sensitivity), chosen))
        return chosen

    def laplace(self, exact: np.ndarray, epsilon: float | Fraction, sensitivity: float | Fraction) -> np.ndarray:
        """Note the exact value and ε/Δ, and let the source add noise."""
        noisy = super().laplace(exact, epsilon, sensitivity)
        self.draws.append((np.array(exact, float), float(epsilon / sensitivity), noisy))
        return noisy

    @property
    def spent(self) -> float:
        """The sum of ε over choices and draws."""
        return sum(epsilon for _, epsilon, _ in [*self.choices, *self.draws])


def select(function: Callable) -> None:
    """One choice by the noise source, with ε and the scores |q(B) - q(A)|."""
    A, B, queries = _example()
    meter = Meter(1)
    chosen = call_for_index(function, A, B, queries, 0.3, meter, count=len(queries))
    require(
        meter.choices,
        "select never asked `noise` to choose. The query of the largest error, without noise, can tell of one record "
        "for certain.",
    )
    require(len(meter.choices) == 1, f"select chose {len(meter.choices)} times, and each choice costs ε. Choose once.")
    scores, epsilon, answer = meter.choices[0]
    require(scores.shape == (len(queries),), f"there are {len(queries)} queries, and {scores.size} scores. Score each.")
    require((scores >= 0).all(), "some scores are below zero: an overestimate is an error too.")
    require(
        close(scores, np.abs(queries @ B - queries @ A)),
        "the scores are not the errors of A's answers in records. A query's answer is its product with a table.",
    )
    require(
        close(epsilon, 0.3),
        f"the choice was asked for at ε/Δ = {epsilon:g}, and ε is 0.3. One record moves a score by 1; the 2 of the "
        "mechanism is already within `noise.choose`.",
    )
    require(chosen == answer, "select should give what `noise.choose` gave.")
    right("the choice is private, and prefers what A answers worst.")


def measure(function: Callable) -> None:
    """One Laplace draw by the noise source, for the exact answer at ε."""
    _, B, queries = _example()
    meter = Meter(2)
    m = float(call_for_array(function, B, queries[4], 0.3, meter, shape=()))
    require(meter.draws, "measure never asked `noise` for Laplace noise, so it gives away the exact answer.")
    require(len(meter.draws) == 1, f"measure drew {len(meter.draws)} times, and each draw costs ε. Draw once.")
    exact, epsilon, noisy = meter.draws[0]
    require(
        exact.size == 1 and close(exact, queries[4] @ B),
        "noise was added to something else than the query's exact answer, q(B) = Σ q(x) B(x).",
    )
    require(
        close(epsilon, 0.3),
        f"the noise was asked for at ε/Δ = {epsilon:g}, and ε is 0.3. One record moves a query's answer by 1.",
    )
    require(close(m, float(np.squeeze(noisy))), "measure should give what `noise.laplace` gave, and nothing else.")
    right("the measurement is the exact answer with noise of scale 1/ε.")


def update(function: Callable) -> None:
    """A'(x) ∝ A(x) exp(q(x) (m - q(A)) / 2n), with total n: signs, ratios, total."""
    A, _, queries = _example()
    q, n = queries[4], A.sum()
    before = float(q @ A)
    for m in (before + 12, before - 5):
        after = call_for_array(function, A, q, m, n, shape=A.shape)
        require((after > 0).all(), "a cell fell to zero or below. Multiply weights by exp of something; do not add.")
        moved, wanted = float(q @ after) - before, m - before
        require(
            close(after.sum(), n),
            f"A summed to {n:g}, and sums to {after.sum():.2f} now. Scale it back to n after the factors.",
        )
        require(
            abs(moved) > 1e-9 and moved * wanted > 0,
            f"q(A) was {before:.1f} and m is {m:.1f}, so q(A) should {'rise' if wanted > 0 else 'fall'}: it is "
            f"{before + moved:.1f} now. Look at the sign in the exponent.",
        )
        change = np.log(after / A)
        rate = float((change[q == 1].mean() - change[q == 0].mean()) / wanted)
        hint = "Read the exponent of Figure 1 again."
        if close(rate, 1 / n):
            hint = "That is twice the step: there is a 2 in Figure 1."
        elif rate > 0.4:
            hint = "An error in records is too large an exponent: what is it divided by?"
        require(
            np.ptp(change[q == 1]) < 1e-9 and np.ptp(change[q == 0]) < 1e-9,
            "cells with the same q(x) should all be multiplied by the same factor, and are not.",
        )
        require(
            close(rate * n, 0.5),
            f"for each record of m - q(A), the logarithms of cells with q(x) = 1 and q(x) = 0 part by {rate:.5f}, and "
            f"should by {0.5 / n:.5f}, at n = {n:g}. {hint}",
        )
    zeros = call_for_array(function, A, np.zeros_like(q), 7.0, n, shape=A.shape)
    require(close(zeros, A), "a query that asks of no cell should change nothing.")
    sign = call_for_array(function, A, 2 * q - 1, float((2 * q - 1) @ A) + 4, n, shape=A.shape)
    change = np.log(sign / A)
    require(
        close(change[q == 1].mean() - change[q == 0].mean(), 2 * 4 / (2 * n)),
        "a query may have the value -1 on a cell, whose weight then falls. Let q(x) stand in the exponent.",
    )
    right("A moves towards the measurement, by the step of Figure 1, and keeps its total.")


def mwem(function: Callable) -> None:
    """The whole of Figure 1: what it spends, and its output beside the library's `figure_1` on the same noise.

    The library's run and the student's get sources of the same seed. So the tables must agree but for rounding, as long
    as every choice is the same, for which the scores may differ by the library's grid.
    """
    rng = np.random.default_rng(6)
    domain = Domain.from_toml(SCHEMA)
    Q = parse_workload("marginals:2", domain)
    for seed, (epsilon, T) in enumerate([(2.0, 1), (2.0, 3), (5.0, 6)]):
        codes = tuple(rng.integers(0, rng.integers(2, size + 1), size=150).astype(np.uint8) for size in domain.shape)
        records = Records(domain, codes)
        B = records.marginal((0, 1)).ravel().astype(float)
        queries = np.array([Q.query(j)[1].ravel() for j in range(Q.size)], float)
        meter, reference = Meter(seed), Meter(seed)
        A = call_for_array(function, B, queries, epsilon, T, meter, shape=B.shape)
        *_, last = figure_1(epsilon=epsilon, T=T).rounds(records, Q, noise=reference)
        _require_budget(meter, epsilon, T)
        _require_same_rounds(meter, reference)
        require(close(A.sum(), B.sum()), f"A should sum to n = {B.sum():g}, and sums to {A.sum():.2f}.")
        expected = last.model.marginal((0, 1)).ravel()
        hint = "Which of A_0, A_1, ... belong to it, and how many are there?"
        if T == 1:
            hint = "With one round, the output is A_0 alone: Figure 1 averages A_0 to A_{T-1}, not A_1 to A_T."
        require(
            np.abs(A - expected).max() <= 1e-6 * B.sum(),
            f"every choice and measurement is right, and the output after {T} round{'s' * (T > 1)} is not the average "
            f"of Figure 1. {hint}",
        )
    right("with the same noise, your MWEM and the library's give the same table to the last digits.")


def _require_budget(meter: Meter, epsilon: float, T: int) -> None:
    for done, name in ((len(meter.choices), "choices"), (len(meter.draws), "measurements")):
        require(
            done == T,
            f"{T} rounds need {T} {name}, and your run had {done}. All noise comes from the source that is given.",
        )
    hint = "Every round selects and measures, and all of it adds up."
    if close(meter.spent, 2 * epsilon):
        hint = "A round has a T-th of ε, for its selection and its measurement together."
    require(
        close(meter.spent, epsilon),
        f"your run spends {meter.spent:g} in all, and has ε = {epsilon:g} for {T} round{'s' * (T > 1)}. {hint}",
    )
    parts = {round(part / epsilon, 9) for _, part, _ in [*meter.choices, *meter.draws]}
    require(
        len(parts) == 1, "the sum is ε, but the parts are unequal: Figure 1 gives selections and measurements the same."
    )


def _require_same_rounds(meter: Meter, reference: Meter) -> None:
    for i, (choice, expected) in enumerate(zip(meter.choices, reference.choices, strict=True), start=1):
        require(
            choice[0].shape == expected[0].shape and np.allclose(choice[0], expected[0], rtol=0, atol=GRID),
            f"in round {i} the scores are not those of A_{i - 1}. "
            + ("A_0 is uniform, with total n." if i == 1 else "Does each round go on from the table of the last one?"),
        )
        require(
            close(meter.draws[i - 1][0], reference.draws[i - 1][0]),
            f"in round {i} another query is measured than was selected.",
        )


def replay(function: Callable) -> None:
    """Sweeps over all measurements (Figure 8): consistent measurements are met, and one sweep is one update each."""
    A, B, queries = _example()
    n = A.sum()
    one = call_for_array(function, A, queries, [(4, 20.0)], n, 1, shape=A.shape)
    rate = float(np.log(one / A)[queries[4] == 1].mean() - np.log(one / A)[queries[4] == 0].mean())
    require(
        close(rate, (20 - queries[4] @ A) / (2 * n)),
        "one sweep over one measurement should be one update by it. Use your `update`.",
    )
    measurements = [(j, float(queries[j] @ B)) for j in (0, 3, 4)]
    far = call_for_array(function, A, queries, measurements, n, 1, shape=A.shape)
    near = call_for_array(function, A, queries, measurements, n, 400, shape=A.shape)
    require(close(near.sum(), n), f"A summed to {n:g}, and sums to {near.sum():.2f} after a replay.")
    require(
        not close(near, far),
        "400 sweeps come no nearer to the measurements than one. Each sweep goes on from the table of the last one.",
    )
    miss = max(abs(float(queries[j] @ near) - m) for j, m in measurements)
    require(
        miss < 0.01,
        f"after 400 sweeps over three exact measurements, an answer is still off by {miss:.2f} records. "
        "Update by every measurement in every sweep, each time by the error that A has then.",
    )
    right("sweeps meet all measurements at once, and read nothing but what was measured: they cost no privacy.")


def _example() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A and B over 12 cells with total n, and seven queries: the cells of both one-way tables."""
    rng = np.random.default_rng(7)
    A, B = (N * rng.dirichlet(np.full(12, 5.0)) for _ in range(2))
    first, second = np.divmod(np.arange(12), 4)
    return A, B, np.array([*(first == i for i in range(3)), *(second == j for j in range(4))], float)
