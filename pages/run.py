"""Run: choose a table, questions and a budget, and watch MWEM converge."""

import streamlit as st

from ui import state
from ui.inputs_data import choose_table, unconfirmed
from ui.inputs_privacy import choose_epsilon, choose_variant, describe_noise
from ui.inputs_questions import choose_questions
from ui.inputs_schema import confirm_schema
from ui.live import show_run
from ui.runner import Plan, Runner
from ui.summary import show_ledger, show_summary
from ui.wording import problem

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
    noise = st.container()
    with st.container(horizontal=True):
        button = st.empty()
        variant = choose_variant()
    ledger = st.container()
    if variant.seed:
        st.badge("a run with a seed is NOT PRIVATE", icon=":material/warning:", color="orange")
    if data and workload:
        n = data.records.total
        try:
            plan = Plan(
                records=data.records,
                workload=workload,
                settings=variant.settings(workload, n=n, epsilon=epsilon),
                preset=variant.preset,
                seed=variant.number,
                source=data.source,
                table=data.file,
            )
            noise.markdown(describe_noise(plan.settings, plan.planned_rounds, n))
        except ValueError as error:
            problem(error)
    show_ledger(data, ledger)

headline.markdown(data.headline if data else "**Choose a table**, the questions to answer and how private to be")

if upload := unconfirmed():
    confirm_schema(upload)

running = state.running()
pressed = button.button(
    "Running" if running else "Run",
    type="primary",
    icon=":material/play_arrow:",
    width="stretch",
    disabled=plan is None or running,
)
if pressed and plan and not running:
    state.begin(Runner(plan))
    st.rerun()

show_run(plan, show_truth=show_truth)

run = state.on_show(data and data.source)
if run is not None and not run.active and run.steps:
    show_summary(run, plan, show_truth=show_truth)

    from ui.takeaway import take_away  # draws with Plotly: only a finished run pays for it

    take_away(run.run(), run.plan.records, show_truth=show_truth, errors=[step.errors for step in run.steps])
