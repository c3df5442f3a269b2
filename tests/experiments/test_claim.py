"""What an experiment says of itself."""

import pytest

from mwem_core.experiments.runs import EXPERIMENTS


@pytest.mark.parametrize("each", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_an_experiment_says_what_its_history_shows_where_its_rule_was_not_fixed_before(each):
    assert each.rule_order == "fixed before its trials ran" or each.history
    assert each.rule_title == f"Rule, {each.rule_order}"


def test_five_rules_are_not_said_to_be_fixed_before_their_trials():
    """By `git log --follow` of the rules and of the committed trials."""
    later = {name: each.rule_order for name, each in EXPERIMENTS.items() if "before" not in each.rule_order}
    assert later == {
        "figure2": "committed with its trials",
        **dict.fromkeys(("figure3", "theorem", "ablation", "decade"), "changed after its first trials"),
    }
