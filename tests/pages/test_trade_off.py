"""Trade-off without a browser: trials over ε and T, their file, stopping and resuming."""

import gc
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from app_pages import button, checked, error_text, open_page, press_run, words
from streamlit.testing.v1 import AppTest
from trial_results import result

from mwem_core.evaluation.trials_file import from_csv, to_csv
from ui.session import trials as session_trials

CZECH = {"table": "Czech car workers"}
SMALL = CZECH | {"systems": ["Laplace", "Uniform"], "seeds": "2", "epsilons": "0.1, 1, 10"}


@pytest.fixture(autouse=True)
def _trials_run_here(monkeypatch):
    monkeypatch.setattr("ui.inputs.systems.pool", lambda workers: ThreadPoolExecutor(1))


def test_a_sweep_draws_what_epsilon_an_error_takes_and_warns():
    app = open_page("trade_off", **SMALL)
    assert "12 trials in all" in words(app)
    assert press_run(app).status == "done"
    text = words(app)
    assert "What ε does it take?" in text
    assert "is itself a query" in text
    assert "Laplace: **" in text
    assert "What T is best" not in text


def test_with_several_T_the_best_is_told():
    app = open_page("trade_off", **(SMALL | {"systems": ["MWEM"], "Ts": "rule, 2, 4", "epsilons": "1"}))
    assert len(press_run(app).todo) == 6
    assert "What T is best at ε = 1?" in words(app)
    assert "MWEM: **" in words(app)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"epsilons": "1, two"}, "every ε must be a positive number, got 'two'"),
        ({"epsilons": "0, 1"}, "epsilon must be a positive number"),
        ({"epsilons": "1, nan"}, "epsilon must be a positive number"),
        ({"epsilons": " , "}, "a sweep takes 1 to 40 values of ε, got 0"),
        ({"Ts": "0"}, "every T must be a whole number of at least 1, or rule, got '0'"),
        ({"Ts": "adaptive"}, "or rule, got 'adaptive'"),
        ({"delta": "2"}, "delta must be at least 0 and less than 1"),
        ({"delta": "x"}, "delta must be a number"),
    ],
)
def test_settings_that_do_not_go_are_told_in_one_sentence(settings, sentence):
    app = open_page("trade_off", **(SMALL | settings))
    assert sentence in error_text(app)
    assert all(found.label != "Run" for found in app.button)


def test_T_beyond_what_a_workload_has_is_told_and_the_rest_runs():
    app = open_page("trade_off", **(SMALL | {"systems": ["MWEM", "Uniform"], "Ts": "2, 99", "epsilons": "1"}))
    press_run(app)
    assert any("rounds must be at most 15" in caption.value for caption in app.caption)
    assert not button(app, "Try 2 again").disabled
    assert "What ε does it take?" in words(app)


def upload(app: AppTest, content: bytes) -> AppTest:
    app.file_uploader(key="_trials_file").upload("trials.csv", content)
    return checked(app.run())


def test_a_file_of_trials_is_gone_on_from_and_none_of_it_is_run_again():
    app = open_page("trade_off", **SMALL)
    done = press_run(app)
    csv = to_csv(done.results.values())
    assert [r.trial for r in from_csv(csv)] == list(done.results)
    other = upload(open_page("trade_off", **CZECH), csv.encode())
    assert other.text_input(key="epsilons").value == "0.1, 1.0, 10.0"
    assert other.number_input(key="seeds").value == 2
    assert other.button_group(key="systems").value == ["laplace", "uniform"]
    assert "12 trials taken from the file" in words(other)
    assert "What ε does it take?" in words(other)
    assert button(other, "Run").disabled
    checked(other.number_input(key="seeds").set_value(3).run())
    assert len(press_run(other, "Run 6 more").todo) == 6


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda csv: "a,b\n1,2\n", "the file is no CSV of trials: take one"),
        (lambda csv: csv.replace(",60,", ",x,").splitlines()[0] + "\n", "the file holds no trial"),
        (lambda csv: csv.replace("laplace", "magic"), "trials of 'magic', which is no system here"),
        (lambda csv: csv.replace("marginals:2", "marginals:1"), "trials of marginals:1 on 1,841 records and 64 cells"),
        (lambda csv: csv + "laplace,x\n", "cannot be read: take it out"),
    ],
)
def test_a_file_that_is_not_of_these_trials_is_told_and_changes_nothing(change, sentence):
    app = open_page("trade_off", **SMALL)
    csv = to_csv(press_run(app).results.values())
    fresh = upload(open_page("trade_off", **SMALL), change(csv).encode())
    assert sentence in error_text(fresh)
    assert "What ε does it take?" not in words(fresh)
    assert "not text" in error_text(upload(fresh, b"\xff\xfe\x00"))


def test_a_stopped_sweep_keeps_what_is_done_and_resumes(monkeypatch):
    run_trials = session_trials.run_trials

    def dawdle(B, Q, trials, executor):
        for i, found in enumerate(run_trials(B, Q, trials, executor)):
            yield found
            if i == 3:
                app.session_state["_trials_runner"].stop()

    monkeypatch.setattr(session_trials, "run_trials", dawdle)
    app = open_page("trade_off", **SMALL)
    stopped = press_run(app)
    assert (stopped.status, stopped.done) == ("stopped", 4)
    resumed = press_run(app, "Resume")
    assert len(resumed.todo) == 8
    assert set(resumed.todo).isdisjoint(list(stopped.results)[:4])


def test_a_session_that_ends_ends_its_sweep(monkeypatch):
    monkeypatch.setattr(session_trials, "run_trials", lambda *_: iter(lambda: time.sleep(0.01) or result(0.1), None))
    app = open_page("trade_off", **SMALL)
    checked(button(app, "Run").click().run())
    started = app.session_state["_trials_runner"]
    assert started.active
    del app.session_state["_life"]
    gc.collect()
    started.wait(10)
    assert started.status == "stopped"


def test_pages_share_their_trials():
    app = open_page("trade_off", **SMALL)
    press_run(app)
    checked(app.switch_page("pages/compare.py").run())  # no address here, as a browser has: set anew
    checked(app.selectbox(key="table").set_value("Czech car workers").run())
    app.button_group(key="systems").set_value(["laplace", "uniform"])
    checked(app.number_input(key="seeds").set_value(2).run())
    assert "wins here" in words(app)
