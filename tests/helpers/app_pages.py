"""A page of the app without a browser: open it by its address, press its buttons, read its texts."""

import json
from pathlib import Path

import pytest
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest, app_test

from mwem_app.session import runner

APP = str(Path(__file__).parents[2] / "app.py")


@pytest.fixture(autouse=True)
def served(monkeypatch):
    """As by a server that has seen st.navigation."""
    monkeypatch.setattr(PagesManager, "uses_pages_directory", False)
    monkeypatch.setattr(app_test, "PagesManager", type("Kept", (PagesManager,), {}))  # AppTest would reset it each run


@pytest.fixture(autouse=True)
def no_earlier_runs(monkeypatch):
    """As on a new server: a run that an earlier test has left would be there at once."""
    monkeypatch.setattr(
        runner, "COMPUTATIONS", runner.SharedWork(size=lambda run: run.held, most=lambda: runner.KEPT_BYTES)
    )


def open_page(page: str, **address: str | list[str]) -> AppTest:
    """Open a page with these settings in its address."""
    app = AppTest.from_file(APP, default_timeout=60).switch_page(f"pages/{page}.py")
    for name, value in address.items():
        app.query_params[name] = value
    return checked(app.run())


def open_lesson(path: str, **address: str) -> AppTest:
    """Open a lesson by its path."""
    return open_page("learn", lesson=path, **address)


def checked(app: AppTest) -> AppTest:
    """The same page, which must have raised no exception."""
    assert not app.exception, app.exception[0].message
    return app


def button(app: AppTest, label: str):
    """The button with this label."""
    return next(button for button in app.button if button.label == label)


def answer(app: AppTest, lesson: str, part: str) -> None:
    """Choose the answer to a lesson's exercise that is these words, or else the one that has them, and check it."""
    radio = app.radio(key=f"{lesson}_answer")
    (option,) = [part] if part in radio.options else [option for option in radio.options if part in option]
    checked(radio.set_value(option).run())
    checked(button(app, "Check").click().run())


def press_run(app: AppTest, label: str = "Run"):
    """Press the button, wait until the trials have ended, draw the page again; returns what ran them."""
    checked(button(app, label).click().run())
    started = app.session_state["_trials_runner"]
    started.wait(60)
    checked(app.run())
    return started


def sent(app: AppTest, component: str) -> dict:
    """What the page last sent to a component in the browser."""
    protos = (element.proto for element in app.get("bidi_component"))
    return next(json.loads(proto.json) for proto in protos if proto.component_name == component)


def words(app: AppTest) -> str:
    """All texts of the page, without Markdown's escapes."""
    texts = (*app.markdown, *app.caption, *app.subheader, *app.warning, *app.info, *app.code)
    return "\n".join(text.value for text in texts).replace("\\", "")


def error_text(app: AppTest) -> str:
    """The one error on the page."""
    assert len(app.error) == 1, [error.value for error in app.error]
    return app.error[0].value.replace("\\", "")
