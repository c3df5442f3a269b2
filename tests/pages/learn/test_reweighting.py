"""The lesson Reweighting: its page without a browser, and a walk in a browser."""

import pytest
from accessibility import check_every_screen
from app_pages import button, checked, open_lesson, words
from browser import NO_BROWSER, NOTHING_TESTED, main
from playwright.sync_api import expect


def verdicts(app):
    """The exercise's answer, without its colour."""
    return "\n".join(each.value for each in (*app.success, *app.warning))


def test_the_updates_needed_are_told_once_a_prediction_is_locked_in():
    app = open_lesson("reweighting")
    assert "After 6 updates" not in words(app)
    checked(button(app, "Lock in").click().run())
    assert "**After 6 updates.**" in words(app)
    assert "(28/400)² = 0.0049" in words(app)
    assert "at most **61** updates" in words(app)


def test_every_answer_of_the_exercise_is_explained_and_one_is_right():
    app = open_lesson("reweighting")
    options = app.radio[-1].options
    right = []
    for option in options:
        app.radio[-1].set_value(option)
        checked(app.run())
        checked(button(app, "Check").click().run())
        assert ("**Right.**" in verdicts(app)) != ("**Not yet.**" in verdicts(app))
        right += [option] if "**Right.**" in verdicts(app) else []
    assert (right, len(options)) == (["30"], 4)


@pytest.mark.slow
@pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)
def test_a_walk_through_the_lesson(open_lesson):
    page = open_lesson("reweighting", seed=1)
    push = page.locator(".st-key-push")
    expect(push).to_contain_text("now hold 88 students")
    push.get_by_role("slider", name="Push").press("ArrowRight")
    expect(push).to_contain_text("now hold 85 students")

    main(page).get_by_role("button", name="Lock in").click()
    hand = page.locator(".st-key-hand")
    expect(hand.get_by_role("button", name="Update")).to_be_disabled()
    hand.get_by_role("radio", name="short sleep A 100").press(" ")
    hand.get_by_role("slider", name="Ψ will fall by").press("ArrowRight")
    hand.get_by_role("button", name="Update").click()
    expect(hand).to_contain_text("Ψ fell by 0.0368. You said 0.002. Promised: at least (56/400)² = 0.0196.")
    expect(hand).to_contain_text("The bound holds.")
    hand.get_by_role("button", name="Undo").click()
    expect(hand).to_contain_text("Pick a question.")
    for error in (49, 43, 38, 33, 29, 26):  # after the sixth update none is off by more than 28
        hand.get_by_role("button", name="Update").click()
        expect(hand.locator(".question").nth(2)).to_contain_text(f"off by {error}")
    expect(hand.locator(".question").nth(3)).to_contain_text("off by 27")

    noise = page.locator(".st-key-noise")
    noise.get_by_role("slider", name="ε of each measurement").press("End")
    expect(noise).to_contain_text("Ψ rose in 0 of 10 rounds; the bound held in all.")

    main(page).get_by_text("There is no limit", exact=True).click()
    main(page).get_by_role("button", name="Check").click()
    expect(main(page).get_by_text("Not yet.")).to_be_visible()
    main(page).get_by_text("30", exact=True).click()
    main(page).get_by_role("button", name="Check").click()
    expect(main(page).get_by_text("Right.", exact=True)).to_be_visible()
    check_every_screen(page)
