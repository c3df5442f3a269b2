"""Multiplicative weights round by round beside what theory promises. NOT PRIVATE: it reads the truth."""

from dataclasses import dataclass, replace

import numpy as np

from mwem_core.data.records import Records
from mwem_core.evaluation.metrics import relative_entropy
from mwem_core.privacy.noise import Seeded
from mwem_core.relatives.weights import Weights
from mwem_core.workload.workload import Workload


@dataclass(frozen=True, eq=False)
class Course:
    """A run by round beside what theory promises of it. NOT PRIVATE.

    `average` and `last` are max errors of the average of A_0 .. A_{i-1} and of A_i, i = 1 .. T, and `bound` the most
    that the average's can be: (T,), shares of n. `potential` is Ψ_0 .. Ψ_T, and `paid` the most it can be after the
    errors met on the way: (T + 1,), nats.
    """

    average: np.ndarray
    last: np.ndarray
    bound: np.ndarray
    potential: np.ndarray
    paid: np.ndarray


def course(settings: Weights, B: Records, Q: Workload) -> Course:
    """Run it, and judge every round."""
    B, n = B.distinct(), B.total
    truth, sums = Q.answers(B), np.zeros(Q.size)
    average, worst, potential = [], [], []
    for entry in settings.rounds(B, Q, noise=Seeded(0)):
        assert entry.A is not None
        if entry.index:
            average.append(np.abs(sums / entry.index - truth).max() / n)
        answers = Q.answers(entry.A)
        sums += answers
        worst.append(np.abs(answers - truth).max() / n)
        potential.append(relative_entropy(B, entry.A))
    paid = potential[0] - np.append(0.0, np.cumsum((np.array(worst[:-1]) / 2) ** 2))
    bound = [replace(settings, T=i).bound(Q, n=n) / n for i in range(1, len(worst))]
    return Course(np.array(average), np.array(worst[1:]), np.array(bound), np.array(potential), paid)
