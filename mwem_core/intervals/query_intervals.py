"""Intervals for the queries of one workload: cells of whole marginals, parities, predicates, and selected ranges."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from mwem_core.algorithm import AnswerSource, Round, Spender
from mwem_core.automatic import Apart, Counts
from mwem_core.domain import Attrs
from mwem_core.intervals.pooled_estimates import ALPHA, Estimates, Intervals, deviations, of_counts
from mwem_core.model import align
from mwem_core.workload import Workload


def of_tables(Q: Workload, unit: str, known: Estimates) -> Intervals:
    """A table of known residuals is measured. The tables within any other one bound each of its cells."""
    low, high, measured = np.empty(Q.size), np.empty(Q.size), np.zeros(Q.size, bool)
    for part, S in enumerate(Q.sets):
        cells = slice(Q.offsets[part], Q.offsets[part + 1])
        if known.knows(S):
            value, variance = known.table(S)
            low[cells], high[cells] = of_counts(value.ravel(), variance**0.5, unit)
            measured[cells] = True
        else:
            low[cells], high[cells] = cell_bounds(S, known, unit)
    return Intervals(low, high, measured)


def cell_bounds(S: Attrs, known: Estimates, unit: str) -> tuple[np.ndarray, np.ndarray]:
    """What the known tables within S say of its cells, each of which is missed with 5%: (cells of S,) each.

    A cell has at most as many records as any cell of a smaller table that it is in. Where two tables R and T have all
    attributes of S, it has at least R's and T's, less that of what they share (Fréchet).
    """
    largest = known.largest_within(S)
    shared = {tuple(sorted(set(R) & set(T))) for R, T in combinations(largest, 2)}
    tables = {R: known.table(R) for R in {*largest, *shared, ()}}
    z = deviations(ALPHA / max(sum(variance > 0 for _, variance in tables.values()), 1), unit)
    low = {R: np.maximum(value - z * variance**0.5, 0.0) for R, (value, variance) in tables.items()}
    high = {R: np.maximum(value, 0.0) + z * variance**0.5 for R, (value, variance) in tables.items()}
    least, most = np.zeros(known.domain.sizes(S)), np.full(known.domain.sizes(S), np.inf)
    for R, table in high.items():
        most = np.minimum(most, align(table, R, S))
    for R, T in combinations(tables, 2):
        both = tuple(sorted(set(R) & set(T)))
        if {*R, *T} == set(S) and both in tables:
            least = np.maximum(least, align(low[R], R, S) + align(low[T], T, S) - align(high[both], both, S))
    return least.ravel(), most.ravel()


def of_queries(
    Q: Workload,
    settings: Spender,
    rounds: Sequence[Round[AnswerSource]],
    known: Estimates,
    errors: np.ndarray,
    looked_up: Sequence[int],
) -> Intervals:
    """A query is measured by itself or by known residuals. What was selected, and known tables, bound any other.

    `errors`, (|Q|,), are what the selection says: how far each answer is from the truth, at most. Those `looked_up` may
    be known.
    """
    unit = rounds[-1].ledger.budget.unit
    if Q.tabular:
        return of_tables(Q, unit, known)
    answers = rounds[-1].model.answers(Q)
    n, n_variance = known.total
    most = n + deviations(ALPHA / 2, unit) * n_variance**0.5
    least = -most if Q.family == "parities" else 0.0
    low, high = np.clip(answers - errors, least, most), np.clip(answers + errors, least, most)
    by_itself = Q.family == "predicates" and isinstance(settings, Counts | Apart)
    measured, of_total = np.zeros(Q.size, bool), n_variance / 4 if by_itself else 0.0
    for j in looked_up:
        S, q, _ = Q.query(j)
        if found := known.answer(S, q):
            value, deviation = np.array(found[0]), (found[1] + of_total) ** 0.5
            half = deviations(ALPHA, unit) * deviation
            parity = Q.family == "parities"  # which may be negative
            low[j], high[j] = (value - half, value + half) if parity else of_counts(value, deviation, unit)
            measured[j] = True
        elif Q.family == "predicates" and not np.isfinite(errors[j]):
            low[j], high[j] = by_tables_within(S, q, known, unit)
    return Intervals(low, high, measured)


def to_look_up(Q: Workload, rounds: Sequence[Round[AnswerSource]], known: Estimates) -> Sequence[int]:
    """Queries that may be known: any predicate, a parity whose residual is, a range that was chosen."""
    if Q.family == "predicates":
        return range(Q.size)
    if Q.family == "parities":
        return [j for j, S in enumerate(Q.sets) if S in known.residuals]
    return sorted({entry.chosen for entry in rounds if entry.chosen is not None})


def by_tables_within(S: tuple[int, ...], q: np.ndarray, known: Estimates, unit: str) -> tuple[float, float]:
    """A count is at least that of the smaller cells that satisfy it whatever else, and at most that of those that may.

    Of each known table within S there are two such counts.
    """
    within, low, high = known.largest_within(S), 0.0, np.inf
    z = deviations(ALPHA / len(within), unit)  # of each two ends, which miss with half of that
    for R in within:
        others = tuple(i for i, a in enumerate(S) if a not in R)
        surely, maybe = (known.answer(R, part) for part in (q.min(axis=others), q.max(axis=others)))
        assert surely is not None
        assert maybe is not None
        low, high = max(low, surely[0] - z * surely[1] ** 0.5), min(high, max(maybe[0], 0.0) + z * maybe[1] ** 0.5)
    return low, max(low, high)
