"""The lesson on composition, without a browser and in one."""

import pytest
from accessibility import check_every_screen
from app_pages import button as app_button, checked, open_lesson
from browser import NO_BROWSER, NOTHING_TESTED, button, main, until_whole
from playwright.sync_api import expect

ANSWERS = {"ε = 1, as a year has passed.": "The budget does not refill", "ε = 2.": "the costs add up"}


def test_the_exercise_says_why_an_answer_is_wrong_or_right():
    app = open_lesson("composition")
    for answer, why in ANSWERS.items():
        checked(app.radio(key="composition_answer").set_value(answer).run())
        checked(app_button(app, "Check").click().run())
        assert why in (app.warning or app.success)[0].value


@pytest.mark.slow
@pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)
def test_a_learner_walks_through_the_lesson(open_lesson):
    page = open_lesson("composition")
    purse, accounts = page.locator(".st-key-purse"), page.locator(".st-key-accounts")
    expect(purse.locator(".note")).to_contain_text(
        "with a mean noise of 6.3, after 3 answers, for ε = 0.3. One answer at ε = 0.3, planned"
    )
    ask = purse.get_by_role("button", name="Ask how many sleep under 6 h")
    ask.focus()
    for _ in range(6):
        page.keyboard.press("Enter")
    expect(purse.locator(".note")).to_contain_text("The purse is empty.")
    expect(ask).to_be_disabled()
    purse.get_by_role("button", name="Show the truth").click()
    expect(purse).to_contain_text("truth 44")

    slider = accounts.get_by_role("slider", name="T")
    expect(accounts).not_to_contain_text("zCDP")
    button(page, "Lock in").click()
    expect(main(page)).to_contain_text("zCDP says ε = 4.0")
    slider.focus()
    slider.press("Home")
    expect(accounts.locator(".note")).to_contain_text("The least is the sum's.")

    for answer, why in ANSWERS.items():
        main(page).get_by_text(answer, exact=True).click()
        until_whole(page)
        button(page, "Check").click()
        expect(main(page)).to_contain_text(why)
    expect(purse.locator(".note")).to_contain_text("The purse is empty.")  # a check redraws nothing that was played
    check_every_screen(page)
