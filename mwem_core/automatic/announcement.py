"""What a run will do, how long it takes and how far it is expected to err, told before it starts: by public numbers."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mwem_core.algorithm import Algorithm, Spender
from mwem_core.automatic.choice import can_be_visited, public_start
from mwem_core.automatic.compositions import Apart, Staged, parts_of, rounds_in
from mwem_core.automatic.counts import Counts
from mwem_core.automatic.expected_error import expected_range_error, expected_tv, idle_tv
from mwem_core.automatic.hierarchy import best_hierarchy
from mwem_core.automatic.mwem_rules import rounds_apart
from mwem_core.automatic.plan_fit import Nothing, Planned
from mwem_core.automatic.plans import make_plan
from mwem_core.automatic.refinement import Halvings
from mwem_core.automatic.sizes import goes_beyond, rows_to_fit
from mwem_core.automatic.typical_tables import lower_name
from mwem_core.base import constants, join_names
from mwem_core.mwem import MWEM, Newest
from mwem_core.workload import Workload, subsets_of, tables_of

ARRAYS = 6  # of one number per query or cell that are in memory at once: the truth, the answers and their errors
MAX_ROWS = 10**6  # that are written: the table may be larger than memory, and more rows would not be more accurate
KEPT_CELLS = 10**6  # at most, in the model of a round; all of them stay
# Seconds of CPU time on one core of 2.5 GHz or so, each with its unit. Measured on tables of a hundred to 300,000
# records and of up to 300 columns; a run takes from a third to three times of what they add up to.
COUNT_SECONDS = 6e-9  # per record and marginal, to count the truth
BIT_SECONDS = 3e-11  # per record and pair of bits, where one matrix product counts all pairs
SCORE_SECONDS = 2e-8  # per round and cell of the candidates
AVERAGE_SECONDS = 2e-7  # per pair of rounds and cell of the candidates, where the output averages the rounds
PRICE_SECONDS = 3e-4  # per round and candidate, once the rounds have connected the attributes
FIT_SECONDS = 2e-7  # per weighted row and marginal that a plan is fitted by
WRITE_SECONDS = 1e-6  # per value of the synthetic rows, drawn and written
WRITE_BIT_SECONDS = 3e-7  # the same, of an attribute of two values: many of them sort as one
WRITE_BYTES = 75  # per value of the synthetic rows, while they are written as text
ERROR_PER_TV = 2  # the mean error of a query, beside a total variation
LARGEST = {"parities": 2.0}  # error of a table of n records, as a share of n; 1 of other answers, from 0 to n
Turn = Literal["round", "step"]  # what moves the model once: see `turn_of`


@dataclass(frozen=True)
class Effort:
    """CPU seconds on one core, and bytes of memory beside the program and what reads the table."""

    seconds: float
    bytes: int

    @property
    def in_words(self) -> str:
        """Two rounded numbers: "about 20 seconds and up to 0.3 GB of memory beside the program and its table".

        >>> Effort(200.0, 3 * 10**8).in_words
        'about 3 minutes and up to 0.3 GB of memory beside the program and its table'
        """
        seconds = float(f"{max(1.0, self.seconds):.1g}")
        time = f"{seconds:.0f} second{'s' * (seconds > 1)}" if seconds < 100 else f"{self.seconds / 60:.0f} minutes"
        return f"about {time} and up to {max(0.1, self.bytes / 1e9):.1f} GB of memory beside the program and its table"


def effort(settings: Spender, Q: Workload, n: float) -> Effort:
    """What a run on n records will take, until its synthetic rows are written. Reads public numbers alone."""
    T, bits, rows = settings.planned_rounds(n, Q) or 1, Q.domain.shape.count(2), min(n, MAX_ROWS)
    tables, seconds = tables_of(Q), rows * (WRITE_SECONDS * (len(Q.domain) - bits) + WRITE_BIT_SECONDS * bits)
    for block in tables.blocks:
        seconds += n * len(block.sets) * (BIT_SECONDS if tables.domain.multiplies(block.sets) else COUNT_SECONDS)
    alone = settings.first if isinstance(settings, Apart) else settings
    if rounds := rounds_in(settings):
        selecting = max(1, T - rounds.first_rounds(Q))
        seconds += SCORE_SECONDS * selecting * Q.size + PRICE_SECONDS * max(0.0, selecting - rounds_apart(Q)) * Q.parts
        if rounds.output == "average":
            seconds += AVERAGE_SECONDS * T**2 / 2 * Q.size
    elif isinstance(alone, Planned) and goes_beyond(alone.plan, Q):
        seconds += FIT_SECONDS * rows_to_fit(Q) * tables.parts
    return Effort(seconds, bytes_of_run(Q, rounds=T) + round(WRITE_BYTES * rows * len(Q.domain)))


def bytes_of_run(workload: Workload, *, rounds: int) -> int:
    """An estimate of the memory that a run of this many rounds takes."""
    model = min(KEPT_CELLS, workload.domain.size, workload.cells)
    return 8 * (ARRAYS * (workload.cells + workload.size) + rounds * model)


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
    """`run_in_words` for any system's settings: empty where they are not ours."""
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
