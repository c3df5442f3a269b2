"""What settings of MWEM do, in a few words that hold before a run and after it."""

from mwem_core.algorithm import Algorithm
from mwem_core.mwem.asked import apart
from mwem_core.mwem.expected_lower import lower_name
from mwem_core.mwem.mwem import MWEM
from mwem_core.workload.closure import tables_of
from mwem_core.workload.workload import Workload


def run_in_words(settings: MWEM, Q: Workload, n: float) -> str:
    """What a run on n records does, from public numbers: "16 rounds", or "all 28 marginals measured once"."""
    if settings.query_share:
        first, *others = apart(Q)
        families = " and ".join(dict.fromkeys(part.family for part in others))
        return f"{run_in_words(settings.on_first, first, n)}, {families} by themselves"
    if settings.plan == "select":
        return _rounds(settings.planned_rounds(n, Q))
    if settings.selects:
        return f"one-way marginals, then {_rounds(int(settings.T))}"
    return _measured_once(settings, Q)


def what_ran(settings: Algorithm, Q: Workload, n: float) -> str:
    """The same of any system's settings: empty where they are not of class MWEM."""
    return run_in_words(settings, Q, n) if isinstance(settings, MWEM) else ""


def _rounds(T: int | None) -> str:
    return "rounds" if T is None else "1 round" if T == 1 else f"{T:,} rounds"


def _measured_once(settings: MWEM, Q: Workload) -> str:
    """What is measured where nothing is selected."""
    if settings.plan == "nothing":
        return "nothing measured"
    lower = settings.candidates == "lower"
    measured = {
        "hierarchical": "counts of intervals",
        "queries": f"{Q.size:,} {Q.family}",
        "cells": f"{Q.domain.cells(Q.reads):,} cells",
        "one-way": "one-way marginals",
        "marginals": f"all {tables_of(Q).parts:,} marginals",
        "residuals": f"all {settings.measured(Q).parts:,} {lower_name(Q) if lower else _parts(Q)}",
    }
    return f"{measured[settings.plan]} measured once"


def _parts(Q: Workload) -> str:
    return "marginals" if Q.tabular or Q.terms else Q.family
