"""The expected error of a run as people read it, before the data is seen: from public numbers alone."""

import math

from mwem_core.algorithm import Spender
from mwem_core.automatic.choice import can_be_visited
from mwem_core.automatic.composed.apart import rounds_in
from mwem_core.automatic.default import public_start
from mwem_core.automatic.expected import forecast_tv
from mwem_core.automatic.expected_ranges import expected_range_error
from mwem_core.fitted import FORECAST_HIGH, FORECAST_LOW
from mwem_core.matrix.subsets import subsets_of
from mwem_core.mwem.updates import Newest
from mwem_core.workload.workload import Workload

ERROR_PER_TV = 2  # the mean error of a query, beside a total variation


def forecast(settings: Spender, Q: Workload, n: float) -> float | None:
    """The expected error of a run on n records, as a share of n; None where public numbers say nothing of it.

    It is the mean total variation of marginals and cuboids, the root mean squared error of a range, and the mean error
    of other queries. It is at most what a uniform table is expected to have, but for ranges. There is none for mixed
    workloads, for runs from a public table, for T decided during the run, for single queries selected where whole
    tables are asked, for ranges in fewer rounds than there are ranges, nor for rounds without replay.
    """
    T = settings.planned_rounds(n, Q)
    rounds = rounds_in(settings)
    if T is None or Q.terms or public_start(settings) is not None or (rounds and isinstance(rounds.update, Newest)):
        return None
    if Q.family == "ranges":
        error = expected_range_error(settings, Q, n) / n
        return error if error < math.inf else None
    if not can_be_visited(Q) or (Q.tabular and rounds and not rounds.tables):
        return None
    return (1 if Q.tabular else ERROR_PER_TV) * forecast_tv(settings, subsets_of(Q), n)


def as_range(expected: float) -> tuple[float, float]:
    """The ends of the range in which an error lies in most settings (`benchmarks/calibration.py`)."""
    return FORECAST_LOW * expected, FORECAST_HIGH * expected
