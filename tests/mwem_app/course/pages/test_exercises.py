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
from mwem_app.course.tasks import ATTEMPTS
from mwem_app.session import LOCKS, LockedValue

# Of each exercise, by its lesson and key: a wrong answer, what is found of it, and a right answer.
GIVEN = {
    ("composition", "noise_of_a_round"): (20, "but a factor of two is missing", 40),
    ("rounds", "college"): ([0, 4], "Moving “Rounds T” alone can mend this.", [6, 4]),
    ("choosing", "chance_of_the_worst"): (
        [40, 65, 84, 94, 98, 100, 100, 100, 100, 100],
        "this is the curve without the 2 in the formula",
        [30, 40, 52, 64, 76, 84, 90, 94, 96, 98],
    ),
}
RIGHT = {"choosing": "2.7 times", "reweighting": "30"}
PREDICTED = {
    "choosing": {"choosing_prediction": LockedValue("choosing", "", 100)},
    "rounds": {"rounds_drawn": LockedValue("rounds", "", [10.0] * len(ROUNDS))},
}


@pytest.fixture
def answering(monkeypatch):
    """Open a lesson whose exercise sends these answers; returns its page, and what the drawing is told each time."""

    def answering(lesson, answers):
        told, left = [], list(answers)

        def drawing(name, data, *, key, **_):
            told.append(data)
            return {"answer": left.pop(0)} if left else None

        monkeypatch.setattr("mwem_app.course.tasks.drawing", drawing)
        app = open_lesson(lesson)
        if lesson in PREDICTED:
            assert told == []  # the exercise would help to predict
            app.session_state[LOCKS] = PREDICTED[lesson]
            checked(app.run())
        return app, told

    return answering


@pytest.mark.parametrize(("lesson", "key"), GIVEN)
def test_an_answer_is_checked_by_the_page_and_every_attempt_is_noted(answering, monkeypatch, lesson, key):
    posted = []
    monkeypatch.setattr("mwem_app.course.tasks.post_attempt", lambda *about, **more: posted.append((*about, more)))
    wrong, why, right = GIVEN[lesson, key]
    app, told = answering(lesson, [wrong, right])
    before, first, second = told
    assert before["verdict"] is None
    assert "curve" not in before
    assert first["answer"] == wrong
    assert why in " ".join(finding.text for finding in first["verdict"])
    assert all(finding.right for finding in second["verdict"])
    attempts = app.session_state[ATTEMPTS][f"{lesson}_{key}"]
    assert [right for _, right in attempts] == [False, True]
    kind = before["kind"]
    assert posted == [(lesson, words, {"right": right, "kind": kind}) for words, right in attempts]


def test_what_is_no_answer_is_dropped(answering):
    app, told = answering("composition", ["40"])
    assert all(data["verdict"] is None for data in told)
    assert not app.session_state[ATTEMPTS]["composition_noise_of_a_round"]


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


def test_one_choice_after_another_is_noted():
    app = open_lesson("composition")
    for part in ("ε = 1, as a", "ε = 2."):
        answer(app, "composition", part)
    attempts = app.session_state[ATTEMPTS]["composition"]
    assert [right for _, right in attempts] == [False, True]


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
    with page.expect_download() as taken:
        main(page).get_by_role("button", name="My answers").click()
    text = taken.value.path().read_text(encoding="utf-8")
    assert [line.split(",")[-1] for line in text.splitlines() if "Five guesses" in line] == ["no", "no"]
