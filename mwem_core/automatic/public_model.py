"""A_0 fitted to a public table: the base measure that a run starts from, and what its prior pulls towards.

The public table has no noise but was drawn itself: in a table of n records, a coordinate of a residual over c cells
varies by n/c around its expectation. So it is fitted as if it had been measured with Gaussian noise of this variance,
order by order, each towards the order below by the strength that its residuals make most probable
(`prior.strength`). Cells that it happens to lack keep some weight.

How far the private table may be from A_0, nobody knows: it may be of another year. No number is asked for this. A run's
prior λ KL(A || A_0) has the most probable λ given by how much the noisy measurements differ from A_0's. So where noise
is small, a start that is wrong is left.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np

from mwem_core.algorithm import Round
from mwem_core.domain import Attrs, PublicTable, Table
from mwem_core.model import LogLinear, Measurement, Prior, centre
from mwem_core.mwem import Start
from mwem_core.prior import MAX_FITTED_CELLS, MAX_FUNCTIONS, fitted_by_order, table_strength, tree_for
from mwem_core.privacy import Accountant, Budget
from mwem_core.workload import Subsets, Workload, closure, tables_of

SWEEPS: dict[str, Any] = {"step": 3.0, "sweeps": 100, "tolerance": 0.003, "in_order": False}


def started_from(public: PublicTable, Q: Workload, n: float, cell_budget: int) -> LogLinear:
    """A_0 of n records: the public table's distribution, in at most half of the cells that the model may hold."""
    fitted = fitted_to(public, Q, min(MAX_FITTED_CELLS, cell_budget) // 2)
    return LogLinear(fitted.sizes, n, fitted.components)


@lru_cache(maxsize=4)
def fitted_to(public: PublicTable, Q: Workload, cells: int) -> LogLinear:
    """The most probable distribution that the public table was drawn from, in its own number of records.

    It knows the workload's tables; where one table of all attributes would be too large, those that the public table
    has farthest from independence, in a tree of at most so many cells. Reads public facts alone.
    """
    P, n = public.records, float(public.records.total)
    subsets = _subsets(Q)
    residuals = map(centre, P.marginals(subsets.sets))
    measured = [_drawn(A, r, n, centred=True) for A, r in zip(subsets.sets, residuals, strict=True)]
    A = LogLinear.uniform(Q.domain.shape, n, Q.domain.possible)
    by_sweeps = max(max(m.value.shape) for m in measured) > MAX_FUNCTIONS
    fitted, above = partial(fitted_by_order, variance=1.0, sweeping=SWEEPS, by_sweeps=by_sweeps), 0
    if Q.domain.cells(subsets.Q.reads) > MAX_FITTED_CELLS:
        sets = subsets.Q.sets
        tables = [_drawn(S, table, n) for S, table in zip(sets, P.marginals(sets), strict=True)]
        ones = next(fitted(A, [m for m in measured if len(m.attrs) == 1]))
        A, measured = tree_for(ones, measured, tables, cells=cells)
        above = 1
    return [A, *fitted(A, measured, above=above)][-1]


def _subsets(Q: Workload) -> Subsets:
    """The subsets of the workload's tables; single attributes, where the tables have too many cells to be visited."""
    try:
        return Subsets.of(tables_of(Q))
    except ValueError:
        return Subsets.of(closure(Q, max_order=1))


def _drawn(S: Attrs, value: np.ndarray, n: float, *, centred: bool = False) -> Measurement:
    """A table of n records, or its residual, as a measurement with the variance that its drawing left."""
    return Measurement(S, value, math.sqrt(n / value.size), centred=centred)


@dataclass(frozen=True)
class PublicStart(Start):
    """A_0 is fitted to a public table, and a prior of a fit pulls towards it."""

    table: PublicTable

    def check(self, workload: Workload, cell_budget: int) -> None:  # noqa: ARG002
        """Raises ValueError for a public table under another schema."""
        if self.table.records.domain != workload.domain:
            raise ValueError(
                f"the public table {self.table.name} is under another schema than the private one: read it anew"
            )

    def begin(self, B: Table, Q: Workload, account: Accountant, cell_budget: int) -> Round[LogLinear]:
        """Round 0, which costs nothing."""
        A = started_from(self.table, Q, float(B.total), cell_budget)
        return Round(0, account.ledger, A, A)

    def prior(self, A_0: LogLinear, measurements: Sequence[Measurement], budget: Budget) -> Prior | None:
        """The prior of a run that measures whole tables: towards A_0, of the most probable strength."""
        if not all(m.whole for m in measurements):
            return None
        variance = budget.variance_at(1.0)
        return Prior(table_strength(A_0, measurements, variance), variance, A_0.theta)
