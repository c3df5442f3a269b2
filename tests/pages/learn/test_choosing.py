"""The lesson Choosing: its page without a browser, and a walk through it in a browser."""

import re

import pytest
from accessibility import check_every_screen
from app_pages import button, checked, open_lesson, words
from browser import NO_BROWSER, NOTHING_TESTED, main
from playwright.sync_api import expect


def verdicts(app):
    """The exercise's answer, without its colour."""
    return "\n".join(each.value for each in (*app.success, *app.warning))


def test_the_answer_to_the_prediction_is_shown_once_it_is_locked_in():
    app = open_lesson("choosing", seed="1")
    assert "chosen **" not in words(app)
    assert "Permute-and-flip" not in words(app)  # its scene could be set to what the prediction asks
    next(slider for slider in app.slider if slider.label.startswith("Now ε doubles")).set_value(150)
    checked(button(app, "Lock in").click().run())
    assert "You predicted **150**" in words(app)
    assert "grows from 49% to 77%" in words(app)
    assert "chosen **160** times" in words(app)
    assert "Permute-and-flip" in words(app)


def test_every_answer_of_the_exercise_is_explained_and_one_is_right():
    app = open_lesson("choosing")
    radio = next(radio for radio in app.radio if radio.label.startswith("Two candidates"))
    right = []
    for option in radio.options:
        next(each for each in app.radio if each.label == radio.label).set_value(option)
        checked(app.run())
        checked(button(app, "Check").click().run())
        assert ("**Right.**" in verdicts(app)) != ("**Not yet.**" in verdicts(app))
        right += [option] if "**Right.**" in verdicts(app) else []
    assert right == ["2.7 times"]


@pytest.mark.slow
@pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)
def test_a_walk_through_the_lesson(open_lesson):
    page = open_lesson("choosing", seed=1)
    row = page.locator(".st-key-start .candidate").nth(1)
    expect(row).to_contain_text("49%")
    row.get_by_role("slider", name="Score of sleep 6 to 8 h").press("Home")
    expect(row).to_contain_text("10%")  # with a score of 0 it is the last of five

    main(page).get_by_role("button", name="Lock in").click()
    main(page).get_by_role("button", name="Spin 200 times").click()
    spun = page.locator(".st-key-spin")
    expect(spun).to_contain_text("77% · 160")
    expect(page.get_by_text("200 points fell")).to_be_visible()
    spun.get_by_role("slider", name="ε", exact=True).press("End")
    expect(spun).to_contain_text(re.compile(r"100% · 200"))

    lamp = main(page).locator(".lamp")
    expect(lamp).to_have_attribute("data-holds", "true")
    main(page).get_by_role("radio", name="the slip").check(force=True)
    expect(lamp).to_have_attribute("data-holds", "false")
    expect(lamp).to_contain_text("The promise is broken.")

    main(page).get_by_text("7.4 times", exact=True).click()
    main(page).get_by_role("button", name="Check").click()
    expect(main(page).get_by_text("Not yet.")).to_be_visible()
    main(page).get_by_text("2.7 times", exact=True).click()
    main(page).get_by_role("button", name="Check").click()
    expect(main(page).get_by_text("Right.", exact=True)).to_be_visible()

    with page.expect_download() as taken:
        main(page).get_by_role("button", name="My answers").click()
    assert "Choosing,exercise" in taken.value.path().read_text(encoding="utf-8")
    check_every_screen(page)
