"""Intervals for the cells of whole marginals."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from mwem_core.algorithm import Answering, Round
from mwem_core.domain import Attrs
from mwem_core.intervals.ends import ALPHA, Ends, of_counts
from mwem_core.intervals.known import Known
from mwem_core.intervals.quantiles import deviations
from mwem_core.model import align
from mwem_core.workload import Workload


def of_tables(Q: Workload, rounds: Sequence[Round[Answering]], known: Known, errors: np.ndarray) -> Ends:
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
        within = Within.of(S, known, ALPHA / 2 if chosen else ALPHA, unit)
        low[cells], high[cells] = within.least().ravel(), within.most().ravel()
        if chosen:
            half = (errors[part] + within.gap(model.total)) / 2
            low[cells] = np.maximum(low[cells], answers[cells] - half)
            high[cells] = np.minimum(high[cells], answers[cells] + half)
    return Ends(low, high, measured)


class Within:
    """What the tables within S say of its cells: simultaneous intervals for theirs, which are counts of more records.

    `low` and `high` are tables over sets of attributes, all of which hold for one cell of S but for a chance of `beta`.
    """

    def __init__(self, S: Attrs, shape: tuple[int, ...], low: dict[Attrs, np.ndarray], high: dict[Attrs, np.ndarray]):
        self.S, self.shape, self.low, self.high = S, shape, low, high

    @classmethod
    def of(cls, S: Attrs, known: Known, beta: float, unit: str) -> "Within":
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
