"""Compare: one table, one workload, one ε; many systems on the same axes."""

import streamlit as st

from mwem_app.compare import (
    by_system,
    choose_systems_part,
    results_of,
    run_button,
    show_classifiers,
    show_closer_look,
    show_standings,
    stop_at_open_bins,
    tell_truth_is_hidden,
)
from mwem_app.inputs import choose_delta, choose_epsilon, choose_task, confirm_upload, warn_of_records
from mwem_app.page import problem
from mwem_app.session import state
from mwem_core.judge import grid

PURPOSE = "**Which system is most accurate at the same ε?**"
MAX_CLASSIFIER_SEEDS = 3  # each seed of the classifiers runs every system again

state.enter_by_app()
data, workload, line, _, show_truth = choose_task(PURPOSE)
delta = None
with line.part("epsilon") as part:
    epsilon = choose_epsilon()
    part.says(f"ε = {epsilon:g}")
    try:
        delta = choose_delta(with_epsilon=True)
    except ValueError as error:
        problem(error)
confirm_upload()
stop_at_open_bins(workload)
if not data or not workload or delta is None:
    st.stop()
warn_of_records(data.unit)
systems, seeds, executor = choose_systems_part(line, workload, n=data.records.total, epsilon=epsilon, delta=delta)
trials = grid(systems, [epsilon], range(seeds), delta=delta)
running = run_button(data, workload, trials, executor, line.row, allowed=show_truth)
if not show_truth:
    tell_truth_is_hidden()
    st.stop()

show_standings(data, workload, trials, running=running)
results = by_system(results_of(data, workload, trials))
if results and not running:
    show_closer_look(data, workload, trials)
    show_classifiers(data, workload, systems, epsilon=epsilon, delta=delta, seeds=min(seeds, MAX_CLASSIFIER_SEEDS))
