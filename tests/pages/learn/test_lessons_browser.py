"""Every lesson on a phone and on a projector: axe finds nothing, and nothing reaches beyond the screen."""

import pytest
from accessibility import violations
from browser import NARROW, NO_BROWSER, NOTHING_TESTED, WIDER, main, until_whole
from playwright.sync_api import expect

from ui.learn.handout import handout
from ui.learn.lessons import LESSONS, lesson_at
from ui.learn.record import Task

pytestmark = pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)


@pytest.mark.parametrize("path", [lesson.path for lesson in LESSONS])
def test_a_lesson_suits_every_screen(open_lesson, path):
    page = open_lesson(path, viewport=NARROW)
    assert page.evaluate(WIDER) == [0, 0]
    assert violations(page) == []
    page.set_viewport_size({"width": 1280, "height": 720})
    small = main(page).get_by_role("heading", level=1).bounding_box()["height"]
    main(page).get_by_text("Projector").click()
    until_whole(page)
    expect(main(page).get_by_role("link", name="All lessons")).to_be_hidden()
    assert main(page).get_by_role("heading", level=1).bounding_box()["height"] > 1.4 * small
    assert page.evaluate(WIDER) == [0, 0]


def test_the_list_of_lessons_leads_to_one_and_back(visitors):
    page = visitors.visit(visitors.app + "learn")
    main(page).get_by_text("For the teacher").click()
    until_whole(page)
    assert violations(page) == []
    main(page).get_by_role("link", name="1. Noise").click()
    expect(main(page).get_by_role("heading", name="Noise", level=1)).to_be_visible()
    expect(page).to_have_url(visitors.app + "learn?lesson=noise")
    page.go_back()
    expect(main(page).get_by_role("heading", name="Learn", level=1)).to_be_visible()


def test_a_handout_has_no_violation(chromium, tmp_path):
    tasks = [Task("formula", "e<sup>ε</sup>", symbols={"ε": "the budget"}), Task("exercise", "Which?", ("one", "two"))]
    file = tmp_path / "noise.html"
    file.write_text(handout(lesson_at("noise"), tasks, "http://localhost/learn?lesson=noise"), encoding="utf-8")
    page = chromium.new_page()
    page.goto(file.as_uri())
    assert violations(page) == []
    page.close()
