"""What settings of MWEM do, in a few words that hold before a run and after it."""

import math
from typing import Literal

import numpy as np

from mwem_core.algorithm import Algorithm, Spender
from mwem_core.automatic.composed.apart import Apart, parts_of, rounds_in
from mwem_core.automatic.composed.staged import Staged
from mwem_core.automatic.expected_lower import lower_name
from mwem_core.automatic.planned.counts import Counts
from mwem_core.automatic.planned.hierarchy import best_hierarchy
from mwem_core.automatic.planned.nothing import Nothing
from mwem_core.automatic.planned.planned import Planned
from mwem_core.automatic.planned.plans import make_plan
from mwem_core.automatic.planned.refining import Halvings
from mwem_core.base import constants, join_names
from mwem_core.mwem import MWEM
from mwem_core.workload import Workload, subsets_of, tables_of

Turn = Literal["round", "step"]  # what moves the model once: see `turn_of`


def run_in_words(settings: Spender, Q: Workload, n: float) -> str:
    """What a run on n records does, from public numbers: "16 rounds", or "all 28 marginals measured once"."""
    if isinstance(settings, Apart):
        first, *others = parts_of(Q)
        families = " and ".join(dict.fromkeys(part.family for part in others))
        return f"{run_in_words(settings.first_alone, first, n)}, {families} by themselves"
    if isinstance(settings, MWEM):
        return _rounds(settings.planned_rounds(n, Q))
    if isinstance(settings, Staged):
        return f"one-way marginals, then {_rounds(settings.T)}"
    return f"{_measured_once(settings, Q)} measured once" if not isinstance(settings, Nothing) else "nothing measured"


def measured_in_words(settings: Spender, Q: Workload, n: float) -> str:
    """What settings that measure before they select, or without it, do on n records: from public numbers alone."""
    if isinstance(settings, Nothing):
        return (
            f"**Nothing is measured, and nothing spent**: with {n:,.0f} records at this ε no measurement is expected "
            f"to lower the error by {constants.WORTH:.1%}. The model stays as it starts: choose a larger ε."
        )
    if isinstance(settings, Halvings):
        levels = best_hierarchy(Q, settings.guarantee.budget, n).tables
        tables = [" × ".join(f"{2**level:,}" for level in table) for table in levels]
        return f"**Counts of {join_names(tables)} intervals, each measured once**."
    if isinstance(settings, Staged):
        among = lower_name(Q) if settings.measured(Q) is not Q else _parts(Q)
        rounds = "a round selects" if settings.T == 1 else f"{settings.T} rounds select"
        share = f"{settings.share:.0%} of the budget"
        return f"**One-way marginals measured once**, with {share}; then {rounds} {among}."
    doing = run_in_words(settings, Q, n)
    noise = _noise_of_answers(settings, Q)
    off = f", with about **{noise:,.2g} records** of noise in an answer ({noise / n:.2g} of n)" if noise else ""
    return f"**{doing[0].upper()}{doing[1:]}**{off}."


def _noise_of_answers(settings: Spender, Q: Workload) -> float:
    """The mean size of the noise in an answer that a plan measures, in records; 0 where it leaves some unmeasured.

    That of normal noise with the standard deviations that the plan's residuals add up to.
    """
    if not isinstance(settings, Planned) or settings.plan == "one-way" or settings.within != "workload":
        return 0.0
    subsets = subsets_of(Q)
    plan = make_plan(settings.plan, subsets, settings.guarantee.budget)
    squares = subsets.part_errors(1 / plan.precisions)
    return math.sqrt(2 / math.pi) * float(np.sqrt(squares * Q.query_counts).sum() / Q.size)


def turn_of(settings: Algorithm) -> Turn:
    """What moves the model once: a round that measures, or a step of the fit to what was measured once."""
    once = isinstance(settings, Spender) and not rounds_in(settings) and not isinstance(settings, Nothing)
    return "step" if once else "round"


def what_ran(settings: Algorithm, Q: Workload, n: float) -> str:
    """The same of any system's settings: empty where they are not ours."""
    return run_in_words(settings, Q, n) if isinstance(settings, Spender) else ""


def _rounds(T: int | None) -> str:
    return "rounds" if T is None else "1 round" if T == 1 else f"{T:,} rounds"


def _measured_once(settings: Spender, Q: Workload) -> str:
    """What is measured where nothing is selected."""
    if isinstance(settings, Halvings):
        return "counts of intervals"
    if isinstance(settings, Counts):
        return "1 predicate" if Q.size == 1 else f"{Q.size:,} {Q.family}"
    assert isinstance(settings, Planned)
    lower = settings.within == "lower"
    return {
        "cells": f"{Q.domain.cells(Q.reads):,} cells",
        "one-way": "one-way marginals",
        "marginals": f"all {tables_of(Q).parts:,} marginals",
        "residuals": f"all {settings.measured(Q).parts:,} {lower_name(Q) if lower else _parts(Q)}",
    }[settings.plan]


def _parts(Q: Workload) -> str:
    return "marginals" if Q.tabular or Q.terms else Q.family
