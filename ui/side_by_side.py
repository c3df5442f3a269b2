"""The Compare page below its settings: who wins, chart and table, and where each system is wrong."""

from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial

import numpy as np
import streamlit as st

from mwem_core.systems import SYSTEMS
from mwem_core.trials import Result, Trial
from mwem_core.verdict import told
from mwem_core.workload import Workload
from ui import state
from ui.badges import PRIVATE
from ui.figures.chart import Chart
from ui.figures.compare import error_bars
from ui.figures.palette import STROKES
from ui.figures.scatter import true_against_estimated
from ui.figures.where import group_bars, pair_maps
from ui.inputs_data import Data
from ui.metrics import METRICS, available
from ui.recall import recall
from ui.redrawn import redrawn
from ui.runner import MOST_CELLS
from ui.standings import as_table, by_system, problems, standings
from ui.sweeping import polled, results_of, tell_problems, tell_progress
from ui.where import by_pairs, groups, pairs_apply, part_errors
from ui.wording import plain, problem, show_badge

CONFIG = {"displayModeBar": False}  # no picture of a chart without its badge
MOST_PARTS, MOST_RECALLED = 200, 6
EVERY, NONE = "all of them", "nothing"


def choose_metric(workload: Workload) -> str:
    """By what to judge; kept where a change of workload leaves it."""
    names = available(workload.tabular)
    if st.session_state.get(state.METRIC) not in (None, *names):
        st.session_state[state.METRIC] = names[0]
    return st.segmented_control(
        "Judge by",
        names,
        default=names[0],
        required=True,
        key=state.METRIC,
        bind=state.BIND,
        wrap=True,
        label_visibility="collapsed",
    )


def show_standings(data: Data, workload: Workload, trials: Sequence[Trial]) -> None:
    """What there is so far, polled while more may come."""
    polled(partial(_standings, data, workload, trials), state.sweeping)


def _standings(data: Data, workload: Workload, trials: Sequence[Trial]) -> None:
    results = results_of(data, workload, trials)
    if state.sweeping():
        tell_progress(workload)
        _tell_seeds(results, trials)
    tell_problems(problems(results))
    if not by_system(results):
        if not state.sweeping():
            st.caption("Press **Run**: every system answers the same questions, once a seed, for the same ε.")
        return
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        metric = METRICS[choose_metric(workload)]
        show_badge(PRIVATE)
    found = standings(results, metric)
    if not found:
        st.caption(f"None of these has a {metric.what} that is finite.")
        return
    first, *rest = told({s.name: s.values for s in found}, what=metric.what)
    st.markdown(f"##### {'So far: ' if state.sweeping() else ''}{plain(first)}\n\n{plain(' '.join(rest))}")
    redrawn(error_bars(found, metric), key="error bars")
    st.caption(
        "Geometric mean over the seeds with its 95% interval, each seed a faint dot; further left is better. "
        "Diamonds give answers and no rows; hollow is without privacy, for what it would cost."
    )
    table = as_table(results, tabular=workload.tabular, first=metric)
    st.dataframe(
        table, hide_index=True, width="stretch", column_config={"System": st.column_config.Column(pinned=True)}
    )
    st.caption(
        "Errors are shares of n, total variation from 0 to 1, squared error in records², relative entropy in nats; "
        "± is how far the 95% interval reaches. Seconds are the mechanism's own, the median."
    )


def _tell_seeds(results: Sequence[Result], trials: Sequence[Trial]) -> None:
    """How many of its seeds each system has done."""
    done = [result.trial.system for result in results]
    asked = [trial.system for trial in trials]
    told_ = [
        f"{plain(SYSTEMS[name].title)} **{done.count(name)}** of {asked.count(name)}" for name in dict.fromkeys(asked)
    ]
    st.caption(" · ".join(told_))


def look_closer(data: Data, workload: Workload, trials: Sequence[Trial]) -> None:
    """Where one system, or two, are wrong: their answers at the first seed beside the truth."""
    ran = by_system(results_of(data, workload, trials))
    if not ran or state.sweeping() or workload.cells > MOST_CELLS:
        return
    st.subheader("Where they are wrong", anchor=False)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption("Look at", width="content")
        one = _choose(state.ONE, "Look at", list(ran))
        st.caption("beside", width="content")
        other = _choose(state.OTHER, "beside", [*(name for name in ran if name != one), NONE])
        st.caption(f"at seed {trials[0].seed}", width="content")
        show_badge(PRIVATE)
    chosen = {name: _recalled(data, workload, ran[name][0].trial) for name in (one, other) if name != NONE}
    polled(partial(_closer, data, workload, chosen), lambda: not all(f.done() for f in chosen.values()), every=0.5)


def _choose(key: str, label: str, names: list[str]) -> str:
    if st.session_state.get(key) not in (None, *names):
        st.session_state[key] = names[0]
    return st.selectbox(
        label,
        names,
        format_func=lambda name: SYSTEMS[name].title if name in SYSTEMS else name,
        key=key,
        bind=state.BIND,
        width=220,
        label_visibility="collapsed",
    )


def _recalled(data: Data, workload: Workload, trial: Trial) -> "Future[np.ndarray]":
    held = st.session_state.setdefault(state.RECALLED, {})
    key = data.source, workload.domain, workload.spec, trial
    if key not in held:
        while len(held) >= MOST_RECALLED:
            del held[next(iter(held))]
        held[key] = recall(data.records, workload, trial)
    return held[key]


def _closer(data: Data, workload: Workload, chosen: dict[str, "Future[np.ndarray]"]) -> None:
    if not all(future.done() for future in chosen.values()):
        st.caption(":material/hourglass_top: Working their answers out once more …")
        return
    for future in chosen.values():
        if error := future.exception():
            problem(error if isinstance(error, ValueError) else "the answers could not be worked out: the log says why")
            return
    key = data.source, workload.domain, workload.spec
    truth = state.remember("true answers", key, lambda: workload.answers(data.records) / data.records.total)
    answers = {SYSTEMS[name].title: future.result() for name, future in chosen.items()}
    colors = {SYSTEMS[name].title: STROKES[name][0] for name in chosen}
    _scatters(data, workload, truth, answers, colors)
    if pairs_apply(workload):
        what = "mean total variation" if workload.tabular else "mean error"
        maps = {title: by_pairs(workload, np.abs(found - truth)) for title, found in answers.items()}
        charts = pair_maps(workload.domain.names, what, maps)
        _side_by_side(charts)
        st.caption(_about_maps(workload, list(answers)))
    else:
        named = groups(workload, truth)
        of = {
            title: (np.array([np.abs(found - truth)[part].mean() for _, part in named]), colors[title])
            for title, found in answers.items()
        }
        axis = "" if workload.size == len(named) else "queries by their true share of n"
        _side_by_side([group_bars([label for label, _ in named], axis, "mean error, share of n", of)])


def _scatters(
    data: Data, workload: Workload, truth: np.ndarray, answers: dict[str, np.ndarray], colors: dict[str, str]
) -> None:
    queries = np.arange(workload.size)
    if 1 < workload.parts <= MOST_PARTS and workload.tabular:
        labels = [workload.domain.label(S) for S in workload.sets]
        worst = part_errors(workload, np.abs(next(iter(answers.values())) - truth))
        if st.session_state.get(state.PART) not in (None, EVERY, *labels):
            st.session_state[state.PART] = EVERY
        part = st.selectbox(
            "Tables",
            [EVERY, *(labels[i] for i in np.argsort(-worst, kind="stable"))],
            format_func=lambda label: "All tables" if label == EVERY else label,
            key=state.PART,
            bind=state.BIND,
            width=320,
            label_visibility="collapsed",
        )
        if part != EVERY:
            i = labels.index(part)
            queries = np.arange(workload.offsets[i], workload.offsets[i + 1])
    _side_by_side(
        [
            true_against_estimated(title, workload, queries, truth, found, data.records.total, colors[title])
            for title, found in answers.items()
        ]
    )


def _side_by_side(charts: Sequence[Chart]) -> None:
    grid = st.grid(len(charts), min_column_width=300, gap="medium")
    for chart in charts:
        with grid.cell(), st.container(gap="xsmall"):
            note = f"\u2002:small[:gray[{chart.note}]]" if chart.note else ""
            st.markdown(f"**{plain(chart.title)}**{note}")
            st.plotly_chart(chart.figure, width="stretch", alt=chart.alt, config=CONFIG)


def _about_maps(workload: Workload, titles: Sequence[str]) -> str:
    what = "the tables" if workload.tabular else "the parities"
    said = f"Below the diagonal the mean over {what} that hold both attributes, on it over those that hold the one."
    if len(titles) == 2:
        said += f" In the difference, red is where {plain(titles[0])} errs less, blue where it errs more."
    return said
