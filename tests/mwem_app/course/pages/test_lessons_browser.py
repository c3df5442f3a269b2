"""The list of the lessons and a handout in a browser: axe finds nothing."""

import pytest
from accessibility import violations
from browser import NO_BROWSER, NOTHING_TESTED, main, until_whole
from playwright.sync_api import expect

from mwem_app.course import handout_page, lesson_at

pytestmark = pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)


@pytest.mark.slow
def test_the_list_of_lessons_leads_to_one_and_back(visitors):
    page = visitors.visit(visitors.app + "learn")
    main(page).get_by_text("For the teacher").click()
    until_whole(page)
    assert violations(page) == []
    page.keyboard.press("Escape")
    main(page).get_by_role("link", name="3. Noise").click()
    expect(main(page).get_by_role("heading", name="Noise", level=1)).to_be_visible()
    expect(page).to_have_url(visitors.app + "learn?lesson=noise")
    page.go_back()
    expect(main(page).get_by_role("heading", name="Learn", level=1)).to_be_visible()


def test_a_handout_has_no_violation(chromium, tmp_path):
    file = tmp_path / "noise.html"
    file.write_text(handout_page(lesson_at("noise"), 1, "http://localhost/learn?lesson=noise"), encoding="utf-8")
    page = chromium.new_page()
    page.goto(file.as_uri())
    assert violations(page) == []
    page.close()
