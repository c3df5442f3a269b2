"""Run: choose a table, a workload and a budget, and watch MWEM converge."""

import streamlit as st

from ui.inputs.privacy import choose_epsilon, choose_variant, describe_noise
from ui.inputs.task import choose_task, choose_truth, headline_of
from ui.page.wording import problem
from ui.run.live import show_run
from ui.run.summary import show_ledger, show_summary
from ui.session import state
from ui.session.runner import Plan, Runner

state.enter_by_app()
state.settle()
headline, show_truth = choose_truth()
plan = None
data, workload, privacy_column = choose_task()
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
                seed=variant.seed_number,
                source=data.source,
                table=data.file,
                provenance=data.provenance,
                columns=data.columns,
                encoding=data.encoding,
            )
            noise.markdown(describe_noise(plan.settings, workload, n))
        except ValueError as error:
            problem(error)
    show_ledger(data, ledger)

headline_of(data, headline)

running = state.running()
pressed = button.button(
    "Running" if running else "Run",
    type="primary",
    icon=":material/play_arrow:",
    width="stretch",
    disabled=plan is None or running,
    key="_run",
)
if pressed and plan and not running:
    state.begin(Runner(plan))
    st.rerun()

show_run(plan, show_truth=show_truth)

run = state.runner_of(data and data.source)
if run is not None and not run.active and run.steps:
    show_summary(run, plan, show_truth=show_truth)

    from ui.run.takeaway import take_away  # imports Plotly, which takes time: only after a run

    ended, errors = state.ended_run(run), [step.errors for step in run.steps]
    take_away(ended, run.plan.records, run.plan.columns, show_truth=show_truth, errors=errors)
