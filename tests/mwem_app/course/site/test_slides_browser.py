"""A deck and a handout from files, with the network off: turned, predicted, and printed."""

import re

import pytest
from accessibility import violations
from browser import NO_BROWSER, NOTHING_TESTED
from playwright.sync_api import expect

from mwem_app.course.lesson import LESSONS, lesson_at
from mwem_app.course.site.pages import handout_page
from mwem_app.course.site.slides import slides_page

pytestmark = [pytest.mark.slow, pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)]
SMALL, LARGE = {"width": 1280, "height": 720}, {"width": 1920, "height": 1080}
SHOWN = ".slide.shown"
OVER = "box => Math.max(box.scrollHeight - box.clientHeight, box.scrollWidth - box.clientWidth)"


@pytest.fixture
def open_deck(chromium, tmp_path):
    """Open a deck on a screen without a network. Nothing may be fetched, and no script may fail."""
    errors = []
    context = chromium.new_context(offline=True, viewport=SMALL)

    def open_deck(path, *, slide=1):
        file = tmp_path / f"{path}.html"
        file.write_text(slides_page(lesson_at(path), 1), encoding="utf-8")
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(f"{error}"))
        page.on("console", lambda line: errors.append(line.text) if line.type in ("error", "warning") else None)
        page.on("request", lambda request: errors.append(request.url) if "file:" not in request.url else None)
        page.goto(f"{file.as_uri()}#{slide}")
        return page

    yield open_deck
    context.close()
    assert errors == []


def pages_of(pdf):
    """How many pages a PDF has."""
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def heading(page):
    return page.locator(f"{SHOWN} h1")


def until_fitted(page):
    """Wait until the slide fits its screen; its policy forbids a condition that the page evaluates."""
    for _ in range(100):
        if page.locator(SHOWN).evaluate(OVER) <= 1:
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"{page.url} does not fit")


def test_a_deck_is_turned_and_opens_its_answers_with_the_prediction(open_deck):
    page = open_deck("noise")
    count, answer = page.locator(".slide").count(), page.locator(".slide[data-once=after]").first
    asked = page.locator(".slide:has([data-predicts])")
    expect(heading(page)).to_have_text("Noise")
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("#2$"))
    page.locator(SHOWN).get_by_role("slider", name="Privacy budget ε").press("ArrowRight")  # the drawing's, not ours
    expect(page).to_have_url(re.compile("#2$"))
    while not asked.is_visible():
        page.keyboard.press("PageDown")
    at = int(page.url.split("#")[1])
    page.keyboard.press("PageDown")
    expect(answer).to_be_hidden()
    assert int(page.url.split("#")[1]) > at + 1
    page.keyboard.press("PageUp")
    expect(page).to_have_url(re.compile(f"#{at}$"))
    page.get_by_role("button", name="Lock in").click()
    page.keyboard.press("PageDown")
    expect(answer).to_be_visible()
    expect(page).to_have_url(re.compile(f"#{at + 1}$"))
    page.keyboard.press("End")
    expect(page.locator("footer output")).to_have_text(f"{count} of {count}")
    page.evaluate("location.hash = '#2'")
    expect(page.locator("footer output")).to_have_text(f"2 of {count}")
    assert violations(page) == []


def test_slides_fit_two_screens_without_scrolling(open_deck):
    page = open_deck("mwem")
    for screen in SMALL, LARGE:
        page.set_viewport_size(screen)
        page.evaluate("location.hash = '#1'")
        for _ in range(page.locator(".slide").count()):
            until_fitted(page)
            page.keyboard.press("PageDown")


def test_a_slide_that_grows_fits_again(open_deck):
    page = open_deck("rounds", slide=2)
    while not (lock := page.get_by_role("button", name="Lock in my curve")).is_visible():
        page.keyboard.press("PageDown")
    until_fitted(page)
    page.locator(".handles circle").nth(5).press("ArrowDown")
    lock.click()
    expect(page.locator(SHOWN).get_by_role("slider", name="ε")).to_be_visible()
    until_fitted(page)


def test_a_deck_prints_a_slide_a_page(open_deck):
    page = open_deck("composition")
    shown = page.locator(".slide:not([hidden])").count()
    assert pages_of(page.pdf(prefer_css_page_size=True)) == shown


def test_a_handout_is_one_sheet_of_paper(chromium, tmp_path):
    """Letter is the shorter of the two papers."""
    page, pages = chromium.new_page(), {}
    for lesson in LESSONS:
        file = tmp_path / f"{lesson.path}.html"
        file.write_text(handout_page(lesson, 1, "https://a-class.example/learn?lesson=x&seed=1"), encoding="utf-8")
        page.goto(file.as_uri())
        pages[lesson.path] = pages_of(page.pdf(format="Letter"))
    page.close()
    assert {path: count for path, count in pages.items() if count > 2} == {}
