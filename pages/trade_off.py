"""Trade-off: one table, one workload; which ε reaches a target, and the error over ε and over T."""

import streamlit as st

from mwem_app.base import PRIVATE, count, stand_in_badge
from mwem_app.compare import (
    choose_epsilons,
    choose_swept,
    choose_systems_row,
    choose_Ts,
    offer_stand_in,
    results_of,
    run_button,
    show_curves,
    start_requested,
    stop_at_open_bins,
    tell_truth_is_hidden,
    tell_what_was_read,
    upload_results,
    warn_of_choice,
)
from mwem_app.inputs import begin, choose_delta, choose_task, confirm_upload, warn_of_records
from mwem_app.page import problem
from mwem_app.session import state
from mwem_core.judge import grid

PURPOSE = "**How small can ε be?** Set the error that you can accept, and read off the privacy budget that reaches it."

state.enter_by_app()
show_truth = begin(PURPOSE)
data, workload, (_, privacy_column) = choose_task(1.1)
settings = None
with privacy_column:
    try:
        settings = choose_epsilons(), choose_Ts(), choose_delta()
    except ValueError as error:
        problem(error)
confirm_upload()
stop_at_open_bins(workload)
if not data or not workload or not settings:
    st.stop()
warn_of_records(data.unit)
epsilons, Ts, delta = settings
with st.container(border=True, key="sweep"):
    systems, seeds, executor, button_place = choose_systems_row(
        workload, n=data.records.total, epsilon=epsilons[-1], delta=delta
    )
    trials = grid(systems, epsilons, range(seeds), delta=delta, Ts=Ts)
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.caption(f"{count(len(trials), 'trial')} in all.", width="content")
        data, public = choose_swept(data)
    running = run_button(
        data, workload, trials, executor, button_place, allowed=show_truth or public, pressed=start_requested()
    )
if not show_truth and not public:
    tell_truth_is_hidden()
    offer_stand_in()
    st.stop()

badge = stand_in_badge(data.provenance) if public else PRIVATE
show_curves(data, workload, trials, badge, running=running)
if results_of(data, workload, trials):
    tell_what_was_read(data) if public else warn_of_choice()
upload_results(data, workload)
