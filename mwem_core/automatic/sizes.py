"""How large a plan's model would be, by public numbers alone: what fits it, in how many rounds, and what is refused."""

import math

from mwem_core.automatic.plans import PlanName
from mwem_core.base import constants
from mwem_core.model import JunctionTree
from mwem_core.prior import MAX_FITTED_CELLS
from mwem_core.privacy import Budget
from mwem_core.weighted import MAX_ROWS, MIN_ROWS
from mwem_core.workload import Workload, tables_of

MAX_COUNTED_CELLS = 2**22  # that noise is drawn for: a fifth of a second, and 50 s by the exact sampler of a release
MAX_COUNT_WORK = 2 * 10**7  # weighted rows times marginals that are fitted: a few seconds
MAX_PREDICATE_WORK = 2 * 10**6  # as many for predicates: two seconds, as their selection takes


def fitted_cells(Q: Workload) -> float:
    """The cells of a model that a plan fits: of the attributes that the workload reads, the others stay uniform.

    All marginals, or parities, of some order link every attribute with every other, so that they need all cells of D.
    Predicates may link few, and need a junction tree's cells.
    """
    if Q.has_residuals:
        return Q.domain.size
    linked = Q.domain.possible  # by rules
    tree = JunctionTree.over(
        [*tables_of(Q).sets, *linked], Q.domain.shape, sorted({*Q.reads, *(a for S in linked for a in S)})
    )
    return sum(Q.domain.cells(clique) for clique in tree.cliques)


def are_rows(plan: PlanName, Q: Workload, budget: Budget, n: float) -> bool:
    """Whether noisy cells are not fitted near a prior, but taken as the rows of the model.

    So it is where D is too large to be fitted, and where the noise of a mean answer has a variance below
    `COUNTED_VARIANCE`: whole numbers are then nearly all exact, and a prior would pull them away.
    """
    cells = Q.domain.cells(Q.reads)
    if plan != "cells" or cells > MAX_FITTED_CELLS:
        return plan == "cells"
    variance = budget.variance_at(budget.scale_of_counts) * cells / tables_of(Q).part_cells.mean()
    return bool(variance < constants.COUNTED_VARIANCE) and can_be_counted(Q, budget, n)


def can_be_counted(Q: Workload, budget: Budget, n: float) -> bool:
    """Whether noise on every cell, and rows for the cells that then have records, take seconds at most.

    Noise makes a record in r / (1 + r) of the empty cells, with r = e^-ε. All attributes must be read: a row has one
    value of each, and attributes that are not read are to stay uniform.
    """
    cells, r = Q.domain.cells(Q.reads), math.exp(-budget.amount)
    if cells > MAX_COUNTED_CELLS or budget.unit != "ε" or len(Q.reads) < len(Q.domain):
        return False
    rows = min(n, cells) + cells * r / (1 + r)
    return rows * tables_of(Q).parts <= MAX_COUNT_WORK


def goes_beyond(plan: PlanName, Q: Workload) -> bool:
    """Whether weighted records fit what the plan measures, as its model would be too large."""
    return plan not in ("one-way", "cells") and fitted_cells(Q) > MAX_FITTED_CELLS


def rows_to_fit(Q: Workload) -> int:
    """The number of weighted rows that fit what a plan measures, or none where there are too many marginals."""
    parts = tables_of(Q).parts
    most, work = (MAX_ROWS, MAX_COUNT_WORK) if Q.has_residuals else (constants.PREDICATE_ROWS, MAX_PREDICATE_WORK)
    rows = min(most, work // parts)
    return rows if rows >= MIN_ROWS else 0


def rounds_of_plan(plan: PlanName, Q: Workload, budget: Budget, n: float) -> int:
    """One for each order of residuals measured; where D is too large for a table, see `rounds_beyond`."""
    if plan == "one-way" or are_rows(plan, Q, budget, n):
        return 1
    return rounds_beyond(Q) if goes_beyond(plan, Q) else _orders(Q)


def rounds_beyond(Q: Workload) -> int:
    """One for each attribute read, one for each higher order of residuals, and one for weighted records."""
    return len(Q.reads) + _orders(Q)


def _orders(Q: Workload) -> int:
    return max(block.sets.shape[1] for block in Q.blocks)


def check_plan(plan: PlanName, Q: Workload, budget: Budget) -> None:
    """Refuse, by a ValueError, a workload or a domain that the plan cannot serve with this budget."""
    if Q.family == "ranges":
        raise ValueError(f"plan {plan!r} measures marginals, parities or predicates, not ranges: choose MWEM")
    cells = Q.domain.cells(Q.reads)
    if plan == "cells" and cells > MAX_FITTED_CELLS and not can_be_counted(Q, budget, 0.0):
        raise ValueError(
            f"plan {plan!r} measures one table of {cells:,} cells, of all attributes in the workload, too many to fit "
            "at this ε: leave attributes out, or choose MWEM"
        )
    if goes_beyond(plan, Q) and not rows_to_fit(Q):
        tables = tables_of(Q).parts
        raise ValueError(f"plan {plan!r} fits too many marginals, {tables:,}: lower k, or choose MWEM")
