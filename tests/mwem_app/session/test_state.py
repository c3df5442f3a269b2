"""What a session holds: the run and its account, remembered values, defaults that widgets follow."""

import gc
import weakref
from dataclasses import dataclass

import pytest
import streamlit as st

from mwem_app.session import state


class FakeRun:
    """A runner without a thread."""

    def __init__(self, id, source="adult", active=True, spent=0.4):
        self.id, self.active, self.steps, self._spent = id, active, [None], spent
        guarantee = type("Guarantee", (), {"epsilon": 1.0})
        self.plan = type("Plan", (), {"source": source, "guarantee": guarantee})

    def as_run(self):
        return type("Run", (), {"epsilon_spent": self._spent})


@dataclass
class FakeUpload:
    toml: str
    size: int = 100


@pytest.fixture(autouse=True)
def session(monkeypatch):
    return new_session(monkeypatch)


def new_session(monkeypatch) -> dict:
    session: dict = {}
    monkeypatch.setattr(st, "session_state", session)
    return session


def test_the_names_in_addresses_do_not_change():
    """Links that people have saved must keep working."""
    assert set(state.CARRIED_KEYS) == {
        *("table", "attributes", "ask", "k", "up_to", "groups", "columns", "which", "count", "draw", "ranges", "where"),
        *("epsilon", "delta", "method", "rounds", "seed", "bins", "truth", "follow", "across", "down"),
        *("systems", "seeds", "metric", "one", "epsilons", "Ts", "at_T", "at_epsilon"),
        *("stand_in", "unit", "within", "row", "experiment"),
        "weight",  # of the first of several parts of the questions; the others' settings end in their number
        *(f"{name}_{part}" for part in (2, 3, 4, 5) for name in ("ask", "k", "up_to", "groups", "weight", "where")),
        *(f"{name}_{part}" for part in (2, 3, 4, 5) for name in ("columns", "which", "count", "draw", "ranges")),
    }


def test_a_run_counts_with_its_planned_epsilon_and_after_an_early_end_with_what_it_spent():
    state.begin(FakeRun("a"))
    assert state.epsilon_by_run("adult") == {"a": 1.0}
    state.settle()
    assert state.epsilon_by_run("adult") == {"a": 1.0}  # it is still active
    state.runner().active = False
    state.settle()
    state.begin(FakeRun("b"))
    assert state.epsilon_by_run("adult") == {"a": 0.4, "b": 1.0}
    assert state.epsilon_by_run("czech") == {}


def test_a_run_that_ended_before_its_first_round_spent_nothing():
    run = FakeRun("a", active=False)
    run.steps = []
    state.begin(run)
    state.settle()
    assert state.epsilon_by_run("adult") == {"a": 0.0}


@pytest.mark.parametrize(
    ("active", "source", "shown"),
    [(True, "czech", True), (False, "czech", False), (False, "adult", True), (False, None, True)],
)
def test_a_run_is_shown_beside_its_own_table_and_while_active_beside_any(active, source, shown):
    assert state.runner_of(source) is None
    state.begin(FakeRun("a", active=active))
    assert (state.runner_of(source) is not None) == shown
    assert state.is_running() == active


def test_a_value_is_made_once_until_its_key_changes():
    made = []

    def make():
        made.append(len(made))
        return made[-1]

    assert [state.remember("slot", key, make) for key in ("a", "a", "b", "a")] == [0, 0, 1, 2]
    assert state.remember("another slot", "a", make) == 3


def test_a_widget_follows_its_default_until_a_user_sets_it(session):
    session["k"] = state.follow("k", 2)
    assert state.follow("k", 3) == session["k"] == 3
    session["k"] = 7  # by a user
    assert state.follow("k", 4) == 4
    assert session["k"] == 7


def test_a_visitor_who_has_made_nothing_gets_no_token(session):
    state.epsilon_by_run("adult")
    session[state.TRIAL_RESULTS] = {("adult", "marginals:2"): {}}
    assert state.keep() == ""
    state.begin(FakeRun("a"))
    assert state.keep() == state.keep() == session[state.TOKEN]


def test_after_a_reload_the_run_the_upload_and_the_count_are_back_under_a_new_token(session, monkeypatch):
    run, upload = FakeRun("a"), FakeUpload("schema")
    state.begin(run)
    session[state.UPLOAD] = upload
    token = state.keep()
    new_session(monkeypatch)
    state.restore(token)
    assert state.runner() is run
    assert state.epsilon_by_run("adult") == {"a": 1.0}
    assert not state.is_lost()
    assert state.keep() not in ("", token)


def test_a_duplicated_tab_shares_the_count_but_not_later_runs_or_edits_of_the_schema(session, monkeypatch):
    first, second = FakeRun("a"), FakeRun("b")
    state.begin(first)
    session[state.UPLOAD] = FakeUpload("schema")
    token = state.keep()
    duplicate = new_session(monkeypatch)
    state.restore(token)
    state.begin(second)
    duplicate[state.UPLOAD].toml = "another"
    state.keep()
    assert state.epsilon_by_run("adult") == {"a": 1.0, "b": 1.0}
    monkeypatch.setattr(st, "session_state", session)
    assert state.keep() == token
    assert state.runner() is first
    assert session[state.UPLOAD].toml == "schema"
    assert state.epsilon_by_run("adult") == {"a": 1.0, "b": 1.0}


def test_a_session_that_has_made_something_takes_over_nothing(session, monkeypatch):
    state.begin(FakeRun("a"))
    token = state.keep()
    new_session(monkeypatch)
    state.begin(run := FakeRun("b"))
    state.keep()
    state.restore(token)
    assert state.runner() is run


def test_what_the_server_has_dropped_is_known_to_be_lost_also_after_the_next_reload(session, monkeypatch):
    state.restore("unknown")
    assert state.is_lost()
    token = state.keep()
    new_session(monkeypatch)
    state.restore(token)
    assert state.is_lost()
    assert state.runner() is None


def test_trials_stop_when_no_tab_holds_them_and_not_at_a_reload(session, monkeypatch):
    ended, end = [], type("End", (), {})()
    weakref.finalize(end, ended.append, True)
    session |= {state.SESSION_END: end, state.TRIALS_RUNNER: FakeRun("a")}
    del end
    token = state.keep()
    reloaded = new_session(monkeypatch)
    state.restore(token)
    session.clear()
    gc.collect()
    assert not ended
    reloaded.clear()
    gc.collect()
    assert ended


@pytest.mark.parametrize(("address", "kept"), [({"table": "Adult", "seed": "3"}, False), ({}, True)])
def test_a_lessons_link_to_a_table_carries_nothing_of_an_earlier_run(session, monkeypatch, address, kept):
    monkeypatch.setattr(st, "query_params", address)
    session.update({state.PAGE: "learn", "epsilon": 2.0, "delta": "1e-9"})
    state.carry_settings("run")
    assert ("epsilon" in session) == ("delta" in session) == kept
