"""Trade-off: one table, one workload; error over ε, over T, and what ε an error takes."""

import streamlit as st

from mwem_core.evaluation.trials import grid
from ui.inputs.privacy import choose_delta
from ui.inputs.systems import choose_epsilons, choose_executor, choose_seeds, choose_systems, choose_Ts, tell_systems
from ui.inputs.task import choose_task, choose_truth, headline_of
from ui.page.wording import problem
from ui.session import state
from ui.trials.controls import control, nothing_shown
from ui.trials.file import take_results
from ui.trials.trade_off import show_sweep
from ui.words.numbers import count

state.enter_by_app()
headline, show_truth = choose_truth()
data, workload, privacy_column = choose_task()
settings = None
with privacy_column:
    st.markdown("**3 Privacy and rounds**")
    try:
        settings = choose_epsilons(), choose_Ts(), choose_delta()
    except ValueError as error:
        problem(error)
headline_of(data, headline)

if not data or not workload or not settings:
    st.stop()
epsilons, Ts, delta = settings
with st.container(border=True):
    st.markdown("**4 Systems**")
    systems = choose_systems(workload, n=data.records.total, epsilon=epsilons[-1], delta=delta)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        seeds = choose_seeds()
        button = st.container(width="content")
        executor = choose_executor()
        tell_systems()
    trials = grid(systems, epsilons, range(seeds), delta=delta, Ts=Ts)
    st.caption(f"{count(len(trials), 'trial')} in all.")
    control(data, workload, trials, executor, button, show_truth=show_truth)
if not show_truth:
    nothing_shown()
    st.stop()

show_sweep(data, workload, trials)
take_results(data, workload)
