"""Where the errors of one system, or of two, are: answers beside the truth, and errors by marginal."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

import numpy as np
import streamlit as st

from mwem_app.base import PRIVATE, duration
from mwem_app.charts import STROKES
from mwem_app.compare.controls import results_of
from mwem_app.compare.error_charts import error_maps, group_bars, true_against_estimated
from mwem_app.compare.ranking import by_system
from mwem_app.inputs import Data
from mwem_app.page import count_work, may_start, plain, problem, redraw_while, section, show_in_a_row
from mwem_app.session import MAX_INTERACTIVE_CELLS, RUNS, is_demo, state
from mwem_core.domain import Records
from mwem_core.judge import Result, Trial, run_system
from mwem_core.systems import SYSTEMS
from mwem_core.workload import Workload

MAX_MAP_ATTRIBUTES = 40  # on each side of a map of pairs
QUERY_GROUPS = 10
_one_by_one = ThreadPoolExecutor(1, thread_name_prefix="recall")  # of all visitors of a public demo
MAX_LISTED_MARGINALS, MAX_KEPT_ANSWERS = 200, 6
MAX_UNASKED_SECONDS = 0.5  # of CPU time
ALL_MARGINALS, NO_SYSTEM = "all marginals", "nothing"
log = logging.getLogger(__name__)


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


def query_groups(workload: Workload, truth: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """(label, indices of queries) of each group: single queries if there are few, else by size of the true answer."""
    if workload.size <= 2 * QUERY_GROUPS:
        return [(workload.query(j)[2], np.array([j])) for j in range(workload.size)]
    groups = np.array_split(np.argsort(truth, kind="stable"), QUERY_GROUPS)
    return [(f"{truth[group[0]]:.2g} to {truth[group[-1]]:.2g}", group) for group in groups]


def recall(B: Records, Q: Workload, trial: Trial) -> "Future[np.ndarray]":
    """A trial's `answers`, computed on a thread. The future raises ValueError where the trial cannot run."""
    if is_demo():
        return _one_by_one.submit(answers, B.distinct(), Q, trial)
    executor = ThreadPoolExecutor(1, thread_name_prefix="recall")
    future = executor.submit(answers, B.distinct(), Q, trial)
    executor.shutdown(wait=False)
    return future


def answers(B: Records, Q: Workload, trial: Trial) -> np.ndarray:
    """A trial's answers as shares of their own total: (|Q|,). Raises ValueError where the trial cannot run."""
    model = run_system(B, Q, trial).last.model
    return model.answers(Q) / model.total


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

    def is_pending() -> bool:
        return not all(future.done() for future in answers.values())

    redraw_while(is_pending, show, was_pending=is_pending(), every=0.5)


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
    show_in_a_row(true_against_estimated(workload, queries, truth, estimates, data.records.total))
    st.caption(
        f"Each dot is one query (seed {seed}, log scales). On the dotted line: exact. Above it: overestimated. Answers "
        "below half a record are drawn at 0."
    )
    errors = {title: (np.abs(estimate - truth), stroke) for title, (estimate, stroke) in estimates.items()}
    if has_pair_map(workload):
        _show_maps(workload, {title: error for title, (error, _) in errors.items()})
    else:
        named = query_groups(workload, truth)
        means = {
            title: (np.array([error[indices].mean() for _, indices in named]), stroke)
            for title, (error, stroke) in errors.items()
        }
        axis = "" if workload.size == len(named) else "queries by their true share of n"
        show_in_a_row([group_bars([label for label, _ in named], axis, "mean error, share of n", means)])


def _show_maps(workload: Workload, errors: Mapping[str, np.ndarray]) -> None:
    measure, part = ("total variation", "marginals") if workload.tabular else ("error", "parities")
    maps = {title: error_by_pair(workload, error) for title, error in errors.items()}
    show_in_a_row(error_maps(workload.domain.names, f"mean {measure}", maps))
    caption = (
        f"Each square is the mean {measure} of the {part} that contain both attributes. On the diagonal: of the "
        f"{part} that contain the attribute."
    )
    if len(errors) == 2:
        first, second = map(plain, errors)
        caption += f" {first} − {second}: blue where the error of {first} is larger, red where it is smaller."
    st.caption(caption)
