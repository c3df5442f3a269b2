"""Which settings are expected to err least: plans, or rounds that select."""

from collections.abc import Callable, Sequence

from mwem_core.automatic.composed.apart import Apart, First, can_measure_apart, with_epsilon
from mwem_core.automatic.expected import MIN_SHARE, best_share, expected_tv, idle_tv, relative_to_alone
from mwem_core.automatic.expected_lower import may_plan_lower, may_select_lower
from mwem_core.automatic.expected_stages import MAX_SUBSETS, best_stages
from mwem_core.automatic.planned.counts import Counts, rows_to_tilt
from mwem_core.automatic.planned.nothing import Nothing
from mwem_core.automatic.planned.planned import Planned
from mwem_core.automatic.planned.plans import PlanName
from mwem_core.automatic.planned.sizes import can_be_counted, goes_beyond, rows_to_fit
from mwem_core.base import constants
from mwem_core.mwem import MWEM, Queries
from mwem_core.prior import MAX_FITTED_CELLS
from mwem_core.privacy import MIN_EPSILON, Budget, Guarantee
from mwem_core.workload import MAX_SUBSET_CELLS, Subsets, Workload, subset_cells, subsets_of, tables_of

MAX_PREDICATES = 2000  # whose covariances are computed: 32 MB
MAX_PREDICATE_CELLS = 10**7  # of the tables over all subsets of all predicates' attributes: 80 MB

Choice = First | Counts | Nothing  # what measures a workload as a whole


def best_plan(selecting: Sequence[MWEM], Q: Workload, n: float) -> Choice:
    """The settings of the least expected error: of those given, which select, and of plans at the same ε and δ.

    Where one-way marginals are best, alone or before rounds, `expected_stages` divides the budget between both.
    Nothing is measured, and nothing spent, where that would lower the error by less than `constants.WORTH`.

    A workload whose subsets have too many cells to be visited selects. No budget is spent to learn what a table's pairs
    tell.
    """
    if not can_be_visited(Q):
        return selecting[-1]
    budgets = dict.fromkeys(settings.guarantee.budget for settings in selecting)
    subsets = relative_to_alone(Q, n, *budgets) if Q.terms else subsets_of(Q)
    best = _best_measured(selecting, subsets, n)
    worth = expected_tv(best, subsets, n) <= (1 - constants.WORTH) * idle_tv(best, subsets, n)
    return best if worth else Nothing(epsilon=selecting[-1].epsilon, delta=selecting[-1].delta)


def with_parts_apart(
    plain: Choice, on_first: Callable[..., Choice | Apart], Q: Workload, n: float, deltas: Sequence[float]
) -> Choice | Apart:
    """The plain settings for a mixed workload, or settings that measure its ranges and predicates by themselves.

    The least expected error decides. `on_first` chooses settings for the first part at an `epsilon` and a `delta`.
    """
    epsilon = plain.guarantee.epsilon
    if not (can_measure_apart(Q) and can_be_visited(Q)) or epsilon < MIN_EPSILON / MIN_SHARE:
        return plain
    budgets = dict.fromkeys(Guarantee(epsilon, delta).budget for delta in deltas)
    subsets, tried = relative_to_alone(Q, n, *budgets), list[Choice | Apart]([plain])
    for delta in deltas:
        alone = on_first(epsilon=epsilon, delta=delta)
        if not isinstance(alone, First):
            continue
        shared = Apart(share=best_share(alone, subsets, n), first=alone)
        first = on_first(epsilon=shared.first_alone.guarantee.epsilon, delta=delta)
        if isinstance(first, First):
            tried.append(Apart(share=shared.share, first=with_epsilon(first, epsilon)))

    def expected(settings: Choice | Apart) -> float:
        return (1 - constants.WORTH if isinstance(settings, Nothing) else 1) * expected_tv(settings, subsets, n)

    return min(tried, key=expected)


def _best_measured(selecting: Sequence[MWEM], subsets: Subsets, n: float) -> Choice:
    """The settings of the least expected error among those that measure: rounds, plans, stages, predicates."""
    Q = subsets.Q
    planned = [
        with_plan(settings, Q, plan)
        for settings in selecting
        for plan in fitting_plans(settings.measured(Q), settings.guarantee.budget, n)
        if not _is_lower(settings) or may_plan_lower(settings, plan)
    ]
    rounds = [settings for settings in selecting if not _is_lower(settings) or may_select_lower(settings, Q)]
    by_query = Q.family == "predicates" and rows_to_tilt(Q)
    counted = [Counts(epsilon=settings.epsilon, delta=settings.delta) for settings in selecting] if by_query else []
    best = min([*rounds, *planned, *counted], key=lambda settings: expected_tv(settings, subsets, n))
    one_way = isinstance(best, Planned) and best.plan == "one-way"
    after_ones = one_way or (isinstance(best, MWEM) and best.candidates.one_way_first)
    if Q.tabular and after_ones and len(subsets.sets) <= MAX_SUBSETS:
        staged, expected = best_stages(selecting, subsets, n)
        return staged if expected < expected_tv(best, subsets, n) else best
    return best


def with_plan(settings: MWEM, Q: Workload, plan: PlanName) -> Planned:
    """This plan at the ε and δ of these settings, for the marginals that they select, with the fit that it takes."""
    within, tolerance = "lower" if _is_lower(settings) else "workload", tolerance_of(plan, settings.measured(Q))
    return Planned(epsilon=settings.epsilon, delta=settings.delta, plan=plan, within=within, tolerance=tolerance)


def tolerance_of(plan: PlanName, measured: Workload) -> float:
    """How close the plan's fit is: less so beyond one table, but for mixed workloads."""
    return (
        constants.TREE_TOLERANCE if goes_beyond(plan, measured) and not measured.terms else constants.PLANNED_TOLERANCE
    )


def _is_lower(settings: MWEM) -> bool:
    """Whether marginals of one attribute fewer than the workload's are measured."""
    return not isinstance(settings.candidates, Queries) and settings.candidates.within == "lower"


def can_be_visited(Q: Workload) -> bool:
    """Whether what the workload reads of every residual can be visited, and remembered for predicates."""
    if Q.terms:
        tables = tables_of(Q)
        return all(can_be_visited(term.workload) for term in Q.terms) and subset_cells(tables) <= MAX_SUBSET_CELLS
    if Q.family == "predicates":
        return Q.size <= MAX_PREDICATES and subset_cells(Q) <= MAX_PREDICATE_CELLS
    return subset_cells(Q) <= MAX_SUBSET_CELLS


def fitting_plans(Q: Workload, budget: Budget, n: float) -> list[PlanName]:
    """The plans whose fit takes a few seconds at most. The only marginal of all attributes is measured as "cells"."""
    fitted = Q.domain.cells(Q.reads) <= MAX_FITTED_CELLS
    plans: list[PlanName] = ["one-way"]
    if fitted or not goes_beyond("marginals", Q) or rows_to_fit(Q):
        plans.append("residuals")
        if tuple(tables_of(Q).sets) != (Q.reads,):
            plans.append("marginals")
    return [*plans, "cells"] if fitted or can_be_counted(Q, budget, n) else plans
