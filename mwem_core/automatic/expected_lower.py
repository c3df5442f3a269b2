"""Marginals of one attribute fewer than the workload's: what they leave unknown, and whether rounds may select them.

They have fewer cells and are fewer, so that they are known with less noise; what no lower marginal tells stays unknown.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from mwem_core.algorithm import Spender
from mwem_core.automatic.planned.planned import Planned
from mwem_core.automatic.planned.plans import PlanName
from mwem_core.automatic.planned.sizes import goes_beyond, rows_to_fit
from mwem_core.automatic.typical_tables import prior_variances
from mwem_core.base import constants
from mwem_core.mwem import MWEM
from mwem_core.prior import MAX_FITTED_CELLS
from mwem_core.workload import Subsets, Workload, lower, subsets_of


def lower_name(Q: Workload) -> str:
    """What is measured in place of Q's marginals, for people."""
    orders = [block.sets.shape[1] for block in lower(Q).blocks]
    return f"marginals of {'up to ' if len(orders) > 1 else ''}{max(orders)} attributes"


class LikelyTables(NamedTuple):
    """Tables whose attributes tell so much of each other: their prior, and what errors of the residuals add up to.

    `prior` is the variance of a coordinate of each measured residual, (subsets,). `tv` gives the workload's mean total
    variation for the squared errors of these residuals.
    """

    prior: np.ndarray
    tv: Callable[[np.ndarray], float]


def tables_like(settings: Spender, subsets: Subsets, measured: Subsets, n: float, information: float) -> LikelyTables:
    """Those of so much information, if the settings measure the marginals of `subsets` itself, or lower ones."""
    prior = prior_variances(measured, n, information)
    if measured is subsets:
        return LikelyTables(prior, lambda errors: subsets.mean_tv(errors, n))
    left, places = left_variances(settings, subsets, n, information), subsets.places(measured)

    def tv(errors: np.ndarray) -> float:
        known = left.copy()
        known[places] = errors
        return subsets.mean_tv(known, n)

    return LikelyTables(prior, tv)


def measured_subsets(settings: Spender, subsets: Subsets) -> Subsets:
    """Those of what the settings measure for the workload of `subsets`."""
    measured = settings.measured(subsets.Q)
    return subsets if measured is subsets.Q else subsets_of(measured)


def left_variances(settings: Spender, subsets: Subsets, n: float, information: float) -> np.ndarray:
    """The expected squared error, (subsets,), of a coordinate of each residual, where the settings measure none of it.

    Rounds leave some of the workload's own marginals too, so that both are weighed by the prior alone. Weighted rows
    that fit a plan add what drawing them does: in r rows, the share of a cell varies by 1 / (r cells).
    """
    left, Q = prior_variances(subsets, n, information), settings.measured(subsets.Q)
    if not isinstance(settings, Planned):
        return left
    drawn = n**2 / (rows_to_fit(Q) * subsets.cells) if goes_beyond("residuals", Q) else 0.0
    return constants.LEFT_OF_LOWER * left + drawn


def may_plan_lower(settings: MWEM, plan: PlanName) -> bool:
    """Whether a plan of lower marginals competes: their residuals, with Gaussian noise.

    Whole lower marginals, and residuals under ε, are left out: they are hardly ever expected best, and gain nothing.
    """
    return plan == "residuals" and settings.delta > 0


def may_select_lower(settings: MWEM, Q: Workload) -> bool:
    """Whether a tree of the model's cells can hold as many lower marginals as the rounds select; D needs a tree.

    Weighted rows take over from a full tree, and answer Q's own marginals less exactly. A tree of d - k cliques of
    k + 1 attributes, like those of Q, holds k + 1 + k (d - k - 1) marginals of k attributes. On a D of one table plans
    compete, which err less.
    """
    d, k = len(Q.reads), lower(Q).blocks[-1].sets.shape[1]
    assert isinstance(settings.T, int)
    rounds = settings.T - settings.first_rounds(Q)
    held = rounds <= k + 1 + k * (d - k - 1) and (d - k) * Q.part_cells.mean() <= settings.cell_budget
    return held and Q.domain.cells(Q.reads) > MAX_FITTED_CELLS
