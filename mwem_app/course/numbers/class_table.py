"""The class becomes the table: MWEM on the yes/no answers of a class, and on a class that is many times as large."""

from dataclasses import dataclass

import numpy as np

from mwem_core.domain import Attribute, Domain, Records
from mwem_core.mwem import mwem_by_rule
from mwem_core.privacy import NoiseSource
from mwem_core.values import Values
from mwem_core.workload import Workload, parse_workload

ROUNDS = 5
UNIFORM = 1 / 4  # of each cell of a pair


@dataclass(frozen=True, eq=False)
class Release:
    """What MWEM released of n students' answers to d questions: differentially private for each of them.

    `pairs` are the pairs of questions; `shares`, (pairs, 4), are the estimated shares of no and no, no and yes, yes and
    no, yes and yes. `measured` are the pairs that the rounds chose, in order, and `noise` is the mean |noise| of each
    of their counts, in students.
    """

    n: int
    epsilon: float
    pairs: tuple[tuple[int, int], ...]
    shares: np.ndarray
    measured: tuple[tuple[int, int], ...]
    noise: float


def release(answers: np.ndarray, *, epsilon: float, noise: NoiseSource, times: int = 1) -> Release:
    """Run MWEM for all pairs of questions: `ROUNDS` rounds, each of which chooses a pair and measures it.

    `answers` are booleans, (n, d). Each student counts `times`, as in a class that is `times` as large and has the same
    shares. ε-DP for a student when `times` is 1, and only times · ε-DP otherwise. Raises ValueError without answers.
    """
    B = records(answers, times)
    Q = pairs_of(B.domain)
    settings = mwem_by_rule(Q, n=B.total, epsilon=epsilon, T=min(ROUNDS, Q.parts))
    rounds = list(settings.rounds(B, Q, noise=noise))
    measurements = [m for each in rounds for m in each.measurements]
    budget = rounds[-1].ledger.budget
    return Release(
        n=B.total,
        epsilon=epsilon,
        pairs=_pairs(Q),
        shares=_shares(Q, rounds[-1].model),
        measured=tuple((m.attrs[0], m.attrs[1]) for m in measurements),
        noise=budget.mean_noise_at(measurements[-1].scale),
    )


def true_shares(answers: np.ndarray) -> np.ndarray:
    """The exact shares, (pairs, 4), in the order of a release. Not private."""
    B = records(answers)
    return _shares(pairs_of(B.domain), B)


def records(answers: np.ndarray, times: int = 1) -> Records:
    """The table of a class: one row per student, one yes/no attribute per question."""
    answers = np.asarray(answers, bool)
    if answers.ndim != 2 or not len(answers):
        raise ValueError("nobody has answered yet: wait for the first answers")
    d = answers.shape[1]
    domain = Domain(tuple(Attribute(f"question {j + 1}", Values(("no", "yes"))) for j in range(d)))
    return Records(domain, tuple(answers.T.astype(np.uint8)), np.full(len(answers), times))


def pairs_of(domain: Domain) -> Workload:
    """All pairs of questions."""
    return parse_workload("marginals:2", domain)


def _pairs(Q: Workload) -> tuple[tuple[int, int], ...]:
    return tuple((a, b) for a, b in Q.sets)


def _shares(Q: Workload, source) -> np.ndarray:
    return Q.answers(source).reshape(-1, 4) / source.total
