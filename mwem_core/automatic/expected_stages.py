"""One-way marginals by a plan, then rounds that select: the error to be expected, and the stages of the least.

One-way marginals alone leave out whatever attributes tell of each other, and a few rounds alone leave attributes out.
Between the two, a plan takes a share of the budget, and R rounds the rest. Where attributes are nearly independent the
rounds cost little, as the last fit takes their noise out. Where a pair is not, a round finds it, and a second round
finds the next.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from mwem_core.automatic.composed.staged import Staged
from mwem_core.automatic.expected_lower import LikelyTables, measured_subsets, tables_like
from mwem_core.automatic.expected_rounds import known_by_rounds, known_of_ones
from mwem_core.automatic.planned.plans import make_plan
from mwem_core.automatic.rules import rounds_in_time
from mwem_core.automatic.typical_tables import INFORMATIONS, WEIGHTS, expected_errors
from mwem_core.base import constants
from mwem_core.mwem import MWEM, Tables
from mwem_core.workload import Subsets

SHARES = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3)  # of the budget, for one-way marginals; tried
ROUNDS = (1, 2, 4, 8, 16, 32)  # that follow; tried with each share, as is the number of the rule
MAX_SUBSETS = 10_000  # of a workload whose stages are tried: those of all pairs of 300 attributes would take a second
# Both mechanisms take the largest of noisy scores (Ding et al. 2021). Standard deviations of the noise, exponential and
# Gumbel's, in units of 2/ε.
NOISE = {"permute-and-flip": 1.0, "exponential": math.pi / math.sqrt(6)}


def best_stages(selecting: Sequence[MWEM], subsets: Subsets, n: float) -> tuple[Staged, float]:
    """The stages of the least expected error, and that error, for the workload of `subsets`.

    Their rounds have all other settings from one of those given.
    """
    tried = [each for settings in selecting for each in _stages(settings, subsets, n)]
    return min(tried, key=lambda each: each[1])


def _stages(settings: MWEM, subsets: Subsets, n: float) -> Iterator[tuple[Staged, float]]:
    """All shares and numbers of rounds that these settings may have, with their expected errors."""
    asked, measured = settings.measured(subsets.Q), measured_subsets(settings, subsets)
    tables = [tables_like(settings, subsets, measured, n, information) for information in INFORMATIONS]
    most = min(asked.parts, rounds_in_time(asked))
    assert isinstance(settings.T, int)
    by_rule = max(1, settings.T - settings.first_rounds(asked))
    candidates = settings.candidates
    if isinstance(candidates, Tables):
        candidates = replace(candidates, one_way_first=False, by_cells=False)
    for share in SHARES:
        for T in sorted({*ROUNDS, by_rule}):
            if T <= most:
                each = Staged(share=share, then=replace(settings, T=T, candidates=candidates))
                yield each, float(np.dot(WEIGHTS, stages_tv(each, measured, tables, n)))


def stages_tv(settings: Staged, subsets: Subsets, tables: Sequence[LikelyTables], n: float) -> list[float]:
    """The expected mean total variation of one-way marginals and the rounds after them, for each of these tables."""
    T, rounds = settings.T, settings.then
    planned, rest = settings.guarantee.budget.split(settings.share)
    selecting, measuring = rest.part(1 / T).split(rounds.split)
    ones = known_of_ones(subsets, make_plan("one-way", subsets, planned).precisions)
    noise = NOISE[rounds.selection] * 2 / float(selecting.selection_epsilon)

    def seen(offered: np.ndarray, before: np.ndarray) -> float:
        return seen_through(noise, subsets, offered, before)

    smallest_first, variance = np.sort(subsets.Q.query_counts), measuring.variance_at(measuring.scale)
    most = {float(smallest_first[min(T * 2**i, subsets.Q.parts) - 1]) for i in range(20)}
    known = [known_by_rounds(subsets, q, variance, T, ones, seen) for q in most]
    return [min(tv(expected_errors(subsets, prior, n, posterior)) for posterior in known) for prior, tv in tables]


def seen_through(noise: float, subsets: Subsets, offered: np.ndarray, before: np.ndarray) -> float:
    """How far a selection sees which parts err most, if its noise has this standard deviation: at most 1.

    It is the correlation of a score with the noisy one. Where residuals of several attributes have the variances
    `before`, a part's score is √(2/π) √(q · squared error) in the mean. As strengths are log-normal, so are scores:
    with half of their logarithm's standard deviation, u/2, scores vary by √(exp(u²/4) - 1) times their mean.
    """
    several = np.where(subsets.order > 1, before, 0.0)
    scores = math.sqrt(2 / math.pi) * np.sqrt(subsets.Q.query_counts * subsets.part_errors(several))
    spread = math.sqrt(math.expm1(constants.UNCERTAINTY**2 / 4)) * float(np.average(scores, weights=offered))
    return spread / math.hypot(spread, noise)
