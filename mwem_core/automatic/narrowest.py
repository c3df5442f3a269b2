"""Every table of a workload measured once, by the plan whose intervals are narrowest: for those who release tables."""

import math
from fractions import Fraction

import numpy as np

from mwem_core.automatic.choice import fitting_plans, tolerance_of
from mwem_core.automatic.planned.planned import Planned
from mwem_core.automatic.planned.plans import Plan, PlanName, make_plan
from mwem_core.automatic.planned.public_model import PublicStart
from mwem_core.domain import PublicTable
from mwem_core.mwem import UniformStart
from mwem_core.privacy import Guarantee
from mwem_core.workload import Subsets, Workload, require_tables, subsets_of

TOTAL_SHARE = 0.02  # of the budget, for a noisy n: only the rows need it, as measured tables say how many records are


def narrowest(
    workload: Workload,
    *,
    n: float,
    epsilon: float,
    delta: float = 0.0,
    noisy_n: bool = False,
    public: PublicTable | None = None,
) -> Planned:
    """The plan that measures all marginals of the workload and has the least median width of their intervals.

    An interval is as wide as the standard deviation of what was measured makes it (`intervals`), which is public: it
    reads neither the data nor n. So what a release measures does not depend on its noisy n, except that all cells of a
    large domain are counted only if they are few enough.
    Raises ValueError for a workload that is not of marginals or cuboids, and where no plan can measure all of them.
    """
    require_tables(workload, "the plan with the narrowest intervals")
    budget, subsets = Guarantee(epsilon, delta).budget, subsets_of(workload)
    names: list[PlanName] = [name for name in fitting_plans(workload, budget, n) if name != "one-way"]
    if not names:
        raise ValueError("no plan can fit so many marginals: lower k, or leave attributes out")
    of_n = budget.part(Fraction(TOTAL_SHARE) / (1 - Fraction(TOTAL_SHARE)))
    total = 1 / budget.variance_at(of_n.scale) if noisy_n else math.inf
    name = min(names, key=lambda name: median_deviation(make_plan(name, subsets, budget), subsets, total))
    tolerance = tolerance_of(name, workload)
    start = UniformStart() if public is None else PublicStart(public)
    return Planned(epsilon=epsilon, delta=delta, plan=name, tolerance=tolerance, start=start)


def median_deviation(plan: Plan, subsets: Subsets, total_precision: float) -> float:
    """The median, over the workload's answers, of the standard deviation of what the plan knows of each, in records.

    The variance of a cell of S is Σ rank e cells(A)/cells(S)² over the subsets A of S, with e that of a coordinate of
    r_A, and the variance of the number of records over cells(S)². `total_precision` is 1 / variance of what is known of
    that number beside the plan: inf where it is public.
    """
    cells, total_variance = subsets.Q.query_counts.astype(float), 1 / (total_precision + plan.total_precision)
    deviations = np.sqrt(subsets.part_errors(1 / plan.precisions) / cells + total_variance / cells**2)
    order = np.argsort(deviations, kind="stable")
    half = np.searchsorted(np.cumsum(cells[order]), math.fsum(cells) / 2)
    return float(deviations[order][half])
