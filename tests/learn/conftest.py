"""Pages without a browser are served as by a server that has seen st.navigation: app.py runs for every page."""

import pytest
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import app_test


@pytest.fixture(autouse=True)
def _app_runs_for_every_page(monkeypatch):
    monkeypatch.setattr(PagesManager, "uses_pages_directory", False)
    monkeypatch.setattr(app_test, "PagesManager", type("Kept", (PagesManager,), {}))  # AppTest would reset it each run
