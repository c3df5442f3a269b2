"""Two lessons from a file, with the network off: dragged, predicted, an exercise done wrong and then right."""

import pytest
from accessibility import violations
from browser import NARROW, NO_BROWSER, NOTHING_TESTED
from playwright.sync_api import expect

from mwem_app.course.lesson import lesson_at
from mwem_app.course.site.pages import lesson_page

pytestmark = [pytest.mark.slow, pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)]

SOLUTION = (
    ("workclass", "race"),
    ("workclass", "sex"),
    ("race", "sex"),
    ("education", "relationship"),
    ("marital-status", "occupation"),
    ("sex", "native-country"),
)


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


def check(page, wrong, right):
    """Answer the exercise wrongly, then rightly."""
    exercise = page.locator("[data-block=Exercise]")
    for answer, verdict in ((wrong, "Not yet."), (right, "Right.")):
        exercise.get_by_role("radio", name=answer, exact=True).check()
        expect(exercise.locator("[data-right]:visible")).to_have_count(0)
        exercise.get_by_role("button", name="Check").click()
        expect(exercise.locator("[data-right]:visible")).to_contain_text(verdict)


def end(page):
    """Axe finds nothing, and the page is no wider than a phone."""
    assert violations(page) == []
    assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")


def test_the_factored_model_without_a_server(open_file):
    page = open_file("factored")
    growth, ring, puzzle = (page.locator(f"[data-key={key}]") for key in ("growth", "ring", "puzzle"))
    growth.get_by_role("slider", name="Pairs measured").press("End")
    expect(growth.locator(".note")).to_contain_text("16 pairs measured")

    expect(ring.locator("svg .added")).to_have_count(0)
    expect(puzzle).to_be_hidden()
    page.get_by_role("radio", name="10,080").check()
    page.get_by_role("button", name="Lock in").click()
    expect(page.get_by_role("status").first).to_have_text("You predicted 10,080.")
    expect(ring.locator("svg .added")).to_have_count(1)
    expect(page.get_by_text("It holds 3,360")).to_be_visible()
    expect(page.get_by_text("it opens once your prediction")).to_be_hidden()

    for pair in SOLUTION:
        for name in pair:
            puzzle.get_by_role("button", name=f"{name},").press("Enter")
    expect(puzzle.locator(".note")).to_contain_text("Solved with 375 cells")
    check(page, "38,102,400", "200")
    expect(puzzle.locator(".note")).to_contain_text("Solved with 375 cells")
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


def test_a_curve_is_compared_without_a_server(open_file):
    page = open_file("choosing")
    exercise = page.locator("[data-block=CurveExercise]")
    expect(exercise).to_be_hidden()
    page.get_by_role("button", name="Lock in").click()
    exercise.get_by_role("slider", name="ε = 0.05").press("End")
    exercise.get_by_role("button", name="Compare").click()
    expect(exercise.locator(".verdict")).to_contain_text("Too high at the left: at ε = 0.05")
    expect(exercise.locator(".legend")).to_contain_text("computed")
    end(page)


def test_how_many_rounds_without_a_server(open_file):
    page = open_file("rounds")
    drawing = page.locator("[data-key=rounds]")
    slices = page.locator("[data-key=slices]")
    slices.get_by_role("slider", name="Rounds T").press("End")
    expect(slices).to_contain_text("27 of 27")
    expect(drawing.locator(".legend").last).not_to_contain_text("measured")
    drawing.locator(".handles circle").nth(5).press("ArrowDown")
    drawing.get_by_role("button", name="Lock in my curve").click()
    expect(drawing.locator(".note")).to_contain_text("At ε = 0.08 the best is T = 8")
    expect(drawing.locator(".note")).to_contain_text("Your curve is lowest at 8")
    right = "More: as many as for 20,000 students at ε = 0.64."
    check(page, "The same: the queries and ε are the same.", right)
    expect(page.get_by_text("The curve is lowest at T = 8 at ε = 0.08")).to_be_visible()

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
