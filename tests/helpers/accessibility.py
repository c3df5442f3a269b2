"""What axe finds on a page, light and dark, and whether a lesson suits a phone and a projector."""

from axe_playwright_python.sync_playwright import Axe
from browser import NARROW, WIDER, main, until_true, until_whole
from playwright.sync_api import Page, expect

OPTIONS = {"resultTypes": ["violations"], "preload": False}  # what it would preload are films and sounds


def violations(page: Page) -> list[str]:
    """The violations that axe finds, of any impact: each rule with the part of the page that breaks it.

    A change of the scheme draws the page again, so the scheme that it has comes first.
    """
    found, dark = [], page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    for scheme in ("dark", "light") if dark else ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(100)  # Streamlit writes the colours of a theme once it hears of it
        while page.evaluate("document.getAnimations().some(each => each.playState === 'running')"):
            page.wait_for_timeout(50)  # text that fades in or out is pale
        found += [
            f"{scheme}: {rule['id']}: {node['failureSummary']}\n{node['html']}"
            for rule in Axe().run(page, options=OPTIONS).response["violations"]
            for node in rule["nodes"]
        ]
    return found


def check_every_screen(page: Page) -> None:
    """A lesson on a phone has no violation, on a projector larger type, and on neither is it wider than the screen."""
    until_whole(page)
    page.set_viewport_size(NARROW)
    until_true(page, f"Math.max(...({WIDER})()) === 0")
    assert violations(page) == []
    page.set_viewport_size({"width": 1280, "height": 720})
    small = main(page).get_by_role("heading", level=1).bounding_box()["height"]
    main(page).get_by_text("Projector").click()
    until_whole(page)
    expect(main(page).get_by_role("link", name="All lessons")).to_be_hidden()
    assert main(page).get_by_role("heading", level=1).bounding_box()["height"] > 1.4 * small
    until_true(page, f"Math.max(...({WIDER})()) === 0")
