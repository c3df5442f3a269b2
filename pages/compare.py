"""Compare: one table, one workload, one ε; many systems on the same axes."""

import streamlit as st

from mwem_app.compare import (
    by_system,
    choose_systems_row,
    results_of,
    run_button,
    show_classifiers,
    show_closer_look,
    show_standings,
    stop_at_open_bins,
    tell_truth_is_hidden,
)
from mwem_app.inputs import begin, choose_delta, choose_epsilon, choose_task, confirm_upload, warn_of_records
from mwem_app.page import problem
from mwem_app.session import state
from mwem_core.judge import grid

PURPOSE = "**Which system is most accurate at the same ε?** All of them run on one table and answer the same queries."
MAX_CLASSIFIER_SEEDS = 3  # each seed of the classifiers runs every system again

state.enter_by_app()
show_truth = begin(PURPOSE)
data, workload, (_, privacy_column) = choose_task(1.1)
delta = None
with privacy_column:
    epsilon = choose_epsilon()
    try:
        delta = choose_delta(with_epsilon=True)
    except ValueError as error:
        problem(error)
confirm_upload()
stop_at_open_bins(workload)
if not data or not workload or delta is None:
    st.stop()
warn_of_records(data.unit)
with st.container(border=True):
    systems, seeds, executor, button_place = choose_systems_row(
        workload, n=data.records.total, epsilon=epsilon, delta=delta
    )
    trials = grid(systems, [epsilon], range(seeds), delta=delta)
    running = run_button(data, workload, trials, executor, button_place, allowed=show_truth)
if not show_truth:
    tell_truth_is_hidden()
    st.stop()

show_standings(data, workload, trials, running=running)
results = by_system(results_of(data, workload, trials))
if results and not running:
    show_closer_look(data, workload, trials)
    show_classifiers(data, workload, systems, epsilon=epsilon, delta=delta, seeds=min(seeds, MAX_CLASSIFIER_SEEDS))
