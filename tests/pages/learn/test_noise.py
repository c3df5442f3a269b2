"""The lesson Noise, without a browser and in one."""

import re

import pytest
from accessibility import check_every_screen
from app_pages import answer, button as app_button, checked, open_lesson
from browser import NO_BROWSER, NOTHING_TESTED, button, main, until_whole
from playwright.sync_api import expect

RIGHT, WRONG = "62% instead of 56%", "nothing else changes"


def test_the_exercise_says_why_an_answer_is_wrong_or_right():
    app = open_lesson("noise")
    answer(app, "noise", WRONG)
    assert "Less noise always shows more of you" in app.warning[0].value
    answer(app, "noise", RIGHT)
    assert not app.warning
    assert "The noise is 1/ε. The cap grows from 56%" in app.success[0].value
    assert "squares the odds" not in app.success[0].value  # the formula of the cap answers the prediction
    checked(app_button(app, "Lock in").click().run())
    answer(app, "noise", RIGHT)
    assert "squares the odds" in app.success[0].value


def test_the_prediction_is_asked_before_the_answer_is_shown():
    app = open_lesson("noise")
    assert "best guesser gets" not in "".join(text.value for text in app.markdown)
    checked(app_button(app, "Lock in").click().run())
    assert "best guesser gets **13.9** of 20" in "".join(text.value for text in app.markdown)


@pytest.mark.slow
@pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)
def test_a_learner_walks_through_the_lesson(open_lesson):
    page = open_lesson("noise", seed=3)
    first, bet, mean = (page.locator(f".st-key-{key}") for key in ("noise", "bet", "mean"))
    slider = first.get_by_role("slider", name="ε")
    slider.focus()
    before = first.locator("svg").inner_html()
    assert slider.get_attribute("aria-valuetext") == "0.5"
    expect(first.get_by_text("← 4 more")).to_be_visible()
    texts = first.locator("svg text").all_text_contents()
    beyond = [int(found) for text in texts for found in re.findall(r"(\d+) more", text)]
    expect(first.locator("circle")).to_have_count(200 - sum(beyond))
    assert beyond
    for _ in range(2):
        slider.press("ArrowRight")
    expect(first.locator(".note")).to_contain_text("ε = 1: you will predict what these show")
    expect(first.locator("circle")).to_have_count(0)
    slider.press("End")
    expect(first.locator(".note")).to_contain_text("ε = 5: the noise is 0.2")
    assert first.locator("svg").inner_html() != before
    first.get_by_role("radio", name="Discrete").check()
    expect(first).not_to_contain_text("of the time")
    expect(first).not_to_contain_text("Of 100 publications")

    neighbours = page.locator(".st-key-neighbours")
    expect(neighbours.locator(".note")).to_contain_text("Student 1 (first, under 6 h, coffee): in each table one count")
    expect(neighbours.locator(".moved")).to_have_text(["74−1", "43−1", "22−1"])
    neighbours.get_by_role("slider", name="Leave out").press("Home")
    expect(neighbours.locator(".moved")).to_have_count(0)

    button(page, "Lock in").click()
    expect(first.locator(".note")).to_contain_text("right 99% of the time")
    expect(first).to_contain_text("Of 100 publications")
    expect(main(page)).to_contain_text("The best guesser gets 13.9 of 20 right")
    bet.get_by_role("button", name="With you", exact=True).click()
    expect(bet.locator(".note").first).to_contain_text("it was drawn")
    mean.get_by_role("button", name="Ask ten more").click()
    expect(mean.locator(".note")).to_contain_text("After 20 answers at ε = 0.1 each, ε = 2 is spent")

    for words, verdict in ((WRONG, "Not yet."), (RIGHT, "Right.")):
        main(page).get_by_text(words).first.click()
        until_whole(page)
        button(page, "Check").click()
        expect(main(page).get_by_text(verdict)).to_be_visible()
    expect(bet.locator(".note").last).to_contain_text("of 1")  # a check redraws nothing that was played
    check_every_screen(page)
