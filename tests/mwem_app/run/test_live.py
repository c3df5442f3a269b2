"""The run on the page: when it is polled."""

import types

import pytest

from mwem_app.page import polling
from mwem_app.run import live


@pytest.mark.parametrize(("running", "seconds"), [(True, live.POLL_SECONDS), (False, None)])
def test_a_page_that_shows_a_running_run_polls_it_although_it_has_ended_since(monkeypatch, running, seconds):
    """Else a short run that ends while its page is drawn would leave the page at "Running"."""
    assert polled_every(monkeypatch, live, lambda: live.show_run(None, show_truth=True, running=running)) == seconds


@pytest.mark.parametrize(("running", "seconds"), [(True, polling.REDRAW_SECONDS), (False, None)])
def test_a_page_that_shows_running_trials_redraws_them_although_they_have_ended_since(monkeypatch, running, seconds):
    def show():
        polling.redraw_while(lambda: False, lambda: None, was_pending=running)

    assert polled_every(monkeypatch, polling, show) == seconds


def polled_every(monkeypatch, module, show) -> float | None:
    """The interval at which `show` lets its fragment run."""
    intervals = []
    fragment = lambda _, run_every: intervals.append(run_every) or (lambda *_: None)  # noqa: E731
    monkeypatch.setattr(module, "st", types.SimpleNamespace(session_state={}, fragment=fragment))
    show()
    (interval,) = intervals
    return interval
