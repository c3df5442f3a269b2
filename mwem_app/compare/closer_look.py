"""Where the errors of one system, or of two, are: answers beside the truth, and errors by marginal."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial

import numpy as np
import streamlit as st

from mwem_app.base import PRIVATE, duration
from mwem_app.charts import STROKES, Chart, Stroke
from mwem_app.compare.controls import results_of
from mwem_app.compare.recall import recall
from mwem_app.compare.scatter import true_against_estimated
from mwem_app.compare.standings import by_system
from mwem_app.compare.where import error_by_pair, has_pair_map, query_groups
from mwem_app.compare.where_charts import error_maps, group_bars
from mwem_app.inputs import Data
from mwem_app.page import count_work, may_start, plain, plot, problem, redraw_while, section, titled
from mwem_app.session import MAX_INTERACTIVE_CELLS, RUNS, state
from mwem_core.judge import Result, Trial
from mwem_core.systems import SYSTEMS
from mwem_core.workload import Workload

MAX_LISTED_MARGINALS, MAX_KEPT_ANSWERS = 200, 6
MAX_UNASKED_SECONDS = 0.5  # of CPU time
ALL_MARGINALS, NO_SYSTEM = "all marginals", "nothing"
log = logging.getLogger(__name__)


def show_closer_look(data: Data, workload: Workload, trials: Sequence[Trial]) -> None:
    """Choose one or two of the systems that have run, and show their errors at the first seed. NOT private.

    At least one system must have run. The answers are recomputed, because results hold errors only.
    """
    if workload.cells > MAX_INTERACTIVE_CELLS:
        st.caption(f"Errors by query are shown for workloads of up to {MAX_INTERACTIVE_CELLS:,} cells.")
        return
    results = by_system(results_of(data, workload, trials))
    section("Where the errors are", PRIVATE)
    with st.container(horizontal=True):
        first = _choose(state.FIRST_SYSTEM, "System", list(results))
        second = _choose(state.SECOND_SYSTEM, "Compare with", [*(name for name in results if name != first), NO_SYSTEM])
        queries = _choose_queries(workload)
    chosen = {name: results[name][0] for name in (first, second) if name != NO_SYSTEM}
    if not _agrees_to_recompute(data, workload, chosen.values()):
        return
    kept = st.session_state.get(state.TRIAL_ANSWERS, {})
    if not all(_key(data, workload, result.trial) in kept for result in chosen.values()) and not may_start(RUNS):
        return
    answers = {name: _answers(data, workload, result) for name, result in chosen.items()}
    show = partial(_show_errors, data, workload, queries, answers, trials[0].seed)

    def pending() -> bool:
        return not all(future.done() for future in answers.values())

    redraw_while(pending, show, was_pending=pending(), every=0.5)


def _choose(key: str, label: str, names: list[str]) -> str:
    if st.session_state.get(key) not in (None, *names):
        st.session_state[key] = names[0]
    return st.selectbox(
        label,
        names,
        format_func=lambda name: SYSTEMS[name].title if name in SYSTEMS else name,
        key=key,
        bind=state.BIND,
        width=240,
    )


def _choose_queries(workload: Workload) -> np.ndarray:
    """Indices of the queries of one marginal, or of all."""
    if workload.tabular and 1 < workload.parts <= MAX_LISTED_MARGINALS:
        labels = [workload.domain.label(S) for S in workload.sets]
        label = _choose(state.MARGINAL, "Marginal", [ALL_MARGINALS, *labels])
        if label != ALL_MARGINALS:
            i = labels.index(label)
            return np.arange(workload.offsets[i], workload.offsets[i + 1])
    return np.arange(workload.size)


def _agrees_to_recompute(data: Data, workload: Workload, results: Iterable[Result]) -> bool:
    """Ask before a visitor who has run nothing makes the server run for long: committed results hold no answers."""
    own, kept = state.trial_results(data.source, workload), st.session_state.get(state.TRIAL_ANSWERS, {})
    unasked = [r for r in results if r.trial not in own and _key(data, workload, r.trial) not in kept]
    seconds = sum(result.seconds for result in unasked)
    if seconds <= MAX_UNASKED_SECONDS:
        return True
    names = " and ".join(SYSTEMS[result.trial.system].title for result in unasked)
    return st.button(f"Recompute the answers of {names} ({duration(seconds)})", icon=":material/play_arrow:")


def _key(data: Data, workload: Workload, trial: Trial) -> tuple:
    return data.source, workload.domain, workload.spec, trial


def _answers(data: Data, workload: Workload, result: Result) -> "Future[np.ndarray]":
    """The trial's answers, which may still be computing; the session keeps those of the last few trials."""
    trial = result.trial
    kept = st.session_state.setdefault(state.TRIAL_ANSWERS, {})
    key = _key(data, workload, trial)
    if key not in kept:
        while len(kept) >= MAX_KEPT_ANSWERS:
            del kept[next(iter(kept))]
        kept[key] = recall(data.records, workload, trial)
        count_work(result.seconds)
    return kept[key]


def _show_errors(
    data: Data, workload: Workload, queries: np.ndarray, answers: Mapping[str, "Future[np.ndarray]"], seed: int
) -> None:
    if not all(future.done() for future in answers.values()):
        st.caption(":material/hourglass_top: Recomputing the answers …")
        return
    for future in answers.values():
        if error := future.exception():
            if isinstance(error, ValueError):
                problem(error)
            else:
                log.error("recomputing a trial's answers failed", exc_info=error)
                problem("the answers could not be recomputed: the server's log has the details")
            return
    key = data.source, workload.domain, workload.spec
    truth = state.remember("true answers", key, lambda: workload.answers(data.records) / data.records.total)
    estimates = {SYSTEMS[name].title: (future.result(), STROKES[name]) for name, future in answers.items()}
    _show_in_a_row(true_against_estimated(workload, queries, truth, estimates, data.records.total))
    st.caption(
        f"Each dot is one query (seed {seed}, log scales). On the dotted line: exact. Above it: overestimated. Answers "
        "below half a record are drawn at 0."
    )
    errors = {title: (np.abs(estimate - truth), stroke) for title, (estimate, stroke) in estimates.items()}
    if has_pair_map(workload):
        _show_maps(workload, {title: error for title, (error, _) in errors.items()})
    else:
        _show_bars(workload, truth, errors)


def _show_maps(workload: Workload, errors: Mapping[str, np.ndarray]) -> None:
    measure, part = ("total variation", "marginals") if workload.tabular else ("error", "parities")
    maps = {title: error_by_pair(workload, error) for title, error in errors.items()}
    _show_in_a_row(error_maps(workload.domain.names, f"mean {measure}", maps))
    caption = (
        f"Each square is the mean {measure} of the {part} that contain both attributes. On the diagonal: of the "
        f"{part} that contain the attribute."
    )
    if len(errors) == 2:
        first, second = map(plain, errors)
        caption += f" {first} − {second}: blue where the error of {first} is larger, red where it is smaller."
    st.caption(caption)


def _show_bars(workload: Workload, truth: np.ndarray, errors: Mapping[str, tuple[np.ndarray, Stroke]]) -> None:
    named = query_groups(workload, truth)
    means = {
        title: (np.array([error[queries].mean() for _, queries in named]), stroke)
        for title, (error, stroke) in errors.items()
    }
    axis = "" if workload.size == len(named) else "queries by their true share of n"
    _show_in_a_row([group_bars([label for label, _ in named], axis, "mean error, share of n", means)])


def _show_in_a_row(charts: Sequence[Chart]) -> None:
    grid = st.grid(len(charts), min_column_width=300, gap="medium")
    for chart in charts:
        with grid.cell(), st.container(gap="xsmall"):
            st.markdown(titled(chart.title, chart.note))
            plot(chart)
