"""The page of the paper shows each experiment's claim, figure, rule and verdict from the committed trials."""

import pytest
from app_pages import open_page, words

from mwem_app.evidence import stored_outcome
from mwem_core.experiments import EXPERIMENTS, FIGURE2


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
