"""Which ε reaches a target: targets in their unit, and the answer in a sentence."""

import math
from dataclasses import replace

import pytest
from messages import exactly
from trial_results import result

from mwem_app.compare.curves import over_epsilon
from mwem_app.compare.decision import answer, default_target, needs, units

UNITS = units(300, tabular=True, noun="counts")
TV = units(300, tabular=True, noun="counts")["Total variation"]
SEEDS = (0.9, 1.0, 1.1)


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


@pytest.mark.parametrize(
    ("unit", "text", "message"),
    [
        *(("Records", text, f"a number, got '{text}': write it as in 50") for text in ("", "few", "inf")),
        ("Records", "0", "above 0, got 0: no private answer is exact"),
        ("Records", "-3", "above 0, got -3: no private answer is exact"),
        ("Records", "301", "at most 300, got 301: the table has 300 records"),
        ("Records", "1,000", "at most 300, got 1,000: the table has 300 records"),
        ("Percent", "101%", "at most 100, got 101: 100% is all 300 records"),
        ("Total variation", "1.5", "at most 1, got 1.5: total variation lies between 0 and 1"),
    ],
)
def test_an_impossible_target_is_refused(unit, text, message):
    with pytest.raises(ValueError, match=exactly(f"the target must be {message}")):
        UNITS[unit].read(text)


@pytest.mark.parametrize(
    ("errors", "target"),
    [([30, 61, 90], 70), ([40, 60], 50), ([0.012, 0.02], 0.015), ([95], 100), ([900], 300), ([], 300)],
)
def test_the_default_is_a_round_number_in_the_middle(errors, target):
    assert default_target(errors, 300) == target


def curves(**scales):
    """Systems whose error is their scale divided by ε; for uniform it is the scale."""
    results = [
        result(f * scale / (1 if name == "uniform" else e), system=name.replace("_", "-"), epsilon=e, seed=i)
        for name, scale in scales.items()
        for e in (0.1, 1.0, 10.0)
        for i, f in enumerate(SEEDS)
    ]
    return over_epsilon(results, TV.metric, None)


def sentence(target, **scales):
    drawn = curves(**scales)
    return answer(drawn, needs(drawn, target), target, TV)


def test_the_best_and_the_second_are_in_the_sentence_and_the_others_follow():
    text, others = sentence(0.5, mwem=1.0, aim=1.5, laplace=2.0)
    assert text == ("For a mean total variation of at most 0.5 you need **ε ≈ 2** with MWEM (1.6 to 2.6); AIM needs 3.")
    assert [f"{need.title}: {need.words}" for need in others] == ["Laplace: ε ≈ 4 (3.1 to 5.1)"]


def test_an_interval_that_leaves_the_sweep_says_so():
    text, _ = sentence(0.101, mwem=1.0)
    assert "(7.7 to over 10)" in text
    text, _ = sentence(0.95, mwem=0.1)
    assert "(under 0.1 to 0.13)" in text


def test_a_target_that_the_smallest_epsilon_reaches_and_one_that_none_does():
    text, others = sentence(0.9, mwem=0.01, aim=0.5)
    assert text == "For a mean total variation of at most 0.9, **ε ≤ 0.1 is enough** with MWEM."
    assert [need.words for need in others] == ["ε ≈ 0.55 (0.43 to 0.71)"]
    text, others = sentence(0.001, mwem=1.0, aim=2.0)
    assert text.startswith("For a mean total variation of at most 0.001, **no ε up to 10 is enough**. MWEM comes near")
    assert text.endswith("a mean total variation of 0.0997 at ε = 10.")
    assert [need.words for need in others] == ["not up to ε = 10"]


def test_a_system_without_data_that_reaches_the_target_makes_epsilon_needless():
    text, others = sentence(0.5, mwem=1.0, uniform=0.2)
    assert "**no ε is needed**" in text
    assert [need.name for need in others] == ["mwem"]


def test_one_seed_has_no_interval():
    drawn = over_epsilon([result(1 / e, epsilon=e) for e in (1.0, 4.0)], TV.metric, None)
    (need,) = needs(drawn, 0.5)
    assert (need.epsilon.middle, need.bracket) == (pytest.approx(2.0), "")
    assert (need.epsilon.low, need.epsilon.high) == (0, math.inf)
