"""What a session holds: the keys of widgets, which are also the names in the address, and what no widget holds."""

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from mwem_core.workload.workload import Workload
from ui.session.runner import Runner
from ui.session.trials import Found, Sweep

BIND: Literal["query-params"] = "query-params"  # every setting is in the address: a lesson is a link
# Widgets.
TABLE, ATTRIBUTES = "table", "attributes"
ASK, K, UP_TO, COLUMNS, WHICH, COUNT, DRAW = "ask", "k", "up_to", "columns", "which", "count", "draw"
LISTED, PREDICATES = "ranges", "where"
EPSILON, DELTA, PRESET, ROUNDS, SEED = "epsilon", "delta", "preset", "rounds", "seed"
TRUTH, ACROSS, DOWN = "truth", "across", "down"
SYSTEMS, SEEDS, METRIC, ONE, OTHER, PART = "systems", "seeds", "metric", "one", "other", "part"
EPSILONS, TS, AT_T, AT_EPSILON, LEVEL = "epsilons", "Ts", "at_T", "at_epsilon", "level"
CARRIED = (
    *(TABLE, ATTRIBUTES, ASK, K, UP_TO, COLUMNS, WHICH, COUNT, DRAW, LISTED, PREDICATES),
    *(EPSILON, DELTA, PRESET, ROUNDS, SEED, TRUTH, ACROSS, DOWN),
    *(SYSTEMS, SEEDS, METRIC, ONE, OTHER, PART, EPSILONS, TS, AT_T, AT_EPSILON, LEVEL),
)
# The session's own: uploads and runs are nobody else's.
UPLOAD, RUNNER, SENT, TOLD, ASKED = "_upload", "_runner", "_sent", "_told", "_asked"
TRIALS, SWEEP, RECALLED = "_trials", "_sweep", "_recalled"
IN_APP, PAGE, CARRYING = "_in_app", "_page", "_carrying"


def carry(page: str) -> None:
    """Before a page: settings come along from the one before. Streamlit forgets those that came with the address."""
    before, st.session_state[PAGE] = st.session_state.get(PAGE, page), page
    if before != page:
        st.session_state[CARRYING] = True
    if CARRYING in st.session_state:
        for key in CARRIED:
            if key in st.session_state and key not in st.query_params:
                st.session_state[key] = st.session_state[key]  # said anew, it reaches the widget of this page


def carried() -> None:
    """After a page: what came along reaches the address in a second run, when its widgets are known."""
    again = st.session_state.pop(CARRYING, None)
    if again:
        st.session_state[CARRYING] = False
        st.rerun()
    if again is False and len(st.query_params):
        st.query_params[PAGE] = ""  # to send the address once more: on its way to a page a browser does not hear it
        del st.query_params[PAGE]


def enter_by_app() -> None:
    """For the top of a page other than the first: go by app.py where Streamlit did not.

    It takes a new server's first visitor straight to a file in a folder named pages, until it has seen st.navigation.
    """
    if IN_APP not in st.session_state:
        runpy.run_path(str(Path(__file__).parents[2] / "app.py"))
        st.stop()


def runner() -> Runner | None:
    """The run on show, if there was one."""
    return st.session_state.get(RUNNER)


def running() -> bool:
    """Whether a run is on, paused or not: one at a time, in a session."""
    run = runner()
    return run is not None and run.active


def on_show(source: str | None) -> Runner | None:
    """The run to show beside this table: its own, or one that is still on, or any where no table is chosen."""
    run = runner()
    return run if run is not None and (run.active or source in (None, run.plan.source)) else None


def begin(new: Runner) -> None:
    """Show this run from now on, and enter what it asks of its table."""
    st.session_state[RUNNER] = new
    asked(new.plan.source)[new.id] = new.plan.settings.epsilon


def asked(source: str) -> dict[str, float]:
    """The ε each run of this session asked of a table, by run; of a stopped run what it had spent."""
    return st.session_state.setdefault(ASKED, {}).setdefault(source, {})


def settle() -> None:
    """Correct the entry of a run that ended early: only what was released was spent."""
    run = runner()
    if run is not None and not run.active:
        asked(run.plan.source)[run.id] = run.run().epsilon_spent if run.steps else 0.0


def trials(source: str, workload: Workload) -> Found:
    """What this session's trials on a table and a workload came to: one store, whichever page asked for them."""
    return st.session_state.setdefault(TRIALS, {}).setdefault((source, workload.domain, workload.spec), {})


def sweep() -> Sweep | None:
    """The trials that are on, or were last: one sweep at a time, in a session."""
    return st.session_state.get(SWEEP)


def sweeping() -> bool:
    """Whether trials are on."""
    on = sweep()
    return on is not None and on.active


def remember(slot: str, key: Any, make: Callable[[], Any]) -> Any:
    """What `make` gives for this key, made once while the key stays; in this session alone, for it may be private."""
    held = st.session_state.get(f"_held {slot}")
    if held is None or held[0] != key:
        held = st.session_state[f"_held {slot}"] = (key, make())
    return held[1]


def following(key: str, default: Any) -> Any:
    """The default of a widget, which the widget follows when other settings move it, unless a user has set it."""
    before = st.session_state.get(f"_default {key}")
    if before is not None and before != default and st.session_state.get(key) == before:
        st.session_state[key] = default
    st.session_state[f"_default {key}"] = default
    return default
