"""Error over ε and over T, the smallest ε that reaches an error, and the best T."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import pandas as pd
import streamlit as st

from mwem_core.evaluation.trials import Result, Trial
from mwem_core.systems import SYSTEMS
from mwem_core.workload.workload import Workload
from ui.figures.chart import Chart
from ui.figures.curves import error_curves
from ui.inputs.data import Data
from ui.inputs.systems import BY_RULE, choose_metric
from ui.page.redrawn import redrawn
from ui.page.wording import plain, show_badge
from ui.results.bounds import Bound, bound_on
from ui.results.curves import Curve, best_T, over_epsilon, over_T, smallest_epsilon
from ui.results.metrics import METRICS, Metric
from ui.results.standings import by_system, problems, with_interval
from ui.session import state
from ui.trials.committed import tell_committed
from ui.trials.controls import redraw_while, results_of, show_problems, show_progress
from ui.trials.trials_file import offer_results
from ui.words.badges import PRIVATE
from ui.words.numbers import three_digits

Option = TypeVar("Option")
LEVEL_METRIC = "_level_metric"  # the metric that the error level was entered for
CHOICE_IS_A_QUERY = (
    "Choosing ε or T by these errors is itself a query on the private data, and no budget above counts it. Choose by a "
    "public rule, or on public data that resemble yours."
)


def show_curves(data: Data, workload: Workload, trials: Sequence[Trial]) -> None:
    """The results so far, redrawn while trials run. NOT private."""
    redraw_while(state.trials_running, partial(_show_curves, data, workload, trials))


def _show_curves(data: Data, workload: Workload, trials: Sequence[Trial]) -> None:
    results = results_of(data, workload, trials)
    show_progress(workload)
    tell_committed(data, workload, trials)
    show_problems(problems(results))
    if not by_system(results):
        if not state.trials_running():
            st.caption("Press **Run**. Every system runs once per seed for every ε and, where it takes T, every T.")
        return
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        metric = METRICS[choose_metric(workload)]
        show_badge(PRIVATE)
    T, epsilon = _choose_slices(trials)
    curves = over_epsilon(results, metric, T)
    curves_over_T = over_T(results, metric, epsilon) if epsilon else []
    if not curves:
        st.caption(f"No system has a finite {metric.noun} yet.")
        return
    bound = _bound(data, workload, metric, results, T)
    charts = [error_curves(curves, metric, "ε", bound=bound)]
    if curves_over_T:
        charts.append(error_curves(curves_over_T, metric, "T"))
    grid = st.grid(len(charts), min_column_width=320, gap="medium")
    for chart in charts:
        with grid.cell():
            _draw(chart)
    caption = "Lines: geometric means over the seeds. Bands: from the smallest error of a seed to the largest."
    if bound:
        caption += f" {bound.in_words}"
    elif metric.name == "Max error":
        caption += (
            " Theorem 2.3 has no line here: its bound is at least 1, which no error exceeds, or it does not apply."
        )
    st.caption(caption)
    _show_choices(curves, curves_over_T, epsilon, metric)
    with st.expander("As a table"):
        st.dataframe(_table(curves), width="stretch")
    offer_results(data, workload, trials)


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


def _draw(chart: Chart) -> None:
    with st.container(gap="xsmall"):
        st.markdown(f"**{plain(chart.title)}**")
        redrawn(chart, key=chart.title)


def _bound(data: Data, workload: Workload, metric: Metric, results: Sequence[Result], T: int | None) -> Bound | None:
    n, delta = data.records.total, max(r.trial.delta if metric.name == "Max error" else r.delta for r in results)
    epsilons = sorted({r.trial.epsilon for r in results})
    key = workload.domain, workload.spec, metric.name, n, epsilons, delta, T
    make = partial(bound_on, metric, workload, n=n, epsilons=epsilons, delta=delta, T=T)
    return state.remember("bound", key, make)


def _show_choices(
    curves: Sequence[Curve], curves_over_T: Sequence[Curve], epsilon: float | None, metric: Metric
) -> None:
    """The smallest ε for an error, and the best T, system by system; with a warning."""
    left, right = st.columns(2, gap="large") if curves_over_T else (st.container(), None)
    with left:
        st.subheader("Smallest ε for an error", anchor=False)
        level = _choose_level(curves, metric)
        lines = [f"- {plain(c.title)}: {smallest_epsilon(c, level)}" for c in curves if level and _is_private(c)]
        st.markdown("\n".join(lines) or "Enter an error above 0.")
        st.caption(
            "Between two values of ε that were run, the result follows the line drawn above. In brackets: the 95% "
            "interval. Below the smallest ε and above the largest, nothing is known."
        )
    if right is not None:
        with right:
            st.subheader(f"Best T at ε = {epsilon:g}", anchor=False)
            st.markdown("\n".join(f"- {plain(c.title)}: {best_T(c)}" for c in curves_over_T))
            st.caption("The T with the smallest geometric mean over the seeds, of those that were run.")
    st.warning(CHOICE_IS_A_QUERY, icon=":material/warning:")


def _choose_level(curves: Sequence[Curve], metric: Metric) -> float | None:
    default = float(f"{_middle_error(curves):.2g}")
    if st.session_state.setdefault(LEVEL_METRIC, metric.name) != metric.name:  # an error by another metric
        st.session_state[state.ERROR_LEVEL], st.session_state[LEVEL_METRIC] = default, metric.name
    return st.number_input(
        f"Target: {metric.noun}",
        min_value=0.0,
        value=state.following(state.ERROR_LEVEL, default),
        format="%g",
        step=None,
        key=state.ERROR_LEVEL,
        bind=state.BIND,
        width=320,
    )


def _is_private(curve: Curve) -> bool:
    """Whether the system spends budget."""
    return SYSTEMS[curve.name].privacy not in ("none", "no data")


def _middle_error(curves: Sequence[Curve]) -> float:
    """The geometric mean of the two middle errors: a default that some ε reach and others do not."""
    errors = sorted(point.mean.middle for curve in curves if _is_private(curve) for point in curve.points)
    return math.sqrt(errors[(len(errors) - 1) // 2] * errors[len(errors) // 2]) if errors else 0.1


def _table(curves: Sequence[Curve]) -> pd.DataFrame:
    """One row per ε, one column per system."""
    epsilons = sorted({point.x for curve in curves for point in curve.points})
    columns = {curve.title: {point.x: with_interval(point.values) for point in curve.points} for curve in curves}
    rows = [{"ε": three_digits(x)} | {title: cells.get(x, "–") for title, cells in columns.items()} for x in epsilons]
    return pd.DataFrame(rows).set_index("ε")
