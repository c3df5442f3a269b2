"""Run: choose a table, questions and a budget, and watch MWEM converge."""

import streamlit as st

from ui import state
from ui.inputs_data import choose_table, unconfirmed
from ui.inputs_privacy import choose_epsilon, choose_settings, describe_noise
from ui.inputs_questions import choose_questions
from ui.inputs_schema import confirm_schema
from ui.live import show_run
from ui.runner import Plan, Runner
from ui.summary import show_ledger, show_summary

state.settle()
with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
    headline = st.empty()
    show_truth = st.toggle(
        "Show the truth beside the estimate",
        value=True,
        key=state.TRUTH,
        bind=state.BIND,
        help="What is compared with the truth is made from the private data and stays in the room. "
        "Switched off, none of it is sent to this browser.",
    )

plan = None
data_column, questions_column, privacy_column = st.columns([0.9, 1.25, 1], gap="medium", border=True)
with data_column:
    st.markdown("**1 Data**")
    data = choose_table()
with questions_column:
    st.markdown("**2 Questions**")
    workload = choose_questions(data.records.domain, data.ask) if data else None
    if data is None:
        st.caption("What to ask depends on the table: first the data.")
with privacy_column:
    st.markdown("**3 Privacy**")
    epsilon = choose_epsilon()
    place, button, ledger = st.container(), st.container(), st.container()
    chosen = choose_settings(workload, data.records.total, epsilon) if data and workload else None
    if data and workload and chosen:
        settings, preset, seed = chosen
        plan = Plan(
            records=data.records,
            workload=workload,
            settings=settings,
            preset=preset,
            seed=seed,
            source=data.source,
            table=data.file,
        )
        place.markdown(describe_noise(settings, plan.planned_rounds, data.records.total))
    show_ledger(data, ledger)

headline.markdown(data.headline if data else "**Choose a table**, the questions to answer and how private to be")

if upload := unconfirmed():
    confirm_schema(upload)

run = state.runner()
running = run is not None and run.active
if (
    button.button(
        "Running" if running else "Run",
        type="primary",
        icon=":material/play_arrow:",
        width="stretch",
        disabled=plan is None or running,
    )
    and plan
    and not running
):
    state.begin(Runner(plan))
    st.rerun()

show_run(plan, show_truth=show_truth)

if run is not None and not run.active and run.steps:
    show_summary(run, plan, show_truth=show_truth)

    from ui.takeaway import take_away  # draws with Plotly: only a finished run pays for it

    take_away(run.run(), run.plan.records, show_truth=show_truth)
