"""Demonstrate: drag ε and the round, and ask a question of your own: what privacy costs, before other people."""

import streamlit as st

from mwem_app.base import ON_PUBLIC, PRIVATE, SEEDED_RUN, stand_in_badge
from mwem_app.compare import choose_swept, offer_stand_in, start_requested, stop_at_open_bins
from mwem_app.inputs import choose_task, confirm_upload, warn_of_records
from mwem_app.page import problem
from mwem_app.session import state
from mwem_app.stage import (
    PRIVATE_VERDICT,
    PUBLIC_VERDICT,
    STAND_IN_VERDICT,
    choose_systems,
    scene_of,
    show,
    switch_present,
    take_page,
)

PURPOSE = "**What does privacy cost?** Drag ε, drag the round, and ask a question of your own."

state.enter_by_app()
data, workload, line, _, show_truth = choose_task(PURPOSE)
with line.below, st.container(horizontal=True, vertical_alignment="center"):
    systems = choose_systems(workload, data.records.total if data else 0)
    present = switch_present()
    if data and data.provenance != "built in":
        data, stand_in = choose_swept(data)
    else:
        stand_in = False
confirm_upload()
stop_at_open_bins(workload)
if not data or not workload or not systems:
    st.stop()
warn_of_records(data.unit)
start_requested()
if stand_in:
    badge, verdict = stand_in_badge(data.provenance), STAND_IN_VERDICT
elif data.provenance == "built in":
    badge, verdict = ON_PUBLIC, PUBLIC_VERDICT
else:
    badge, verdict = PRIVATE if show_truth else SEEDED_RUN, PRIVATE_VERDICT
try:
    scene = scene_of(data, workload, systems)
except ValueError as error:
    problem(error)
    st.stop()
show(scene, badge, show_truth=show_truth, present=present)
take_page(scene, badge, verdict, show_truth=show_truth)
if verdict == PRIVATE_VERDICT:
    st.caption(PRIVATE_VERDICT)
    offer_stand_in()
