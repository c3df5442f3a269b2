"""Run: choose a table, a workload and a budget, and watch MWEM converge."""

import streamlit as st

from ui.inputs.beforehand import describe_effort, describe_noise
from ui.inputs.data import original_table
from ui.inputs.method import choose_method
from ui.inputs.privacy import choose_bins_share, choose_epsilon, choose_variant
from ui.inputs.task import begin, choose_task, confirm_upload
from ui.inputs.unit import describe_unit
from ui.page.wording import problem
from ui.run.live import show_run
from ui.run.summary import show_ledger, show_summary
from ui.session import state
from ui.session.runner import Plan, Runner

PURPOSE = (
    "Turn a table into **differentially private synthetic data**, and watch the model learn it, one noisy measurement "
    "at a time."
)

state.enter_by_app()
state.settle()
show_truth = begin(PURPOSE)
plan = None
data, workload, (privacy_column, run_column) = choose_task(1.1, 0.8, may_start=True)
running = state.running()  # read once: a run that ends while the page is drawn is polled to its end
with run_column:
    method = choose_method()
    with st.container(horizontal=True, key="start"):
        button = st.container()
        variant = choose_variant(method)
    show_ledger(data, seeded=bool(variant.seed))
with privacy_column:
    epsilon = choose_epsilon()
    if data and workload:
        n = data.records.total
        share = choose_bins_share(workload.domain)
        try:
            settings, bins = variant.begun(
                workload, n=n, epsilon=epsilon, share=share, unit=data.unit, public=data.public
            )
            plan = Plan(
                records=data.records,
                workload=workload,
                settings=settings,
                bins=bins,
                system=variant.system,
                seed=variant.seed_number,
                source=data.source,
                table=data.file,
                provenance=data.provenance,
                columns=data.columns,
                reading=data.reading,
                unit=data.unit,
            )
            st.markdown(describe_noise(plan.settings, workload, n))
            describe_unit(data.unit, plan.settings)
            describe_effort(plan.settings, workload, n)
        except ValueError as error:
            problem(error)
pressed = button.button(
    "Running" if running else "Run",
    type="primary",
    icon=":material/play_arrow:",
    width="stretch",
    disabled=plan is None or running,
    key="_run",
)
confirm_upload()
if pressed and plan and not running:
    state.begin(Runner(plan))
    st.rerun()

show_run(plan, show_truth=show_truth, running=running)

run = state.runner_of(data and data.source)
if run is not None and not run.active and run.steps:
    show_summary(run, plan, show_truth=show_truth)

    from ui.run.quality import show_quality
    from ui.run.takeaway import take_away  # imports Plotly, which takes time: only after a run

    ended, errors = state.ended_run(run), [step.errors for step in run.steps]
    take_away(ended, run.plan.records, run.plan.columns, show_truth=show_truth, errors=errors)
    show_quality(ended, original_table(run.plan.source, run.plan.table), show_truth=show_truth)
