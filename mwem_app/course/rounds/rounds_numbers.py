"""How many rounds: the largest error of MWEM's answers against T, with the paper's settings. NOT PRIVATE.

Few rounds leave most queries unasked; many rounds measure each with noise 2T/ε. Only εn counts: k copies of a table at
ε/k have the same law, in shares of n.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from mwem_core.domain import Records, Table
from mwem_core.judge import errors
from mwem_core.model import LogLinear
from mwem_core.mwem import best_rounds, paper, theorem_bound
from mwem_core.privacy import Seeded, Witness
from mwem_core.workload import Workload

COPIES = 100  # of the class of 200: a university of 20,000
EPSILONS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28)
ROUNDS = (1, 2, 3, 4, 6, 8, 12, 16, 20, 27)  # up to all 27 queries of the class survey's pairs
SEEDS = 20
BAND = 0.1, 0.9  # quantiles over the seeds


@dataclass(frozen=True)
class Trial:
    """One run: the rounds of its last restart, and the largest error of its answers as a share of n."""

    epsilon: float
    adaptive: bool
    rounds: int
    seed: int
    error: float


@dataclass(frozen=True, eq=False)
class Curve:
    """The errors at one ε, as shares of n, one for each of `ROUNDS`: the mean, and the band over the seeds.

    `bound` is Theorem 2.3's, `theorem` the T of its least value among all T, and `promise` that value. `adaptive` and
    `adaptive_error` are the median T and the mean error of the runs that double T until the signal drops below the
    noise.
    """

    epsilon: float
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    bound: np.ndarray
    theorem: int
    promise: float
    adaptive: float
    adaptive_error: float

    @property
    def best(self) -> int:
        """The T of the least mean error."""
        return ROUNDS[int(self.mean.argmin())]

    @property
    def as_data(self) -> dict[str, Any]:
        """All of it, by name."""
        return asdict(self) | {"best": self.best}


def copies(B: Records, times: int) -> Records:
    """Each record `times` times."""
    rows = B.distinct()
    weights = np.ones(len(rows.codes[0]), int) if rows.weights is None else rows.weights
    return Records(B.domain, rows.codes, times * weights)


def noise(epsilon: float) -> np.ndarray:
    """The scale of the noise in a measurement, 2T/ε, for each of `ROUNDS`, in records."""
    return 2 * np.array(ROUNDS) / epsilon


def uniform_error(B: Table, Q: Workload) -> float:
    """The largest error of A_0, which no round has changed, as a share of n."""
    uniform = LogLinear.uniform(Q.domain.shape, B.total)
    return errors(Q, uniform.answers(Q), Q.answers(B), B.total).max_error


def rounds_trial(B: Table, Q: Workload, *, epsilon: float, rounds: int | None, seed: int) -> Trial:
    """Run MWEM with the paper's settings for so many rounds, or with adaptive T if None. ε-DP but for the error."""
    witness = Witness(Seeded(seed))
    settings = paper(Q, epsilon=epsilon) if rounds is None else paper(Q, epsilon=epsilon, T=rounds)
    settings = replace(settings, T="adaptive") if rounds is None else settings
    *_, last = settings.rounds(B, Q, noise=witness)
    assert witness.scores is not None
    measured = 1 + int(np.isneginf(witness.scores).sum())  # none is asked twice, so the asked ones are excluded
    error = errors(Q, last.model.answers(Q), Q.answers(B), B.total).max_error
    return Trial(epsilon, rounds is None, measured, seed, error)


def rounds_trials(survey: Records, Q: Workload) -> list[Trial]:
    """The trials of every ε, T and seed, on `COPIES` of a class. They are stored, as they take minutes."""
    B = copies(survey, COPIES)
    every = [(e, T, seed) for e in EPSILONS for T in (*ROUNDS, None) for seed in range(SEEDS)]
    return [rounds_trial(B, Q, epsilon=e, rounds=T, seed=seed) for e, T, seed in every]


def curve(results: Iterable[Trial], Q: Workload, n: int, epsilon: float) -> Curve:
    """The curve of the trials at one ε."""
    here = [result for result in results if result.epsilon == epsilon]
    by_rounds = np.array([[r.error for r in here if not r.adaptive and r.rounds == T] for T in ROUNDS])
    low, high = np.quantile(by_rounds, BAND, axis=1)
    adaptive = [result for result in here if result.adaptive]
    public = {"n": n, "domain_size": Q.domain.size, "queries": Q.size, "epsilon": epsilon}
    theorem = best_rounds(**public)
    return Curve(
        epsilon=epsilon,
        mean=by_rounds.mean(axis=1),
        low=low,
        high=high,
        bound=np.array([theorem_bound(rounds=T, **public) for T in ROUNDS]) / n,
        theorem=theorem,
        promise=theorem_bound(rounds=theorem, **public) / n,
        adaptive=float(np.median([result.rounds for result in adaptive])),
        adaptive_error=float(np.mean([result.error for result in adaptive])),
    )
