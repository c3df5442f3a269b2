"""The baseline of a run that reads no data: the expected error of measuring every query at once."""

import math

from mwem_app.session import Plan
from mwem_core.relatives import direct_error


def direct(plan: Plan) -> tuple[float, float]:
    """Expected mean and max |error|, in shares of n, of measuring all queries of the plan with its whole budget."""
    Q, budget = plan.workload, plan.guarantee.budget
    return direct_error(n=plan.records.total, queries=Q.size, sensitivity=Q.sensitivity, budget=budget)


def direct_squared(plan: Plan) -> float:
    """Expected squared error of the same, in records²: 2m² for Laplace noise of mean size m, m²π/2 for Gaussian."""
    mean = direct(plan)[0] * plan.records.total
    return mean**2 * (2 if plan.guarantee.budget.unit == "ε" else math.pi / 2)
