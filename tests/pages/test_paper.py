"""The page of the paper shows each experiment's claim, figure, rule and verdict from the committed trials."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from app_pages import button, open_page, words

from mwem_app.evidence import stored_outcome
from mwem_app.session import TRIALS
from mwem_core.experiments import EXPERIMENTS, FIGURE2, FIGURE3, Batch


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_shows_its_claim_figure_rule_and_verdict(name):
    each = EXPERIMENTS[name]
    app = open_page("paper", experiment=each.short_title)
    verdict, text = stored_outcome(name).verdict, words(app)
    assert app.subheader[0].value == each.title
    for part in ("Claim.", "Conditions.", f"{each.rule_title}.", f"Verdict: {verdict.holds}.", "What would flip it."):
        assert f"**{part}" in text
    assert f"mwem paper {name}" in text
    assert each.history in text
    panels = each.figure(stored_outcome(name).frame).points["panel"].nunique()
    assert len(app.get("plotly_chart")) == panels


def test_the_page_opens_with_the_paper_s_own_first_figure():
    assert open_page("paper").subheader[0].value == FIGURE2.title


def test_the_page_lists_the_paper_s_figures_as_the_tests_use_them():
    (listing,) = [each.value for each in open_page("paper").code if "def figure_1" in each.value]
    assert "def figure_8" in listing


def test_a_table_that_is_not_bundled_is_named_with_where_to_get_it():
    text = words(open_page("paper", experiment="Figure 2"))
    assert "transfusion.csv` does not come with the program" in text
    assert "mwem paper figure2 --data FOLDER" in text


def test_a_disputed_choice_changes_the_figure():
    app = open_page("paper", experiment="Figure 2")
    before = app.get("plotly_chart")[0].proto.spec
    (choice,) = [c for c in app.get("button_group") if c.label == "Normalisation"]
    choice.set_value("only MWEM's divided by |Q|").run()
    assert "of the bound in total" in app.get("plotly_chart")[0].proto.spec
    assert app.get("plotly_chart")[0].proto.spec != before


@pytest.fixture
def one_trial_each(monkeypatch):
    """The quick version of Figure 3 with one trial of each method, on threads."""
    few = [Batch(b.table, b.workload, b.methods, (1.0,), 1) for b in FIGURE3.batches(True)]
    each = replace(FIGURE3, batches=lambda quick: few if quick else FIGURE3.batches(False))
    monkeypatch.setitem(EXPERIMENTS, "figure3", each)
    monkeypatch.setattr("mwem_app.evidence.paper_section.pool", ThreadPoolExecutor)


@pytest.mark.slow
@pytest.mark.usefixtures("one_trial_each")
def test_a_rerun_equals_the_committed_trials_and_shows_what_it_alone_decides():
    app = open_page("paper", experiment="Figure 3")
    button(app, "Run it here").click().run()
    app.session_state["_experiment_runners"]["figure3"].wait(60)
    text = words(app.run())
    assert not app.exception
    assert "0 of 14 committed trials differ." in text  # four methods and three floors, on two tables
    assert text.count("**Verdict: ") == 2
    assert [p.proto.text for p in app.get("progress")] == ["8 of 8 trials done"]


@pytest.mark.slow
@pytest.mark.usefixtures("one_trial_each")
def test_a_rerun_that_is_stopped_says_so_far_and_can_be_started_again():
    TRIALS.join("another visitor")  # it waits
    app = open_page("paper", experiment="Figure 3")
    button(app, "Run it here").click().run()
    button(app, "Stop").click().run()
    app.session_state["_experiment_runners"]["figure3"].wait(60)
    TRIALS.leave("another visitor")
    assert button(app.run(), "Run it here")
