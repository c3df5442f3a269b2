"""Run: choose a table, a workload and a budget, and watch MWEM converge."""

from functools import partial

import streamlit as st

from mwem_core.measured_bins import SHARE
from ui.inputs.beforehand import describe_effort, describe_noise
from ui.inputs.data import original_table
from ui.inputs.method import Outlook, choose_method, outlooks, suggest_best
from ui.inputs.privacy import (
    Variant,
    choose_advanced,
    choose_bins_share,
    choose_epsilon,
    choose_rounds,
    current_rounds,
)
from ui.inputs.task import begin, choose_task, confirm_upload
from ui.inputs.unit import describe_unit
from ui.page.wording import problem
from ui.run.live import show_run
from ui.run.summary import show_ledger, show_summary
from ui.session import state
from ui.session.runner import Plan, Runner

RUN_WIDTH = 100  # pixels, beside T
PURPOSE = (
    "Turn a table into **differentially private synthetic data**, and watch the model learn it, one noisy measurement "
    "at a time."
)

state.enter_by_app()
state.settle()
show_truth = begin(PURPOSE)
plan = None
data, workload, (table_column, privacy_column, run_column) = choose_task(0.9, 1.0, may_start=True)
running = state.running()  # read once: a run that ends while the page is drawn is polled to its end
with privacy_column:
    epsilon = choose_epsilon()
    share = choose_bins_share(workload.domain) if workload else SHARE
    noise_place = st.container()
    delta, seed = choose_advanced()
with run_column:
    method_place, start = st.container(), st.container(horizontal=True, vertical_alignment="center", key="start")
    with start:
        button = st.container(width=RUN_WIDTH)
        rounds_place = st.container(horizontal=True, vertical_alignment="center", gap="xsmall", width="content")
begun, expected = None, dict[str, Outlook]()
if data and workload:
    n, typed = data.records.total, (current_rounds(), delta)
    begun = partial(
        Variant.begun, workload=workload, n=n, epsilon=epsilon, share=share, unit=data.unit, public=data.public
    )
    expected = state.remember(
        "outlooks",
        (data.source, workload.domain, workload.spec, epsilon, share, data.unit, data.public, typed),
        partial(outlooks, begun, typed, workload, n),
    )
with method_place:
    method = choose_method(expected)
    suggest_best(method, expected)
with rounds_place:
    variant = Variant(method, choose_rounds(method), delta, seed)
with noise_place:
    if data and workload and begun:
        n = data.records.total
        try:
            settings, bins = begun(variant)
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
            st.caption(describe_noise(plan.settings, workload, n))
            describe_unit(data.unit, plan.settings)
            describe_effort(plan.settings, workload, n)
        except ValueError as error:
            problem(error)
with table_column:
    show_ledger(data, seeded=bool(variant.seed))
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
