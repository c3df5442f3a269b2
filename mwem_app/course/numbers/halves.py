"""Why half of a round selects and half of it measures: the error of MWEM at other shares. NOT PRIVATE.

Of a round's ε/T, the share s measures with noise of scale T/(sε), and the rest selects. A large s leaves the choice to
chance; a small one drowns the answer in noise.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from mwem_app.course.numbers.choosing import law
from mwem_app.course.numbers.mwem import EPSILON, T
from mwem_core.domain import Table
from mwem_core.judge import errors
from mwem_core.model import LogLinear
from mwem_core.mwem import paper
from mwem_core.privacy import Seeded
from mwem_core.workload import Workload

SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
SEEDS = 40
BAND = 0.1, 0.9  # quantiles over the seeds


@dataclass(frozen=True)
class Trial:
    """One run: the share that measures, and the share of the records that end in a wrong cell."""

    share: float
    seed: int
    error: float


@dataclass(frozen=True, eq=False)
class Halves:
    """What each of `SHARES` gives: the mean size of the noise in records, the chance of the likeliest query in round 1,
    and the error, (shares,) each: the mean, and the band over the seeds.
    """

    noise: np.ndarray
    chance: np.ndarray
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @property
    def best(self) -> float:
        """The share of the least mean error."""
        return SHARES[int(self.mean.argmin())]


def trial(B: Table, Q: Workload, *, share: float, seed: int) -> Trial:
    """Run MWEM with the paper's settings but for this share. ε-DP but for the error."""
    *_, last = replace(paper(Q, epsilon=EPSILON, T=T), split=1 - share).rounds(B, Q, noise=Seeded(seed))
    error = errors(Q, last.model.answers(Q), Q.answers(B), B.total).mean_tv
    assert error is not None  # the queries are cells of whole tables
    return Trial(share, seed, error)


def trials(B: Table, Q: Workload) -> list[Trial]:
    """The trials of every share and seed."""
    return [trial(B, Q, share=share, seed=seed) for share in SHARES for seed in range(SEEDS)]


def halves(results: Iterable[Trial], B: Table, Q: Workload) -> Halves:
    """What each share gives, from its trials."""
    by_share: dict[float, list[float]] = {share: [] for share in SHARES}
    for result in results:
        by_share[result.share].append(result.error)
    found = np.array(list(by_share.values()))
    low, high = np.quantile(found, BAND, axis=1)
    gaps = np.abs(LogLinear.uniform(Q.domain.shape, B.total).answers(Q) - Q.answers(B))
    return Halves(
        noise=T / (EPSILON * np.array(SHARES)),
        chance=np.array([law(gaps, epsilon=(1 - share) * EPSILON / T).max() for share in SHARES]),
        mean=found.mean(axis=1),
        low=low,
        high=high,
    )
