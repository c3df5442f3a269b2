"""The page Demonstrate in a browser: a projector sees the picture alone, and its questions reach the server."""

import pytest
from accessibility import violations
from browser import NO_BROWSER, NOTHING_TESTED, address, main, until_whole
from playwright.sync_api import expect

pytestmark = [pytest.mark.slow, pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)]

OVER = "box => [box.scrollHeight - box.clientHeight, box.scrollWidth - box.clientWidth]"


def test_a_projector_shows_the_picture_alone_on_one_screen_and_the_server_answers(visitors):
    where = visitors.app + "demonstrate" + address(table="Class survey", present="true")
    page = visitors.visit(where, viewport={"width": 1280, "height": 720})
    page.locator(".drawing[data-ready=true]").wait_for()
    until_whole(page)
    table = main(page).locator(".st-key-part_table button")
    expect(table).to_be_hidden()
    page.locator(".panel.estimate rect").first.click()
    expect(page.locator(".verdict")).to_contain_text("truth")  # at once, by the browser
    expect(page.locator(".answer")).to_contain_text("nterval")  # by the server
    assert violations(page) == []
    assert main(page).evaluate(OVER) == [0, 0]
    page.get_by_text("Present", exact=True).click()
    expect(table).to_be_visible()
    expect(page.get_by_label("Table in view")).to_be_visible()
