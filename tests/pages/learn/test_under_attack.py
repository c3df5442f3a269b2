"""The lesson A release under attack, without a browser and in one."""

import pytest
from accessibility import check_every_screen
from app_pages import answer, button as app_button, checked, open_lesson, words
from browser import NO_BROWSER, NOTHING_TESTED, button, main, until_whole
from playwright.sync_api import expect

RIGHT, WRONG = "The scale of the noise.", "The seed, once the noise is drawn."


def test_the_exercise_says_why_an_answer_is_wrong_or_right():
    app = open_lesson("under_attack")
    answer(app, "under_attack", WRONG)
    assert "subtracts the noise" in app.warning[0].value
    answer(app, "under_attack", RIGHT)
    assert not app.warning
    assert "must stay secret" in app.success[0].value


def test_the_prediction_is_asked_before_the_answer_is_shown():
    app = open_lesson("under_attack")
    assert "leave fractions" not in words(app)
    checked(app.radio(key="under_attack_prediction_ask").set_value("about 10 of them").run())
    checked(app_button(app, "Lock in").click().run())
    assert "Only 1 of them:** all others leave fractions" in words(app)


@pytest.mark.slow
@pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)
def test_a_learner_walks_through_the_lesson(open_lesson):
    page = open_lesson("under_attack", seed=1)
    joined, schema, seeds = (page.locator(f".st-key-{key}") for key in ("membership", "schema", "seed"))
    expect(joined.locator(".note")).to_contain_text("The promise holds.")
    joined.get_by_role("radio", name="a fifth of it").check()
    expect(joined.locator(".note")).to_contain_text("the promise allows 62%. The promise is broken.")
    joined.get_by_role("radio", name="none").check()
    expect(joined.locator(".note")).to_contain_text("wins 100% of even bets")
    expect(schema.locator(".note")).to_contain_text("shows that Eva is in the class")
    schema.get_by_role("slider", name="Leave out").press("Home")
    expect(schema.locator(".lost")).to_have_count(0)
    expect(seeds).to_have_count(0)
    main(page).get_by_text("1 of them", exact=True).click()
    until_whole(page)
    button(page, "Lock in").click()
    slider = seeds.get_by_role("slider", name="Seed")
    while "the noise is undone" not in seeds.locator(".note").inner_text():
        assert slider.input_value() != slider.get_attribute("max")
        slider.press("ArrowRight")

    for text, verdict in ((WRONG, "Not yet."), (RIGHT, "Right.")):
        main(page).get_by_text(text, exact=True).click()
        until_whole(page)
        button(page, "Check").click()
        expect(main(page).get_by_text(verdict)).to_be_visible()
    check_every_screen(page)
