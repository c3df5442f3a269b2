"""On a phone, what a learner moves and what it changes are on one screen: every control of every lesson's file."""

import pytest
from browser import NARROW, NO_BROWSER, NOTHING_TESTED

from mwem_app.learn.lessons import LESSONS, lesson_at
from mwem_app.site.page import lesson_page

pytestmark = [pytest.mark.slow, pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)]


@pytest.mark.parametrize("path", [lesson.path for lesson in LESSONS])
def test_a_control_and_what_it_changes_are_on_one_screen_of_a_phone(chromium, tmp_path, path):
    from lesson_screens import predict, reaches

    file = tmp_path / f"{path}.html"
    file.write_text(lesson_page(lesson_at(path), 1), encoding="utf-8")
    page = chromium.new_page(viewport=NARROW, reduced_motion="reduce")
    page.goto(file.as_uri())
    found = list(reaches(page, served=False))
    predict(page)
    found += reaches(page, served=False)
    page.close()
    assert found
    assert [each for each in found if each.height > NARROW["height"]] == []
