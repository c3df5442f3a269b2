"""What a learner has locked in comes back from the tab, and nothing else does."""

import json

import pytest
import streamlit as st

from mwem_app.session import locks


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
    assert locks.remembered() is None
    assert locks.locked("noise_prediction", anything) is None


@pytest.mark.parametrize("value", [12, 4.5, "about 4", [25, 12.5, 3]])
def test_a_reload_brings_back_what_was_locked_in(monkeypatch, value):
    locks.lock("noise_prediction", value, lesson="noise", question="How many?")
    before, text = locks.all_locked(), locks.remembered()
    new_session(monkeypatch)
    locks.restore(text)
    assert locks.all_locked() == before
    assert locks.locked("noise_prediction", anything) == value


def test_a_tab_is_told_to_forget_what_is_asked_again():
    locks.lock("noise_prediction", 12, lesson="noise")
    locks.forget()
    assert locks.all_locked() == {}
    assert locks.remembered() == ""


def test_a_value_that_does_not_fit_its_question_is_not_locked_in():
    locks.lock("noise_prediction", 99, lesson="noise")
    assert locks.locked("noise_prediction", range(21).__contains__) is None


def test_what_was_locked_in_since_the_reload_stays():
    locks.lock("a", 1, lesson="noise")
    text = locks.remembered()
    locks.lock("a", 2, lesson="noise")
    locks.restore(text)
    assert locks.locked("a", anything) == 2


@pytest.mark.parametrize(
    "value",
    [None, True, {}, [[1]], float("nan"), float("inf"), 10**400, "x" * (locks.MAX_TEXT + 1), [1] * 101, [None]],
    ids=lambda value: str(value)[:8],
)
def test_a_value_of_no_known_kind_is_dropped(session, value):
    locks.restore(json.dumps({"a": ["noise", "", value], "b": ["noise", "", 1]}))
    assert set(locks.all_locked()) == {"b"}
    assert set(session) == {locks.LOCKED}  # a tab names slots, no keys of the session


@pytest.mark.parametrize("text", ["", "{", "[]", "1", "[" * 10**6, '{"a": 1}', '{"a": ["noise", 1, 1]}', '{"a": [1]}'])
def test_a_text_of_no_known_kind_is_dropped(text):
    locks.restore(text)
    assert locks.all_locked() == {}
