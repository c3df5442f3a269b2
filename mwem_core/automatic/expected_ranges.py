"""The error to be expected of a run on ranges, before the data is seen: from public numbers alone."""

import math
from collections.abc import Sequence

from mwem_core.algorithm import Spender
from mwem_core.automatic.planned.hierarchy import best_hierarchy
from mwem_core.automatic.planned.refining import Halvings
from mwem_core.mwem import MWEM
from mwem_core.workload import Workload


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
