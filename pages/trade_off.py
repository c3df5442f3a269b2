"""Trade-off: one table, one workload; which ε reaches a target, and the error over ε and over T."""

import streamlit as st

from mwem_app.inputs.privacy import choose_delta
from mwem_app.inputs.systems import choose_epsilons, choose_Ts
from mwem_app.inputs.task import begin, choose_task, confirm_upload
from mwem_app.inputs.unit import warn_of_records
from mwem_app.page.wording import problem
from mwem_app.session import state
from mwem_app.trials.controls import choose_systems_row, results_of, run_button, stop_at_open_bins, tell_truth_is_hidden
from mwem_app.trials.stand_in import choose_swept, offer_stand_in, start_requested, tell_what_was_read, warn_of_choice
from mwem_app.trials.trade_off import show_curves
from mwem_app.trials.trials_file import upload_results
from mwem_app.words.badges import PRIVATE, stand_in_badge
from mwem_app.words.numbers import count
from mwem_core.evaluation.trials import grid

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
