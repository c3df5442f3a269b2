"""Errors of multiplicative weights by round, beside their bounds. NOT PRIVATE: they are measured against the truth."""

from dataclasses import dataclass, replace

import numpy as np

from mwem_core.data.records import Records
from mwem_core.evaluation.metrics import relative_entropy
from mwem_core.privacy.noise import Seeded
from mwem_core.relatives.weights import Weights
from mwem_core.workload.workload import Workload


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
    drops = (np.array(max_errors[:-1]) / 2) ** 2
    bounds = [replace(settings, T=i).bound(Q, n=n) / n for i in range(1, len(max_errors))]
    return Course(
        average_error=np.array(average_errors),
        last_error=np.array(max_errors[1:]),
        error_bound=np.array(bounds),
        potential=np.array(potential),
        potential_bound=potential[0] - np.append(0.0, np.cumsum(drops)),
    )
