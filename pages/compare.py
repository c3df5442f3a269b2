"""Compare: one table, one workload, one ε; many systems on the same axes."""

import streamlit as st

from mwem_core.evaluation.trials import grid
from ui.inputs.privacy import choose_delta, choose_epsilon
from ui.inputs.systems import choose_executor, choose_seeds, choose_systems, tell_systems
from ui.inputs.task import choose_task, choose_truth, headline_of
from ui.page.wording import problem
from ui.results.standings import by_system
from ui.session import state
from ui.trials.classifiers import show_classifiers
from ui.trials.closer_look import look_closer
from ui.trials.controls import control, nothing_shown, results_of
from ui.trials.course import show_course
from ui.trials.side_by_side import show_standings

MOST_TRAINED = 3  # seeds that classifiers are trained on: each takes a run of every system anew

state.enter_by_app()
headline, show_truth = choose_truth()
data, workload, privacy_column = choose_task()
delta = None
with privacy_column:
    st.markdown("**3 Privacy**")
    epsilon = choose_epsilon()
    try:
        delta = choose_delta(exactly=True)
    except ValueError as error:
        problem(error)
headline_of(data, headline)

if not data or not workload or delta is None:
    st.stop()
with st.container(border=True):
    st.markdown("**4 Systems**")
    systems = choose_systems(workload, n=data.records.total, epsilon=epsilon, delta=delta)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        seeds = choose_seeds()
        button = st.container(width="content")
        executor = choose_executor()
        tell_systems()
    trials = grid(systems, [epsilon], range(seeds), delta=delta)
    control(data, workload, trials, executor, button, show_truth=show_truth)
if not show_truth:
    nothing_shown()
    st.stop()

show_standings(data, workload, trials)
ran = by_system(results_of(data, workload, trials))
if ran and not state.trials_running():
    look_closer(data, workload, trials)
    if "weights" in ran:
        show_course(data, workload)
    show_classifiers(data, workload, systems, epsilon=epsilon, delta=delta, seeds=min(seeds, MOST_TRAINED))
