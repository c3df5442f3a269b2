"""Bounds of a share that neither measurements nor copies give: from smaller tables that hold its records or some."""

from __future__ import annotations

import math

from mwem_core.asking.answers import Answer, Of
from mwem_core.asking.conditions import condition
from mwem_core.asking.refusals import NORMAL
from mwem_core.data.records import Records
from mwem_core.intervals.ends import ALPHA
from mwem_core.intervals.known import Known
from mwem_core.intervals.quantiles import deviations
from mwem_core.intervals.queries import by_tables_within


def bounded(known: Known, laplace: bool, rows: Records, what: str, of: Of) -> Answer:
    """The share of records that satisfy `what`, as the synthetic rows have it, and bounds that hold at least 95%.

    A count is at most that of any known cells that contain its records, and at least that of any that are within it.
    """
    asked, unit = condition(what, known.domain), "ε" if laplace else "ρ"
    n, variance = known.total
    off = deviations(ALPHA / 4, unit) * math.sqrt(variance)
    least, most = by_tables_within(asked.S, asked.table, known, unit)
    low, high = max(least, 0.0) / (n + off), min(most / max(n - off, 1.0), 1.0)
    if of == "population":
        low, high = (
            max(low - NORMAL * math.sqrt(low * (1 - low) / n), 0.0),
            min(high + NORMAL * math.sqrt(high * (1 - high) / n), 1.0),
        )
    marginal = rows.marginal(asked.S)
    value = float((asked.table * marginal).sum() / max(marginal.sum(), 1.0))
    name = f"share of {asked.name}"
    return Answer(name=name, of=of, value=min(max(value, low), high), low=low, high=high, rests_on="bounded")
