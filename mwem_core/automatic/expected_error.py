"""The error to be expected of a run, before the data is seen: from public numbers alone, and from what tables are like.

A run leaves each residual of the workload's marginals known with some precision. With the prior of `prior.strength`
that gives its expected squared error, and `Subsets.mean_tv` adds these up to a mean total variation.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from mwem_core.algorithm import Spender
from mwem_core.automatic.compositions import Apart, Staged, later_parts, parts_of, terms_by_part
from mwem_core.automatic.counts import Counts, count_variance
from mwem_core.automatic.expected_rounds import rounds_tv, stages_tv
from mwem_core.automatic.hierarchy import best_hierarchy, serves
from mwem_core.automatic.plan_fit import Nothing, Planned
from mwem_core.automatic.plans import PlanName, ResidualPlan, make_plan
from mwem_core.automatic.refinement import Halvings
from mwem_core.automatic.sizes import goes_beyond
from mwem_core.automatic.typical_tables import (
    INFORMATIONS,
    WEIGHTS,
    LikelyTables,
    expected_errors,
    measured_subsets,
    prior_variances,
    queried_tv,
    tables_like,
)
from mwem_core.base import constants
from mwem_core.mwem import MWEM
from mwem_core.prior import NODE_WEIGHTS, NODES
from mwem_core.privacy import Budget
from mwem_core.workload import Subsets, Workload, subsets_of

MIN_SHARE = 0.01  # of the budget, for the first of a mixed workload's parts and for what is asked after it


@lru_cache(maxsize=4)
def relative_to_alone(Q: Workload, n: float, *budgets: Budget) -> Subsets:
    """The subsets of a mixed workload, with each term's error in units of its expected error if it were asked alone.

    That is what planned residuals of the term leave of a typical table, with all of a budget; or less, where the term's
    queries measured each by itself, or its ranges by their halvings, err less. Of the budgets, all of one guarantee, it
    is the better one for each term.
    """
    subsets = subsets_of(Q)

    def alone(of_term: Subsets) -> float:
        return min(with_budget(of_term, budget) for budget in budgets)

    def with_budget(of_term: Subsets, budget: Budget) -> float:
        known = ResidualPlan(of_term, budget, int(of_term.order.max())).precisions
        errors = 1 / (1 / prior_variances(of_term, n) + known)
        planned, asked = of_term.mean_error(of_term.part_errors(errors), n), of_term.Q
        if asked.family == "ranges" and serves(asked):
            return min(planned, _ranges_error(asked, budget, n))
        return planned if asked.tabular else min(planned, budget.part(1 / asked.size).mean_noise / n)

    return replace(subsets, units=tuple(map(alone, subsets.of_terms)))


def expected_tv(settings: Spender, subsets: Subsets, n: float) -> float:
    """The expected mean total variation of a run on n records, for the workload of `subsets`.

    It is a mean over tables whose attributes tell more or less of each other, so that a plan is weighed by what it
    costs where it is wrong too.
    """
    if isinstance(settings, Nothing):
        return idle_tv(settings, subsets, n)
    if isinstance(settings, Apart):
        asked = settings.guarantee.budget.part(settings.share)
        return _first_tv(settings.first_alone, subsets, n) + _asked_tv(asked, subsets, n)
    measured = measured_subsets(settings, subsets)
    tables = [tables_like(settings, subsets, measured, n, information) for information in INFORMATIONS]
    if isinstance(settings, Counts):
        variance = count_variance(subsets.Q, settings.guarantee.budget)
        expected = [queried_tv(subsets, each.prior, n, variance=variance) for each in tables]
    elif isinstance(settings, Staged):
        expected = stages_tv(settings, measured, tables, n)
    elif isinstance(settings, Planned):
        expected = _planned_tv(settings.plan, settings.guarantee.budget, measured, tables, n)
    else:
        assert isinstance(settings, MWEM)  # halvings are weighed by `expected_ranges`
        expected = rounds_tv(settings, measured, tables, n)
    return float(np.dot(WEIGHTS, expected))


def best_share(first: Spender, subsets: Subsets, n: float) -> float:
    """The best share of the budget for what is asked after the first of a mixed workload's parts.

    With all of the budget the first would err by R, and what is asked after it by P, each by its weight. If the latter
    has a share s, both err by about R/(1 - s) + P/s. That is least at s = √P/(√P + √R). Under zCDP an error falls with
    the root of its share, and s : 1 - s is P^(2/3) : R^(2/3).
    """
    budget = first.guarantee.budget
    power = 1 / 2 if budget.unit == "ε" else 2 / 3
    own, asked = _first_tv(first, subsets, n) ** power, _asked_tv(budget, subsets, n) ** power
    return min(max(MIN_SHARE, round(asked / (asked + own), 2)), 1 - MIN_SHARE)


def _first_tv(settings: Spender, subsets: Subsets, n: float) -> float:
    """What the first of a mixed workload's parts adds to its expected error, measured by these settings alone."""
    Q, first = subsets.Q, parts_of(subsets.Q)[0]
    terms = [Q.terms[i] for i in terms_by_part(Q)[0]]
    units = tuple(subsets.units[i] for i in terms_by_part(Q)[0])
    if isinstance(settings, Halvings):
        expected = _ranges_error(first, settings.guarantee.budget, n) / units[0]
    elif first.terms:
        expected = expected_tv(settings, replace(subsets_of(first), units=units), n)
    else:
        expected = expected_tv(settings, subsets_of(first), n) / units[0]
    return sum(term.weight for term in terms) / sum(term.weight for term in Q.terms) * expected


def _asked_tv(budget: Budget, subsets: Subsets, n: float) -> float:
    """What the other parts add, if this budget measures them by themselves."""
    Q, expected = subsets.Q, 0.0
    for group, part, own in later_parts(Q, budget):
        error = _ranges_error(part, own, n) if serves(part) else own.part(1 / part.size).mean_noise / 2 / n
        expected += error * sum(Q.terms[i].weight / subsets.units[i] for i in group)
    return expected / sum(term.weight for term in Q.terms)


def _ranges_error(Q: Workload, budget: Budget, n: float) -> float:
    """The expected mean |error| of ranges by their hierarchy, as a share of n, as if errors were normal."""
    return math.sqrt(2 / math.pi * best_hierarchy(Q, budget, n).squared_error(n)) / n


def idle_tv(settings: Spender, subsets: Subsets, n: float) -> float:
    """The TV expected if none of the marginals that these settings measure were measured."""
    measured = measured_subsets(settings, subsets)
    tables = [tables_like(settings, subsets, measured, n, information) for information in INFORMATIONS]
    tvs = [each.tv(expected_errors(measured, each.prior, n, lambda variances: variances)) for each in tables]
    return float(np.dot(WEIGHTS, tvs))


def _planned_tv(
    plan: PlanName, budget: Budget, subsets: Subsets, tables: Sequence[LikelyTables], n: float
) -> list[float]:
    """The expected mean total variation of what a plan measured and fitted, for each of these.

    With a normal prior and normal noise, an error's variance is 1 / (1/prior variance + precision). Where answers are
    corrected cell by cell (`correction`), cells whose variance is small lose their noise, and few hold most of
    what the model lacks: variances are log-normal, with the roots' mean as it was.
    """
    precisions = make_plan(plan, subsets, budget).precisions

    def known(each: LikelyTables, factor: float) -> float:
        prior = each.prior * factor
        return each.tv(expected_errors(subsets, prior, n, lambda before: 1 / (1 / before + precisions)))

    if not goes_beyond(plan, subsets.Q):
        return [known(each, 1.0) for each in tables]
    factors = np.exp(constants.UNEVENNESS * NODES - constants.UNEVENNESS**2 / 4).tolist()
    return [float(np.dot(NODE_WEIGHTS, [known(each, factor) for factor in factors])) for each in tables]


def best_range_plan(selecting: Sequence[MWEM], Q: Workload, n: float) -> MWEM | Halvings:
    """The settings of the least expected error: those given, which select, or halvings at the same ε and δ."""
    halvings = [Halvings(epsilon=settings.epsilon, delta=settings.delta) for settings in selecting]
    return min([*halvings, *selecting], key=lambda settings: expected_range_error(settings, Q, n))


def expected_range_error(settings: Spender, Q: Workload, n: float) -> float:
    """The expected root mean squared error of a range, in records.

    Rounds that measure every range once leave each with the noise of its measurement. Where the rounds are fewer, no
    public number says what they leave out: infinity.
    """
    if isinstance(settings, Halvings):
        return math.sqrt(best_hierarchy(Q, settings.guarantee.budget, n).squared_error(n))
    assert isinstance(settings, MWEM)
    T = settings.planned_rounds(n, Q) or 1
    cost = settings.guarantee.budget.part((1 - settings.split) / T)
    return math.sqrt(cost.variance_at(cost.scale)) if T >= Q.size else math.inf
