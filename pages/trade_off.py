"""Trade-off: one table, one workload; which ε reaches a target, and the error over ε and over T."""

import streamlit as st

from mwem_app.base import PRIVATE, count, stand_in_badge
from mwem_app.compare import (
    choose_epsilons,
    choose_swept,
    choose_systems_part,
    choose_Ts,
    offer_stand_in,
    results_of,
    run_button,
    show_curves,
    start_requested,
    stop_at_open_bins,
    tell_truth_is_hidden,
    tell_what_was_read,
    warn_of_choice,
)
from mwem_app.inputs import choose_delta, choose_task, confirm_upload, warn_of_records
from mwem_app.page import problem, set_page_badge
from mwem_app.session import state
from mwem_core.judge import grid

PURPOSE = "**How small can ε be?**"

state.enter_by_app()
data, workload, line, badge_place, show_truth = choose_task(PURPOSE)
settings = None
with line.part("epsilon") as part:
    try:
        epsilons = choose_epsilons()
        part.says(f"{count(len(epsilons), 'ε', 'ε')} from {epsilons[0]:g} to {epsilons[-1]:g}")
        with st.expander("More"):
            settings = epsilons, choose_Ts(), choose_delta()
    except ValueError as error:
        problem(error)
confirm_upload()
stop_at_open_bins(workload)
if not data or not workload or not settings:
    st.stop()
warn_of_records(data.unit)
epsilons, Ts, delta = settings
with line.part("table"):
    data, public = choose_swept(data)
systems, seeds, executor = choose_systems_part(line, workload, n=data.records.total, epsilon=epsilons[-1], delta=delta)
trials = grid(systems, epsilons, range(seeds), delta=delta, Ts=Ts)
with line.part("systems"):
    st.caption(f"{count(len(trials), 'trial')} in all.")
running = run_button(
    data, workload, trials, executor, line.row, allowed=show_truth or public, pressed=start_requested()
)
if not show_truth and not public:
    tell_truth_is_hidden()
    offer_stand_in()
    st.stop()

badge = stand_in_badge(data.provenance) if public else PRIVATE
if public:
    with badge_place:
        set_page_badge(badge)
show_curves(data, workload, trials, badge, running=running)
if results_of(data, workload, trials):
    tell_what_was_read(data) if public else warn_of_choice()
