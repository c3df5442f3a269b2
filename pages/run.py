"""Run: choose a table, a workload and a budget, and watch MWEM converge."""

from dataclasses import replace
from functools import partial

import streamlit as st

from mwem_app.inputs import (
    BY_RULE,
    Variant,
    choose_advanced,
    choose_bins_share,
    choose_epsilon,
    choose_rounds,
    choose_task,
    confirm_upload,
    current_rounds,
    describe_unit,
    original_table,
)
from mwem_app.page import count_work, may_start, problem
from mwem_app.run import (
    BEST,
    Outlook,
    automatic_differs,
    choose_method,
    choose_result,
    describe_effort,
    describe_noise,
    outlooks,
    show_ledger,
    show_run,
    show_summary,
    suggest_best,
)
from mwem_app.session import RUNS, Plan, Runner, is_there, state
from mwem_core.systems import SHARE, SYSTEMS

BOTH_HELP = (
    "Run {0} and {1} on the same table. The chart shows {0} round by round, and the error of {1} as a level. Two runs "
    "cost ε twice."
)
PURPOSE = "**Watch a model learn a table**, one noisy measurement at a time."

state.enter_by_app()
state.settle()
plan = best = None
data, workload, line, _, show_truth = choose_task(PURPOSE, may_start=True)
running = state.is_running()  # read once: a run that ends while the page is drawn is polled to its end
with line.part("epsilon") as part:
    epsilon = choose_epsilon()
    part.says(f"ε = {epsilon:g}")
    share = choose_bins_share(workload.domain) if workload else SHARE
    noise_place = st.container()
    delta, seed = choose_advanced()
begun, task, expected = None, (), dict[str, Outlook]()
if data and workload:
    n, typed = data.records.total, (current_rounds(), delta)
    begun = partial(
        Variant.with_bins, workload=workload, n=n, epsilon=epsilon, share=share, unit=data.unit, public=data.public
    )
    task = data.source, workload.domain, workload.spec, epsilon, share, data.unit, data.public
    expected = state.remember("outlooks", (*task, typed), partial(outlooks, begun, typed, workload, n))
with line.part("method") as part:
    method = choose_method(expected)
    part.says(f"by {SYSTEMS[method].title}")
    variant = Variant(method, choose_rounds(method), delta, seed)
with line.below:
    suggest_best(method, expected)
with line.part("epsilon"), noise_place:
    if data and workload and begun:
        n = data.records.total
        try:
            settings, bins = state.remember("settings", (*task, variant), partial(begun, variant))
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
                left_out=data.left_out,
                reading=data.reading,
                unit=data.unit,
                count=data.count,
            )
            if automatic_differs(method, settings, expected):
                automatic = replace(variant, system=BEST, rounds=BY_RULE)
                settings, bins = state.remember("settings beside", (*task, automatic), partial(begun, automatic))
                best = replace(plan, settings=settings, bins=bins, system=BEST)
            st.caption(describe_noise(plan.settings, workload, n))
            describe_unit(data.unit, plan.settings)
            with line.below:
                describe_effort(plan.settings, workload, n)
        except ValueError as error:
            problem(error)
        show_ledger(data)
pressed = line.row.button(
    "Running" if running else "Run",
    type="primary",
    icon=":material/play_arrow:",
    disabled=plan is None or running,
    key="_run",
)
pressed_both = best is not None and line.row.button(
    "Run both", disabled=running, key="_run_both", help=BOTH_HELP.format(SYSTEMS[method].title, SYSTEMS[BEST].title)
)
if seed:
    line.row.badge("seeded: NOT PRIVATE", icon=":material/warning:", color="orange")
confirm_upload()
pressed = st.session_state.pop(state.WATCH, False) or pressed
chosen = [each for each in (plan, best if pressed_both else None) if each]
if (pressed or pressed_both) and plan and not running and may_start(None if all(map(is_there, chosen)) else RUNS):
    state.begin(*map(Runner.of, chosen))
    for each in state.runs():
        count_work(each)
    st.rerun()

show_run(plan, show_truth=show_truth, running=running)

run = state.runner_of(data and data.source)
if run is not None and not state.is_running() and run.steps:
    beside = state.companion()
    beside = beside if beside is not None and not beside.active and beside.steps else None
    show_summary(run, plan, beside, show_truth=show_truth)

    from mwem_app.ask import ask_run  # these import Plotly, which takes time: only after a run
    from mwem_app.run import rows_of, show_quality, take_away

    taken = choose_result(run, beside)
    ended = state.ended_run(taken)
    take_away(ended, taken.plan.records, taken.plan.columns, taken.plan.left_out, show_truth=show_truth)
    show_quality(ended, original_table(taken.plan.source, taken.plan.table), show_truth=show_truth)
    if show_truth:
        ask_run(ended, rows_of(ended).table, taken.plan.records)
