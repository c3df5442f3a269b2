"""The first screen in a real browser: what is in sight before anything is touched, and that a run moves none of it."""

import pytest
from browser import NARROW, NO_BROWSER, NOTHING_TESTED, button, main, scrubber, until, until_drawn, until_over
from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)
LAPTOPS = {"width": 1440, "height": 900}, {"width": 1280, "height": 720}


def top(element: Locator) -> float:
    box = element.bounding_box()
    assert box is not None
    return box["y"]


def in_sight(page: Page, element: Locator) -> bool:
    box, size = element.bounding_box(), page.viewport_size
    return bool(box and size) and box["y"] >= 0 and box["y"] + box["height"] <= size["height"]


@pytest.mark.parametrize("viewport", LAPTOPS, ids=lambda size: f"{size['width']}x{size['height']}")
def test_name_purpose_run_and_slider_are_on_the_first_screen_and_a_run_moves_none_of_them(open_app, viewport):
    page = open_app(viewport=viewport, table="Czech car workers", rounds=5)
    until_drawn(page)
    parts = [
        page.get_by_test_id("stHeaderLogo").first,
        main(page).get_by_text("differentially private synthetic data"),
        button(page, "Run"),
        page.locator(".mwem-player .plot").first,
        scrubber(page),
    ]
    assert all(in_sight(page, part) for part in parts)
    before = [top(part) for part in parts]
    button(page, "Run").click()
    until_over(page)
    assert [top(part) for part in parts] == pytest.approx(before, abs=1)


def test_on_a_telephone_run_is_in_sight_while_the_settings_are_read_and_shows_the_charts(open_app):
    page = open_app(viewport=NARROW)
    until_drawn(page)
    assert in_sight(page, button(page, "Run"))
    main(page).get_by_text("Privacy budget ε").scroll_into_view_if_needed()
    assert in_sight(page, button(page, "Run"))
    button(page, "Run").click()
    until(page, "p.getBoundingClientRect().top > 60 && p.getBoundingClientRect().top < innerHeight / 3")  # the charts


def test_compare_and_trade_off_open_with_an_answer_for_the_bundled_table(open_app):
    page = open_app()
    for name, answer in (("Compare", "is best by"), ("Trade-off", "you need ε")):
        page.get_by_role("link", name=name).click()
        main(page).get_by_text(answer).first.wait_for()
