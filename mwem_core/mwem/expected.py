"""The error to be expected of a run, before the data is seen: from public numbers alone, and from what tables are like.

A run leaves each residual of the workload's marginals known with some precision. With the prior of `mwem.prior` that
gives its expected squared error, and `Subsets.mean_tv` adds these up to a mean total variation.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, get_args

import numpy as np

from mwem_core.matrix.residuals import MAX_SUBSET_CELLS, subset_cells
from mwem_core.model.weighted_records import rows_for
from mwem_core.mwem.mwem import MWEM
from mwem_core.mwem.planned import MAX_FITTED_CELLS
from mwem_core.mwem.plans import PlanName, Subsets, make_plan
from mwem_core.mwem.prior import expected_errors
from mwem_core.workload.workload import Workload

MAX_WEIGHED_PARTS = 10**5  # tables: about a second
MAX_FIT_WORK = 10**7  # cells of D times residuals that a plan of the default fits
MAX_COUNT_WORK = 2 * 10**7  # weighted rows times marginals that it fits
ADVANTAGE = 0.9  # of a plan's expected error over that of selection; chosen on Adult's pairs at ε = 1
PLANNED_FIT: dict[str, Any] = {"sweeps": 400, "tolerance": 0.0005}


@lru_cache(maxsize=4)
def subsets_of(Q: Workload) -> Subsets:
    """Those of the workload, which a page asks for again and again."""
    return Subsets.of(Q)


def best_plan(selecting: Sequence[MWEM], Q: Workload, n: float) -> MWEM:
    """The settings of the least expected error: of those given, which select, and of plans at the same ε and δ.

    A plan that measures all marginals has to be better than selection by a tenth: expected errors do not see that
    rounds leave out what is small in this table. A workload of more than `MAX_WEIGHED_PARTS` tables selects.
    """
    if Q.parts > MAX_WEIGHED_PARTS or subset_cells(Q) > MAX_SUBSET_CELLS:
        return selecting[-1]
    subsets = subsets_of(Q)
    planned = [
        replace(settings, plan=plan, **PLANNED_FIT) for settings in selecting for plan in _fitting_plans(subsets)
    ]

    def handicapped(settings: MWEM) -> float:
        return expected_tv(settings, subsets, n) / (1.0 if settings.plan in ("select", "one-way") else ADVANTAGE)

    return min([*selecting, *planned], key=handicapped)


def _fitting_plans(subsets: Subsets) -> list[PlanName]:
    """The plans whose fit takes a few seconds at most."""
    cells, residuals = subsets.Q.domain.size, len(subsets.cells)
    if cells <= MAX_FITTED_CELLS:
        fitted = get_args(PlanName) if cells * residuals <= MAX_FIT_WORK else ()
    else:
        fitted = ("residuals", "marginals") if rows_for(subsets.Q.parts) * subsets.Q.parts <= MAX_COUNT_WORK else ()
    return [plan for plan in get_args(PlanName) if plan == "one-way" or plan in fitted]


def reason(settings: MWEM, Q: Workload, n: float) -> str:
    """What a plan measures and its expected error, beside that of selection: two sentences of public numbers."""
    subsets = subsets_of(Q)
    measured = {
        "one-way": "one-way marginals alone",
        "residuals": f"all {Q.parts:,} marginals once, with planned noise",
        "marginals": f"all {Q.parts:,} marginals once",
        "cells": f"one noisy count for each of {Q.domain.size:,} cells",
    }[settings.plan]
    planned, selected = (expected_tv(each, subsets, n) for each in (settings, replace(settings, plan="select")))
    beside = f"; of selected marginals, {selected:.2g}" if math.isfinite(selected) else ""
    return (
        f"Measured: **{measured}**. With {n:,.0f} records at this ε the expected total variation is **{planned:.2g}**"
        f"{beside}."
    )


def expected_tv(settings: MWEM, subsets: Subsets, n: float) -> float:
    """The expected mean total variation of a run on n records, for the workload of `subsets`."""
    if settings.plan != "select":
        precisions = make_plan(settings.plan, subsets, settings.guarantee.budget).precisions
        return subsets.mean_tv(expected_errors(subsets, precisions, n), n)
    T = settings.planned_rounds(n, subsets.Q) or 1
    cost = settings.guarantee.budget.part((1 - settings.split) / settings.full_rounds(T, subsets.Q))
    smallest_first, first = np.sort(subsets.Q.part_cells), settings.first_rounds(subsets.Q)
    prior = expected_errors(subsets, np.zeros(len(subsets.cells)), n)
    uniform = subsets.mean_tv(prior, n)
    if cost.mean_noise * smallest_first[(T - first) // 2] / (2 * n) > uniform:
        return math.inf  # rounds fit without a prior, so that noise this large would leave A farther off than uniform
    counts = {min(T * 2**i, subsets.Q.parts) for i in range(20)}
    return min(
        subsets.mean_tv(
            _selected_errors(
                subsets, prior, float(smallest_first[m - 1]), cost.variance_at(cost.scale), T - first, first
            ),
            n,
        )
        for m in counts
    )


def _selected_errors(
    subsets: Subsets, prior: np.ndarray, most: float, variance: float, rounds: int, first: int
) -> np.ndarray:
    """The expected squared error of a coordinate of each residual, if so many rounds select: (subsets,).

    The rounds select among the tables of at most `most` cells. Each is selected equally often at first sight. A table
    of c cells, with noise of `variance` in each, knows the residual of a subset of c' cells with c/c' times the
    variance. A residual of one attribute is measured many times, and once before if one-way marginals come `first`. Of
    those of more attributes, the share t that is measured holds more than a share t of the squares, as the largest are
    selected. Let these be exponentially distributed: then the largest t hold t (1 - ln t) of them.
    """
    offered = [float(cells <= most) for cells, _ in subsets.within]
    tables = subsets.summed(offered)  # offered that contain A
    count = sum(each * len(parts[0][1]) for each, (_, parts) in zip(offered, subsets.within, strict=True))
    times = tables * rounds / count
    inverse_cells = subsets.summed([each / cells for each, (cells, _) in zip(offered, subsets.within, strict=True)])
    precision = subsets.cells * inverse_cells / np.maximum(1, tables) / variance
    t = np.clip(times, 1e-12, 1.0)
    held = t * (1 - np.log(t))
    selected = t / (t / (held * prior) + np.maximum(1, times) * precision) + (1 - held) * prior
    one_way = 1 / (1 / prior + times * precision + (1 / variance if first else 0.0))
    return np.where(subsets.order == 1, one_way, selected)
