"""The state of a session: its widgets by their keys, which are also the names in the address; its runs and trials."""

import copy
import runpy
import weakref
from collections.abc import Callable, Hashable
from typing import Any, Literal

import streamlit as st

from mwem_app.base import SERVED_FOLDER
from mwem_app.session.background import Background
from mwem_app.session.runner import Runner, shared_values_of
from mwem_app.session.tab import TABS, new_token
from mwem_app.session.trials_runner import Results, TrialsRunner
from mwem_core.output import Run
from mwem_core.weighted import Model
from mwem_core.workload import Workload


def of_part(key: str, part: int) -> str:
    """The key of a widget in a part of the questions. Part 1 adds nothing, so an address without parts is valid."""
    return key if part == 1 else f"{key}_{part}"


BIND: Literal["query-params"] = "query-params"  # every setting is in the address: a lesson is a link
# Widgets. Their values are names in addresses that people have saved: do not change them.
TABLE, ATTRIBUTES = "table", "attributes"
FAMILY, K, UP_TO_K, GROUPS = "ask", "k", "up_to", "groups"
RANGE_ATTRIBUTES, RANGE_KIND, RANGE_COUNT, RANGE_SEED, RANGE_LIST = "columns", "which", "count", "draw", "ranges"
PREDICATES = "where"
WEIGHT = "weight"
PARTS = (1, 2, 3, 4, 5)  # of the questions
QUESTION = FAMILY, K, UP_TO_K, GROUPS, RANGE_ATTRIBUTES, RANGE_KIND, RANGE_COUNT, RANGE_SEED, RANGE_LIST, PREDICATES

EPSILON, DELTA, METHOD, ROUNDS, SEED = "epsilon", "delta", "method", "rounds", "seed"
BINS_SHARE = "bins"
TRUTH, VIEW_X, VIEW_Y, FOLLOW = "truth", "across", "down", "follow"
SYSTEMS, SEEDS, METRIC = "systems", "seeds", "metric"
ONE_SYSTEM = "one"  # whose errors are shown query by query
EPSILONS, TS, AT_T, AT_EPSILON = "epsilons", "Ts", "at_T", "at_epsilon"
ROW, EXPERIMENT = "row", "experiment"
STAND_IN, UNIT, TARGET = "stand_in", "unit", "within"
PRESENT = "present"  # the front, larger and without the pages around it
CARRIED_KEYS = (
    *(TABLE, ATTRIBUTES),
    *(of_part(key, part) for part in PARTS for key in (*QUESTION, WEIGHT)),
    *(EPSILON, DELTA, METHOD, ROUNDS, SEED, BINS_SHARE, TRUTH, VIEW_X, VIEW_Y, FOLLOW),
    *(SYSTEMS, SEEDS, METRIC, ONE_SYSTEM),
    *(EPSILONS, TS, AT_T, AT_EPSILON, STAND_IN, UNIT, TARGET, ROW, EXPERIMENT),
)
# Without a widget. Uploads, runs and results belong to this session alone.
UPLOAD, NEW_FILE, NUMBER_OF_PARTS = "_upload", "_new_file", "_parts"
PUBLIC_START = "_public_start"  # the name and the bytes of a public table
RUNNER, COMPANION = "_runner", "_beside"
SENT_TO_PLAYER, END_SEEN, EPSILON_BY_RUN = "_sent_to_player", "_end_seen", "_epsilon_by_run"
TRIALS_RUNNER, TRIAL_RESULTS, TRIAL_ANSWERS = "_trials_runner", "_trial_results", "_trial_answers"
WATCH = "_watch"  # the page Run starts a run by itself, once
SESSION_END = "_session_end"  # an object that is finalized when no session holds it
IN_APP, PAGE, CARRY = "_in_app", "_page", "_carrying"
PAGE_BADGE = "_page_badge"  # what the page says of all that is on it
RELEASE, REHEARSAL = "_release_work", "_rehearsal_work"
LOADED_RELEASE = "_loaded_release"  # that is asked
TOKEN, LOST_FLAG = "_token", "_lost"
ALLOWANCE = "_allowance"  # of a visitor of a public demo
SURVIVES_RELOAD = (
    *(UPLOAD, PUBLIC_START, RELEASE, RUNNER, COMPANION, EPSILON_BY_RUN),
    *(TRIALS_RUNNER, TRIAL_RESULTS, ALLOWANCE, LOST_FLAG),
)


def carry_settings(page: str) -> None:
    """Before a page: keep the settings of the page before. Streamlit forgets those that came with the address.

    A lesson's link to a table names a whole run: nothing of an earlier one may be in it.
    """
    before, st.session_state[PAGE] = st.session_state.get(PAGE, page), page
    if before == "learn" != page and TABLE in st.query_params:
        for key in CARRIED_KEYS:
            st.session_state.pop(key, None)
    if before != page:
        st.session_state[CARRY] = True
    if CARRY in st.session_state:
        for key in CARRIED_KEYS:
            if key in st.session_state and key not in st.query_params:
                st.session_state[key] = st.session_state[key]  # only a key assigned anew reaches this page's widget


def update_address() -> None:
    """After a page: write carried settings to the address. It takes a second run, in which the widgets are known."""
    if st.session_state.pop(CARRY, None):
        st.session_state[CARRY] = False
        st.rerun()


def enter_by_app() -> None:
    """Run app.py first, where Streamlit did not: call it at the top of every page.

    A new server takes its first visitor straight to a file in a folder named pages, until it has seen st.navigation.
    """
    if IN_APP not in st.session_state:
        runpy.run_path(str(SERVED_FOLDER / "app.py"))  # ends by running the page again


def keep() -> str:
    """Keep what a reload must not lose; returns the token for it, empty as long as there is nothing to keep."""
    things = {name: st.session_state[name] for name in SURVIVES_RELOAD if _holds(st.session_state.get(name))}
    if not things:
        return ""
    if SESSION_END in st.session_state:  # not kept itself: trials stop when their tab is gone
        things[SESSION_END] = weakref.ref(st.session_state[SESSION_END])
    token = st.session_state.setdefault(TOKEN, new_token())
    size = things[UPLOAD].size if UPLOAD in things else 0
    TABS.put(token, things, size=size + len(things.get(PUBLIC_START, ("", b""))[1]))
    return token


def restore(token: str) -> None:
    """Take over what this tab had before a reload. A duplicated tab does so too, and then goes on by itself.

    Runs, results and the count of ε are shared with the tab it comes from, since the table is the same.
    """
    if TOKEN in st.session_state:
        return
    things = dict(TABS.take(token) or {LOST_FLAG: True})
    session_end = things.pop(SESSION_END, lambda: None)()
    if session_end is not None:
        things[SESSION_END] = session_end
    if UPLOAD in things:
        things[UPLOAD] = copy.copy(things[UPLOAD])  # each tab edits a schema of its own
    st.session_state.update(things)


def is_lost() -> bool:
    """Whether the tab came back after the server had dropped what it had."""
    return LOST_FLAG in st.session_state


def _holds(value: Any) -> bool:
    """Whether there is anything but empty dictionaries."""
    return any(map(_holds, value.values())) if isinstance(value, dict) else value is not None


def runner() -> Runner | None:
    """The last run of this session, active or not."""
    return st.session_state.get(RUNNER)


def companion() -> Runner | None:
    """The run of Automatic that was started together with the last run, active or not."""
    return st.session_state.get(COMPANION)


def runs() -> list[Runner]:
    """The last run and the one beside it, as far as there are any."""
    return [run for run in (runner(), companion()) if run is not None]


def is_running() -> bool:
    """Whether a run is active, paused or not. A session has one at a time, or two that were started together."""
    return any(run.active for run in runs())


def runner_of(source: str | None) -> Runner | None:
    """The run to show beside a table: a run of that table, or an active run. Any run, if no table is chosen."""
    run = runner()
    return run if run is not None and (run.active or source in (None, run.plan.source)) else None


def begin(new: Runner, beside: Runner | None = None) -> None:
    """Show this run from now on, and what runs beside it; enter their ε in the account of their table."""
    st.session_state[RUNNER], st.session_state[COMPANION] = new, beside
    for run in runs():
        epsilon_by_run(run.plan.source)[run.id] = run.plan.guarantee.epsilon


def epsilon_by_run(source: str) -> dict[str, float]:
    """ε of each run of this session on a table, by run: planned while it is active, spent once it has ended."""
    return st.session_state.setdefault(EPSILON_BY_RUN, {}).setdefault(source, {})


def ended_run(run: Runner) -> Run:
    """A run that has ended, with what this session's runs on its table cost together."""
    return run.as_run(epsilon_by_run(run.plan.source).values())


def settle() -> None:
    """Correct the account of runs that ended early: they spent only what their released rounds cost."""
    for run in runs():
        if not run.active:
            epsilon_by_run(run.plan.source)[run.id] = run.as_run().epsilon_spent if run.steps else 0.0


def trial_results(source: str, workload: Workload) -> Results:
    """The results of this session's trials on a table and a workload. All pages share them."""
    return st.session_state.setdefault(TRIAL_RESULTS, {}).setdefault((source, workload.domain, workload.spec), {})


def trials_runner() -> TrialsRunner | None:
    """The last batch of trials, active or not. A session has one at a time."""
    return st.session_state.get(TRIALS_RUNNER)


def trials_running() -> bool:
    """Whether trials are active."""
    trials = trials_runner()
    return trials is not None and trials.active


class _SessionEnd:
    """Kept in a session's state only: it is finalized when Streamlit discards the session."""


def stop_at_end(work: Background) -> None:
    """Stop the work when the session ends."""
    weakref.finalize(st.session_state.setdefault(SESSION_END, _SessionEnd()), work.stop)


def remember(slot: str, key: Any, make: Callable[[], Any]) -> Any:
    """The value of `make`, computed again only when the key changes. Kept in this session: it may be private."""
    remembered = st.session_state.get(f"_remembered {slot}")
    if remembered is None or remembered[0] != key:
        remembered = st.session_state[f"_remembered {slot}"] = (key, make())
    return remembered[1]


def remember_of(model: Model, slot: str, key: Hashable, make: Callable[[], Any]) -> Any:
    """`remember` what is made of a run's model. For a public run it is made once, for all visitors who see it."""
    if (made := shared_values_of(model)) is None:
        return remember(slot, (model, key), make)
    return made.get(slot, (model, key), make)


def follow(key: str, default: Any) -> Any:
    """The default of a widget. When it changes, the widget changes with it, unless a user has set the widget."""
    before = st.session_state.get(f"_default {key}")
    if before is not None and before != default and st.session_state.get(key) == before:
        st.session_state[key] = default
    st.session_state[f"_default {key}"] = default
    return default
