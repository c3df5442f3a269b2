"""Lessons from files, with the network off: predicted, and their exercises done wrong and right."""

import pytest
from accessibility import violations
from browser import NARROW, NO_BROWSER, NOTHING_TESTED
from playwright.sync_api import expect

from mwem_app.course.blocks import Exercise
from mwem_app.course.lesson import LESSONS, blocks_of, lesson_at
from mwem_app.course.site.pages import lesson_page

pytestmark = [pytest.mark.slow, pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)]


@pytest.fixture
def open_file(chromium, tmp_path):
    """Open the file of a lesson on a phone without a network. Nothing may be fetched, and no script may fail."""
    errors = []
    context = chromium.new_context(offline=True, viewport=NARROW)

    def open_file(path):
        file = tmp_path / f"{path}.html"
        file.write_text(lesson_page(lesson_at(path), 1), encoding="utf-8")
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(f"{error}"))
        page.on("console", lambda line: errors.append(line.text) if line.type in ("error", "warning") else None)
        page.on("request", lambda request: errors.append(request.url) if request.url != file.as_uri() else None)
        page.goto(file.as_uri())
        return page

    yield open_file
    context.close()
    assert errors == []


def end(page):
    """Axe finds nothing, and the page is no wider than a phone."""
    assert violations(page) == []
    assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.path)
def test_a_lesson_without_a_server_opens_its_answer_with_the_prediction_and_judges_every_answer(open_file, lesson):
    page = open_file(lesson.path)
    after, before = (page.locator(f"[data-once={when}]") for when in ("after", "before"))
    (exercise,) = (block for block in blocks_of(lesson, 1) if isinstance(block, Exercise))
    task = page.locator("[data-block=Exercise]")
    assert not any(part.is_visible() for part in after.all())
    if lesson.path == "rounds":
        page.locator("[data-key=rounds] .handles circle").nth(5).press("ArrowDown")
        page.get_by_role("button", name="Lock in my curve").click()
        expect(page.locator("[data-key=rounds] .note")).to_contain_text("Your curve is lowest at 8")
    else:
        for option in page.locator("[data-predicts] [type=radio]").all()[:1]:
            option.check()
        page.get_by_role("button", name="Lock in").click()
        expect(page.get_by_role("status").first).to_contain_text("You predicted ")
    for answer in exercise.answers:
        task.get_by_role("radio", name=answer, exact=True).check()
        expect(task.locator("[data-right]:visible")).to_have_count(0)
        task.get_by_role("button", name="Check").click()
        expect(task.locator("[data-right]:visible")).to_contain_text(
            "Right." if answer == exercise.right else "Not yet."
        )
    assert all(part.is_visible() for part in page.locator("[data-block=Reveal]").all())
    assert not any(part.is_visible() for part in before.all())
    end(page)


def test_a_number_is_checked_without_a_server(open_file):
    page = open_file("composition")
    exercise = page.locator("[data-block=NumberExercise]")
    field, verdict = exercise.get_by_role("textbox", name="Your answer"), exercise.locator(".verdict")
    for text, found in (
        ("forty", "Write a number, such as 12.5."),
        ("20", "a factor of two is missing"),
        ("1,000", "too large by more than a factor of ten"),
        ("0,025", "That is the ε of one measurement."),
        ("40", "Right. 10 rounds take 20 equal slices"),
    ):
        field.fill(text)
        expect(verdict).to_be_empty()
        field.press("Enter")
        expect(verdict).to_contain_text(found)
    end(page)


def test_settings_are_checked_without_a_server(open_file):
    page = open_file("rounds")
    page.locator("[data-key=rounds] .handles circle").nth(5).press("ArrowDown")
    page.get_by_role("button", name="Lock in my curve").click()
    settings = page.locator("[data-block=SettingsExercise]")
    verdict = settings.locator(".verdict")
    settings.get_by_role("slider", name="Budget ε").press("ArrowLeft")
    settings.get_by_role("button", name="Check").click()
    expect(verdict).to_contain_text("ε is 6.4, 4.4 more than the 2 allowed.")
    for slider, keys in (("Budget ε", ["ArrowLeft"] * 2), ("Rounds T", ["ArrowRight"] * 6)):
        for key in keys:
            settings.get_by_role("slider", name=slider).press(key)
    expect(verdict).to_be_empty()
    settings.get_by_role("button", name="Check").click()
    expect(verdict.locator(".right")).to_have_count(3)
    expect(verdict).to_contain_text("The largest error is 72.3 students")
    end(page)
