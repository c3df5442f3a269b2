"""The lesson Attack it, without a browser and in one."""

import pytest
from accessibility import check_every_screen
from app_pages import answer, button as app_button, checked, open_lesson
from browser import NO_BROWSER, NOTHING_TESTED, button, main, until_whole
from playwright.sync_api import expect

RIGHT, WRONG = "stop answering when a budget is spent", "Add fresh noise to every answer"


def test_the_exercise_says_why_an_answer_is_wrong_or_right():
    app = open_lesson("attack")
    answer(app, "attack", WRONG)
    assert "as good as an exact one" in app.warning[0].value
    answer(app, "attack", RIGHT)
    assert not app.warning
    assert "together they must have an end" in app.success[0].value


def test_the_prediction_is_asked_before_the_answer_is_shown():
    app = open_lesson("attack")
    assert "About 16" not in "".join(text.value for text in app.markdown)
    checked(app.radio(key="attack_prediction_ask").set_value("about 1").run())
    checked(app_button(app, "Lock in").click().run())
    assert "About 16" in "".join(text.value for text in app.markdown)


@pytest.mark.slow
@pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)
def test_a_learner_walks_through_the_lesson(open_lesson):
    page = open_lesson("attack", seed=1)
    exact, noisy = (page.locator(f".st-key-{key}") for key in ("exact", "noisy"))
    expect(exact.locator("[data-state=known]")).to_have_count(1)  # Ada
    ask = exact.locator("button.primary")
    expect(ask).to_be_disabled()
    for name in ("Ada", "Ben", "Cem", "Dua"):
        exact.get_by_role("button", name=name).press("Enter")
    ask.click()
    expect(exact.locator(".note")).to_contain_text("3 questions asked")
    for name in ("Dua", "Eva"):
        exact.get_by_role("button", name=name).click()
    ask.click()
    expect(exact.locator(".note")).to_contain_text("4 questions asked")

    main(page).get_by_text("about 4", exact=True).click()
    until_whole(page)
    button(page, "Lock in").click()
    expect(noisy.locator(".note")).to_contain_text("ε = 1: each count is off by about 8")
    noisy.get_by_role("slider", name="ε").press("End")
    expect(noisy.locator(".note")).to_contain_text("ε = 32: each count is off by about 0.25")

    for text, verdict in ((WRONG, "Not yet."), (RIGHT, "Right.")):
        main(page).get_by_text(text).first.click()
        until_whole(page)
        button(page, "Check").click()
        expect(main(page).get_by_text(verdict)).to_be_visible()
    expect(exact.locator(".note")).to_contain_text("4 questions asked")  # a check takes back nothing
    check_every_screen(page)
