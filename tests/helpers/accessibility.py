"""What axe finds on a page."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page


def violations(page: Page) -> list[str]:
    """The violations that axe finds, of any impact: each rule with the part of the page that breaks it."""
    page.wait_for_function("document.getAnimations().every(each => each.playState !== 'running')")  # faded text is pale
    rules = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [f"{rule['id']}: {node['failureSummary']}\n{node['html']}" for rule in rules for node in rule["nodes"]]
