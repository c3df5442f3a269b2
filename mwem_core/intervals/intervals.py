"""A 95% interval for the true answer to every query of a workload, from what a run released."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mwem_core.algorithm import Answering, Round
from mwem_core.intervals.halvings import by_halvings
from mwem_core.intervals.known import Known
from mwem_core.intervals.queries import of_queries
from mwem_core.intervals.tables import of_tables
from mwem_core.mwem.mwem import MWEM
from mwem_core.workload.workload import Workload


@dataclass(frozen=True, eq=False)
class Intervals:
    """`low` and `high`, whole numbers of records, and which of them are `measured`: (|Q|,) each.

    A measured interval follows from noisy values that determine the answer. It holds the true answer in 95% of runs, in
    up to 97% where many Laplace draws add up, and in more where the noise is below one record. Any other follows from
    bounds, and holds the true answer in at least 95% of runs. Each is for its own answer, not for all at once.
    """

    low: np.ndarray
    high: np.ndarray
    measured: np.ndarray


def intervals(Q: Workload, settings: MWEM, rounds: Sequence[Round[Answering]]) -> Intervals:
    """An interval for every answer of Q, from the rounds of a run with these settings. Reads no private data.

    Every true answer is a whole number, so the ends are rounded to the nearest one.
    """
    known = Known.of(Q.domain, rounds)
    if settings.plan == "hierarchical":
        found = by_halvings(Q, rounds, known)
    else:
        found = (of_tables if Q.tabular else of_queries)(Q, settings, rounds, known)
    n, variance = known.total
    least, most = -n if Q.family == "parities" else 0.0, np.inf if variance else n
    low, high = np.round(found.low), np.round(found.high)
    return Intervals(np.clip(low, least, most), np.clip(high, least, most), found.measured)
