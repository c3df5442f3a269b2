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


def of_tables(Q: Workload, rounds: Sequence[Round[AnswerSource]], known: Estimates, errors: np.ndarray) -> Intervals:
    """A table of known residuals is measured. Of any other, the tables within it and the selection bound each cell.

    `errors`, (parts,), are what the selection says: how far each table's answers are from the truth in L1, at most.
    """
    unit, model = rounds[-1].ledger.budget.unit, rounds[-1].model
    answers = model.answers(Q)
    low, high, measured = np.empty(Q.size), np.empty(Q.size), np.zeros(Q.size, bool)
    for part, S in enumerate(Q.sets):
        cells = slice(Q.offsets[part], Q.offsets[part + 1])
        if known.knows(S):
            value, variance = known.table(S)
            low[cells], high[cells] = of_counts(value.ravel(), variance**0.5, unit)
            measured[cells] = True
            continue
        chosen = np.isfinite(errors[part])
        within = MarginalBounds.of(S, known, ALPHA / 2 if chosen else ALPHA, unit)
        low[cells], high[cells] = within.least().ravel(), within.most().ravel()
        if chosen:
            half = (errors[part] + within.gap(model.total)) / 2
            low[cells] = np.maximum(low[cells], answers[cells] - half)
            high[cells] = np.minimum(high[cells], answers[cells] + half)
    return Intervals(low, high, measured)


class MarginalBounds:
    """What the tables within S say of its cells: simultaneous intervals for theirs, which are counts of more records.

    `low` and `high` are tables over sets of attributes, all of which hold for one cell of S but for a chance of `beta`.
    """

    def __init__(self, S: Attrs, shape: tuple[int, ...], low: dict[Attrs, np.ndarray], high: dict[Attrs, np.ndarray]):
        self.S, self.shape, self.low, self.high = S, shape, low, high

    @classmethod
    def of(cls, S: Attrs, known: Estimates, beta: float, unit: str) -> "MarginalBounds":
        """The largest known tables within S, those that two of them share, and the total."""
        largest = known.largest_within(S)
        shared = {tuple(sorted(set(R) & set(T))) for R, T in combinations(largest, 2)}
        sets = {*largest, *shared, ()}
        tables = {R: known.table(R) for R in sets}
        noisy = sum(variance > 0 for _, variance in tables.values())
        halves = {R: deviations(beta / noisy, unit) * v**0.5 if v else 0.0 for R, (_, v) in tables.items()}
        return cls(
            S,
            known.domain.sizes(S),
            {R: np.maximum(tables[R][0] - half, 0.0) for R, half in halves.items()},
            {R: np.maximum(tables[R][0], 0.0) + half for R, half in halves.items()},
        )

    def most(self) -> np.ndarray:
        """A cell has at most as many records as any cell of a smaller table that it is in."""
        most = np.full(self.shape, np.inf)
        for R, table in self.high.items():
            most = np.minimum(most, align(table, R, self.S))
        return most

    def least(self) -> np.ndarray:
        """Where R and T have all attributes of S: at least R's cell and T's, less that of what they share."""
        least = np.zeros(self.shape)
        for R, T in combinations(self.low, 2):
            shared = tuple(sorted(set(R) & set(T)))
            if len(R) + len(T) - len(shared) == len(self.S) and shared in self.high:
                both = align(self.low[R], R, self.S) + align(self.low[T], T, self.S)
                least = np.maximum(least, both - align(self.high[shared], shared, self.S))
        return least

    def gap(self, total: float) -> float:
        """How far n may be from this total. A cell errs by at most half of what its table does in L1 and this."""
        return float(max(self.high[()] - total, total - self.low[()], 0.0))


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
