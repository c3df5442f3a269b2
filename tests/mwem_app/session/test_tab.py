"""What a tab gets back after a reload: what it has made, by an unguessable token, and what was locked in."""

import json

import pytest
import streamlit as st

from mwem_app.session import tab
from mwem_app.session.tab import HOURS, MAX_BYTES, MAX_SESSIONS, MINUTES_OF_A_COPY, TabStore, new_token


class Clock:
    seconds = 0.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def kept(clock):
    return TabStore(clock)


def test_a_token_gives_back_its_own_things_and_no_others(kept):
    kept.put("mine", {"run": 1})
    kept.put("yours", {"run": 2})
    assert kept.take("mine") == {"run": 1}
    assert kept.take("") is None
    assert kept.take("min") is None


def test_tokens_are_long_and_never_repeat():
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert min(map(len, tokens)) == 43  # 256 bits in base64


def test_things_end_some_hours_after_the_last_contact(kept, clock):
    kept.put("token", {})
    clock.seconds = HOURS * 3600 - 1
    kept.put("token", {})
    clock.seconds += HOURS * 3600 - 1
    assert kept.take("token") == {}
    clock.seconds += 1
    assert kept.take("token") is None


def test_what_another_session_took_over_ends_soon_unless_its_own_tab_is_in_contact_again(kept, clock):
    for token in ("reloaded", "duplicated"):
        kept.put(token, {})
        kept.take(token)
    clock.seconds = MINUTES_OF_A_COPY * 60 - 1
    kept.put("duplicated", {})
    clock.seconds += 1
    assert kept.take("reloaded") is None
    assert kept.take("duplicated") == {}


def test_too_many_sessions_drop_the_one_that_would_end_first(kept, clock):
    for number in range(MAX_SESSIONS):
        clock.seconds = number
        kept.put(f"{number}", {})
    clock.seconds += 1
    kept.put("0", {})  # in contact again
    kept.put("new", {})
    assert kept.take("1") is None
    assert kept.take("0") == kept.take("2") == kept.take("new") == {}


def test_uploads_that_take_too_many_bytes_together_drop_the_session_that_would_end_first(kept, clock):
    for token in ("first", "second", "third"):
        clock.seconds += 1
        kept.put(token, {}, size=MAX_BYTES // 2)
    kept.put("without an upload", {})
    assert kept.take("first") is None
    assert kept.take("second") == kept.take("third") == kept.take("without an upload") == {}
    kept.put("second", {}, size=MAX_BYTES // 2 + 1)  # in contact again, with another upload
    assert kept.take("third") is None
    kept.put("too large", {}, size=MAX_BYTES + 1)
    assert kept.take("too large") is None
    assert kept.take("second") == {}


@pytest.fixture(autouse=True)
def session(monkeypatch) -> dict:
    return new_session(monkeypatch)


def new_session(monkeypatch) -> dict:
    session: dict = {}
    monkeypatch.setattr(st, "session_state", session)
    return session


def anything(value):
    return True


def test_a_tab_remembers_nothing_before_something_is_locked_in():
    assert tab.locks_text() is None
    assert tab.locked_value("noise_prediction", anything) is None


@pytest.mark.parametrize("value", [12, 4.5, "about 4", [25, 12.5, 3]])
def test_a_reload_brings_back_what_was_locked_in(monkeypatch, value):
    tab.lock("noise_prediction", value)
    before, text = tab.all_locks(), tab.locks_text()
    new_session(monkeypatch)
    tab.restore_locks(text)
    assert tab.all_locks() == before
    assert tab.locked_value("noise_prediction", anything) == value


def test_a_tab_is_told_to_forget_what_is_asked_again():
    tab.lock("noise_prediction", 12)
    tab.forget_locks()
    assert tab.all_locks() == {}
    assert tab.locks_text() == ""


def test_a_value_that_does_not_fit_its_question_is_not_locked_in():
    tab.lock("noise_prediction", 99)
    assert tab.locked_value("noise_prediction", range(21).__contains__) is None


def test_what_was_locked_in_since_the_reload_stays():
    tab.lock("a", 1)
    text = tab.locks_text()
    tab.lock("a", 2)
    tab.restore_locks(text)
    assert tab.locked_value("a", anything) == 2


@pytest.mark.parametrize(
    "value",
    [None, True, {}, [[1]], float("nan"), float("inf"), 10**400, "x" * (tab.MAX_TEXT + 1), [1] * 101, [None]],
    ids=lambda value: str(value)[:8],
)
def test_a_value_of_no_known_kind_is_dropped(session, value):
    tab.restore_locks(json.dumps({"a": value, "b": 1}))
    assert set(tab.all_locks()) == {"b"}
    assert set(session) == {tab.LOCKS}  # a tab names slots, no keys of the session


@pytest.mark.parametrize("text", ["", "{", "[]", "1", "[" * 10**6, '{"a": {}}'])
def test_a_text_of_no_known_kind_is_dropped(text):
    tab.restore_locks(text)
    assert tab.all_locks() == {}
