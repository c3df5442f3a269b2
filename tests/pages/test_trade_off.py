"""Trade-off without a browser: trials over ε and T, stopping and resuming."""

import json
import math
import re
from pathlib import Path

import pytest
from app_pages import button, checked, error_text, open_page, press_run, sent, words
from streamlit.testing.v1 import AppTest

from mwem_app.base import PRIVATE

SURVEY = Path(__file__).parents[2] / "sample_data" / "class_survey.csv"
pytestmark = pytest.mark.usefixtures("trials_in_threads")
CZECH = {"table": "Czech car workers"}
SMALL = CZECH | {"systems": ["Laplace", "Uniform"], "seeds": "2", "epsilons": "0.1, 1, 10"}


def answer_of(app: AppTest) -> str:
    """The answer, without Markdown's emphasis."""
    return app.subheader[0].value.replace("**", "")


def aim_at(app: AppTest, unit: str, target: str) -> AppTest:
    checked(app.button_group(key="unit").set_value(unit).run())
    return checked(app.text_input(key="within").set_value(target).run())


def test_the_page_answers_first_which_epsilon_a_target_needs_in_each_unit():
    app = open_page("trade_off", **(SMALL | {"systems": ["MWEM", "Laplace", "Uniform"], "epsilons": "0.11, 1.1, 11"}))
    assert "18 trials in all" in words(app)
    assert press_run(app).status == "done"
    number = r"[\d.]+"
    need = rf"you need ε ≈ {number} with \w+ \((under )?{number} to (over )?{number}\); \w+ needs {number}\.$"
    assert re.match(rf"For 95% of counts within ±[\d,.]+ records {need}", answer_of(app))
    checked(app.button_group(key="unit").set_value("Percent").run())
    assert re.match(rf"For 95% of counts within ±{number}% of all records {need}", answer_of(app))
    checked(app.button_group(key="unit").set_value("Total variation").run())
    assert re.match(rf"For a mean total variation of at most {number} {need}", answer_of(app))


def test_a_target_that_is_the_error_at_an_epsilon_needs_that_epsilon():
    app = open_page("trade_off", **SMALL)
    results = press_run(app).results.values()
    errors = [1841 * r.answers.error_95 for r in results if (r.trial.system, r.trial.epsilon) == ("laplace", 1)]
    aim_at(app, "Records", f"{math.prod(errors) ** (1 / len(errors)):.6f}")
    assert "you need ε ≈ 1 with Laplace" in answer_of(app)  # uniform spends no budget, so it needs none
    assert app.dataframe[0].value.index.tolist() == ["0.1", "1", "10"]


def test_an_impossible_target_gets_one_sentence_and_the_curve_stays():
    app = open_page("trade_off", **(SMALL | {"systems": ["Laplace"], "seeds": "1", "epsilons": "0.1, 1"}))
    press_run(app)
    aim_at(app, "Records", "1842")
    assert "the target must be at most 1,841, got 1,842: the table has 1,841 records" in error_text(app)
    assert not app.subheader
    assert app.dataframe


def figure(app: AppTest) -> dict:
    """The chart that the page last sent, as JSON."""
    return json.loads(sent(app, "mwem_redrawn")["figure"])


def test_the_target_is_marked_on_the_curve_in_its_unit():
    app = open_page("trade_off", **(SMALL | {"unit": "Percent", "within": "2"}))
    press_run(app)
    layout = figure(app)["layout"]
    line, drop = layout["shapes"]
    assert (line["y0"], line["y1"], drop["y1"]) == (2, 2, 2)
    target, label = (annotation["text"] for annotation in layout["annotations"])
    assert target == "target: ±2%"
    (epsilon,) = re.findall(r"ε ≈ ([\d.]+)", answer_of(app))
    assert label == f"Laplace<br><b>ε ≈ {epsilon}</b>"
    assert float(epsilon) == pytest.approx(drop["x0"], rel=0.05)
    assert "% of all records" in layout["yaxis"]["title"]["text"]


@pytest.mark.slow
@pytest.mark.parametrize("page", ["trade_off", "compare"])
def test_the_progress_of_trials_stays_where_it_was_until_other_trials_are_chosen(page):
    app = open_page(page, **SMALL)
    assert not app.get("progress")
    trials = len(press_run(app).todo)
    (progress,) = app.get("progress")
    assert re.fullmatch(rf"{trials} of {trials} trials done in about \d+ s", progress.proto.text)
    checked(app.number_input(key="seeds").set_value(1).run())
    assert not app.get("progress")


def test_one_click_sweeps_a_public_stand_in_which_reads_no_record():
    app = open_page("trade_off", **SMALL)
    assert not app.warning
    press_run(app)
    assert "is itself a query on the records" in app.warning[0].value
    runner = press_run(app, "Sweep a public table of the same shape instead")
    assert runner.status == "done"
    assert {result.n for result in runner.results.values()} == {1800}
    assert app.toggle(key="stand_in").value
    assert not app.warning
    assert "No record of the table was read" in app.info[0].value
    assert "you need ε ≈" in answer_of(app)


def test_the_stand_in_can_be_swept_while_the_truth_is_hidden():
    app = open_page("trade_off", **(SMALL | {"truth": "false"}))
    assert button(app, "Run").disabled
    press_run(app, "Sweep a public table of the same shape instead")
    assert "you need ε ≈" in answer_of(app)
    assert not any(PRIVATE.text in badge.value for badge in app.markdown)


def test_after_a_sweep_of_an_upload_a_hidden_truth_leaves_no_result_on_the_page():
    app = open_page("trade_off", table="Your own file", systems=["Laplace", "Uniform"], seeds="1", epsilons="0.1, 1")
    app.file_uploader(key="_table_file").upload("survey.csv", SURVEY.read_bytes())
    checked(app.run())
    checked(button(app, "Use this schema").click().run())
    assert press_run(app).status == "done"
    assert answer_of(app)
    checked(app.toggle(key="truth").set_value(False).run())
    assert "While it is off, none of them are sent to this browser." in app.info[0].value
    assert not any((app.subheader, app.dataframe, app.error, app.get("progress")))
    press_run(app, "Sweep a public table of the same shape instead")
    assert "No record of the table was read" in app.info[0].value


def test_the_best_T_has_the_smallest_geometric_mean_over_the_seeds():
    app = open_page("trade_off", **(SMALL | {"systems": ["MWEM"], "Ts": "rule, 2, 4", "epsilons": "1"}))
    results = press_run(app).results.values()
    errors = {T: [r.answers.mean_tv for r in results if r.trial.T == T] for T in (None, 2, 4)}
    best = min(errors, key=lambda T: math.prod(errors[T]))
    (rounds,) = {r.rounds for r in results if r.trial.T == best}
    assert re.findall(r"Best T at ε = 1\*\*: MWEM: \*\*.*T = (\d+)\*\*", words(app)) == [f"{rounds}"]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"epsilons": "1, two"}, "every ε must be a positive number, got 'two'"),
        ({"epsilons": "1e-9, 1e9"}, "epsilon must lie between 1e-06 and 1e+06, got 1e-09: 0.1 to 10 is usual"),
        ({"epsilons": ""}, "trials take 1 to 40 values of ε, got 0: write them as in 0.1, 0.5, 1"),
        ({"Ts": "1e3"}, "every T must be a whole number of at least 1, or rule, got '1e3'"),
        ({"Ts": ""}, "trials take 1 to 20 values of T, got 0: write them as in rule, 5, 10, 20"),
        ({"delta": "2"}, "delta must be at least 0 and less than 1"),
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
    assert answer_of(app)


def test_pages_share_their_trials():
    app = open_page("trade_off", **SMALL)
    press_run(app)
    checked(app.switch_page("pages/compare.py").run())  # without a browser the address is lost: set it again
    checked(app.selectbox(key="table").set_value("Czech car workers").run())
    app.button_group(key="systems").set_value(["laplace", "uniform"])
    checked(app.number_input(key="seeds").set_value(2).run())
    assert "Laplace is best by" in words(app)
