"""Which settings are expected to err least: plans, or rounds that select."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mwem_core.matrix.residuals import MAX_SUBSET_CELLS, subset_cells
from mwem_core.mwem.asked import may_ask_apart
from mwem_core.mwem.costs import are_large
from mwem_core.mwem.expected import MIN_SHARE, expected_tv, idle_tv, relative_to_alone, with_query_share
from mwem_core.mwem.expected_lower import may_plan_lower, may_select_lower
from mwem_core.mwem.expected_stages import MAX_SUBSETS, best_stages, with_second_round
from mwem_core.mwem.mwem import MWEM
from mwem_core.mwem.plan_sizes import MAX_FITTED_CELLS, can_be_counted, goes_beyond, rows_hold, rows_to_fit
from mwem_core.mwem.plans import PlanName
from mwem_core.mwem.queried import rows_to_tilt
from mwem_core.mwem.subsets import Subsets, subsets_of
from mwem_core.privacy.budget import Budget
from mwem_core.privacy.guarantee import MIN_EPSILON, Guarantee
from mwem_core.workload.closure import tables_of
from mwem_core.workload.workload import Workload

MAX_PREDICATES = 2000  # whose covariances are computed: 32 MB
MAX_PREDICATE_CELLS = 10**7  # of the tables over all subsets of all predicates' attributes: 80 MB
# In expected error, by measuring predicates themselves; fitted, to 240 settings on five tables. In eight of them it
# was expected to gain, but less, and lost in the mean: where attributes are nearly independent, other plans err less
# than expected.
MIN_QUERY_GAIN = 1 / 8
# The share of selection's expected error that a plan's may be at δ = 0, for marginals of at least `LARGE_TABLE` cells
# in the mean: noise is taken out of more of them, and rounds soon fill the tree. Fitted to the triples of Adult and
# flights, the only ones: six settings in which it is .92 to 1.04 err by .51 to .97 of selection's total variation, and
# by .33 to .74 of its max error; five in which it is 1.05 to 1.12, by .94 to 1.46 and .19 to .91.
LARGE_GAIN = 1.04
# The same where weighted rows can hold such marginals, as they hold Adult's but not those of flights. At ε = 5, 3, 2
# and 1 it is 1.12, 1.17, 1.19 and 1.25; plans then err by .96, 1.02, 1.16 and 1.46 of the total variation of rounds in
# 24 seeds, and by .39, .36, .48 and .82 of their max error. By six of these seeds it is 1.03 at ε = 3.
HELD_GAIN = 1.17
# How much more than expected rounds err, beside plans of the same marginals that fit one table. Fitted: to 104 settings
# of seven such tables, in which a plan's expected error is .7 to 1.5 times that of rounds. Of nine factors from 1 to
# 1.5 its choices err least, whichever table is left out: by .971 of the choices at 1. On NLTCS's triples rounds err by
# .4 of what is expected, and at ε = .4 the plan that it takes errs by twice as much.
ROUNDS_EXCESS = 1.2
# The share of one-way marginals' expected error that a plan's on weighted rows may be at δ > 0. Fitted: of eleven
# settings of three tables in which it is .8 to 1, seven err by 1.01 to 1.27 of the total variation without such plans,
# and four by .92 to .99.
ONE_WAY_GAIN = 0.8
# The same of the least expected error of all others, as such plans take several times as long. Fitted: of settings
# of three tables in which it is .95 to 1, that of .97 errs by 1.02 of their total variation and by .73 of their max
# error; those of .98 and .99 by 1.24 and 1.10 of their total variation. It holds for plans of lower marginals too: they
# leave the workload's own unmeasured, and so the worst cells of these. A watched table showed that. Of 29
# settings in which such plans are expected best, only its triples at (3, 1e-9) are above .952. There it is .988, and
# they err by 1.2 of the total variation and by 1.5 to 1.8 of the max error of rounds.
ROWS_GAIN = 0.975
# The share of other plans' expected error that one-way marginals' alone may be in a mixed workload, some of whose parts
# they leave unmeasured. Fitted, to eight settings of two tables, Adult in bins and in whole numbers: where it was above
# .8 they erred by two to four times as much in every part, and below .5 by less in the mean. Judged on 16 settings of
# four other tables, it changed 8 plans: without it parts err 1.02 times as much in the geometric mean, .5 to 2.6 each.
UNMEASURED_GAIN = 2 / 3
# The share of the error without data by which a run must be expected to lower it, to be worth any of the budget. A
# round number. Where n times ε is 6 or less it is often not reached. There, on five tables, runs erred by .989 to 1.007
# of the error without data.
WORTH = 0.005
PLANNED_FIT: dict[str, Any] = {"step": 3.0, "sweeps": 400, "tolerance": 0.0005}
# Of a tree: 1 to 7% more error, a fifth less time. Not of a mixed workload: ranges of two attributes, beside Adult's
# pairs, would err by 1.2 to 1.5 of what they do.
TREE_FIT = PLANNED_FIT | {"tolerance": 0.003}


def best_plan(selecting: Sequence[MWEM], Q: Workload, n: float) -> MWEM:
    """The settings of the least expected error: of those given, which select, and of plans at the same ε and δ.

    Where one-way marginals are best, alone or before rounds, `expected_stages` divides the budget between both, and
    makes two rounds of a single one. Predicates are measured themselves only where this gains `MIN_QUERY_GAIN`.

    Nothing is measured, and nothing spent, where that would lower the error by less than `WORTH`.

    A workload whose subsets have too many cells to be visited selects. No budget is spent to learn what a table's pairs
    tell: given to the decision exactly and for nothing, it lowered the error by 0.4% in the mean of 224 settings on
    fourteen tables, so a hundredth of the budget, which noise repays with a hundredth of the error, would be too much.
    With 3 to 10% of the budget, spent only where a better choice was expected to repay it, 430 settings would err by 0
    to .3% more in the mean.
    """
    if not can_be_visited(Q):
        return selecting[-1]
    budgets = dict.fromkeys(settings.guarantee.budget for settings in selecting)
    subsets = relative_to_alone(Q, n, *budgets) if Q.terms else subsets_of(Q)
    best = _best_measured(selecting, subsets, n)
    worth = expected_tv(best, subsets, n) <= (1 - WORTH) * idle_tv(best, subsets, n)
    return best if worth else replace(selecting[-1], plan="nothing")


def with_parts_apart(
    plain: MWEM, on_first: Callable[..., MWEM], Q: Workload, n: float, deltas: Sequence[float]
) -> MWEM:
    """The plain settings for a mixed workload, or settings that measure its ranges and predicates by themselves.

    The least expected error decides. `on_first` chooses settings for the first part at an `epsilon` and a `delta`.
    """
    if not (may_ask_apart(Q) and can_be_visited(Q)) or plain.epsilon < MIN_EPSILON / MIN_SHARE:
        return plain
    budgets = dict.fromkeys(Guarantee(plain.epsilon, delta).budget for delta in deltas)
    subsets, tried = relative_to_alone(Q, n, *budgets), [plain]
    for delta in deltas:
        alone = on_first(epsilon=plain.epsilon, delta=delta)
        if alone.plan == "nothing":
            continue
        shared = with_query_share(alone, subsets, n)
        settings = on_first(epsilon=shared.on_first.epsilon, delta=delta)
        if settings.plan != "nothing":
            tried.append(replace(settings, epsilon=plain.epsilon, query_share=shared.query_share))

    def expected(settings: MWEM) -> float:
        if settings.plan == "nothing":
            return (1 - WORTH) * expected_tv(settings, subsets, n)
        unmeasured = settings.plan == "one-way" and settings.measured(Q).terms
        return expected_tv(settings, subsets, n) / (UNMEASURED_GAIN if unmeasured else 1.0)

    return min(tried, key=expected)


def _best_measured(selecting: Sequence[MWEM], subsets: Subsets, n: float) -> MWEM:
    """The same, of what measures anything."""
    Q = subsets.Q
    planned = [
        with_plan(settings, Q, plan)
        for settings in selecting
        for plan in fitting_plans(settings.measured(Q), settings.guarantee.budget, n)
        if settings.candidates == "workload" or may_plan_lower(settings, plan)
    ]
    rounds = [settings for settings in selecting if settings.candidates == "workload" or may_select_lower(settings, Q)]
    best = _least([*rounds, *planned], subsets, n)
    after_ones = best.plan == "one-way" or (best.plan == "select" and best.first == "one-way")
    if Q.tabular and after_ones and len(subsets.sets) <= MAX_SUBSETS:
        staged, expected = best_stages(selecting, subsets, n)
        return with_second_round(staged, Q) if expected < expected_tv(best, subsets, n) else best
    if Q.family == "predicates" and rows_to_tilt(Q):
        queried = [replace(settings, plan="queries", **PLANNED_FIT) for settings in selecting]
        least = min(queried, key=lambda settings: expected_tv(settings, subsets, n))
        if expected_tv(least, subsets, n) < (1 - MIN_QUERY_GAIN) * expected_tv(best, subsets, n):
            return least
    return best


def with_plan(settings: MWEM, Q: Workload, plan: PlanName) -> MWEM:
    """The settings, with this plan and the fit that it takes."""
    fit = TREE_FIT if goes_beyond(plan, settings.measured(Q)) and not Q.terms else PLANNED_FIT
    return replace(settings, plan=plan, **fit)


def _least(offered: Sequence[MWEM], subsets: Subsets, n: float) -> MWEM:
    """The settings of the least expected error; at δ > 0 some plans (`_must_gain`) only where they gain enough.

    Some plans are taken in place of rounds that are expected to err less, within a factor (`_in_place_of_rounds`), if
    one-way marginals alone are expected to err more than they do.
    """
    expected = [expected_tv(settings, subsets, n) for settings in offered]
    one_way = min(tv for tv, settings in zip(expected, offered, strict=True) if settings.plan == "one-way")
    if subsets.Q.terms:
        expected = [
            tv / UNMEASURED_GAIN if settings.plan == "one-way" else tv
            for tv, settings in zip(expected, offered, strict=True)
        ]
    best = offered[int(np.argmin(expected))]
    instead, factor = _in_place_of_rounds(offered, subsets.Q)
    if best.plan == "select" and instead:
        planned = min(instead, key=lambda i: expected[i])
        if expected[planned] < min(one_way, factor * min(expected)):
            return offered[planned]
    if best.delta == 0 or not _must_gain(best, subsets.Q):
        return best
    others = [i for i, settings in enumerate(offered) if not _must_gain(settings, subsets.Q)]
    other = min(others, key=lambda i: expected[i])
    gains = min(expected) <= ROWS_GAIN * expected[other]
    if _on_rows(best, subsets.Q):
        gains = gains and min(expected) <= ONE_WAY_GAIN * one_way
    return best if gains else offered[other]


def _in_place_of_rounds(offered: Sequence[MWEM], Q: Workload) -> tuple[list[int], float]:
    """The numbers of the plans that near ties with rounds go to, and the factor: those on one table, or large ones."""
    if on_one_table := [i for i, settings in enumerate(offered) if _on_one_table(settings, Q)]:
        return on_one_table, ROUNDS_EXCESS
    if are_large(Q) and not any(settings.delta for settings in offered):
        factor = HELD_GAIN if rows_hold(tables_of(Q)) else LARGE_GAIN
        return [i for i, settings in enumerate(offered) if _on_rows(settings, Q)], factor
    return [], 1.0


def _must_gain(settings: MWEM, Q: Workload) -> bool:
    """Whether a plan is taken at δ > 0 only if it gains enough: on weighted rows, or of lower marginals."""
    return _on_rows(settings, Q) or (settings.candidates == "lower" and settings.plan == "residuals")


def _on_rows(settings: MWEM, Q: Workload) -> bool:
    """Whether a plan is fitted by weighted rows."""
    return settings.plan in ("residuals", "marginals") and goes_beyond("marginals", settings.measured(Q))


def _on_one_table(settings: MWEM, Q: Workload) -> bool:
    """Whether a plan measures Q's own marginals, not only each attribute by itself, and fits them on one table."""
    planned = settings.plan in ("residuals", "marginals", "cells") and settings.candidates == "workload"
    return Q.tabular and planned and not goes_beyond("marginals", Q)


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
