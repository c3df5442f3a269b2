"""What axe finds on a page, light and dark."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page


def violations(page: Page) -> list[str]:
    """The violations that axe finds, of any impact: each rule with the part of the page that breaks it."""
    found = []
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(100)  # Streamlit writes the colours of a theme once it hears of it
        # Text that fades in or out is pale.
        page.wait_for_function("document.getAnimations().every(each => each.playState !== 'running')")
        rules = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
        found += [
            f"{scheme}: {rule['id']}: {node['failureSummary']}\n{node['html']}"
            for rule in rules
            for node in rule["nodes"]
        ]
    return found
