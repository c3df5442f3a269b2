"""A public demo: what a visitor asks for and does not get is refused in a sentence, and nothing is computed for it."""

import gc
import re
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from app_pages import button, checked, error_text, open_page, press_run, words
from browser import ROOT

from mwem_app.session import demo, state, turns, work_limits


@pytest.fixture(autouse=True)
def _demo(monkeypatch, tmp_path):
    monkeypatch.setenv(demo.SETTING, "1")
    monkeypatch.setenv("MWEM_LEDGER", str(tmp_path / "ledger.db"))


@pytest.mark.parametrize("page", ["run", "release"])
def test_a_link_to_a_file_of_ones_own_gets_a_sentence_and_no_field_for_it(page):
    app = open_page(page, table="Your own file")
    assert demo.NO_FILES in [info.value for info in app.info]
    assert not app.get("file_uploader")


@pytest.mark.parametrize("page", ["run", "release", "ask"])
def test_no_page_has_a_field_for_a_file_where_there_is_one_outside_a_demo(page, monkeypatch):
    settings = {"table": "Class survey"}
    assert not open_page(page, **settings).get("file_uploader")
    monkeypatch.setenv(demo.SETTING, "0")
    assert open_page(page, **settings).get("file_uploader")


def test_every_field_for_a_file_knows_of_the_demo():
    files = [*(ROOT / "mwem_app").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    fields = re.compile(r"st\.(file_uploader|camera_input|audio_input|chat_input)\(")
    found = [file.name for file in files if fields.search(file.read_text("utf-8"))]
    assert found == ["widgets.py"]


def test_a_link_to_another_path_is_refused_and_a_bundled_table_used():
    app = open_page("run", table="/etc/passwd")
    assert error_text(app) == "the address asks for table = '/etc/passwd', which is no choice here: Adult is used"


def test_questions_that_take_too_much_memory_are_refused_before_anything_is_computed():
    app = open_page("compare", table="Adult", k="4")
    assert error_text(app).startswith("a run of this workload takes about 96 MB of memory, and in this public demo it")
    assert "Run" not in [each.label for each in app.button]


def test_a_run_of_too_many_rounds_is_refused():
    app = open_page("run", table="Class survey", method="Figure 1", rounds=f"{demo.ROUNDS + 1}")
    assert error_text(app).startswith("a run in this public demo may have 200 rounds, and this one has 201: plan fewer")
    assert button(app, "Run").disabled


def test_who_has_used_the_allowance_waits_and_sees_the_run_before():
    app = open_page("run", table="Class survey")
    checked(button(app, "Run").click().run())
    first = app.session_state["_runner"]
    first.wait(60)
    checked(app.run())
    assert first.status == "done"
    app.session_state[state.ALLOWANCE].add(SimpleNamespace(seconds=demo.SECONDS))
    checked(button(app, "Run").click().run())
    assert app.session_state["_runner"] is first
    assert error_text(app).startswith(
        "a visitor of this public demo may use 20 seconds of computing in 10 minutes, and"
    )
    compare = open_page("compare", table="Class survey", systems="uniform", epsilon="3")
    compare.session_state[state.ALLOWANCE] = app.session_state[state.ALLOWANCE]
    checked(button(compare, "Run").click().run())
    assert "_trials_runner" not in compare.session_state
    assert error_text(compare).startswith("a visitor of this public demo may use")


@contextmanager
def full(line: turns.Turns, most: int) -> Iterator[None]:
    """As many others in a line as it takes."""
    others = [f"visitor {i}" for i in range(most)]
    for each in others:
        line.join(each)
    yield
    for each in others:
        line.leave(each)


def test_who_joins_a_run_needs_no_place_in_the_line_and_is_charged_no_computing():
    link = {"table": "Class survey", "seed": "1"}
    one = open_page("run", **link)
    checked(button(one, "Run").click().run())
    one.session_state["_runner"].wait(60)
    with full(turns.RUNS, demo.LINE):
        other = open_page("run", **link)
        checked(button(other, "Run").click().run())
        joined = other.session_state["_runner"]
        assert (joined.status, joined.taken.seconds) == ("done", 0.0)


def test_what_a_visitor_has_started_is_counted_and_let_go_of_once_another_run_is_begun():
    app = open_page("run", table="Class survey")
    runs = []
    for _ in range(2):
        checked(button(app, "Run").click().run())
        app.session_state["_runner"].wait(60)
        runs.append(weakref.ref(app.session_state["_runner"]))
        checked(app.run())
    gc.collect()
    assert [each() is None for each in runs] == [True, False]
    assert len(app.session_state[state.ALLOWANCE].started) == 2


@pytest.mark.parametrize(
    ("page", "line", "most", "what"),
    [("run", turns.RUNS, demo.LINE, "runs"), ("compare", turns.TRIALS, demo.BATCHES, "batches of trials")],
)
def test_a_line_that_is_full_takes_no_more(page, line, most, what):
    app = open_page(page, table="Class survey", **({"systems": "uniform", "seeds": "1"} if page == "compare" else {}))
    with full(line, most):
        checked(button(app, "Run").click().run())
    assert error_text(app).startswith(f"{most} {what} are at work or wait in this public demo, which takes")
    assert "_runner" not in app.session_state
    assert "_trials_runner" not in app.session_state


def test_committed_results_are_shown_and_trials_run_in_one_process_and_train_nothing():
    app = open_page("compare", table="Class survey")
    assert "come with the program" in words(app)
    assert not [each for each in app.number_input if each.label == "Processes"]
    assert f"No classifier is trained: {demo.NO_TRAINING}." in words(app).replace("\\", "")
    app = open_page("compare", table="Class survey", systems=["uniform", "mwem"], seeds="1", epsilon="3")
    assert press_run(app).status == "done"


def test_the_page_release_spends_nothing_and_rehearses(tmp_path):
    app = open_page("release", table="Class survey")
    assert demo.NO_RELEASE in [info.value for info in app.info]
    assert not [each.label for each in app.button if each.label.startswith(("Release", "Spend"))]
    checked(button(app, "Rehearse").click().run())
    app.session_state["_rehearsal_work"].wait(60)
    checked(app.run())
    assert app.table
    assert list(tmp_path.iterdir()) == []


def test_a_visitor_who_comes_when_the_memory_is_in_use_is_told_so(monkeypatch):
    monkeypatch.setattr(work_limits, "free_bytes", lambda: work_limits.RESERVE_BYTES - 1)
    app = open_page("run")
    assert [info.value for info in app.info] == [demo.FULL]
    assert not app.button
    monkeypatch.setattr(work_limits, "free_bytes", lambda: work_limits.RESERVE_BYTES)
    assert button(checked(app.run()), "Run")
