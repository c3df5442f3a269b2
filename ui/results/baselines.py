"""The baseline of a run that reads no data: the expected error of measuring every query at once."""

from mwem_core.relatives.direct import direct_error
from ui.session.runner import Plan


def direct(plan: Plan) -> tuple[float, float]:
    """Expected mean and max |error|, in shares of n, of measuring all queries of the plan with its whole budget."""
    Q, budget = plan.workload, plan.settings.guarantee.budget
    return direct_error(n=plan.records.total, queries=Q.size, sensitivity=Q.sensitivity, budget=budget)
