"""The Compare page below its settings: who wins, in a sentence, a chart and a table."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from mwem_core.evaluation.trials import Result, Trial
from mwem_core.evaluation.verdict import told
from mwem_core.systems import SYSTEMS
from mwem_core.workload.workload import Workload
from ui.figures.systems import error_bars
from ui.inputs.data import Data
from ui.inputs.systems import choose_metric
from ui.page.redrawn import redrawn
from ui.page.wording import plain, show_badge
from ui.results.metrics import METRICS
from ui.results.standings import as_table, by_system, problems, standings
from ui.session import state
from ui.trials.controls import polled, results_of, tell_problems, tell_progress
from ui.words.badges import PRIVATE


def show_standings(data: Data, workload: Workload, trials: Sequence[Trial]) -> None:
    """What there is so far, polled while more may come."""
    polled(partial(_standings, data, workload, trials), state.trials_running)


def _standings(data: Data, workload: Workload, trials: Sequence[Trial]) -> None:
    results = results_of(data, workload, trials)
    if state.trials_running():
        tell_progress(workload)
        _tell_seeds(results, trials)
    tell_problems(problems(results))
    if not by_system(results):
        if not state.trials_running():
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
    st.markdown(f"##### {'So far · ' if state.trials_running() else ''}{plain(first)}\n\n{plain(' '.join(rest))}")
    redrawn(error_bars(found, metric), key="error bars")
    st.caption(
        "Geometric mean over the seeds with its 95% interval, each seed a faint dot, on a logarithmic scale; further "
        "left is better. Diamonds give answers and no rows; hollow is without privacy, for what it would cost."
    )
    table = as_table(results, tabular=workload.tabular, first=metric)
    pinned = {"System": st.column_config.Column(pinned=True)}
    st.dataframe(table, hide_index=True, width="stretch", height="content", column_config=pinned)
    st.caption(
        "Errors are shares of n, total variation from 0 to 1, squared error in records², relative entropy in nats; "
        "± or ×/÷ is how far the 95% interval reaches. Seconds are the mechanism's own, of CPU, the median."
    )


def _tell_seeds(results: Sequence[Result], trials: Sequence[Trial]) -> None:
    """How many seeds each system has done."""
    done = [result.trial.system for result in results]
    names = dict.fromkeys(trial.system for trial in trials)
    told_ = (f"{plain(SYSTEMS[name].title)}\u00a0**{done.count(name)}**" for name in names)
    st.caption(f"Seeds done, of {len(trials) // len(names)}: {' · '.join(told_)}")
