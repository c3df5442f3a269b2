"""The systems side by side: who wins, in a sentence, a chart and a table."""

from collections import Counter
from collections.abc import Sequence
from functools import partial

import streamlit as st

from mwem_app.base import PRIVATE
from mwem_app.compare.committed_view import tell_committed
from mwem_app.compare.controls import results_of, show_problems, show_progress
from mwem_app.compare.metrics import METRICS
from mwem_app.compare.standings import (
    NO_WEIGHT,
    Standing,
    as_table,
    by_system,
    meaning_of_infinity,
    problems,
    standings,
)
from mwem_app.compare.system_charts import error_bars
from mwem_app.compare.trial_choices import choose_metric
from mwem_app.inputs import Data
from mwem_app.page import plain, redraw_while, redrawn, show_badge
from mwem_app.session import state
from mwem_core.judge import Trial, verdict_sentences
from mwem_core.systems import SYSTEMS
from mwem_core.workload import Workload


def show_standings(data: Data, workload: Workload, trials: Sequence[Trial], *, running: bool) -> None:
    """The results so far, redrawn while trials are `running`. NOT private."""
    redraw_while(state.trials_running, partial(_show_standings, data, workload, trials), was_pending=running)


def _show_standings(data: Data, workload: Workload, trials: Sequence[Trial]) -> None:
    results = results_of(data, workload, trials)
    if show_progress(data, workload, trials):
        _show_seeds_done(data, workload, trials)
    tell_committed(data, workload, trials)
    show_problems(problems(results))
    if not by_system(results):
        if not state.trials_running():
            st.caption("Press **Run**. Every system answers the same workload at the same ε, once per seed.")
        return
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        metric = METRICS[choose_metric(workload)]
        show_badge(PRIVATE)
    ranked = standings(results, metric)
    if not ranked:
        st.caption(f"No system has a finite {metric.noun}: {NO_WEIGHT}, or there are only answers.")
        return
    headline, *rest = verdict_sentences(
        {s.name: s.values for s in ranked}, metric=metric.noun, titles={s.name: s.title for s in ranked}
    )
    st.markdown(f"### {'So far · ' if len(results) < len(trials) else ''}{plain(headline)}\n\n{plain(' '.join(rest))}")
    redrawn(error_bars(ranked, metric), key="error bars")
    st.caption(_how_to_read(ranked))
    table = as_table(results, tabular=workload.tabular, first=metric)
    pinned = {"System": st.column_config.Column(pinned=True)}
    st.dataframe(table, hide_index=True, width="stretch", height="content", column_config=pinned)
    st.caption(
        "Records off per count: the mean error of an answer, in records. The max error is a share of n. An error below "
        "a tenth of a record counts as a tenth. Total variation is half the L1 distance; squared error is in records², "
        "relative entropy in nats. ± and ×/÷ show how far the 95% interval reaches. Ran: what a method of MWEM did. "
        f"Seconds: the median CPU time of the mechanism. {meaning_of_infinity(table)}"
    )


def _how_to_read(ranked: Sequence[Standing]) -> str:
    """What the marks of the chart mean: those that it has."""
    shown = [SYSTEMS[standing.name] for standing in ranked]
    sentences = [
        "Large marks: the geometric mean over the seeds, with its 95% interval. Faint dots: single seeds.",
        "Log scale; further left is better.",
        "Diamonds: systems that give answers but no rows." if any(s.gives == "answers" for s in shown) else "",
        "Hollow marks: systems without privacy, for comparison." if any(s.privacy == "none" for s in shown) else "",
        "Dashed line: the error without any data." if any(s.privacy == "no data" for s in shown) else "",
    ]
    return " ".join(filter(None, sentences))


def _show_seeds_done(data: Data, workload: Workload, trials: Sequence[Trial]) -> None:
    results = state.trial_results(data.source, workload)
    done = Counter(trial.system for trial in trials if trial in results)
    systems = dict.fromkeys(trial.system for trial in trials)
    by_name = (f"{plain(SYSTEMS[name].title)}\u00a0**{done[name]}**" for name in systems)
    st.caption(f"Seeds done, of {len(trials) // len(systems)}: {' · '.join(by_name)}")
