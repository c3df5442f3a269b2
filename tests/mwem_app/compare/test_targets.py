"""Targets: their metric in their unit, and what can be none."""

from dataclasses import replace

import pytest
from trial_results import result

from mwem_app.compare.targets import default_target, units

UNITS = units(300, tabular=True, noun="counts")


def test_each_unit_has_the_error_of_95_percent_of_the_counts_or_the_total_variation():
    plain = result(0.2)
    with_error = replace(plain, answers=replace(plain.answers, error_95=0.01))
    assert UNITS["Records"].metric.value(with_error) == pytest.approx(3)
    assert UNITS["Percent"].metric.value(with_error) == pytest.approx(1)
    assert UNITS["Total variation"].metric.value(with_error) == 0.2
    assert UNITS["Records"].metric.values([plain]) == []  # of a file from before 0.4


def test_total_variation_needs_whole_marginals():
    assert list(units(300, tabular=False, noun="counts")) == ["Records", "Percent"]


@pytest.mark.parametrize(("unit", "text", "target"), [("Records", " 1e2 ", 100), ("Percent", "±5%", 5)])
def test_a_target_is_read_as_people_write_it(unit, text, target):
    assert UNITS[unit].read(text) == target


@pytest.mark.parametrize("text", ["", "few", "inf", "0", "-1", "301", "1,000"])
def test_an_impossible_target_is_refused(text):
    with pytest.raises(ValueError, match=r"^the target must be "):
        UNITS["Records"].read(text)


@pytest.mark.parametrize(
    ("errors", "target"),
    [([30, 61, 90], 70), ([40, 60], 50), ([0.012, 0.02], 0.015), ([95], 100), ([900], 300), ([], 300)],
)
def test_the_default_is_a_round_number_in_the_middle(errors, target):
    assert default_target(errors, 300) == target
