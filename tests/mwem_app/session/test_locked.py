"""What a learner has locked in comes back from the tab, and nothing else does."""

import json

import pytest
import streamlit as st

from mwem_app.session import locked


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
    assert locked.remembered() is None
    assert locked.locked("noise_prediction", anything) is None


@pytest.mark.parametrize("value", [12, 4.5, "about 4", [25, 12.5, 3]])
def test_a_reload_brings_back_what_was_locked_in(monkeypatch, value):
    locked.lock("noise_prediction", value, lesson="noise", question="How many?")
    before, text = locked.all_locked(), locked.remembered()
    new_session(monkeypatch)
    locked.restore(text)
    assert locked.all_locked() == before
    assert locked.locked("noise_prediction", anything) == value


def test_a_tab_is_told_to_forget_what_is_asked_again():
    locked.lock("noise_prediction", 12, lesson="noise")
    locked.forget()
    assert locked.all_locked() == {}
    assert locked.remembered() == ""


def test_a_value_that_does_not_fit_its_question_is_not_locked_in():
    locked.lock("noise_prediction", 99, lesson="noise")
    assert locked.locked("noise_prediction", range(21).__contains__) is None


def test_what_was_locked_in_since_the_reload_stays():
    locked.lock("a", 1, lesson="noise")
    text = locked.remembered()
    locked.lock("a", 2, lesson="noise")
    locked.restore(text)
    assert locked.locked("a", anything) == 2


@pytest.mark.parametrize(
    "value",
    [None, True, {}, [[1]], float("nan"), float("inf"), 10**400, "x" * (locked.MAX_TEXT + 1), [1] * 101, [None]],
    ids=lambda value: str(value)[:8],
)
def test_a_value_of_no_known_kind_is_dropped(session, value):
    locked.restore(json.dumps({"a": ["noise", "", value], "b": ["noise", "", 1]}))
    assert set(locked.all_locked()) == {"b"}
    assert set(session) == {locked.LOCKED}  # a tab names slots, no keys of the session


@pytest.mark.parametrize("text", ["", "{", "[]", "1", "[" * 10**6, '{"a": 1}', '{"a": ["noise", 1, 1]}', '{"a": [1]}'])
def test_a_text_of_no_known_kind_is_dropped(text):
    locked.restore(text)
    assert locked.all_locked() == {}
