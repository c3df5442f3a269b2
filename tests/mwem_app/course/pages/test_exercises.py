"""Exercises by a number, by sliders and by a drawn curve on their pages, without a browser and in one."""

import pytest
from accessibility import violations
from app_pages import answer, checked, open_lesson
from browser import NARROW, NO_BROWSER, NOTHING_TESTED, main
from playwright.sync_api import expect

from mwem_app.course import LESSONS
from mwem_app.course.blocks import Exercise
from mwem_app.course.lesson import blocks_of
from mwem_app.course.rounds.rounds_numbers import ROUNDS
from mwem_app.session import LOCKS

RIGHT = {"choosing": "2.7 times", "reweighting": "30"}
PREDICTED = {
    "choosing": {"choosing_prediction": 100},
    "rounds": {"rounds_drawn": [10.0] * len(ROUNDS)},
}


@pytest.mark.parametrize("lesson", PREDICTED)
def test_an_exercise_waits_for_the_prediction_that_it_would_help(monkeypatch, lesson):
    asked = []
    monkeypatch.setattr("mwem_app.course.tasks.drawing", lambda name, data, **_: asked.append(data["kind"]))
    app = open_lesson(lesson)
    assert asked == []
    app.session_state[LOCKS] = PREDICTED[lesson]
    checked(app.run())
    assert len(asked) == 1


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.path)
def test_an_answer_is_called_right_or_wrong_with_its_reason_and_tells_nothing_of_the_prediction(lesson):
    (exercise,) = (block for block in blocks_of(lesson, 1) if isinstance(block, Exercise))
    assert exercise.right == RIGHT.get(lesson.path, exercise.right)
    app = open_lesson(lesson.path)
    for chosen, reason in exercise.answers.items():
        answer(app, lesson.path, chosen)
        shown, other = ("success", "warning") if chosen == exercise.right else ("warning", "success")
        (verdict,) = getattr(app, shown)
        assert verdict.value.endswith(reason)  # without what is added once it is predicted
        assert not getattr(app, other)


@pytest.mark.slow
@pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)
def test_a_curve_is_drawn_by_keys_and_in_a_stroke_and_compared(open_lesson):
    page = open_lesson("choosing", viewport=NARROW)
    main(page).get_by_role("button", name="Lock in").click()
    exercise = page.locator(".st-key-exercise_choosing_chance_of_the_worst")
    points, check = exercise.get_by_role("slider"), exercise.get_by_role("button", name="Compare")
    expect(check).to_be_disabled()
    points.first.press("End")
    expect(points.first).to_have_attribute("aria-valuetext", "100%")
    points.nth(1).scroll_into_view_if_needed()
    start, end = points.nth(1).bounding_box(), points.last.bounding_box()
    page.mouse.move(start["x"] + 7, start["y"] + 7)
    page.mouse.down()
    page.mouse.move(end["x"] + 7, end["y"] - 120, steps=12)
    page.mouse.up()
    low, high = (float(point.get_attribute("aria-valuenow")) for point in (points.nth(1), points.last))
    assert low < 10 < high
    expect(exercise).not_to_contain_text("computed")
    check.click()
    verdict = exercise.locator(".verdict")
    expect(verdict).to_contain_text("Not yet. Too high at the left")
    expect(exercise.locator(".legend")).to_contain_text("computed")
    assert violations(page) == []
    points.first.press("PageDown")
    expect(verdict).to_be_empty()
    expect(exercise.locator(".legend")).not_to_contain_text("computed")
    check.click()
    expect(verdict).to_contain_text("Not yet.")
