"""The Trade-off page below its settings: error over ε and T, and what can be read off it."""

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
from ui.results.standings import by_system, problems, within
from ui.session import state
from ui.trials.controls import polled, results_of, tell_problems, tell_progress
from ui.trials.file import offer_results
from ui.words.badges import PRIVATE
from ui.words.numbers import three_digits

X = TypeVar("X")
LEVEL_OF = "_level_of"
ITSELF = (
    "On private data this choice is itself a query: whoever chooses ε or T by looking at these errors has learned from "
    "the records, and no budget above counts it. Choose by a public rule, or on public data that resemble them."
)


def show_sweep(data: Data, workload: Workload, trials: Sequence[Trial]) -> None:
    """What there is so far, polled while more may come."""
    polled(partial(_sweep, data, workload, trials), state.trials_running)


def _sweep(data: Data, workload: Workload, trials: Sequence[Trial]) -> None:
    results = results_of(data, workload, trials)
    tell_progress(workload)
    tell_problems(problems(results))
    if not by_system(results):
        if not state.trials_running():
            st.caption("Press **Run**: every system runs for every ε, and every T where it takes one, once a seed.")
        return
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        metric = METRICS[choose_metric(workload)]
        show_badge(PRIVATE)
    Ts = sorted({trial.T or 0 for trial in trials if SYSTEMS[trial.system].takes_T})  # 0 is each system's own rule
    T, epsilon = Ts[0] if Ts else 0, None
    if len(Ts) > 1:
        with st.container(horizontal=True):
            T = _pick("Over ε with", Ts, state.AT_T, 0, lambda T: f"T = {T}" if T else f"T by {BY_RULE}")
            epsilons = sorted({trial.epsilon for trial in trials})
            middle = min(range(len(epsilons)), key=lambda i: abs(math.log(epsilons[i])))
            epsilon = _pick("Over T at", epsilons, state.AT_EPSILON, middle, lambda epsilon: f"ε = {epsilon:g}")
    curves = over_epsilon(results, metric, T or None)
    by_T = over_T(results, metric, epsilon) if epsilon else []
    if not curves:
        st.caption(f"None of these has a {metric.what} that is finite yet.")
        return
    bound = _bound(data, workload, metric, results, T or None)
    charts = [error_curves(curves, metric, "ε", bound=bound)]
    if by_T:
        charts.append(error_curves(by_T, metric, "T"))
    grid = st.grid(len(charts), min_column_width=320, gap="medium")
    for chart in charts:
        with grid.cell():
            _draw(chart)
    said = "Lines join geometric means over the seeds; bands run from the least seed to the most."
    if bound:
        said += f" {bound.says}"
    elif metric.name == "Max error":
        said += " Theorem 2.3 promises nothing here: its bound lies above 1, or does not apply."
    st.caption(said)
    _read_off(curves, by_T, epsilon, metric)
    with st.expander("As a table"):
        st.dataframe(_table(curves), width="stretch")
    offer_results(data, workload, trials)


def _pick(label: str, options: list[X], key: str, usual: int, named: Callable[[X], str]) -> X:
    if st.session_state.get(key) not in options:
        st.session_state.pop(key, None)
    return st.selectbox(label, options, usual, format_func=named, key=key, bind=state.BIND, width=180)


def _draw(chart: Chart) -> None:
    with st.container(gap="xsmall"):
        st.markdown(f"**{plain(chart.title)}**")
        redrawn(chart, key=chart.title)


def _bound(data: Data, workload: Workload, metric: Metric, results: Sequence[Result], T: int | None) -> Bound | None:
    n, delta = data.records.total, max(r.trial.delta if metric.name == "Max error" else r.delta for r in results)
    epsilons = sorted({r.trial.epsilon for r in results})
    asked = workload.domain, workload.spec, metric.name, n, epsilons, delta, T
    make = partial(bound_on, metric, workload, n=n, epsilons=epsilons, delta=delta, T=T)
    return state.remember("bound", asked, make)


def _read_off(curves: Sequence[Curve], by_T: Sequence[Curve], epsilon: float | None, metric: Metric) -> None:
    left, right = st.columns(2, gap="large") if by_T else (st.container(), None)
    with left:
        st.subheader("What ε does it take?", anchor=False)
        usual = float(f"{_middle(curves):.2g}")
        if st.session_state.setdefault(LEVEL_OF, metric.name) != metric.name:  # what was asked of another is of no use
            st.session_state[state.ERROR_LEVEL], st.session_state[LEVEL_OF] = usual, metric.name
        level = st.number_input(
            f"to bring the {metric.what} down to",
            min_value=0.0,
            value=state.following(state.ERROR_LEVEL, usual),
            format="%g",
            step=None,
            key=state.ERROR_LEVEL,
            bind=state.BIND,
            width=320,
        )
        lines = [f"- {plain(c.title)}: {smallest_epsilon(c, level)}" for c in curves if level and _spends(c)]
        st.markdown("\n".join(lines) or "Any error above 0 can be asked for.")
        st.caption(
            "Between two ε that were swept, along the line drawn above; in brackets the 95% interval. Beyond the "
            "smallest and the largest nothing is known."
        )
    if right is not None:
        with right:
            st.subheader(f"What T is best at ε = {epsilon:g}?", anchor=False)
            st.markdown("\n".join(f"- {plain(c.title)}: {best_T(c)}" for c in by_T))
            st.caption("The least geometric mean over the seeds, among the T that were swept.")
    st.warning(ITSELF, icon=":material/warning:")


def _spends(curve: Curve) -> bool:
    return SYSTEMS[curve.name].privacy not in ("none", "no data")


def _middle(curves: Sequence[Curve]) -> float:
    """An error worth asking for at first: between the middle ones there are."""
    every = sorted(point.typical.middle for curve in curves if _spends(curve) for point in curve.points)
    return math.sqrt(every[(len(every) - 1) // 2] * every[len(every) // 2]) if every else 0.1


def _table(curves: Sequence[Curve]) -> pd.DataFrame:
    """A row an ε, a column a system."""
    epsilons = sorted({point.x for curve in curves for point in curve.points})
    columns = {curve.title: {point.x: within(point.values) for point in curve.points} for curve in curves}
    rows = [{"ε": three_digits(x)} | {title: of.get(x, "–") for title, of in columns.items()} for x in epsilons]
    return pd.DataFrame(rows).set_index("ε")
