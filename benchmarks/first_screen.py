"""The first visitor's first screen of Trade-off: `python benchmarks/first_screen.py [--servers 5]`. Needs Chromium.

Each visit is to a server that has just started, in a fresh browser context. Printed are the seconds from the address to
the page's frame, which is its navigation, and from the frame to the answer, to the chart, and to its hover labels.
"""

import argparse
import statistics
import sys
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))

from browser import launch, serving

# Milliseconds since the address was entered at which each part was first in the page.
WATCH = """(() => {
  window.seen = {};
  const parts = {
    frame: () => document.querySelector("[data-testid=stTopNavLink]"),
    answer: () => [...document.querySelectorAll("[data-testid=stMain] h3")].some(
      ({ textContent }) => /you need ε/.test(textContent)),
    chart: () => document.querySelector(".sketch img, .mwem-redrawn .main-svg .trace"),
    hover: () => document.querySelector(".mwem-redrawn .main-svg .trace"),
  };
  const look = () => {
    for (const [name, there] of Object.entries(parts)) if (!(name in seen) && there()) seen[name] = performance.now();
    if (Object.keys(seen).length < 4) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()"""


def visit(browser: Browser, address: str) -> dict[str, float]:
    """Seconds from the address at which each part was seen."""
    context = browser.new_context(bypass_csp=True, viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.add_init_script(WATCH)
    page.goto(address)
    page.wait_for_function("Object.keys(window.seen).length === 4", timeout=60_000)
    seen = page.evaluate("window.seen")
    context.close()
    return {name: milliseconds / 1000 for name, milliseconds in seen.items()}


def main() -> None:
    """Measure, and print the median and the worst."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--servers", type=int, default=5)
    arguments = options.parse_args()
    visits = []
    with sync_playwright() as playwright:
        browser = launch(playwright)
        for _ in range(arguments.servers):
            with serving() as app:
                visits.append(visit(browser, app + "trade_off"))
        browser.close()
    report("frame, from the address", [seen["frame"] for seen in visits])
    for name in ("answer", "chart", "hover"):
        report(f"{name}, from the frame", [seen[name] - seen["frame"] for seen in visits])


def report(name: str, seconds: list[float]) -> None:
    """Print the median and the worst."""
    print(f"{name}: median {statistics.median(seconds):.2f} s, worst {max(seconds):.2f} s")


if __name__ == "__main__":
    main()
