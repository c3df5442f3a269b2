"""Intervals for single queries: parities, predicates, and ranges that were selected one by one."""

from collections.abc import Sequence

import numpy as np

from mwem_core.algorithm import Answering, Round, Spender
from mwem_core.automatic import Apart, Counts
from mwem_core.intervals.ends import ALPHA, Ends, of_counts
from mwem_core.intervals.known import Known
from mwem_core.intervals.quantiles import deviations
from mwem_core.workload import Workload


def of_queries(
    Q: Workload,
    settings: Spender,
    rounds: Sequence[Round[Answering]],
    known: Known,
    errors: np.ndarray,
    looked_up: Sequence[int],
) -> Ends:
    """A query is measured by itself or by known residuals. What was selected, and known tables, bound any other.

    `errors`, (|Q|,), are what the selection says: how far each answer is from the truth, at most. Those `looked_up` may
    be known.
    """
    unit, answers = rounds[-1].ledger.budget.unit, rounds[-1].model.answers(Q)
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
            low[j], high[j] = (of_parity if Q.family == "parities" else of_counts)(value, deviation, unit)
            measured[j] = True
        elif Q.family == "predicates" and not np.isfinite(errors[j]):
            low[j], high[j] = by_tables_within(S, q, known, unit)
    return Ends(low, high, measured)


def to_look_up(Q: Workload, rounds: Sequence[Round[Answering]], known: Known) -> Sequence[int]:
    """Queries that may be known: any predicate, a parity whose residual is, a range that was chosen."""
    if Q.family == "predicates":
        return range(Q.size)
    if Q.family == "parities":
        return [j for j, S in enumerate(Q.sets) if S in known.residuals]
    return sorted({entry.chosen for entry in rounds if entry.chosen is not None})


def by_tables_within(S: tuple[int, ...], q: np.ndarray, known: Known, unit: str) -> tuple[float, float]:
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


def of_parity(value: np.ndarray, deviation: float, unit: str) -> tuple[np.ndarray, np.ndarray]:
    """A parity may be negative."""
    return value - deviations(ALPHA, unit) * deviation, value + deviations(ALPHA, unit) * deviation
