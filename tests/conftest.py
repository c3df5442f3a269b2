"""Fixtures of browser tests: a server and a browser for each worker, and visitors."""

from collections.abc import Iterator

import pytest
from browser import Visitors, launch, serving
from playwright.sync_api import Browser, BrowserContext, sync_playwright


@pytest.fixture(scope="session")
def app(tmp_path_factory) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("MWEM_LEDGER", str(tmp_path_factory.mktemp("ledgers")))
        with serving() as where:
            yield where


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def tabs(chromium) -> BrowserContext:
    """The browser context whose cache all visitors share."""
    return chromium.new_context()


@pytest.fixture
def visitors(tabs, app) -> Iterator[Visitors]:
    """Visitors of the app. After the test, none of their pages may have had an error."""
    visitors = Visitors(tabs, app)
    yield visitors
    visitors.leave()


@pytest.fixture
def open_app(visitors):
    """Open the app at an address, or with settings."""
    return visitors.open


@pytest.fixture
def open_lesson(visitors):
    """Open a lesson by its path."""
    return visitors.open_lesson
