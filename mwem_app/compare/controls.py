"""The settings of trials and their buttons: seeds, ε, T, metric, where they run, and whether they run."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mwem_app.base import count, duration, queue_in_words
from mwem_app.compare.curves import metric_names
from mwem_app.compare.stored_trials import stored_results
from mwem_app.compare.system_choice import able_systems, choose_systems, refusals
from mwem_app.inputs import Data
from mwem_app.page import SettingLine, count_work, may_start, plain, problem
from mwem_app.session import TRIALS, TrialsRunner, check_memory, demo, is_demo, state, unfinished_trials
from mwem_core.judge import Result, Trial, pool, processors
from mwem_core.privacy import Guarantee
from mwem_core.systems import check_bins, system
from mwem_core.workload import Workload

MAX_SEEDS, MAX_EPSILONS, MAX_TS, MAX_T_DIGITS = 100, 40, 20, 9
BY_RULE = "rule"


def choose_seeds() -> int:
    """Let the user choose the number of seeds; each system runs once per seed."""
    seeds = st.number_input(
        "Seeds",
        1,
        MAX_SEEDS,
        value=5,
        key=state.SEEDS,
        bind=state.BIND,
        width=110,
        help="Each system runs once per seed, each time with different noise. Two seeds hint at the spread; five give "
        "a fair confidence interval.",
    )
    return int(seeds or 1)


def choose_metric(workload: Workload) -> str:
    """Let the user choose the metric; the choice stays if the new workload has this metric."""
    names = metric_names(workload.tabular)
    if st.session_state.get(state.METRIC) not in (None, *names):
        st.session_state[state.METRIC] = names[0]
    return st.segmented_control(
        "Judge by",
        names,
        default=names[0],
        required=True,
        key=state.METRIC,
        bind=state.BIND,
        wrap=True,
        label_visibility="collapsed",
    )


def choose_executor() -> Callable[[], Executor]:
    """Let the user choose in how many processes of this machine trials run. A public demo has no choice."""
    if is_demo():
        return partial(pool, demo.PROCESSES, most_bytes=demo.WORKER_BYTES)
    with st.expander("Where to run"):
        workers = st.number_input(
            "Processes", 1, processors(), value=processors(), key="_workers", persist_state="session"
        )
    return partial(pool, int(workers or 1))


def choose_epsilons() -> list[float]:
    """Let the user list the values of ε, returned in order; raises ValueError that names an invalid value."""
    text = st.text_input(
        "Privacy budgets ε",
        value="0.05, 0.1, 0.2, 0.5, 1, 2, 5",
        key=state.EPSILONS,
        bind=state.BIND,
        help="Separated by commas. A **smaller** ε is **more** private and means **more** noise.",
    )
    epsilons = sorted({_epsilon(part) for part in _parts(text)})
    if not 1 <= len(epsilons) <= MAX_EPSILONS:
        raise ValueError(
            f"trials take 1 to {MAX_EPSILONS} values of ε, got {len(epsilons)}: write them as in 0.1, 0.5, 1"
        )
    return epsilons


def choose_Ts() -> list[int | None]:
    """Let the user list the values of T, None for each system's own rule; raises ValueError for an invalid value."""
    text = st.text_input(
        "Rounds T",
        value=BY_RULE,
        key=state.TS,
        bind=state.BIND,
        help="Separated by commas: numbers, or **rule** for each system's own rule. Only for systems that have rounds.",
    )
    Ts = dict.fromkeys(_T(part) for part in _parts(text))
    if not 1 <= len(Ts) <= MAX_TS:
        raise ValueError(f"trials take 1 to {MAX_TS} values of T, got {len(Ts)}: write them as in rule, 5, 10, 20")
    return sorted(Ts, key=lambda T: T or 0)


def _parts(text: str | None) -> list[str]:
    return [part for part in (text or "").replace(";", ",").replace(",", " ").split() if part]


def _epsilon(text: str) -> float:
    try:
        epsilon = float(text)
    except ValueError:
        raise ValueError(f"every ε must be a positive number, got {text!r}: write them as in 0.1, 0.5, 1") from None
    Guarantee(epsilon)
    return epsilon


def _T(text: str) -> int | None:
    if text == BY_RULE:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= MAX_T_DIGITS and int(text) > 0):
        raise ValueError(f"every T must be a whole number of at least 1, or {BY_RULE}, got {text!r}")
    return int(text)


def stop_at_open_bins(workload: Workload | None) -> None:
    """End the page, with a sentence, where the schema leaves bins to be measured: each trial would have its own."""
    try:
        if workload:
            check_bins(workload.domain)
    except ValueError as error:
        problem(error)
        st.stop()


def choose_systems_part(
    line: SettingLine, workload: Workload, *, n: int, epsilon: float, delta: float
) -> tuple[list[str], int, Callable[[], Executor]]:
    """Systems, number of seeds and executor, in one part of the line."""
    task = workload.domain, workload.spec, n, epsilon, delta
    refusal = state.remember("refusals", task, lambda: refusals(workload, n=n, epsilon=epsilon, delta=delta))
    with line.part("systems") as part:
        chosen = choose_systems(refusal)
        seeds = choose_seeds()
        part.says(f"{count(len(chosen), 'system')}, {count(seeds, 'seed')}")
        executor = choose_executor()
    with line.below:
        if notes := [note for name in chosen if (note := system(name).unkept_rules(workload.domain))]:
            st.caption(" ".join(notes))
        return able_systems(chosen, refusal), seeds, executor


def run_button(
    data: Data,
    workload: Workload,
    trials: Sequence[Trial],
    executor: Callable[[], Executor],
    place: DeltaGenerator,
    *,
    allowed: bool,
    pressed: bool = False,
) -> bool:
    """A button that runs the unfinished trials, or stops the running ones; returns whether trials are running.

    Trials stop when the session ends. The button runs the trials that have only a committed result when there are no
    others. It is dead unless `allowed`; `pressed` says that another button has asked for the same.
    """
    runner, results = state.trials_runner(), state.trial_results(data.source, workload)
    missing = unfinished_trials(trials, stored_results(data, workload, trials) | results)
    todo = missing or unfinished_trials(trials, results)
    if runner is not None and runner.active:
        place.button("Stop", icon=":material/stop:", on_click=runner.stop, key="_stop_trials")
        return True
    if todo and all(trial in results for trial in todo):
        label = f"Try {len(todo):,} again"
    elif runner is not None and runner.status == "stopped" and len(todo) < len(trials):
        label = "Resume"
    elif len(todo) in (0, len(trials)):
        label = "Run"
    else:
        label = f"Run {len(todo):,} {'more' if missing else 'again'}"
    clicked = place.button(
        label,
        type="primary",
        icon=":material/play_arrow:",
        disabled=not todo or not allowed,
        help=None if todo or not trials else "All of these trials have run. Change a setting above, or add seeds.",
        key="_run_trials",
    )
    if clicked or (pressed and todo):
        try:
            check_memory(workload, rounds=1)
        except ValueError as error:
            problem(error)
            return False
        if not may_start(TRIALS):
            return False
        runner = TrialsRunner(data.records, workload, todo, results, executor)
        count_work(runner)
        st.session_state[state.TRIALS_RUNNER] = runner
        state.stop_at_end(runner)
        st.rerun()
    if runner is not None and runner.problem:
        problem(runner.problem)
    return False


def results_of(data: Data, workload: Workload, trials: Sequence[Trial]) -> list[Result]:
    """The results of those of the trials that have run here or, where they have not, that have a committed result."""
    results = stored_results(data, workload, trials) | state.trial_results(data.source, workload)
    return [results[trial] for trial in trials if trial in results]


def show_progress(data: Data, workload: Workload, trials: Sequence[Trial]) -> bool:
    """How many of the running trials are done, as a bar and in words, with the time that the others take.

    Once they have ended it stays, with the time they took, until other trials are chosen: nothing below it moves.
    Returns whether there is anything to show.
    """
    runner = state.trials_runner()
    if runner is None:
        return False
    same_task = runner.results is state.trial_results(data.source, workload)
    if not (runner.active or (same_task and set(runner.todo) <= set(trials))):
        return False
    share = runner.done / max(1, len(runner.todo))
    text = f"{runner.done:,} of {count(len(runner.todo), 'trial')} done"
    if not runner.active:
        text += f" in about {duration(runner.seconds)}"
    elif runner.before:
        text += f" · {queue_in_words(runner.before, 'batch')}"
    else:
        text += "" if runner.workload.spec == workload.spec else f" (workload: {plain(runner.workload.name)})"
        if (left := runner.time_left()) and runner.done < len(runner.todo):
            text += f" · {'at least' if left.lower_bound else 'about'} {duration(left.seconds)} left"
    st.progress(share, text)
    return True


def show_problems(problems: Sequence[tuple[str, str]]) -> None:
    """The (system, reason) of each trial that could not run, a line each."""
    for title, reason in problems:
        st.caption(f":material/block: **{plain(title)}**: {plain(reason)}.")


def tell_truth_is_hidden() -> None:
    """Say why a page of trials is empty while the truth is hidden."""
    st.info(
        "This page shows errors, which are measured against the records. Switch **Show the truth** on to see "
        "them. While it is off, none of them are sent to this browser.",
        icon=":material/lock:",
    )
