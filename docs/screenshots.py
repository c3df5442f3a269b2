"""Take the screenshots of the README again: `python docs/screenshots.py`. Needs an installed Chromium."""

import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent / "tests" / "helpers"))

from browser import (  # noqa: E402
    address,
    button,
    follow,
    launch,
    main,
    scrubber,
    serving,
    until,
    until_drawn,
    until_over,
)

ADULT = {"epsilon": 0.5, "seed": 1, "across": "education", "down": "sex"}
RANGES = {"table": "Adult, whole numbers", "rounds": 40, "seed": 1, "across": "age"}
SURVEY = (DOCS.parent / "sample_data" / "class_survey.csv").read_bytes()

TO_TOP = "element => element.closest('[data-testid=stMain]').scrollBy(0, element.getBoundingClientRect().top - 76)"


def take() -> None:
    """Take every screenshot. All runs are seeded and repeatable, except the one that shows a private run."""
    with serving() as app, sync_playwright() as playwright:
        browser = launch(playwright)

        def visit(width: int, height: int, scheme: str, page: str = "run", **settings: object) -> Page:
            return opened(browser, app + page + address(**settings), width, height, scheme)

        page = browser.new_page(viewport={"width": 1360, "height": 760}, reduced_motion="reduce")
        page.goto(app)
        page.locator(".drawing[data-ready=true]").wait_for()
        save(page, "front")

        page = visit(1360, 1100, "light", **ADULT)
        run(page)
        show_round(page, 6)
        save(page, "run-light")
        page.set_viewport_size({"width": 1360, "height": 1740})
        top(page, "Result")
        save(page, "take-away")

        page = visit(1360, 1100, "dark", **RANGES)
        run(page)
        show_round(page, 12)
        save(page, "run-dark")

        page = visit(390, 1100, "light", **RANGES)
        run(page)
        show_round(page, 12)
        top(page, "Error by round")
        save(page, "run-narrow")

        page = visit(1360, 1000, "light", table="Czech car workers", k=3, up_to="true", truth="false")
        run(page)
        save(page, "without-truth")

        page = visit(1360, 780, "light", table="Your own file")
        field = main(page).locator("input[type=file]").first
        field.set_input_files({"name": "class_survey.csv", "mimeType": "text/csv", "buffer": SURVEY})
        button(page, "Use this schema").wait_for()
        save(page, "upload")

        page = visit(1360, 1440, "light", "compare")
        main(page).get_by_text("Each dot is one query").wait_for()  # of answers that are soon recomputed
        save(page, "compare")

        page = visit(1360, 1100, "dark", "trade_off")
        main(page).get_by_text("you need ε").first.wait_for()
        save(page, "trade-off")

        page = visit(1360, 1440, "light")
        follow(page, "How it scales")
        main(page).get_by_role("heading", name="As one size grows").wait_for()
        save(page, "scale")

        page = window(browser, app + "ask", 1360, 900, "light")
        main(page).get_by_role("combobox", name="By", exact=True).click()
        page.get_by_role("option", name="education", exact=True).click()
        main(page).get_by_role("heading", name="by education").wait_for()
        save(page, "ask")

        page = lesson(browser, app + "learn" + address(lesson="mwem"), "light")
        game = page.locator(".st-key-mwem_class")
        for _ in range(9):  # three rounds of three steps
            game.get_by_role("button", name="Step").click()
        game.get_by_text("rounds finished").scroll_into_view_if_needed()
        save(page, "lesson-mwem")
        save(lesson(browser, app + "learn" + address(lesson="noise"), "dark"), "lesson-noise")
        browser.close()


def opened(browser: Browser, url: str, width: int, height: int, scheme: str) -> Page:
    """Open a page that runs something, in a new window of this size."""
    page = window(browser, url, width, height, scheme)
    button(page, "Run").wait_for()
    return page


def lesson(browser: Browser, url: str, scheme: str) -> Page:
    """Open a lesson, lock in its prediction, and return to its top."""
    page = window(browser, url, 1180, 1000, scheme)
    main(page).get_by_role("link", name="All lessons").wait_for()
    button(page, "Lock in").click()
    main(page).get_by_text("You predicted").wait_for()
    main(page).evaluate("main => main.scrollTo(0, 0)")
    return page


def window(browser: Browser, url: str, width: int, height: int, scheme: str) -> Page:
    """Open an address in a new window of this size."""
    size = {"width": width, "height": height}
    context = browser.new_context(bypass_csp=True, viewport=size, color_scheme="dark" if scheme == "dark" else "light")
    page = context.new_page()
    page.goto(url)
    return page


def run(page: Page) -> None:
    """Run from the first round to the last."""
    until_drawn(page)
    button(page, "Run").click()
    until_over(page)


def show_round(page: Page, number: int) -> None:
    """Move the scrubber to a round by the keyboard."""
    scrubber(page).focus()
    page.keyboard.press("Home")
    for _ in range(number):
        page.keyboard.press("ArrowRight")
    until(page, f"p.dataset.shown === '{number}' && p.dataset.moving === 'false'")
    scrubber(page).blur()


def top(page: Page, heading: str) -> None:
    """Scroll until the heading is at the top."""
    main(page).get_by_role("heading", name=heading, exact=True).evaluate(TO_TOP)


def save(page: Page, name: str) -> None:
    """Save the page as a PNG when nothing on it moves."""
    page.mouse.move(2, 2)
    page.wait_for_function("!document.querySelector('[data-testid=stStatusWidget], [data-testid=stSkeleton]')")
    page.wait_for_timeout(1500)  # for elements that fade in
    file = DOCS / f"{name}.png"
    page.screenshot(path=file)
    print(f"{file.name}: {file.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    take()
