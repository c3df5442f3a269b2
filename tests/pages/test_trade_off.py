"""Trade-off without a browser: trials over ε and T, their file, stopping and resuming."""

import gc
import math
import re
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
SMALLEST_EPSILON, BEST_T = "Smallest ε for an error", "Best T"  # headings


@pytest.fixture(autouse=True)
def _trials_run_here(monkeypatch):
    monkeypatch.setattr("ui.inputs.systems.pool", lambda workers: ThreadPoolExecutor(1))


def test_every_epsilon_is_in_the_table_and_the_error_at_one_of_them_takes_that_epsilon():
    app = open_page("trade_off", **SMALL)
    assert "12 trials in all" in words(app)
    assert press_run(app).status == "done"
    table = app.dataframe[0].value
    assert (list(table.index), list(table.columns)) == (["0.1", "1", "10"], ["Laplace", "Uniform"])
    checked(app.number_input(key="level").set_value(float(table["Laplace"]["1"].split()[0])).run())
    epsilons = re.findall(r"(\w+): \*\*([\d.]+)\*\* \(", words(app))
    assert epsilons == [("Laplace", "1")]  # uniform spends no budget
    assert BEST_T not in words(app)


def test_a_page_that_shows_errors_warns_that_a_choice_by_them_is_not_private():
    app = open_page("trade_off", **SMALL)
    assert not app.warning
    press_run(app)
    assert "is itself a query on the private data" in app.warning[0].value


def test_the_best_T_has_the_smallest_geometric_mean_over_the_seeds():
    app = open_page("trade_off", **(SMALL | {"systems": ["MWEM"], "Ts": "rule, 2, 4", "epsilons": "1"}))
    results = press_run(app).results.values()
    errors = {T: [r.answers.mean_tv for r in results if r.trial.T == T] for T in (None, 2, 4)}
    best = min(errors, key=lambda T: math.prod(errors[T]))
    (rounds,) = {r.rounds for r in results if r.trial.T == best}
    assert f"{BEST_T} at ε = 1" in words(app)
    assert re.findall(r"MWEM: \*\*.*T = (\d+)\*\*", words(app)) == [f"{rounds}"]


@pytest.mark.parametrize(("epsilons", "has_line"), [("0.5, 1", False), ("1, 2", True)])
def test_theorem_2_3_is_in_the_legend_only_if_it_has_a_line(epsilons, has_line, monkeypatch):
    charts = []
    monkeypatch.setattr("ui.trials.trade_off.redrawn", lambda chart, key: charts.append(chart))
    app = open_page("trade_off", table="Adult", systems=["Uniform"], seeds="1", epsilons=epsilons, metric="Max error")
    press_run(app)
    names = [trace.name for trace in charts[-1].figure.data]
    assert names == ["Uniform", *(["Theorem 2.3"] if has_line else [])]
    assert ("It is 0.928 at ε = 1, the only ε here with a bound." in words(app)) != has_line


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"epsilons": "1, two"}, "every ε must be a positive number, got 'two'"),
        ({"epsilons": "0, 1"}, "epsilon must be a positive number"),
        ({"epsilons": "1, nan"}, "epsilon must be a positive number"),
        ({"epsilons": " , "}, "trials take 1 to 40 values of ε, got 0"),
        ({"Ts": "0"}, "every T must be a whole number of at least 1, or rule, got '0'"),
        ({"Ts": "adaptive"}, "or rule, got 'adaptive'"),
        ({"delta": "2"}, "delta must be at least 0 and less than 1"),
        ({"delta": "x"}, "delta must be a number"),
    ],
)
def test_an_invalid_setting_gets_one_error_and_nothing_can_run(settings, sentence):
    app = open_page("trade_off", **(SMALL | settings))
    assert sentence in error_text(app)
    assert all(button.label != "Run" for button in app.button)


def test_more_rounds_than_marginals_are_refused_and_the_other_trials_run():
    app = open_page("trade_off", **(SMALL | {"systems": ["MWEM", "Uniform"], "Ts": "2, 99", "epsilons": "1"}))
    press_run(app)
    assert any("rounds must be at most 15" in caption.value for caption in app.caption)
    assert not button(app, "Try 2 again").disabled
    assert SMALLEST_EPSILON in words(app)


def upload(app: AppTest, content: bytes) -> AppTest:
    app.file_uploader(key="_trials_file").upload("trials.csv", content)
    return checked(app.run())


def test_an_uploaded_file_brings_its_settings_and_its_trials_are_not_run_again():
    finished = open_page("trade_off", **SMALL)
    results = press_run(finished).results
    csv = to_csv(results.values())
    assert [r.trial for r in from_csv(csv)] == list(results)
    fresh = upload(open_page("trade_off", **CZECH), csv.encode())
    assert fresh.text_input(key="epsilons").value == "0.1, 1.0, 10.0"
    assert fresh.number_input(key="seeds").value == 2
    assert fresh.button_group(key="systems").value == ["laplace", "uniform"]
    assert "12 trials read from the file" in words(fresh)
    assert fresh.dataframe[0].value.equals(finished.dataframe[0].value)
    assert button(fresh, "Run").disabled
    checked(fresh.number_input(key="seeds").set_value(3).run())
    assert {trial.seed for trial in press_run(fresh, "Run 6 more").todo} == {2}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda csv: "a,b\n1,2\n", "the file is not a CSV of trials: choose one"),
        (lambda csv: csv.replace(",60,", ",x,").splitlines()[0] + "\n", "the file has no trials"),
        (lambda csv: csv.replace("laplace", "magic"), "trials of 'magic', which is not a system"),
        (lambda csv: csv.replace("marginals:2", "marginals:1"), "trials of marginals:1 on 1,841 records and 64 cells"),
        (lambda csv: csv + "laplace,x\n", "cannot be read: delete it"),
    ],
)
def test_a_file_of_other_trials_is_refused_and_changes_nothing(change, sentence):
    app = open_page("trade_off", **SMALL)
    csv = to_csv(press_run(app).results.values())
    fresh = upload(open_page("trade_off", **SMALL), change(csv).encode())
    assert sentence in error_text(fresh)
    assert not fresh.dataframe
    assert "not text" in error_text(upload(fresh, b"\xff\xfe\x00"))


def test_stopped_trials_keep_their_results_and_resume(monkeypatch):
    run_trials = session_trials.run_trials

    def stop_after_four(B, Q, trials, executor):
        for i, done in enumerate(run_trials(B, Q, trials, executor)):
            yield done
            if i == 3:
                app.session_state["_trials_runner"].stop()

    monkeypatch.setattr(session_trials, "run_trials", stop_after_four)
    app = open_page("trade_off", **SMALL)
    stopped = press_run(app)
    assert (stopped.status, stopped.done) == ("stopped", 4)
    resumed = press_run(app, "Resume")
    assert len(resumed.todo) == 8
    assert set(resumed.todo).isdisjoint(list(stopped.results)[:4])


def test_trials_stop_when_their_session_ends(monkeypatch):
    monkeypatch.setattr(session_trials, "run_trials", lambda *_: iter(lambda: time.sleep(0.01) or result(0.1), None))
    app = open_page("trade_off", **SMALL)
    checked(button(app, "Run").click().run())
    started = app.session_state["_trials_runner"]
    assert started.active
    del app.session_state["_session_end"]
    gc.collect()
    started.wait(10)
    assert started.status == "stopped"


def test_pages_share_their_trials():
    app = open_page("trade_off", **SMALL)
    press_run(app)
    checked(app.switch_page("pages/compare.py").run())  # without a browser the address is lost: set it again
    checked(app.selectbox(key="table").set_value("Czech car workers").run())
    app.button_group(key="systems").set_value(["laplace", "uniform"])
    checked(app.number_input(key="seeds").set_value(2).run())
    assert "Laplace is best by" in words(app)
