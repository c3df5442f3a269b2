"""The first screen in a real browser: what is in sight before anything is touched, and that a run moves none of it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from browser import (
    NARROW,
    NO_BROWSER,
    NOTHING_TESTED,
    SECONDS,
    WIDER,
    button,
    follow,
    main,
    scrubber,
    until,
    until_drawn,
    until_over,
    until_true,
    until_whole,
    words,
)
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

pytestmark = pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)
LARGE, SMALL = {"width": 1440, "height": 900}, {"width": 1280, "height": 720}
PLOTLY = "**/plotly*.gz"
SKETCH_OF = """(lines) => {
  const image = document.querySelector(".sketch img");
  const drawn = decodeURIComponent(image?.src ?? "").split('stroke-width="2.5"').length - 1;
  return drawn === lines && image.naturalWidth > 0 && image.clientWidth > 600;
}"""


def top(element: Locator) -> float:
    box = element.bounding_box()
    assert box is not None
    return box["y"]


def tops(page: Page, parts: list[Locator]) -> list[float]:
    """Where the parts begin, once they stand still."""
    before, now = [], [top(part) for part in parts]
    while now != before:
        page.wait_for_timeout(200)
        before, now = now, [top(part) for part in parts]
    return now


def in_sight(page: Page, element: Locator) -> bool:
    box, size = element.bounding_box(), page.viewport_size
    return bool(box and size) and box["y"] >= 0 and box["y"] + box["height"] <= size["height"]


@pytest.mark.slow
def test_name_purpose_run_and_slider_are_on_the_first_screen_and_a_run_moves_none_but_the_focus(open_app):
    page = open_app(viewport=LARGE, table="Czech car workers", rounds=5)
    until_drawn(page)
    parts = [
        page.get_by_test_id("stHeaderLogo").first,
        main(page).get_by_text("Watch a model learn a table"),
        button(page, "Run"),
        page.locator(".mwem-player .plot").first,
        scrubber(page),
    ]
    on_large = tops(page, parts)
    assert all(in_sight(page, part) for part in parts)
    page.set_viewport_size(SMALL)
    on_small = tops(page, parts)
    assert all(in_sight(page, part) for part in parts)
    check_focus_is_seen(page, page.get_by_test_id("stHeader").get_by_role("button", name="Explore"))
    button(page, "Run").focus()
    page.keyboard.press("Enter")
    expect(scrubber(page)).to_be_focused()
    until_over(page)
    expect(scrubber(page)).to_be_focused()
    assert tops(page, parts) == pytest.approx(on_small, abs=1)
    page.set_viewport_size(LARGE)
    assert tops(page, parts) == pytest.approx(on_large, abs=1)


def check_focus_is_seen(page: Page, link: Locator) -> None:
    page.keyboard.press("Tab")
    link.focus()
    expect(link).to_have_css("outline-style", "solid")
    expect(link).to_have_css("outline-width", "2px")


@pytest.mark.slow
def test_on_a_telephone_run_is_in_sight_and_shows_the_charts(open_app):
    page = open_app(viewport=NARROW, dark=True)
    until_drawn(page)
    assert max(page.evaluate(WIDER)) <= 1
    assert in_sight(page, button(page, "Run"))
    button(page, "Run").click()
    until(page, "p.dataset.status !== 'idle'")
    assert in_sight(page, page.locator(".mwem-player .plot").first)  # of itself: the settings take few lines


@contextmanager
def plotly_held(context: BrowserContext) -> Iterator[list[Route]]:
    """Hold what asks for Plotly. Later tests visit in the same context, so it is let through again whatever happens."""
    held: list[Route] = []
    context.route(PLOTLY, lambda route: held.append(route))
    try:
        yield held
    finally:
        context.unroute(PLOTLY)


def until_asked_for(page: Page, held: list[Route]) -> None:
    """Wait until a chart asks for Plotly, which it does some time after its lines are there."""
    last = time.monotonic() + SECONDS
    while not held and time.monotonic() < last:
        page.wait_for_timeout(50)
    assert held, f"no chart asked for Plotly in {SECONDS} s; the page: {words(page)}"


@pytest.mark.slow
def test_compare_and_trade_off_open_with_an_answer_and_a_chart_before_plotly_is_there(visitors):
    with plotly_held(visitors.contexts[0]) as held:
        page = visitors.visit(visitors.app + "trade_off")
        main(page).get_by_text("you need ε").first.wait_for()
        sketch = page.locator(".sketch").first
        until_true(page, SKETCH_OF, 5)  # lines
        expect(sketch).to_contain_text("95% of counts err by at most, records (log scale)")
        until_asked_for(page, held)
        held[0].continue_()
    page.locator(".mwem-redrawn .main-svg .trace").first.wait_for()
    expect(sketch).to_be_hidden()
    follow(page, "Compare")
    main(page).get_by_text("by records off per count").first.wait_for()


@pytest.mark.slow
def test_ask_and_learn_open_on_one_small_screen_and_every_picture_is_drawn(visitors):
    page = visitors.visit(visitors.app + "ask", viewport=SMALL)
    until_whole(page)
    chart = page.locator(".main-svg").first
    expect(chart).to_be_visible()
    assert all(in_sight(page, part) for part in (main(page).get_by_text("The answers go from"), chart))
    follow(page, "Lessons")
    pictures = page.locator("[class*=st-key-card_] img")
    expect(pictures).to_have_count(9)
    until_whole(page)
    assert in_sight(page, main(page).get_by_role("link", name="9. One purse"))
    assert pictures.evaluate_all("all => all.every(each => each.naturalWidth > 0)")
    pictures.first.click(force=True)  # all of a card is its link
    expect(page).to_have_url(visitors.app + "learn?lesson=attack")
