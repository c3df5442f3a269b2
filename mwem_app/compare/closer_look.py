"""Where the errors of a system are: answers beside the truth, and errors by pair of attributes."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from mwem_app.base import PRIVATE, duration
from mwem_app.charts import pair_map
from mwem_app.compare.controls import results_of
from mwem_app.compare.error_charts import true_against_estimated
from mwem_app.compare.ranking import by_system
from mwem_app.inputs import Data
from mwem_app.page import count_work, follow_task, may_start, section, show_in_a_row
from mwem_app.session import MAX_INTERACTIVE_CELLS, RUNS, Task, state
from mwem_core.domain import Records
from mwem_core.judge import Result, Trial, run_system
from mwem_core.systems import SYSTEMS
from mwem_core.workload import Workload

MAX_MAP_ATTRIBUTES = 40  # on each side of a map of pairs
MAX_UNASKED_SECONDS = 0.5  # of CPU time


def has_pair_map(workload: Workload) -> bool:
    """Whether errors can be shown by pair of attributes: several parts, and each part is about attributes alone."""
    fits = len(workload.domain) <= MAX_MAP_ATTRIBUTES and workload.parts > 1
    return fits and workload.has_residuals and not workload.terms


def error_by_pair(workload: Workload, gap: np.ndarray) -> np.ndarray:
    """Mean error of the parts that hold a pair of attributes, (d, d): pairs below the diagonal, NaN where no part is.

    On the diagonal: of all parts that hold the attribute. `gap` is |answer - truth| in shares, (|Q|,).
    """
    d = len(workload.domain)
    sums, parts = np.zeros((d, d)), np.zeros((d, d))
    start = 0
    errors = part_errors(workload, gap)
    for block in workload.blocks:
        block_errors = errors[start : start + len(block.sets)]
        start += len(block.sets)
        for i in range(block.sets.shape[1]):
            for j in range(i + 1):
                np.add.at(sums, (block.sets[:, i], block.sets[:, j]), block_errors)
                np.add.at(parts, (block.sets[:, i], block.sets[:, j]), 1)
    with np.errstate(invalid="ignore"):
        return sums / parts


def part_errors(workload: Workload, gap: np.ndarray) -> np.ndarray:
    """Total variation of each marginal, else the mean gap of each part's queries: (|Q|,) -> (parts,)."""
    return workload.sum_by_part(gap) / np.where(workload.whole, 2, workload.query_counts)


def answers(B: Records, Q: Workload, trial: Trial) -> np.ndarray:
    """A trial's answers as shares of their own total: (|Q|,). Raises ValueError where the trial cannot run."""
    model = run_system(B, Q, trial).last.model
    return model.answers(Q) / model.total


def show_closer_look(data: Data, workload: Workload, trials: Sequence[Trial]) -> None:
    """Choose one of the systems that have run, and show its errors at the first seed. NOT private.

    At least one system must have run. The answers are recomputed, because results hold errors only.
    """
    if workload.cells > MAX_INTERACTIVE_CELLS:
        st.caption(f"Errors by query are shown for workloads of up to {MAX_INTERACTIVE_CELLS:,} cells.")
        return
    results = by_system(results_of(data, workload, trials))
    section("Where the errors are", PRIVATE)
    if st.session_state.get(state.ONE_SYSTEM) not in (None, *results):
        st.session_state[state.ONE_SYSTEM] = next(iter(results))
    system = st.selectbox(
        "System",
        list(results),
        format_func=lambda name: SYSTEMS[name].title,
        key=state.ONE_SYSTEM,
        bind=state.BIND,
        width=240,
    )
    if work := _recomputing(data, workload, results[system][0]):
        follow_task(
            work,
            lambda estimate: _show_errors(data, workload, system, estimate, trials[0].seed),
            "Recomputing the answers",
        )


def _recomputing(data: Data, workload: Workload, result: Result) -> Task[np.ndarray] | None:
    """The work that gives the trial's answers; None while a visitor must ask for it, or may not.

    A visitor who has run nothing must ask before the server runs for long: committed results hold no answers.
    """
    trial, key = result.trial, (data.source, workload.domain, workload.spec, result.trial)
    work: Task[np.ndarray] | None = st.session_state.get(state.TRIAL_ANSWERS)
    if work is not None and work.key == key:
        return work
    if trial not in state.trial_results(data.source, workload) and result.seconds > MAX_UNASKED_SECONDS:
        label = f"Recompute the answers of {SYSTEMS[trial.system].title} ({duration(result.seconds)})"
        if not st.button(label, icon=":material/play_arrow:"):
            return None
    if not may_start(RUNS):
        return None
    if work is not None:
        work.stop()
    work = Task("answers", key, lambda: answers(data.records.distinct(), workload, trial))
    st.session_state[state.TRIAL_ANSWERS] = work
    count_work(work)
    return work


def _show_errors(data: Data, workload: Workload, system: str, estimate: np.ndarray, seed: int) -> None:
    key = data.source, workload.domain, workload.spec
    truth = state.remember("true answers", key, lambda: workload.answers(data.records) / data.records.total)
    charts = [true_against_estimated(workload, system, truth, estimate, data.records.total)]
    captions = [
        f"Each dot is one query (seed {seed}, log scales). On the dotted line: exact. Above it: overestimated. Answers "
        "below half a record are drawn at 0."
    ]
    if has_pair_map(workload):
        measure, part = ("total variation", "marginals") if workload.tabular else ("error", "parities")
        errors, metric = error_by_pair(workload, np.abs(estimate - truth)), f"mean {measure}"
        about = f"Mean {measure} of {SYSTEMS[system].title} by pair of attributes"
        charts.append(pair_map("Error by pair of attributes", workload.domain.names, errors, metric, about))
        captions.append(
            f"Each square is the mean {measure} of the {part} that contain both attributes. On the diagonal: of the "
            f"{part} that contain the attribute."
        )
    show_in_a_row(charts)
    st.caption(" ".join(captions))
