"""The lesson Why a factored model, without a browser and in one."""

import pytest
from accessibility import check_every_screen
from app_pages import answer, button as app_button, checked, open_lesson
from browser import NO_BROWSER, NOTHING_TESTED, button, main, until_whole
from playwright.sync_api import expect

SOLUTION = (
    ("workclass", "race"),
    ("workclass", "sex"),
    ("race", "sex"),
    ("education", "relationship"),
    ("marital-status", "occupation"),
    ("sex", "native-country"),
)


def test_the_exercise_says_why_an_answer_is_wrong_or_right():
    app = open_lesson("factored")
    answer(app, "factored", "84")
    assert "largest clique" in app.warning[0].value
    answer(app, "factored", "38,102,400")
    assert "no such table" in app.warning[0].value
    answer(app, "factored", "200")
    assert not app.warning
    assert "each pair is a clique" in app.success[0].value


def test_the_prediction_is_asked_before_the_answer_is_shown():
    app = open_lesson("factored")
    assert "It holds" not in "".join(text.value for text in app.markdown)
    checked(app.radio(key="factored_prediction_ask").set_value("672").run())
    checked(app_button(app, "Lock in").click().run())
    assert "It holds **3,360**" in "".join(text.value for text in app.markdown)


@pytest.mark.slow
@pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)
def test_a_learner_walks_through_the_lesson(open_lesson):
    page = open_lesson("factored", seed=1)
    growth, ring, puzzle = (page.locator(f".st-key-{key}") for key in ("growth", "ring", "puzzle"))
    slider = growth.get_by_role("slider", name="Pairs measured")
    expect(growth.locator(".note")).to_contain_text("holds 588 numbers")
    slider.focus()
    slider.press("End")
    expect(growth.locator(".note")).to_contain_text("16 pairs measured")
    slider.press("Home")
    expect(growth.locator(".note")).to_contain_text("0 pairs measured: the model holds 102 numbers")

    expect(ring.locator("svg .added")).to_have_count(0)
    main(page).get_by_text("10,080", exact=True).click()
    until_whole(page)
    button(page, "Lock in").click()
    expect(ring.locator("svg .added")).to_have_count(1)
    expect(main(page)).to_contain_text("It holds 3,360")

    expect(puzzle.locator("li.reached")).to_have_count(1)  # no pair costs too many cells
    for pair in SOLUTION:
        for name in pair:  # by keyboard
            puzzle.get_by_role("button", name=f"{name},").press("Enter")
    expect(puzzle.locator(".note")).to_contain_text("Solved with 375 cells")
    expect(puzzle.locator("li.reached")).to_have_count(4)

    for cells, verdict in (("38,102,400", "Not yet."), ("200", "Right.")):
        main(page).get_by_test_id("stRadio").get_by_text(cells, exact=True).click()
        until_whole(page)
        button(page, "Check").click()
        expect(main(page).get_by_text(verdict)).to_be_visible()
    expect(puzzle.locator(".note")).to_contain_text("Solved with 375 cells")  # a check takes back nothing
    check_every_screen(page)
