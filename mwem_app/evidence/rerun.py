"""An experiment run again: here, in its quick version, or by the command."""

from functools import partial

import streamlit as st

from mwem_app.base import count, waiting
from mwem_app.evidence.section import Outcome, show_figure, show_verdict
from mwem_app.page import plain, problem, redraw_while
from mwem_app.session import NO_EXPERIMENTS, ExperimentRunner, is_demo, state
from mwem_core.experiments import SOURCES, Experiment, Run, difference
from mwem_core.judge import pool, processors


def show_rerun(experiment: Experiment, committed: Outcome) -> None:
    """A button for the quick version, what came of it, the command for all of it, and which tables one must fetch."""
    fetched = {SOURCES[t].file: SOURCES[t].fetch for t in experiment.tables if SOURCES[t].fetch}
    if is_demo():
        st.markdown(NO_EXPERIMENTS)
    elif any(not SOURCES[name].fetch for name in experiment.tables):
        some = ", and only the tables that come with the program" if fetched else ""
        st.markdown(
            f"**Run it again.** Here its quick version runs: fewer settings and seeds{some}. It takes a minute at most."
        )
        runner = _button(experiment)
        if runner:
            active = runner.active
            redraw_while(lambda: runner.active, partial(_show_progress, runner), was_pending=active)
            if not active and runner.done:
                _show_outcome(runner, committed)
    folder = " --data FOLDER" if fetched else ""
    st.markdown("The command runs all of it, and prints how its trials differ from those shown here.")
    st.code(f"mwem paper {experiment.name}{folder}", language=None)
    for file, origin in fetched.items():
        st.caption(f"`{file}` does not come with the program: get it from {plain(origin)}, and put it into FOLDER.")


def _button(experiment: Experiment) -> ExperimentRunner | None:
    """A button that runs the experiment, or stops it; returns its last run."""
    runners = state.experiment_runners()
    runner = runners.get(experiment.name)
    if runner and runner.active:
        st.button("Stop", icon=":material/stop:", on_click=runner.stop, key="_stop_experiment")
    elif st.button("Run it here", icon=":material/play_arrow:", key="_run_experiment"):
        run = Run(experiment, experiment.batches(True), folder=None)
        runner = runners[experiment.name] = ExperimentRunner(run, partial(pool, processors()))
        state.stop_at_end(runner)
        st.rerun()
    return runner


def _show_progress(runner: ExperimentRunner) -> None:
    text = f"{runner.done:,} of {count(runner.todo, 'trial')} done"
    text += f" · {waiting(runner.before, 'batch')}" if runner.before else ""
    st.progress(runner.done / max(1, runner.todo), text)


def _show_outcome(runner: ExperimentRunner, committed: Outcome) -> None:
    """How the trials differ from the committed ones; where all were done, their figure and what they decide."""
    experiment, frame = runner.run.experiment, runner.run.frame
    if runner.problem:
        problem(runner.problem)
    st.markdown(plain(difference(frame, committed.frame, experiment.metrics)))
    if runner.status == "done":
        own = Outcome(frame, experiment.verdict(frame))
        with st.expander("What these trials alone would show"):
            show_figure(experiment, own, key="rerun")
            show_verdict(experiment, own.verdict)
