"""Pages without a browser run app.py for each page, as a server does; a finished run in a browser, to read."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from browser import Visitors, button, until_drawn, until_over
from playwright.sync_api import Page
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import app_test

from mwem_app.session import runner


@pytest.fixture(autouse=True)
def _app_runs_for_every_page(monkeypatch):
    """As by a server that has seen st.navigation."""
    monkeypatch.setattr(PagesManager, "uses_pages_directory", False)
    monkeypatch.setattr(app_test, "PagesManager", type("Kept", (PagesManager,), {}))  # AppTest would reset it each run


@pytest.fixture(autouse=True)
def _no_earlier_runs(monkeypatch):
    """As on a new server: a run that an earlier test has left would be there at once."""
    monkeypatch.setattr(
        runner, "COMPUTATIONS", runner.Shared(size=lambda run: run.held, most=lambda: runner.KEPT_BYTES)
    )


@pytest.fixture
def trials_in_threads(monkeypatch):
    """Not in processes, which take a second to start."""
    monkeypatch.setattr("mwem_app.compare.controls.pool", lambda workers: ThreadPoolExecutor(1))


@pytest.fixture(scope="session")
def finished(contexts, app) -> Iterator[Page]:
    """A finished run of eleven rounds, which the view follows, for tests that change nothing but its colours."""
    visitors = Visitors(contexts, app)
    page = visitors.open(table="Czech car workers", rounds=11, seed=1, follow="true")
    until_drawn(page)
    button(page, "Run").click()
    until_over(page)
    yield page
    visitors.leave()
