"""Errors of multiplicative weights by round, beside their bounds. NOT PRIVATE: they are measured against the truth."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from mwem_core.algorithm import Answering, Round
from mwem_core.domain import Records
from mwem_core.judge.metrics import relative_entropy
from mwem_core.privacy import Seeded
from mwem_core.relatives import Weights
from mwem_core.workload import Workload


@dataclass(frozen=True, eq=False)
class Course:
    """A run's errors and potential by round, and what theory guarantees of them. NOT PRIVATE.

    For i = 1 .. T, in shares of n, (T,): `average_error` is the max error of the average of A_0 .. A_{i-1},
    `last_error` that of A_i, and `error_bound` the upper bound on the average's. For i = 0 .. T, in nats, (T + 1,):
    `potential` is Ψ_i, and `potential_bound` is Ψ_0 less the drop that the errors up to round i guarantee.
    """

    average_error: np.ndarray
    last_error: np.ndarray
    error_bound: np.ndarray
    potential: np.ndarray
    potential_bound: np.ndarray


def least_fall(error: float, n: float, *, noise: float = 0.0) -> float:
    """By how much one update lowers Ψ at least: (error / 2n)² - (noise / 2n)². Below 0, Ψ may rise by as much."""
    return (error / (2 * n)) ** 2 - (noise / (2 * n)) ** 2


@dataclass(frozen=True)
class Update:
    """Ψ after an update, by how much the update lowered it, and the promised `least_fall`; in nats. NOT PRIVATE."""

    potential: float
    fall: float
    promise: float


def updates(rounds: Iterable[Round[Answering]], B: Records) -> Iterator[Update]:
    """The updates of A_0, A_1, .. by one measurement each, from round 0 on: Figure 1, or the loop without noise."""
    A, before = None, 0.0
    for entry in rounds:
        assert entry.A is not None
        after = relative_entropy(B, entry.A)
        if A is not None and (m := entry.measurement):
            exact = m.answer(B.marginal(m.attrs))
            error, noise = float(m.answer(A.marginal(m.attrs)) - exact), float(m.value - exact)
            yield Update(after, before - after, least_fall(error, B.total, noise=noise))
        A, before = entry.A, after


def course(settings: Weights, B: Records, Q: Workload) -> Course:
    """Run multiplicative weights and measure every round."""
    B, n = B.distinct(), B.total
    truth, answers_sum = Q.answers(B), np.zeros(Q.size)
    average_errors, max_errors, potential = [], [], []
    for entry in settings.rounds(B, Q, noise=Seeded(0)):
        assert entry.A is not None
        if entry.index:
            average_errors.append(np.abs(answers_sum / entry.index - truth).max() / n)
        answers = Q.answers(entry.A)
        answers_sum += answers
        max_errors.append(np.abs(answers - truth).max() / n)
        potential.append(relative_entropy(B, entry.A))
    drops = [least_fall(error, 1) for error in max_errors[:-1]]
    bounds = [replace(settings, T=i).bound(Q, n=n) / n for i in range(1, len(max_errors))]
    return Course(
        average_error=np.array(average_errors),
        last_error=np.array(max_errors[1:]),
        error_bound=np.array(bounds),
        potential=np.array(potential),
        potential_bound=potential[0] - np.append(0.0, np.cumsum(drops)),
    )
