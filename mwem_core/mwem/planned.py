"""A run whose plan measures everything at once: the rounds fit what was measured, order by order."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from mwem_core.algorithm import Round
from mwem_core.data.table import Table
from mwem_core.model.loglinear import LogLinear
from mwem_core.model.measurement import Measurement
from mwem_core.mwem.plans import PlanName, Subsets, make_plan
from mwem_core.mwem.prior import fit_by_order
from mwem_core.privacy.noise import NoiseSource
from mwem_core.workload.workload import Workload

MAX_FITTED_CELLS = 2**17  # of D, if residuals of two and more attributes are fitted: the model is one table then


def planned(
    plan: PlanName, B: Table, Q: Workload, noise: NoiseSource, start: Round[LogLinear], sweeping: dict[str, Any]
) -> Iterator[Round[LogLinear]]:
    """Measure by the plan, for what round 0 left of the budget. Round i fits all residuals of up to i attributes.

    Everything is measured, and all of the budget spent, before round 1.
    """
    budget = start.ledger.budget
    remaining = budget.part(1 - start.ledger.spent / budget.amount)
    measured = make_plan(plan, Subsets.of(Q), remaining).measure(B, noise)
    ledger = start.ledger.spend(measure=remaining.amount)
    models = fit_by_order(start.model, measured, budget.variance_at(1), **sweeping)
    before = start.model
    for order, A in enumerate(models, start=1):
        planned = tuple(m for m in measured if len(m.attrs) == order)
        label = "one attribute at a time" if order == 1 else f"{order} attributes at a time"
        residual, moved = _distances(before, A, planned)
        yield Round(start.index + order, ledger, A, A, label=label, residual=residual, moved=moved, planned=planned)
        before = A


def _distances(before: LogLinear, A: LogLinear, planned: tuple[Measurement, ...]) -> tuple[float, float]:
    """`residual` and `moved` of a round, summed over its measurements."""
    sets, residual, moved = [m.attrs for m in planned], 0.0, 0.0
    for m, then, now in zip(planned, before.marginals(sets), A.marginals(sets), strict=True):
        residual += float(np.abs(m.residual(then)).sum())
        moved += float(np.abs(m.answer(now) - m.answer(then)).sum())
    return residual, moved


def planned_orders(plan: PlanName, Q: Workload) -> int:
    """The number of rounds: the most attributes of a residual that the plan measures."""
    return 1 if plan == "one-way" else max(block.sets.shape[1] for block in Q.blocks)


def check_plan(plan: PlanName, Q: Workload) -> None:
    """Refuse, by a ValueError, a workload or a domain that the plan cannot serve."""
    if not Q.tabular:
        raise ValueError(f"plan {plan!r} measures marginals, not {Q.family}: choose plan 'select'")
    if plan != "one-way" and Q.domain.size > MAX_FITTED_CELLS:
        raise ValueError(
            f"plan {plan!r} fits one table over the whole domain of {Q.domain.size:,} cells, and it may have "
            f"{MAX_FITTED_CELLS:,}: leave attributes out, or choose plan 'select'"
        )
