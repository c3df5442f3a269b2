"""The extra lesson A whole table at once, without a browser and in one."""

import pytest
from accessibility import check_every_screen
from app_pages import answer, checked, open_lesson, words
from app_pages import button as app_button
from browser import NO_BROWSER, NOTHING_TESTED, button, main, until_whole
from playwright.sync_api import expect

RIGHT, WRONG = "245,157", "12,870"


def test_the_exercise_says_why_an_answer_is_wrong_or_right():
    app = open_lesson("net")
    answer(app, "net", WRONG)
    assert "more than twice as many" in app.warning[0].value
    answer(app, "net", RIGHT)
    assert not app.warning
    assert "It is 38 times as many" in app.success[0].value


def test_the_prediction_is_asked_before_the_answer_is_shown_and_the_lamp_is_green():
    app = open_lesson("net")
    assert "Checked just now" in app.success[0].value
    assert "lists all 6,435 tables" in words(app)
    assert "Only 14" not in words(app)
    checked(app.radio(key="net_prediction_ask").set_value("about 150").run())
    checked(app_button(app, "Lock in").click().run())
    assert "**Only 14.**" in words(app)


@pytest.mark.slow
@pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)
def test_a_learner_walks_through_the_lesson(open_lesson):
    page = open_lesson("net", seed=1)
    drawing = page.locator(".st-key-net")
    expect(drawing).to_have_count(0)
    main(page).get_by_text("about 150", exact=True).click()
    until_whole(page)
    button(page, "Lock in").click()
    expect(drawing).to_contain_text("At ε = 0.1 it chose a table that errs by at most 39 students")
    drawing.get_by_role("slider", name="ε").press("End")
    expect(drawing).to_contain_text("At ε = 1 it chose a table that errs by at most 11 students")
    check_every_screen(page)
