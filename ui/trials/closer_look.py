"""Where one system, or two, are wrong: their answers at the first seed beside the truth."""

from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial

import numpy as np
import streamlit as st

from mwem_core.evaluation.trials import Trial
from mwem_core.systems import SYSTEMS
from mwem_core.workload.workload import Workload
from ui.figures.chart import Chart
from ui.figures.palette import STROKES, Stroke
from ui.figures.scatter import true_against_estimated
from ui.figures.where import group_bars, pair_maps
from ui.inputs.data import Data
from ui.page.plots import plot, titled
from ui.page.wording import plain, problem, show_badge
from ui.results.recall import recall
from ui.results.standings import by_system
from ui.results.where import by_pairs, groups, pairs_apply
from ui.session import state
from ui.session.runner import MAX_INTERACTIVE_CELLS
from ui.trials.controls import polled, results_of
from ui.words.badges import PRIVATE

MOST_PARTS, MOST_RECALLED = 200, 6
EVERY, NONE = "all tables", "nothing"


def look_closer(data: Data, workload: Workload, trials: Sequence[Trial]) -> None:
    """Choose of the systems that ran, of which there must be one, and see them query by query and table by table."""
    if workload.cells > MAX_INTERACTIVE_CELLS:
        st.caption(f"Where they are wrong is shown for workloads of up to {MAX_INTERACTIVE_CELLS:,} cells.")
        return
    ran = by_system(results_of(data, workload, trials))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.subheader("Where they are wrong", anchor=False, width="content")
        show_badge(PRIVATE)
    with st.container(horizontal=True):
        one = _choose(state.FIRST_SYSTEM, "Look at", list(ran))
        other = _choose(state.SECOND_SYSTEM, "beside", [*(name for name in ran if name != one), NONE])
        queries = _choose_queries(workload)
    chosen = {name: _recalled(data, workload, ran[name][0].trial) for name in (one, other) if name != NONE}
    show = partial(_closer, data, workload, queries, chosen, trials[0].seed)
    polled(show, lambda: not all(f.done() for f in chosen.values()), every=0.5)


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
    """Indices of the queries of one table, or of all."""
    if workload.tabular and 1 < workload.parts <= MOST_PARTS:
        labels = [workload.domain.label(S) for S in workload.sets]
        part = _choose(state.MARGINAL, "in", [EVERY, *labels])
        if part != EVERY:
            i = labels.index(part)
            return np.arange(workload.offsets[i], workload.offsets[i + 1])
    return np.arange(workload.size)


def _recalled(data: Data, workload: Workload, trial: Trial) -> "Future[np.ndarray]":
    held = st.session_state.setdefault(state.TRIAL_ANSWERS, {})
    key = data.source, workload.domain, workload.spec, trial
    if key not in held:
        while len(held) >= MOST_RECALLED:
            del held[next(iter(held))]
        held[key] = recall(data.records, workload, trial)
    return held[key]


def _closer(
    data: Data, workload: Workload, queries: np.ndarray, chosen: dict[str, "Future[np.ndarray]"], seed: int
) -> None:
    if not all(future.done() for future in chosen.values()):
        st.caption(":material/hourglass_top: Working their answers out once more …")
        return
    for future in chosen.values():
        if error := future.exception():
            problem(error if isinstance(error, ValueError) else "the answers could not be worked out: the log says why")
            return
    key = data.source, workload.domain, workload.spec
    truth = state.remember("true answers", key, lambda: workload.answers(data.records) / data.records.total)
    drawn = {SYSTEMS[name].title: (future.result(), STROKES[name]) for name, future in chosen.items()}
    _side_by_side(true_against_estimated(workload, queries, truth, drawn, data.records.total))
    st.caption(f"A dot a query, at seed {seed}, on logarithmic scales: right on the dotted line, too high above it.")
    gaps = {title: (np.abs(found - truth), stroke) for title, (found, stroke) in drawn.items()}
    if pairs_apply(workload):
        _maps(workload, {title: gap for title, (gap, _) in gaps.items()})
    else:
        _bars(workload, truth, gaps)


def _maps(workload: Workload, gaps: dict[str, np.ndarray]) -> None:
    what = "mean total variation" if workload.tabular else "mean error"
    _side_by_side(pair_maps(workload.domain.names, what, {title: by_pairs(workload, g) for title, g in gaps.items()}))
    of = "tables" if workload.tabular else "parities"
    said = f"{what.capitalize()} of the {of} that hold both attributes; on the diagonal, of all that hold the one."
    if len(gaps) == 2:
        said += f" In the difference, red is where {plain(next(iter(gaps)))} errs less, blue where it errs more."
    st.caption(said)


def _bars(workload: Workload, truth: np.ndarray, gaps: dict[str, tuple[np.ndarray, Stroke]]) -> None:
    named = groups(workload, truth)
    means = {
        title: (np.array([gap[part].mean() for _, part in named]), stroke) for title, (gap, stroke) in gaps.items()
    }
    axis = "" if workload.size == len(named) else "queries by their true share of n"
    _side_by_side([group_bars([label for label, _ in named], axis, "mean error, share of n", means)])


def _side_by_side(charts: Sequence[Chart]) -> None:
    grid = st.grid(len(charts), min_column_width=300, gap="medium")
    for chart in charts:
        with grid.cell(), st.container(gap="xsmall"):
            st.markdown(titled(chart.title, chart.note))
            plot(chart)
