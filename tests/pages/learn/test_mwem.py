"""The lesson MWEM, without a browser and in one."""

import pytest
from accessibility import check_every_screen
from app_pages import answer, button as app_button, checked, open_lesson, words
from browser import NO_BROWSER, NOTHING_TESTED, button, main, until_whole
from playwright.sync_api import expect

RIGHT, WRONG = "Nothing: the update reads A", "every sweep is a step"


def test_the_exercise_says_why_an_answer_is_wrong_or_right():
    app = open_lesson("mwem")
    answer(app, "mwem", WRONG)
    assert "no update takes anything" in app.warning[0].value
    answer(app, "mwem", RIGHT)
    assert not app.warning
    assert "Only select and measure read B" in app.success[0].value


def test_the_best_bettors_score_is_told_after_the_prediction():
    app = open_lesson("mwem")
    assert "along this run" not in words(app)
    checked(app_button(app, "Lock in").click().run())
    assert "of 8** along this run" in words(app)


@pytest.mark.slow
@pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)
def test_a_learner_walks_through_the_lesson(open_lesson):
    page = open_lesson("mwem", seed=3)
    one, run = page.locator(".st-key-mwem_round"), page.locator(".st-key-mwem_class")
    note, lit, purse, step = (one.locator(place) for place in (".note", "li[aria-current]", ".purse", "button.primary"))
    expect(purse).to_contain_text("left 8 of 8 ε")
    cell = one.get_by_role("button", name="sleep = over 8 h, drink = coffee")
    cell.focus()
    cell.press("Enter")
    expect(note).to_contain_text("Round 1 chose")
    expect(note).not_to_contain_text("chance")
    expect(cell.locator(".third")).to_have_text("")
    expect(lit).to_contain_text("Select")
    expect(purse).to_contain_text("select 0.5left 7.5 of 8 ε")
    step.click()
    expect(lit).to_contain_text("Measure")
    expect(purse).to_contain_text("select 0.5measure 0.5left 7 of 8 ε")
    step.click()
    expect(lit).to_contain_text("Update")
    expect(purse).to_contain_text("left 7 of 8 ε")
    expect(note).to_contain_text("No ε spent")
    expect(step).to_be_disabled()  # later rounds are not on the page
    expect(run).to_have_count(0)

    button(page, "Lock in").click()
    expect(main(page)).to_contain_text("along this run")
    expect(note).to_contain_text("No ε spent")  # the round that was played stands
    note, curve, purse, step = (run.locator(place) for place in (".note", ".plot svg", ".purse", "button.primary"))
    run.get_by_role("slider", name="ε").press("End")
    expect(purse).to_contain_text("left 16 of 16 ε")
    expect(curve.locator("path.line")).to_have_count(2)  # uniform, and the run so far
    cell = run.get_by_role("button", name="sleep = over 8 h, drink = coffee")
    cell.click()
    expect(note).to_contain_text(", chance ")
    expect(run.locator(".score")).to_contain_text("of 1")
    run.get_by_role("button", name="Start again").click()
    expect(note).to_contain_text("you have seen it")
    expect(cell).to_be_disabled()
    cell.press("Enter")
    expect(run.locator(".score")).to_have_text("")  # what was seen is no bet
    step.evaluate("step => { for (let i = 0; i < 25; i++) step.click(); }")
    expect(purse).to_contain_text("left 0 of 16 ε")
    expect(note).to_contain_text("The purse is empty")
    expect(step).to_be_disabled()
    run.get_by_role("slider", name="ε").press("Home")
    expect(run.locator(".plot")).to_contain_text("your last run, ε = 16")
    assert "NaN" not in curve.inner_html()
    step.evaluate("step => { for (let i = 0; i < 25; i++) step.click(); }")

    halves, sweeps, rows = (page.locator(f".st-key-mwem_{name}") for name in ("halves", "sweeps", "rows"))
    halves.get_by_role("slider").press("End")
    expect(halves.locator(".note")).to_contain_text("If 90% of a round measures")
    expect(halves.locator(".purse")).to_contain_text("select 0.8measure 7.2left 0 of 8 ε")
    sweeps.get_by_role("slider").press("End")
    expect(sweeps.locator(".note")).to_contain_text("After 1000 sweeps A is up to")
    rows.get_by_role("slider").press("Home")
    before = rows.locator(".rows").inner_text()
    rows.get_by_role("button", name="Draw again").click()
    expect(rows.locator(".rows")).not_to_have_text(before)
    for text, verdict in ((WRONG, "Not yet."), (RIGHT, "Right.")):
        main(page).get_by_text(text).first.click()
        until_whole(page)
        button(page, "Check").click()
        expect(main(page).get_by_text(verdict)).to_be_visible()
    expect(note).to_contain_text("The purse is empty")  # a check redraws nothing that was played

    page.get_by_role("radio", name="Adult").click(force=True)
    adult = page.locator(".st-key-mwem_adult")
    adult.get_by_role("button", name="workclass × race").click()
    expect(adult.locator(".note")).to_contain_text("Round 1 chose")
    check_every_screen(page)
