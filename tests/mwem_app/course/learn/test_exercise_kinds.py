"""Exercises beyond one choice: what is found of an answer."""

import math
from dataclasses import replace

import numpy as np
import pytest

from mwem_app.course.exercises import Condition, CurveExercise, NumberExercise, Part, Setting, SettingsExercise, message

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


def texts(findings):
    return [finding.text for finding in findings]


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
def test_a_number_is_told_what_is_right_of_it(answer, right, text):
    assert NUMBER.verdict(answer) == [(right, text)]


def test_a_typical_wrong_number_must_be_wrong():
    with pytest.raises(ValueError, match="a typical wrong number must not count as right, got 41"):
        NumberExercise("How large?", "", 40, "", {41: "Almost."}, "x")


def test_settings_are_right_where_all_conditions_hold_and_only_there():
    right = {at for at in np.ndindex(2, 3) if all(finding.right for finding in SETTINGS.verdict(at))}
    assert right == {(0, 1)}
    assert texts(SETTINGS.verdict((0, 1))) == [
        "The error is 3 students, within the 4 allowed.",
        "ε is 2, within the 2 allowed.",
        "Because.",
    ]


def test_settings_are_told_which_condition_is_missed_by_how_much_and_what_alone_mends_it():
    assert texts(SETTINGS.verdict((0, 0))) == [
        "The error is 9 students, 5 more than the 4 allowed. Moving “ε” alone can mend this.",
        "ε is 1, within the 2 allowed.",
    ]
    assert texts(SETTINGS.verdict((1, 1)))[0].endswith("Moving “T” alone can mend this.")
    assert texts(SETTINGS.verdict((1, 2)))[1] == "ε is 3, 1 more than the 2 allowed. One slider alone cannot mend this."


def test_settings_need_a_right_position():
    with pytest.raises(ValueError, match="some position must meet all conditions"):
        SettingsExercise("Choose.", SETTINGS.settings, [Condition("ε", COSTS, 0)], "", "x")


@pytest.mark.parametrize(
    ("drawn", "found"),
    [
        ([20, 40, 60, 80], [(True, "left"), (True, "end")]),
        ([25, 35, 65, 75], [(True, "left"), (True, "end")]),  # at the tolerance
        ([20, 46, 60, 80], [(False, "left high"), (True, "end")]),
        ([20, 34, 60, 100], [(False, "left low"), (False, "end high")]),
        ([10, 60, 60, 80], [(False, "left high"), (True, "end")]),  # the largest difference counts
        ([50, 52, 48, 50], [(False, "flat")]),
    ],
)
def test_a_curve_is_told_where_it_is_right_too_low_or_too_high_and_what_it_looks_like(drawn, found):
    assert CURVE.verdict(drawn) == found


def test_a_curve_is_judged_everywhere():
    with pytest.raises(ValueError, match="parts must have all positions, in order"):
        replace(CURVE, parts=CURVE.parts[:1])


@pytest.mark.parametrize(
    ("exercise", "answer", "no_answers"),
    [
        (NUMBER, 40, ["40", None, True, math.nan, math.inf, 10**400, [40]]),
        (SETTINGS, [0, 1], [0, [0], [0, 3], [-1, 0], [0, 1.0], [False, True], {}]),
        (CURVE, [0, 1, 2, 100], [[0, 1, 2], [0, 1, 2, 101], [0, 1, 2, -1], [0, 1, 2, math.nan], ["0"] * 4, None]),
    ],
)
def test_only_an_answer_fits(exercise, answer, no_answers):
    assert exercise.fits(answer)
    assert not any(map(exercise.fits, no_answers))


def test_the_right_curve_is_sent_with_a_verdict_and_not_before():
    assert "curve" not in message(CURVE, None)
    assert message(CURVE, None)["verdict"] is None
    assert message(CURVE, [0.0] * 4)["curve"] is RISING


def test_an_export_has_answers_in_words():
    assert NUMBER.in_words(12.5) == "12.5"
    assert SETTINGS.in_words([1, 2]) == "T = 2, ε = 3"
    assert CURVE.in_words([0, 2.0, 4, 6]) == "0%, 2%, 4%, 6%"
