"""Every page in a real browser, light and dark, checked by axe: contrast, names, roles, headers."""

import pytest
from accessibility import violations
from browser import NO_BROWSER, NOTHING_TESTED, follow, main, part, until_drawn, until_whole
from playwright.sync_api import expect

pytestmark = [pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED), pytest.mark.slow]
SHORT = {"table": "Czech car workers", "rounds": 11, "seed": 1}


PAGES = {
    "Release": "Make files that",
    "Ask": "Ask a release",
    "Compare": "Which system is most accurate",
    "Trade-off": "How small can ε be?",
    "How it scales": "Many attributes",
    "The paper": "What of the papers holds",
}


def test_no_page_opens_with_a_violation(open_app):
    page = open_app(**SHORT)
    until_drawn(page)
    assert violations(page) == []
    expect(main(page).get_by_role("heading", level=1)).to_have_text("Run")
    for name in ("table", "queries", "epsilon", "method"):
        part(page, name)
        assert violations(page) == [], name
    page.keyboard.press("Escape")
    for name, landmark in PAGES.items():
        follow(page, name)
        main(page).get_by_text(landmark).wait_for()
        until_whole(page)
        assert violations(page) == [], name
        expect(main(page).get_by_role("heading", level=1)).to_have_count(1)
        expect(page.locator("img.stLogo")).to_have_attribute("alt", "MWEM Explorer")


def test_a_finished_run_is_shown_without_a_violation(finished):
    until_whole(finished)
    assert violations(finished) == []
