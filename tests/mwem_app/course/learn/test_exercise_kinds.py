"""Exercises beyond one choice: what is found of an answer, by the script that asks."""

from dataclasses import replace

import numpy as np
import pytest
from browser import NO_BROWSER, NOTHING_TESTED

from mwem_app.charts import as_lists
from mwem_app.course.exercises import Condition, CurveExercise, NumberExercise, Part, Setting, SettingsExercise
from mwem_app.course.lesson import blocks_of, lesson_at, shared_scripts
from mwem_app.course.site.pages import all_blocks

HALF = "A factor of two is missing."
NUMBER = NumberExercise("How large?", "students", 40, "As 2T/ε = 40.", {20: HALF}, "noise")

ERRORS, COSTS = np.array([[9, 3, 4], [9, 6, 2]]), np.array([[1, 2, 3], [1, 2, 3]])
SETTINGS = SettingsExercise(
    "Choose.",
    [Setting("T", ["1", "2"]), Setting("ε", ["1", "2", "3"])],
    [Condition("The error", ERRORS, 4, " students"), Condition("ε", COSTS, 2)],
    "Because.",
    "choose",
)

RISING = np.array([20.0, 40, 60, 80])
CURVE = CurveExercise(
    *("Draw.", "ε", "Chance", ["1", "2", "3", "4"], 100, 2, "%", RISING, 5),
    parts=[Part(0, 2, "left", "left low", "left high"), Part(2, 4, "end", "end low", "end high")],
    typical=[(np.full(4, 50.0), "flat")],
    key="draw",
)


@pytest.fixture
def verdict(chromium):
    """What the script finds of an answer."""
    if NO_BROWSER:
        pytest.skip(NOTHING_TESTED)
    page, script = chromium.new_page(), shared_scripts("exercise")[0].read_text(encoding="utf-8")
    judge = f"([data, answer]) => {{ {script}\nreturn VERDICTS[data.kind](data, answer); }}"
    yield lambda exercise, answer: page.evaluate(judge, as_lists([exercise.data, answer]))
    page.close()


@pytest.mark.parametrize(
    ("answer", "right", "text"),
    [
        (40, True, "As 2T/ε = 40."),
        (41.9, True, "As 2T/ε = 40."),
        (42.1, False, "The order of magnitude is right, but the number is too large."),
        (20, False, HALF),
        (20.9, False, HALF),
        (21.1, False, "The order of magnitude is right, but the number is too small."),
        (3.9, False, "This is too small by more than a factor of ten."),
        (0, False, "The right number is above 0."),
        (-40, False, "The right number is above 0."),
        (401, False, "This is too large by more than a factor of ten."),
    ],
)
def test_a_number_is_told_what_is_right_of_it(verdict, answer, right, text):
    assert verdict(NUMBER, answer) == [[right, text]]


def test_a_typical_wrong_number_must_be_wrong():
    with pytest.raises(ValueError, match="a typical wrong number must not count as right, got 41"):
        NumberExercise("How large?", "", 40, "", {41: "Almost."}, "x")


def test_settings_are_right_where_all_conditions_hold_and_told_what_is_missed_by_how_much_and_what_alone_mends_it(
    verdict,
):
    found = {at: verdict(SETTINGS, at) for at in np.ndindex(2, 3)}
    assert {at for at, each in found.items() if all(right for right, _ in each)} == {(0, 1)}
    texts = {at: [text for _, text in each] for at, each in found.items()}
    assert texts[0, 1] == [
        "The error is 3 students, within the 4 allowed.",
        "ε is 2, within the 2 allowed.",
        "Because.",
    ]
    assert texts[0, 0] == [
        "The error is 9 students, 5 more than the 4 allowed. Moving “ε” alone can mend this.",
        "ε is 1, within the 2 allowed.",
    ]
    assert texts[1, 1][0].endswith("Moving “T” alone can mend this.")
    assert texts[1, 2][1] == "ε is 3, 1 more than the 2 allowed. One slider alone cannot mend this."


def test_settings_need_a_right_position():
    with pytest.raises(ValueError, match="some position must meet all conditions"):
        SettingsExercise("Choose.", SETTINGS.settings, [Condition("ε", COSTS, 0)], "", "x")


@pytest.mark.parametrize(
    ("drawn", "found"),
    [
        ([20, 40, 60, 80], [[True, "left"], [True, "end"]]),
        ([25, 35, 65, 75], [[True, "left"], [True, "end"]]),  # at the tolerance
        ([20, 46, 60, 80], [[False, "left high"], [True, "end"]]),
        ([20, 34, 60, 100], [[False, "left low"], [False, "end high"]]),
        ([10, 60, 60, 80], [[False, "left high"], [True, "end"]]),  # the largest difference counts
        ([50, 52, 48, 50], [[False, "flat"]]),
    ],
)
def test_a_curve_is_told_where_it_is_right_too_low_or_too_high_and_what_it_looks_like(verdict, drawn, found):
    assert verdict(CURVE, drawn) == found


def test_a_curve_is_judged_everywhere():
    with pytest.raises(ValueError, match="parts must have all positions, in order"):
        replace(CURVE, parts=CURVE.parts[:1])


@pytest.mark.parametrize(
    ("lesson", "kind", "wrong", "why", "right"),
    [
        ("composition", NumberExercise, 20, "but a factor of two is missing", 40),
        ("rounds", SettingsExercise, [0, 4], "Moving “Rounds T” alone can mend this.", [6, 4]),
        (
            *("choosing", CurveExercise, [40, 65, 84, 94, 98, 100, 100, 100, 100, 100]),
            *("this is the curve without the 2 in the formula", [30, 40, 52, 64, 76, 84, 90, 94, 96, 98]),
        ),
    ],
)
def test_a_wrong_and_a_right_answer_of_each_lesson_are_told_apart(verdict, lesson, kind, wrong, why, right):
    (exercise,) = (block for block in all_blocks(blocks_of(lesson_at(lesson), 1)) if isinstance(block, kind))
    assert why in " ".join(text for _, text in verdict(exercise, wrong))
    assert all(good for good, _ in verdict(exercise, right))
