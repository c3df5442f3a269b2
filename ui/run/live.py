"""The run on show: its controls, what to look at, and the player; polled while rounds may still come."""

from typing import Any, Literal

import numpy as np
import streamlit as st

from mwem_core.workload.workload import Workload
from ui.page.wording import problem
from ui.player import View, player
from ui.run.frames import Picture, frames, lines, suggested, total_rounds
from ui.session import state
from ui.session.runner import Plan, Runner, Step, start_step
from ui.words.numbers import count

TICK = 0.5  # seconds; below that everything gets slower
OVERLAP = 20  # rounds sent again, lest one got lost on the way
HEIGHT = 300
SUGGESTED, ALONE = "suggested", "alone"
Status = Literal["idle", "running", "paused", "done", "stopped"]


def show_run(plan: Plan | None, *, show_truth: bool) -> None:
    """The player on the run of this session; before the first one, on the start that `plan` would have."""
    st.session_state[state.SENT_TO_PLAYER] = None  # the page was drawn anew: so is all of the run
    running = state.running()
    st.fragment(_live, run_every=TICK if running else None)(plan, show_truth, running)


def _live(plan: Plan | None, show_truth: bool, polled: bool) -> None:
    over = polled and not state.running()
    if over and st.session_state.get(state.END_SEEN):
        st.rerun()  # draws the page anew, and stops the polling; a tick late, so that a stop is first seen at once
    st.session_state[state.END_SEEN] = over
    run = state.runner_of(plan and plan.source)
    if run is None and plan is None:
        return
    plan, steps, status = _on_show(run, plan)
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        _controls(run, plan, status)
        attrs = _choose_look(plan.workload)
    picture, view = _look(plan, attrs, show_truth)
    levels = state.remember(
        "levels",
        (plan.source, plan.workload.domain, plan.workload.spec, plan.settings, bool(steps), show_truth),
        lambda: lines(plan, steps, show_truth=show_truth),
    )
    shown = run.id if run else f"start {plan.source}"
    first, seen = _news(shown, steps, view, show_truth)
    estimates = None if picture is None else _estimates(shown, picture, steps)[first:seen]
    budget = plan.settings.guarantee.budget
    player(
        key="player",
        run=shown,
        status=status,
        total=total_rounds(run) if run else plan.planned_rounds or 10,
        n=plan.records.total,
        rounds=frames(plan, steps[first:seen], estimates, show_truth=show_truth),
        first=first,
        budget=budget.amount,
        budget_unit=budget.unit,
        lines=levels,
        view=view,
        height=HEIGHT,
        seeded=plan.seed is not None,
        on_gap=_send_all,
    )
    if run is not None and run.problem:
        problem(run.problem)


def _on_show(run: Runner | None, plan: Plan | None) -> tuple[Plan, list[Step], Status]:
    """The run, or the start of one: so the charts are there, and Plotly with them, before anyone asks for a run."""
    if run is not None:
        status = run.status
        return run.plan, list(run.steps), "stopped" if status == "failed" else status
    assert plan is not None
    workload = plan.workload
    step = state.remember("start", (plan.source, workload.domain, workload.spec), lambda: start_step(plan))
    return plan, [step], "idle"


def _choose_look(workload: Workload) -> tuple[int, ...]:
    domain, names = workload.domain, workload.domain.names
    for key, usual in ((state.VIEW_X, SUGGESTED), (state.VIEW_Y, ALONE)):
        if st.session_state.get(key, usual) not in (usual, *names):
            st.session_state[key] = usual  # an attribute of another table
    with st.container(horizontal=True, width="content", vertical_alignment="center", gap="xsmall"):
        st.caption("Look at", width="content")
        across = st.selectbox(
            "Look at",
            [SUGGESTED, *names],
            key=state.VIEW_X,
            bind=state.BIND,
            width=200,
            label_visibility="collapsed",
        )
        if across == SUGGESTED:
            return state.remember("suggested", (domain, workload.spec), lambda: suggested(workload))
        st.caption("by", width="content")
        others = [ALONE, *(name for name in names if name != across)]
        down = st.selectbox("by", others, key=state.VIEW_Y, bind=state.BIND, width=200, label_visibility="collapsed")
    return domain.attrs(str(across), *([] if down == ALONE else [str(down)]))


def _look(plan: Plan, attrs: tuple[int, ...], show_truth: bool) -> tuple[Picture | None, View | None]:
    try:
        picture = Picture.of(plan.workload.domain, attrs)
    except ValueError as error:
        problem(error)
        return None, None
    if not show_truth:
        return picture, picture.view(None)
    key = plan.source, picture.domain, picture.attrs
    return picture, picture.view(state.remember("truth", key, lambda: picture.shares(plan.records, plan.records.total)))


def _controls(run: Runner | None, plan: Plan, status: Status) -> None:
    if run is None:
        T = plan.planned_rounds
        how = ": each attribute by itself, then" if plan.settings.first == "one-way" else ", each asking"
        st.caption(f"Press **Run**: {count(T, 'round') if T else 'rounds'}{how} what the model has most wrong.")
    elif run.active:
        with st.container(horizontal=True, width="content"):
            if status == "paused":
                st.button("Resume run", icon=":material/play_arrow:", on_click=run.resume)
            else:
                st.button("Pause run", icon=":material/pause:", on_click=run.pause)
            st.button("Stop run", icon=":material/stop:", on_click=run.stop)
    else:
        ended = {"done": "Done", "stopped": "Stopped", "failed": "Failed"}[run.status]
        st.caption(
            f"{ended} after {count(max(0, len(run.steps) - 1), 'round')}: play it again, or look at any of them."
        )


def _news(run: str, steps: list[Step], view: View | None, show_truth: bool) -> tuple[int, int]:
    """From which round on to send, and how many there are: all of them where what is asked of each has changed."""
    asked = run, view and view.id, show_truth
    before = st.session_state.get(state.SENT_TO_PLAYER)
    first = max(0, before[1] - OVERLAP) if before is not None and before[0] == asked else 0
    st.session_state[state.SENT_TO_PLAYER] = (asked, len(steps))
    return first, len(steps)


def _send_all() -> None:
    st.session_state[state.SENT_TO_PLAYER] = None


def _estimates(run: str, picture: Picture, steps: list[Step]) -> list[np.ndarray]:
    """The picture of each round, each made once."""
    made: list[Any] = state.remember("estimates", (run, picture.domain, picture.attrs), list)
    made += [picture.shares(step.round.model, step.round.model.total) for step in steps[len(made) :]]
    return made
