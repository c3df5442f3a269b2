"""A page that waits for its turn says how many are before it, starts by itself, and can stop meanwhile."""

import pytest
from app_pages import button, checked, open_page, words

from mwem_app.session import turns


@pytest.fixture(params=["run", "compare"])
def page(request) -> str:
    return request.param


@pytest.fixture
def others(page):
    """Those who are before the visitor, on the way to leave."""
    line, names = (turns.RUNS if page == "run" else turns.TRIALS), [f"visitor {i}" for i in range(5)]
    for name in names:
        line.join(name)
    yield lambda: [line.leave(name) for name in names]
    for name in names:
        line.leave(name)


def waiting(page: str):
    """A page of one's own, and its work, which waits."""
    settings = {"systems": "uniform", "seeds": "1"} if page == "compare" else {"epsilon": "3"}
    app = open_page(page, table="Class survey", **settings)
    checked(button(app, "Run").click().run())
    work = app.session_state["_trials_runner" if page == "compare" else "_runner"]
    assert work.status == "waiting"
    texts = words(app) + "".join(bar.proto.text for bar in app.get("progress"))
    assert f"5 {'batches' if page == 'compare' else 'runs'} are before yours." in texts
    return app, work


@pytest.mark.parametrize("page", ["run"], indirect=True)
def test_a_run_starts_by_itself_when_those_before_it_have_left(page, others):
    app, work = waiting(page)
    others()
    work.wait(30)
    checked(app.run())
    assert work.status == "done"
    assert "before yours" not in words(app)


def test_what_waits_can_be_stopped_and_has_spent_nothing(page, others):
    app, work = waiting(page)
    checked(button(app, "Stop" if page == "compare" else "Stop run").click().run())
    work.wait(5)
    checked(app.run())
    assert work.status == "stopped"
    assert "before yours" not in words(app)
    if page == "run":
        assert work.steps == []
        assert "**ε = 0** spent in 1 run" in words(app)
