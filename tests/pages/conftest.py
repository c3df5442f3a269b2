"""Pages without a browser run app.py for each page, as a server does; a finished run in a browser, to read."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from app_pages import no_earlier_runs, served  # noqa: F401 (fixtures)
from browser import Visitors, button, until_drawn, until_over
from playwright.sync_api import Page


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
