"""The automatic choice: of MWEM's rounds, of one planned measurement, and of nothing, what is expected to err least.

`narrowest` measures every table of a workload once, by the plan whose intervals are narrowest: for those who release
tables.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np

from mwem_core.algorithm import Algorithm
from mwem_core.automatic.compositions import (
    Apart,
    FirstSettings,
    Staged,
    can_measure_apart,
    has_later_parts,
    parts_of,
    with_epsilon,
)
from mwem_core.automatic.counts import Counts, rows_to_tilt
from mwem_core.automatic.expected_error import (
    MIN_SHARE,
    best_range_plan,
    best_share,
    expected_tv,
    idle_tv,
    relative_to_alone,
)
from mwem_core.automatic.expected_rounds import MAX_SUBSETS, best_stages
from mwem_core.automatic.hierarchy import serves
from mwem_core.automatic.mwem_rules import check_records, mwem_by_rule
from mwem_core.automatic.plan_fit import Nothing, Planned
from mwem_core.automatic.plans import Plan, PlanName, make_plan
from mwem_core.automatic.public_model import PublicStart, started_from
from mwem_core.automatic.refinement import Halvings
from mwem_core.automatic.sizes import can_be_counted, goes_beyond, rows_to_fit
from mwem_core.automatic.typical_tables import may_plan_lower, may_select_lower
from mwem_core.base import constants
from mwem_core.domain import PublicTable
from mwem_core.model import LogLinear
from mwem_core.mwem import MWEM, Queries, Tables, UniformStart
from mwem_core.prior import MAX_FITTED_CELLS
from mwem_core.privacy import MIN_EPSILON, Budget, Guarantee
from mwem_core.workload import (
    MAX_SUBSET_CELLS,
    Subsets,
    Workload,
    lower,
    require_tables,
    subset_cells,
    subsets_of,
    tables_of,
)

MAX_PREDICATES = 2000  # whose covariances are computed: 32 MB
MAX_PREDICATE_CELLS = 10**7  # of the tables over all subsets of all predicates' attributes: 80 MB

Choice = FirstSettings | Counts | Nothing  # what measures a workload as a whole
TOTAL_SHARE = 0.02  # of the budget, for a noisy n: only the rows need it, as measured tables say how many records are


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
        if not isinstance(alone, FirstSettings):
            continue
        shared = Apart(share=best_share(alone, subsets, n), first=alone)
        first = on_first(epsilon=shared.first_alone.guarantee.epsilon, delta=delta)
        if isinstance(first, FirstSettings):
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


def default(
    workload: Workload,
    *,
    n: float,
    epsilon: float,
    delta: float = 0.0,
    noisy_n: bool = False,
    public: PublicTable | None = None,
) -> Choice | Apart:
    """The automatic choice: of MWEM's rounds and of all plans, what is expected to err least (`expected`).

    There are plans for whole marginals, parities and predicates, and for ranges of one or two attributes; they measure
    once and select nothing. Where marginals of more than two attributes are asked, those of one attribute fewer may be
    measured (`expected_lower`).

    Plans with Laplace noise compete at δ > 0 too, because (ε, 0) implies (ε, δ); the settings then have δ = 0. They do
    not for a noisy n: what the run spends, ε or ρ, was settled before n was measured.

    Ranges and predicates beside other terms are measured by themselves, after the choice for those terms, where that is
    expected to err less (`compositions`).

    A run from a `public` table selects ranges, because their plan could not start from it.
    Raises ValueError for an n that is not above zero.
    """
    check_records(workload, n)
    of_ranges = workload.family == "ranges"
    if of_ranges and (public is not None or not serves(workload)):
        return mwem_by_rule(workload, n=n, epsilon=epsilon, delta=delta, public=public)
    deltas = sorted({delta} if noisy_n else {0.0, delta})
    large = workload.tabular and max(block.sets.shape[1] for block in workload.blocks) > 2
    measurable = [lower(workload), workload] if large else [workload]
    by_rule = [(Q, mwem_by_rule(Q, n=n, epsilon=epsilon, delta=d)) for Q in measurable for d in deltas]
    selecting = [settings if Q is workload else _of_lower(settings) for Q, settings in by_rule]
    best = (best_range_plan if of_ranges else best_plan)(selecting, workload, n)
    if has_later_parts(workload) and (public is None or not serves(parts_of(workload)[0])):
        on_first = partial(default, parts_of(workload)[0], n=n, noisy_n=noisy_n)
        best = with_parts_apart(best, on_first, workload, n, deltas)
    return best if public is None else from_table(best, public)


def _of_lower(settings: MWEM) -> MWEM:
    """The settings of a rule for the lower marginals of a workload, as settings for the workload itself."""
    assert isinstance(settings.candidates, Tables)
    return replace(settings, candidates=replace(settings.candidates, within="lower"))


def from_table(settings: Choice | Apart, public: PublicTable) -> Choice | Apart:
    """The settings with this start. Rounds are then replayed, with a prior towards it.

    Raises ValueError for halvings, which start uniform.
    """
    if isinstance(settings, Apart):
        return replace(settings, first=from_table(settings.first, public))
    if isinstance(settings, Staged):
        return replace(settings, then=replace(settings.then, start=PublicStart(public)))
    if isinstance(settings, Halvings):
        raise ValueError(
            "counts of intervals start from no table: leave the public table out, or choose MWEM, which selects ranges"
        )
    return replace(settings, start=PublicStart(public))


def starting_from(settings: Algorithm, public: PublicTable, *, title: str) -> Algorithm:
    """The settings with this start. Raises ValueError for those of a system that starts from no table."""
    if not isinstance(settings, Choice | Apart):
        raise ValueError(f"{title} starts from no table: leave the public table out, or choose MWEM")
    return from_table(settings, public)


def public_start(settings: Algorithm) -> PublicTable | None:
    """The public table that these settings start from, if they do."""
    alone = settings.first if isinstance(settings, Apart) else settings
    start = getattr(alone.then if isinstance(alone, Staged) else alone, "start", None)
    return start.table if isinstance(start, PublicStart) else None


def first_model(settings: Algorithm, Q: Workload, n: float) -> LogLinear:
    """A_0 of n records before a look at the private table: uniform, or fitted to the public one."""
    if (table := public_start(settings)) is None:
        return LogLinear.uniform(Q.domain.shape, n, Q.domain.possible)
    return started_from(table, Q, n, settings.cell_budget if isinstance(settings, MWEM) else MAX_FITTED_CELLS)


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
    if not (workload.terms and all(term.workload.tabular for term in workload.terms)):
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
