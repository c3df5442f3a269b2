"""What visitors wait for and what they cost the server: `python benchmarks/visitors.py`. Needs Linux and Chromium.

First one visitor after another, each in a fresh browser context, on a server that has served the page before: seconds
until the first screen is complete, beside those of a page of one word, and the server's CPU seconds for the page and
for a run of Adult. Then many visitors at once: each opens the page and runs Adult; seconds until the result is shown.
"""

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from playwright.async_api import Browser, Page, TimeoutError, async_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "helpers"))

from browser import CHROMIUM, serving  # noqa: E402

PATIENCE = 240_000  # milliseconds, before a visitor counts as stuck
TICKS = os.sysconf("SC_CLK_TCK")
ONE_WORD = "import streamlit as st\n\nst.title('Hello')\n"
DRAWN = """() => {
  const player = document.querySelector(".mwem-player");
  return player?.querySelectorAll(".js-plotly-plot .main-svg").length > 1 && player.dataset.shown >= 0;
}"""
OVER = """() => document.querySelector(".mwem-player")?.dataset.status === "done"
  && [...document.querySelectorAll("[data-testid=stMain] h3")].some(({ textContent }) => textContent === "Downloads")"""
QUIET = "() => document.querySelector('[data-test-script-state=notRunning]')"


async def measure(visits: int, crowds: Iterable[int]) -> None:
    """Measure visitors one after another, then crowds of them."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "app.py").write_text(ONE_WORD, encoding="utf-8")
            with serving(folder=Path(folder)) as app:
                await one_word(browser, app)
                report("a page of one word, seconds", [await one_word(browser, app) for _ in range(visits)])
        with serving() as app:
            await visit(browser, app)
            costs = [await visit(browser, app) for _ in range(visits)]
            for name, values in zip(
                ("seconds", "CPU of the page", "CPU of a run"), zip(*costs, strict=True), strict=True
            ):
                report(f"the first screen, {name}" if name == "seconds" else name, values)
            for crowd in crowds:
                waits = await asyncio.gather(*(seconds_to_result(browser, app) for _ in range(crowd)))
                report(f"{crowd} at once, seconds to the result", [seconds for seconds in waits if seconds])
                print(f"  stuck: {waits.count(None)}")
        await browser.close()


async def one_word(browser: Browser, app: str) -> float:
    """Seconds until a visitor sees the page of one word."""
    page, began = await fresh_page(browser), time.monotonic()
    await page.goto(app)
    await page.get_by_role("heading", name="Hello").wait_for()
    seconds = time.monotonic() - began
    await page.context.close()
    return seconds


async def visit(browser: Browser, app: str) -> tuple[float, float, float]:
    """Seconds until the first screen is complete; CPU seconds of the server for it, and for a run."""
    page, before, began = await fresh_page(browser), server_cpu(), time.monotonic()
    await page.goto(app)
    await page.wait_for_function(DRAWN)
    seconds = time.monotonic() - began
    await page.wait_for_function(QUIET)
    await page.wait_for_timeout(500)
    opened = server_cpu()
    await run(page)
    await page.wait_for_function(QUIET)
    await page.wait_for_timeout(500)
    done = server_cpu()
    await page.context.close()
    return seconds, opened - before, done - opened


async def seconds_to_result(browser: Browser, app: str) -> float | None:
    """Seconds from opening the page to the result of a run, None if it does not come."""
    page, began = await fresh_page(browser), time.monotonic()
    try:
        await page.goto(app)
        await run(page)
        return time.monotonic() - began
    except TimeoutError:
        return None
    finally:
        await page.context.close()


async def fresh_page(browser: Browser) -> Page:
    """A page in a context of its own, which has nothing in its cache."""
    context = await browser.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(PATIENCE)
    return await context.new_page()


async def run(page: Page) -> None:
    """Press Run and wait for the result and the downloads."""
    await page.get_by_test_id("stMain").get_by_role("button", name="Run", exact=True).click()
    await page.wait_for_function(OVER)


def server_cpu() -> float:
    """CPU seconds of this process's child that serves the app, with all its threads."""
    for children in Path("/proc/self/task").glob("*/children"):
        for child in children.read_text().split():
            if b"streamlit" in Path(f"/proc/{child}/cmdline").read_bytes():
                user, system = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[11:13]
                return (int(user) + int(system)) / TICKS
    raise RuntimeError("no child of this process serves the app")


def report(name: str, values: Iterable[float]) -> None:
    """Print the least, the median and the largest of the values."""
    ordered = sorted(values)
    print(f"{name}: {ordered[0]:.2f} / {statistics.median(ordered):.2f} / {ordered[-1]:.2f} (least, median, most)")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visits", type=int, default=7, help="of one visitor after another (7)")
    parser.add_argument("--crowds", type=int, nargs="*", default=[10, 30], help="visitors at once (10 30)")
    arguments = parser.parse_args()
    asyncio.run(measure(arguments.visits, arguments.crowds))
