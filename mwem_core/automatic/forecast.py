"""The expected error of a run as people read it, before the data is seen: from public numbers alone."""

import math

from mwem_core.algorithm import Spender
from mwem_core.automatic.choice import can_be_visited
from mwem_core.automatic.composed.apart import rounds_in
from mwem_core.automatic.default_choice import public_start
from mwem_core.automatic.expected import expected_tv, idle_tv
from mwem_core.automatic.expected_ranges import expected_range_error
from mwem_core.base import constants
from mwem_core.mwem import Newest
from mwem_core.workload import Workload, subsets_of

ERROR_PER_TV = 2  # the mean error of a query, beside a total variation
LARGEST = {"parities": 2.0}  # error of a table of n records, as a share of n; 1 of other answers, from 0 to n


def forecast(settings: Spender, Q: Workload, n: float) -> float | None:
    """The expected error of a run on n records, as a share of n; None where public numbers say nothing of it.

    It is the error that `error_noun` names, at most what a uniform table is expected to have, but for ranges, and at
    most what a table of n records can have. There is none for mixed workloads, for runs from a public table, for T
    decided during the run, for single queries selected where whole tables are asked, for ranges in fewer rounds than
    there are ranges, nor for rounds without replay.
    """
    T = settings.planned_rounds(n, Q)
    rounds = rounds_in(settings)
    if T is None or Q.terms or public_start(settings) is not None or (rounds and isinstance(rounds.update, Newest)):
        return None
    if Q.family == "ranges":
        error = expected_range_error(settings, Q, n) / n
        return min(error, 1.0) if error < math.inf else None
    if not can_be_visited(Q) or (Q.tabular and rounds and not rounds.tables):
        return None
    subsets = subsets_of(Q)
    tv = min(expected_tv(settings, subsets, n), idle_tv(settings, subsets, n))
    return min((1 if Q.tabular else ERROR_PER_TV) * tv, LARGEST.get(Q.family, 1.0))


def as_range(expected: float, Q: Workload, epsilon: float) -> tuple[float, float]:
    """The ends of the range in which nine of ten errors lie, on tables never seen before (`benchmarks/forecasts.py`).

    At a large ε a run may be exact, and on bits at any, which public numbers do not tell: the range begins at 0.
    """
    exact = Q.family != "ranges" and (epsilon >= constants.FORECAST_EXACT or not Q.tabular)
    high = (constants.FORECAST_HIGH if Q.tabular else constants.FORECAST_HIGH_OF_QUERIES) * expected
    return 0.0 if exact else constants.FORECAST_LOW * expected, min(high, LARGEST.get(Q.family, 1.0))


def error_noun(Q: Workload) -> str:
    """What the expected error is the error of: "mean total variation of the pairs"."""
    error = "root mean squared error" if Q.family == "ranges" else "mean total variation" if Q.tabular else "mean error"
    return f"{error} of the {'pairs' if Q.tabular and {b.sets.shape[1] for b in Q.blocks} == {2} else Q.family}"
