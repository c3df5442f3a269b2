"""The error to be expected of rounds that select, alone or after one-way marginals: from public numbers alone.

One-way marginals alone leave out whatever attributes tell of each other, and a few rounds alone leave attributes out.
Between the two, a plan takes a share of the budget, and R rounds the rest. Where attributes are nearly independent the
rounds cost little, as the last fit takes their noise out. Where a pair is not, a round finds it, and a second round
finds the next.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from statistics import NormalDist

import numpy as np

from mwem_core.automatic.compositions import Staged
from mwem_core.automatic.mwem_rules import round_shares, rounds_in_time
from mwem_core.automatic.plans import make_plan
from mwem_core.automatic.typical_tables import (
    INFORMATIONS,
    WEIGHTS,
    LikelyTables,
    expected_errors,
    measured_subsets,
    selected_tv,
    tables_like,
)
from mwem_core.base import constants
from mwem_core.mwem import MWEM, Tables
from mwem_core.workload import Subsets

SHARES = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3)  # of the budget, for one-way marginals; tried
ROUNDS = (1, 2, 4, 8, 16, 32)  # that follow; tried with each share, as is the number of the rule
MAX_SUBSETS = 10_000  # of a workload whose stages are tried: those of all pairs of 300 attributes would take a second
# Both mechanisms take the largest of noisy scores (Ding et al. 2021). Standard deviations of the noise, exponential and
# Gumbel's, in units of 2/ε.
NOISE = {"permute-and-flip": 1.0, "exponential": math.pi / math.sqrt(6)}


def rounds_tv(settings: MWEM, subsets: Subsets, tables: Sequence[LikelyTables], n: float) -> list[float]:
    """The expected mean total variation of rounds that select, for each of these."""
    if subsets.Q.terms:
        return _selected_mixed(settings, subsets, tables, n)
    T = settings.planned_rounds(n, subsets.Q) or 1
    cost = settings.guarantee.budget.part((1 - settings.split) / float(settings.full_rounds(T, subsets.Q)))
    smallest_first, first = np.sort(subsets.Q.query_counts), settings.first_rounds(subsets.Q)
    uniform = np.dot(WEIGHTS, [subsets.mean_tv(expected_errors(subsets, prior, n, np.array), n) for prior, _ in tables])
    if cost.mean_noise * smallest_first[min((T - first) // 2, subsets.Q.parts - 1)] / (2 * n) > uniform:
        return [math.inf] * len(tables)  # rounds fit without a prior: such noise would leave A farther off than uniform
    variance = cost.variance_at(cost.scale)
    if subsets.Q.family == "predicates":
        held = float(held_by_largest(np.array([T / subsets.Q.size]))[0])
        return [selected_tv(subsets, prior, n, T=T, variance=variance, held=held) for prior, _ in tables]
    most = {float(smallest_first[min(T * 2**i, subsets.Q.parts) - 1]) for i in range(20)}
    ones = known_of_ones(subsets, 1 / variance if first else 0.0)
    known = [known_by_rounds(subsets, q, variance, T - first, ones) for q in most]
    return [min(tv(expected_errors(subsets, prior, n, posterior)) for posterior in known) for prior, tv in tables]


def _selected_mixed(settings: MWEM, subsets: Subsets, tables: Sequence[LikelyTables], n: float) -> list[float]:
    """The expected mean error of rounds that select in a mixed workload, for each of these.

    Each term has its planned share of the rounds (`mwem_rules.round_shares`). Rounds tell of whole marginals what they
    would tell in a workload of these alone (`_known_by_rounds`). Of single queries a share t is measured, and t of the
    root errors are those of a measurement by itself. Ranges tell of each other, so they have what marginals tell.
    """
    Q, first = subsets.Q, settings.first_rounds(subsets.Q)
    T = settings.planned_rounds(n, Q) or 1
    shares = (T - first) * round_shares(Q, n=n, epsilon=settings.epsilon, delta=settings.delta)
    cost = settings.guarantee.budget.part((1 - settings.split) / float(settings.full_rounds(T, Q)))
    variance, of_tables, share = cost.variance_at(cost.scale), 0.0, np.zeros(Q.parts)
    for term, parts, rounds in zip(Q.terms, Q.term_parts, shares.tolist(), strict=True):
        of_tables += rounds * term.workload.tabular
        if (Q.query_counts[parts] == 1).all() and not term.workload.tabular:
            share[parts] = min(1.0, rounds / term.workload.parts)
    sizes: list[float] = np.sort(Q.query_counts[Q.whole]).astype(float).tolist()
    most = {sizes[min(max(1, int(of_tables)) * 2**i, len(sizes)) - 1] for i in range(20)} if sizes else {0.0}
    ones = known_of_ones(subsets, 1 / variance if first else 0.0)
    known = [known_by_rounds(subsets, q, variance, of_tables, ones) for q in most]

    def mean_error(errors: np.ndarray) -> float:
        squares = subsets.part_errors(errors)
        measured = squares * variance / (squares + variance)
        return subsets.mean_error((share * np.sqrt(measured) + (1 - share) * np.sqrt(squares)) ** 2, n)

    return [min(mean_error(posterior(prior)) for posterior in known) for prior, _ in tables]


def known_of_ones(subsets: Subsets, precision: np.ndarray | float) -> np.ndarray:
    """The precision of residuals of one attribute, and 0 for all others: (subsets,)."""
    return np.where(subsets.order == 1, precision, 0.0)


def known_by_rounds(
    subsets: Subsets,
    most: float,
    variance: float,
    rounds: float,
    ones: np.ndarray,
    seen: Callable[[np.ndarray, np.ndarray], float] = lambda offered, before: 1.0,  # noqa: ARG005
) -> Callable[[np.ndarray], np.ndarray]:
    """The expected squared error of a coordinate of each residual, if so many rounds select, from its prior variance.

    (subsets,) -> (subsets,). The rounds select among the parts of at most `most` queries. Each is selected equally
    often at first sight. A part of q queries, with noise of `variance` in each, knows a residual of c' cells that it
    reads with q/c' times the variance. Residuals of one attribute are known beforehand with the precisions `ones`. The
    rounds measure a share t of them again, or all of them several times.
    Of residuals of more attributes, rounds measure a share t too. They select the largest, as far as these are
    `shown_by_parts` and `seen`, which is a number for the offered parts and the variances. So what is measured holds
    more than a share t of the total variation. Total variation adds up the roots of the errors, of what is measured and
    of the rest. Of a mixed workload only the whole marginals count here.
    """
    offered = (subsets.Q.query_counts <= most).astype(float)
    if subsets.Q.terms:
        offered *= subsets.Q.whole
    parts = subsets.summed(offered)  # offered that read r_A
    times = parts * rounds / max(1.0, offered.sum())
    inverse = subsets.summed(offered / subsets.Q.query_counts)
    precision = np.maximum(1, times) * subsets.cells * inverse / np.maximum(1, parts) / variance
    t = np.clip(times, 1e-12, 1.0)
    gained = shown_by_parts(subsets, offered) * (held_by_largest(t) - t)

    def posterior(before: np.ndarray) -> np.ndarray:
        held = t + seen(offered, before) * gained
        largest = 1 / ((t / held) ** 2 / before + precision)
        selected = t * np.sqrt(largest) + (1 - held) * np.sqrt(before)
        one_way = t / np.sqrt(1 / before + ones + precision) + (1 - t) / np.sqrt(1 / before + ones)
        return np.where(subsets.order == 1, one_way, selected) ** 2

    return posterior


def shown_by_parts(subsets: Subsets, offered: np.ndarray) -> np.ndarray:
    """How far the errors of the offered parts tell which residuals are largest: (subsets,), at most 1.

    A part's error is the sum over the m residuals of an order that it reads. If they are alike and independent, it
    correlates with each of them by 1/√m: with pairs less in triples than in pairs. Of what the largest pairs hold
    beyond their share, one, two and four triples of eight attributes, simulated, find .65, .69 and .77; 1/√3 is .58.
    """
    read, orders = subsets.readings, int(subsets.order.max()) + 1
    alike = read.parts * orders + subsets.order[read.subsets]
    shown = offered[read.parts] / np.sqrt(np.bincount(alike))[alike]
    return np.bincount(read.subsets, shown, minlength=len(subsets.cells)) / np.maximum(1, subsets.summed(offered))


def held_by_largest(share: np.ndarray) -> np.ndarray:
    """What share of the sum of roots the largest `share` of log-normal squares hold: Φ(σ/2 - Φ⁻¹(1 - share)).

    σ is the standard deviation of the squares' logarithm, as strengths have it.
    """
    normal, (values, place) = NormalDist(), np.unique(share, return_inverse=True)
    held = [normal.cdf(constants.UNCERTAINTY / 2 + normal.inv_cdf(t)) if t < 1 else 1.0 for t in values.tolist()]
    return np.array(held)[place]


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
