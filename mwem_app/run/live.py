"""The run on the page: its controls, the choice of a marginal to draw, and the player; polled while the run goes on."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Literal

import streamlit as st

from mwem_app.base import count, queue_in_words
from mwem_app.page import problem
from mwem_app.run.inside_round import lessons, turn
from mwem_app.run.method import BEST
from mwem_app.run.picture import Picture, first_measured, suggested_attrs
from mwem_app.run.round_frames import Look, frames, message_of, reference_lines, total_rounds
from mwem_app.run.run_summary import show_stale
from mwem_app.session import Plan, Runner, Step, start_step, state
from mwem_app.stage import Frame, View, player
from mwem_core.automatic import Nothing, Staged, rounds_in, run_in_words
from mwem_core.domain import Attrs
from mwem_core.systems import SYSTEMS
from mwem_core.workload import Workload

POLL_SECONDS = 0.5  # polling more often slows the run down
RUNS_AHEAD = 4  # so many runs before this one make polling take a further `POLL_SECONDS`
OVERLAP = 20  # rounds sent twice, in case a message to the browser was lost
PROPOSAL, NO_SECOND = "one marginal throughout", "alone"
RunStatus = Literal["idle", "waiting", "running", "paused", "done", "stopped"]


def show_run(plan: Plan | None, *, show_truth: bool, running: bool) -> None:
    """Show the player with this session's run; before the first run, with the start of a run of `plan`.

    `running` is what the page above shows: a run that has ended since then still needs the redraw at its end.
    """
    st.session_state[state.SENT_TO_PLAYER] = None  # the whole page is drawn, so the player needs all rounds
    run = state.runner()
    ahead = run.before if run is not None else 0
    every = POLL_SECONDS * (1 + ahead / RUNS_AHEAD) if running else None
    st.fragment(_live, run_every=every)(plan, show_truth, running)


def _live(plan: Plan | None, show_truth: bool, polled: bool) -> None:
    ended = polled and not state.is_running()
    if ended and st.session_state.get(state.END_SEEN):
        st.rerun()  # draws the page, without polling; one poll after the end, so that the player shows the end first
    st.session_state[state.END_SEEN] = ended
    run = state.runner_of(plan and plan.source)
    if run is None and plan is None:
        return
    chosen, (plan, steps, status) = plan, _steps_of(run, plan)
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        if run is None or state.is_running() or not show_stale(run, chosen, key="stale"):
            _controls(run, plan, status)
        attrs, follow = _choose_attributes(plan.workload)
    lines = state.remember(
        "reference lines",
        (plan.source, plan.workload.domain, plan.workload.spec, plan.settings, bool(steps), show_truth),
        lambda: reference_lines(plan, steps, show_truth=show_truth),
    )
    beside = state.companion()
    if run is not None and beside is not None and not beside.active and beside.steps and show_truth:
        errors = beside.steps[-1].errors  # at which Automatic ended beside this run
        lines = replace(lines, automatic_max=errors.max_error, automatic_mean=errors.mean_error)
    run_id = run.id if run else f"start {plan.source}"
    rounds, views = _rounds(plan, steps, attrs, follow, show_truth)
    shown = tuple(views) if not follow else ()
    look = f"{hash((plan.workload.domain.names, plan.workload.domain.shape, attrs, follow, shown, show_truth))}"
    before, now = st.session_state.get(state.SENT_TO_PLAYER), (run_id, look)
    st.session_state[state.SENT_TO_PLAYER] = now, len(rounds)
    first = max(0, before[1] - OVERLAP) if before is not None and before[0] == now else 0  # of what is not yet sent
    message = message_of(
        plan,
        rounds[first:],
        run=run_id,
        status=status,
        total=total_rounds(plan, len(steps) - 1, active=run is None or run.active),
        views=views,
        lines=lines,
        look=look,
        first=first,
        lessons=lessons(plan),
    )
    player(message, key="player", on_gap=_send_all)
    for each in state.runs() if run is not None else ():
        if each.problem:
            problem(each.problem)


def _steps_of(run: Runner | None, plan: Plan | None) -> tuple[Plan, list[Step], RunStatus]:
    """The steps of the run, or the start alone, so that the charts are drawn before the run."""
    if run is not None:
        status = run.status
        return run.plan, list(run.steps), "stopped" if status == "failed" else status
    assert plan is not None
    workload = plan.workload
    step = state.remember("start", (plan.source, workload.domain, workload.spec), lambda: start_step(plan))
    return plan, [step], "idle"


def _choose_attributes(workload: Workload) -> tuple[Attrs | None, bool]:
    """The attributes to draw, None for those that `_rounds` proposes; and whether to follow what each round measures.

    The user's own choice stays in view in every round.
    """
    domain, names = workload.domain, workload.domain.names
    for key, default in ((state.VIEW_X, PROPOSAL), (state.VIEW_Y, NO_SECOND)):
        if st.session_state.get(key, default) not in (default, *names):
            st.session_state[key] = default  # the attribute of another table
    with st.container(key="picture", width="content"), st.popover("Picture", type="tertiary"):
        follow = st.toggle(
            "Follow the round",
            key=state.FOLLOW,
            bind=state.BIND,
            help="Draw what each round measured, instead of one marginal throughout.",
        )
        x = st.selectbox("Look at", [PROPOSAL, *names], key=state.VIEW_X, bind=state.BIND, disabled=follow)
        if x == PROPOSAL:
            return None, follow
        others = [NO_SECOND, *(name for name in names if name != x)]
        y = st.selectbox("by", others, key=state.VIEW_Y, bind=state.BIND, disabled=follow)
    return domain.attrs(str(x), *([] if y == NO_SECOND else [str(y)])), follow


def _rounds(
    plan: Plan, steps: list[Step], attrs: Attrs | None, follow: bool, show_truth: bool
) -> tuple[list[Frame], dict[str, View]]:
    """A frame for each step, and the views that they name. Those of earlier calls are kept.

    Unless the view follows the rounds, it is the user's marginal, or the first readable one that is measured. Before
    that is known, it is one of the workload.
    """
    workload, domain = plan.workload, plan.workload.domain
    suggest = partial(suggested_attrs, workload)
    measured = None if attrs or follow else first_measured(domain, (step.round for step in steps))
    try:
        picture = measured or Picture.of(domain, attrs or state.remember("suggested", (domain, workload.spec), suggest))
    except ValueError as error:
        problem(error)
        return frames(plan, steps, None, show_truth=show_truth), {}
    if not steps:
        return [], {}
    key = workload.domain, workload.spec, picture.attrs, follow, show_truth
    begin = partial(Look, plan, picture, follow=follow, show_truth=show_truth)
    look: Look = state.remember_of(steps[0].round.model, "look", key, begin)
    return look.until(steps)


def _controls(run: Runner | None, plan: Plan, status: RunStatus) -> None:
    if run is None:
        if plan.bins:
            st.caption("Press **Run**. It first measures the open bins; until then they are drawn equally wide.")
            return
        T, settings = plan.planned_rounds, plan.settings
        if isinstance(settings, Nothing):
            st.caption("At this ε nothing would be measured: choose a larger one.")
            return
        if (selecting := rounds_in(settings)) is None:
            doing = run_in_words(settings, plan.workload, plan.records.total)
            st.caption(f"Press **Run**: {doing}, and then the model is fitted to them in {count(T or 1, 'step')}.")
            return
        rounds = f"for {count(T, 'round')}" if T else "to start"
        each = "Each round measures"
        if selecting.candidates.one_way_first:
            each = "After all one-way marginals, each round measures"
        if isinstance(settings, Staged):
            each = "The first measures all one-way marginals, each later one"
        target = "marginal" if selecting.tables else "query"
        st.caption(f"Press **Run** {rounds}. {each} a {target} that the model answers badly.")
    elif run.active:
        with st.container(horizontal=True, width="content"):
            if status == "waiting":
                st.caption(f"{queue_in_words(run.before)} Yours starts by itself.", width="content")
            elif status == "paused":
                st.button("Resume run", icon=":material/play_arrow:", on_click=_each, args=(Runner.resume,))
            else:
                st.button("Pause run", icon=":material/pause:", on_click=_each, args=(Runner.pause,))
            st.button("Stop run", icon=":material/stop:", on_click=_each, args=(Runner.stop,))
    elif state.is_running():
        with st.container(horizontal=True, width="content", vertical_alignment="center"):
            st.caption(f"Done. {SYSTEMS[BEST].title} is still running.", width="content")
            st.button("Stop run", icon=":material/stop:", on_click=_each, args=(Runner.stop,))
    else:
        ended = {"done": "Done", "stopped": "Stopped", "failed": "Failed"}[run.status]
        rounds = count(max(0, len(run.steps) - 1), turn(plan))
        early_end = run.as_run().early_end if run.steps and run.status != "failed" else ""
        replay = f" Replay the run, or move the slider to a {turn(plan)}." if len(run.steps) > 1 else ""
        st.caption(f"{early_end or f'{ended} after {rounds}.'}{replay}")


def _each(act: Callable[[Runner], None]) -> None:
    """Pause, resume or stop the run, and what runs beside it."""
    for run in state.runs():
        act(run)


def _send_all() -> None:
    st.session_state[state.SENT_TO_PLAYER] = None
