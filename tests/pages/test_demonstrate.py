"""Demonstrate without a browser: what the browser is told, what it may say, and that the truth stays where it must."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from app_pages import checked, open_page

from mwem_app.base import ON_PUBLIC
from mwem_app.session import state
from mwem_app.stage import scene_page
from mwem_core.stage import EPSILONS


@pytest.fixture
def browser(monkeypatch):
    """What was sent to the browser, and what it says next."""
    browser = SimpleNamespace(messages=[], says={})

    def shown(message, *, key):
        browser.messages.append(json.loads(json.dumps(message)))
        said, browser.says = browser.says, {}
        return SimpleNamespace(**{"at": None, "question": None, "missing": None, **said})

    monkeypatch.setattr(scene_page, "demonstration", shown)
    return browser


def settled(app):
    """The page once all that it computes has come."""
    scene = app.session_state[state.SCENE]
    for _ in range(100):
        if not scene.working():
            break
        if scene.grid:
            scene.grid.wait(60)
        if scene.inquiry and scene.inquiry._work:
            scene.inquiry._work.wait(60)
    return checked(app.run())


def test_a_bundled_table_is_there_at_once_with_all_its_runs(browser):
    open_page("demonstrate")
    message = browser.messages[-1]
    assert sorted(message["tracks"]) == sorted(f"mwem/{i}" for i in range(len(EPSILONS)))
    assert message["available"] == list(message["tracks"])
    assert (message["n"], message["waiting"], message["badge"]["text"]) == (48842, "", ON_PUBLIC.text)
    assert message["truth"]
    assert len(message["tables"]) == 28


def test_with_the_truth_hidden_nothing_of_it_is_sent(browser):
    app = open_page("demonstrate", table="Class survey", truth="false")
    message = browser.messages[-1]
    assert (message["truth"], message["uniform"]) == (None, None)
    assert all(track["max"] is track["mean"] is None for track in message["tracks"].values())
    browser.says = {"question": "drink == tea"}
    settled(checked(app.run()))
    assert browser.messages[-1]["question"]["truth"] is None


def test_a_question_is_answered_by_all_runs_with_intervals_or_reasons(browser):
    app = open_page("demonstrate", table="Class survey")
    browser.says = {"question": "drink == tea and year == first"}
    settled(checked(app.run()))
    question = browser.messages[-1]["question"]
    assert (question["place"], question["problem"]) == ("inside", "")
    assert len(question["estimates"]) == len(question["intervals"]) == len(EPSILONS)
    last = question["estimates"]["mwem/11"][-1]
    assert abs(last - question["truth"]) < 10
    held = [
        each["low"] <= question["truth"] <= each["high"] if "low" in each else bool(each["refused"])
        for each in question["intervals"].values()
    ]
    assert np.mean(held) >= 0.75  # of 95 in 100: 8 or fewer of 12 would come once in 10,000 times
    browser.says = {"question": "drink == wine"}
    checked(app.run())
    assert "expected a number or a text in quotes" in browser.messages[-1]["question"]["problem"]


def test_the_address_has_both_sliders_and_follows_them(browser):
    app = open_page("demonstrate", table="Class survey", epsilon="2", share="0.5")
    assert browser.messages[-1]["at"] == {"epsilon": EPSILONS.index(2.0), "share": 0.5}
    browser.says = {"at": {"epsilon": 2, "share": 0.25, "look": 0}}
    checked(app.run())
    assert (app.query_params["epsilon"], app.query_params["share"]) == ("0.1", "0.25")
    app = open_page("demonstrate", table="Class survey", epsilon="abc", share="-3")
    assert [error.value for error in app.error] == [
        "the address asks for share = '-3', which is no choice here\\: 1.0 is used",
        "In the address, epsilon must be a positive number, got 'abc'. ε = 1 is used.",
    ]
    assert browser.messages[-1]["at"] == {"epsilon": EPSILONS.index(1.0), "share": 1.0}


def test_a_browser_that_lacks_runs_gets_them_again(browser):
    app = open_page("demonstrate", table="Class survey")
    browser.says = {"missing": 12}
    checked(app.run())
    assert len(browser.messages[-1]["tracks"]) == len(EPSILONS)
