"""The run and the trials on a page: when they are polled."""

import pytest
import streamlit as st

from mwem_app.page import redraw_while
from mwem_app.run import live


@pytest.mark.parametrize(
    ("show", "seconds"),
    [
        (lambda running: live.show_run(None, show_truth=True, running=running), live.POLL_SECONDS),
        (lambda running: redraw_while(lambda: False, lambda: None, was_pending=running), 1.0),
    ],
)
def test_a_page_that_shows_work_polls_it_although_it_has_ended_since(monkeypatch, show, seconds):
    """Else a short run that ends while its page is drawn would leave the page at "Running"."""
    intervals = []
    monkeypatch.setattr(st, "fragment", lambda _, run_every: intervals.append(run_every) or (lambda *_: None))
    monkeypatch.setattr(st, "session_state", {})
    show(True)
    show(False)
    assert intervals == [seconds, None]
