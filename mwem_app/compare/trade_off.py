"""Error over ε and over T, with the ε that a target needs, and the best T."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import pandas as pd
import streamlit as st

from mwem_app.base import Badge, three_digits
from mwem_app.charts import Chart
from mwem_app.compare.controls import BY_RULE, choose_metric, results_of, show_problems, show_progress
from mwem_app.compare.curve_charts import Mark, describe_changes, error_curves
from mwem_app.compare.curves import METRICS, best_T, over_epsilon, over_T
from mwem_app.compare.decision import choose_target, choose_unit, first_target, show_answer
from mwem_app.compare.ranking import by_system, problems, with_interval
from mwem_app.compare.stored_trials import tell_stored_results
from mwem_app.inputs import Data
from mwem_app.page import download, plain, plot_in_place, redraw_while, show_badge
from mwem_app.session import state
from mwem_core.judge import Trial, to_csv
from mwem_core.systems import SYSTEMS
from mwem_core.workload import Workload

Option = TypeVar("Option")
LINES_AND_BANDS = (
    "Lines: geometric means over the seeds. Bands: from the smallest error of a seed to the largest. Between two ε "
    "that ran, the answer follows the line. Below the smallest ε and above the largest, nothing is known. An error "
    "below a tenth of a record counts as a tenth."
)


def show_curves(data: Data, workload: Workload, trials: Sequence[Trial], badge: Badge, *, running: bool) -> None:
    """The results so far, the answer first, redrawn while trials are `running`. Published only as `badge` says."""
    redraw_while(state.trials_running, partial(_show_curves, data, workload, trials, badge), was_pending=running)


def _show_curves(data: Data, workload: Workload, trials: Sequence[Trial], badge: Badge) -> None:
    results = results_of(data, workload, trials)
    show_progress(data, workload, trials)
    show_problems(problems(results))
    if not by_system(results):
        if not state.trials_running():
            st.caption("Press **Run**. Every system runs once per seed for every ε and, where it takes T, every T.")
        return
    answer_place = st.container(gap="xsmall", key="sweep")
    with st.container(horizontal=True, vertical_alignment="center"):
        target_place = st.container(width="content")
        unit = choose_unit(workload, data.records.total)
    T, epsilon = _choose_slices(trials)
    curves = over_epsilon(results, unit.metric, T)
    if not curves:
        st.caption(f"No system has a finite {unit.metric.noun} yet. Results of older files do not hold this error.")
        return
    target, found = None, []
    if (default := first_target(results, trials, unit)) is not None:
        with target_place:
            target = choose_target(unit, default)
    if target is not None:
        with answer_place:
            found = show_answer(curves, target, unit)
    charts = [error_curves(curves, unit.metric, "ε", badge, mark=None if target is None else Mark(target, unit, found))]
    curves_over_T = over_T(results, unit.metric, epsilon) if epsilon else []
    if curves_over_T:
        charts.append(error_curves(curves_over_T, unit.metric, "T", badge))
    grid = st.grid(len(charts), min_column_width=320, gap="medium")
    for chart in charts:
        with grid.cell():
            _draw(chart, chart.title)
    for sentence in filter(None, map(describe_changes, curves)):
        st.markdown(plain(sentence))
    st.caption(LINES_AND_BANDS)
    tell_stored_results(data, workload, trials)
    if curves_over_T:
        best = "; ".join(f"{plain(curve.title)}: {best_T(curve)}" for curve in curves_over_T)
        st.markdown(f"**Best T at ε = {epsilon:g}**: {best}")
    with st.expander("As a table"):
        epsilons = sorted({point.x for curve in curves for point in curve.points})
        cells = {curve.title: {point.x: with_interval(point.values) for point in curve.points} for curve in curves}
        rows = [{"ε": three_digits(x)} | {title: own.get(x, "–") for title, own in cells.items()} for x in epsilons]
        st.dataframe(pd.DataFrame(rows).set_index("ε"), width="stretch")
    if not state.trials_running():
        with st.expander("Other measures of error"):
            metric = METRICS[choose_metric(workload)]
            if other_curves := over_epsilon(results, metric, T):
                _draw(error_curves(other_curves, metric, "ε", badge), "other measure")
            else:
                st.caption(f"No system has a finite {metric.noun} here.")
    with st.container(horizontal=True, vertical_alignment="center"):
        download(
            "Trials so far, CSV", lambda: to_csv(results), "mwem_trials.csv", "text/csv", icon=":material/download:"
        )
        show_badge(badge)


def _choose_slices(trials: Sequence[Trial]) -> tuple[int | None, float | None]:
    """The T of the chart over ε (None: each system's own rule), and the ε of the chart over T (None: no such chart)."""
    Ts = sorted({trial.T or 0 for trial in trials if SYSTEMS[trial.system].takes_T})  # 0: by rule
    if len(Ts) <= 1:
        return (Ts[0] or None) if Ts else None, None
    epsilons = sorted({trial.epsilon for trial in trials})
    nearest_one = min(range(len(epsilons)), key=lambda i: abs(math.log(epsilons[i])))
    with st.container(horizontal=True):
        T = _choose("Over ε, at", Ts, state.AT_T, 0, lambda T: f"T = {T}" if T else f"T by {BY_RULE}")
        epsilon = _choose("Over T, at", epsilons, state.AT_EPSILON, nearest_one, lambda epsilon: f"ε = {epsilon:g}")
    return T or None, epsilon


def _choose(label: str, options: list[Option], key: str, default: int, text: Callable[[Option], str]) -> Option:
    if st.session_state.get(key) not in options:
        st.session_state.pop(key, None)
    return st.selectbox(label, options, default, format_func=text, key=key, bind=state.BIND, width=180)


def _draw(chart: Chart, key: str) -> None:
    with st.container(gap="xsmall"):
        st.markdown(f"**{plain(chart.title)}**")
        plot_in_place(chart, key=key)
