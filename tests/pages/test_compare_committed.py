"""Compare and Trade-off open with committed results for the bundled tables, and never for an upload."""

import pandas as pd
import pytest
from app_pages import button, checked, open_page, press_run, words

from mwem_app.inputs import SAMPLE
from mwem_core.base import SAMPLES

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("trials_in_threads")]

COMMITTED = "come with the program: version"


@pytest.mark.parametrize("title", SAMPLE)
@pytest.mark.parametrize("page", ["compare", "trade_off"])
def test_every_trial_that_a_page_opens_with_has_a_committed_result(page, title):
    app = open_page(page, table=title)
    assert f"These results {COMMITTED}" in words(app)
    assert "_trials_runner" not in app.session_state
    assert not button(app, "Run").disabled
    assert len(app.dataframe) == 1


def test_run_computes_the_committed_results_again_and_the_numbers_stay():
    app = open_page("compare", table="Class survey")
    before = app.dataframe[0].value.drop(columns="Seconds")
    assert len(press_run(app).todo) == 25
    assert COMMITTED not in words(app)
    again = app.dataframe[0].value.drop(columns="Seconds")
    pd.testing.assert_frame_equal(again, before, rtol=1e-9)  # another processor rounds sums otherwise
    assert button(app, "Run").disabled


def test_a_sixth_system_joins_the_committed_five():
    systems = ["MWEM", "Automatic", "AIM", "Laplace, cleaned", "Uniform", "Laplace"]
    app = open_page("compare", table="Class survey", systems=systems)
    assert f"Results of 25 trials {COMMITTED}" in words(app)
    assert {trial.system for trial in press_run(app, "Run 5 more").todo} == {"laplace"}
    assert f"Results of 25 trials {COMMITTED}" in words(app)
    assert len(press_run(app, "Run 25 again").todo) == 25
    assert COMMITTED not in words(app)


@pytest.mark.parametrize(
    "other", [{"epsilon": "0.3"}, {"k": "1"}, {"delta": "1e-9"}, {"systems": ["Uniform", "Laplace"]}]
)
def test_other_settings_open_empty(other):
    app = open_page("compare", table="Class survey", **other)
    assert COMMITTED not in words(app)
    assert "Press **Run**" in words(app)


def test_an_upload_of_a_bundled_table_has_no_committed_results():
    app = open_page("compare", table="Your own file")
    checked(app.file_uploader(key="_table_file").upload("czech.csv", (SAMPLES / "czech.csv").read_bytes()).run())
    checked(button(app, "Use this schema").click().run())
    assert button(app, "Run")
    assert COMMITTED not in words(app)
    assert not app.dataframe


def test_committed_results_are_hidden_with_the_truth():
    app = open_page("compare", table="Class survey", truth="false")
    assert COMMITTED not in words(app)
    assert not app.dataframe
    assert not app.get("plotly_chart")


def test_answers_that_take_long_are_recomputed_only_on_request():
    """Those of AIM on Adult take seconds, by the seconds of the committed runs."""
    app = open_page("compare", table="Adult", one="AIM")
    assert "_trial_answers" not in app.session_state
    (label,) = (button.label for button in app.button if button.label.startswith("Recompute"))
    assert label.startswith("Recompute the answers of AIM (")
    checked(button(app, label).click().run())
    app.session_state["_trial_answers"].wait(60)
    checked(app.run())
    assert len(app.get("plotly_chart")) == 2
    assert all(not label.startswith("Recompute") for label in (button.label for button in app.button))
