"""What visitors wait for and what they cost the server: `python benchmarks/visitors.py`. Needs Linux and Chromium.

First one visitor after another, each in a fresh browser context, on a server that has served the page before: seconds
until the first screen is complete, beside those of a page of one word, and the server's CPU seconds for the page and
for a run of Adult. Then many visitors at once: each opens the page and runs Adult; seconds until the result is shown,
from the start and from when the visitor pressed Run, the longest line, and the server's peak memory.
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
from typing import NamedTuple

from playwright.async_api import Browser, Page, TimeoutError, async_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "helpers"))

from browser import CHROMIUM, serving  # noqa: E402

PATIENCE = 900_000  # milliseconds, before a visitor counts as stuck
TICKS = os.sysconf("SC_CLK_TCK")
ONE_WORD = "import streamlit as st\n\nst.title('Hello')\n"
DRAWN = """() => {
  const player = document.querySelector(".mwem-player");
  return player?.querySelectorAll(".js-plotly-plot .main-svg").length > 1 && player.dataset.shown >= 0;
}"""
OVER = """() => document.querySelector(".mwem-player")?.dataset.status === "done"
  && [...document.querySelectorAll("[data-testid=stMain] h3")].some(({ textContent }) => textContent === "Downloads")"""
# The page notes the longest line before its run.
LINE = """() => {
  window.before = 0;
  const look = () => {
    const found = document.body.textContent.match(/(\\d+) runs? (is|are) before yours/);
    if (found) window.before = Math.max(window.before, Number(found[1]));
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
}"""
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
            names = "the first screen, seconds", "CPU of the page", "CPU of a run"
            for name, values in zip(names, zip(*costs, strict=True), strict=False):
                report(name, values)
            for crowd in crowds:
                print(f"peak memory of the server before: {peak_mib():,} MiB", flush=True)
                waits = await asyncio.gather(*(seconds_to_result(browser, app) for _ in range(crowd)))
                finished = [wait for wait in waits if wait]
                report(f"{crowd} at once, seconds to the result", [wait.from_start for wait in finished])
                report(f"{crowd} at once, seconds from Run to the result", [wait.from_run for wait in finished])
                longest, peak = max(wait.before for wait in finished), peak_mib()
                print(
                    f"  stuck: {waits.count(None)}; longest line: {longest} before; peak memory: {peak:,} MiB",
                    flush=True,
                )
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


class Wait(NamedTuple):
    """Seconds until a visitor saw the result, and the most runs that the page said were before the visitor's."""

    from_start: float
    from_run: float
    before: int


async def seconds_to_result(browser: Browser, app: str) -> Wait | None:
    """How long a visitor waits from opening the page to the result of a run, None if it does not come."""
    page, began = await fresh_page(browser), time.monotonic()
    try:
        await page.goto(app)
        await page.evaluate(LINE)
        pressed = await run(page)
        ended = time.monotonic()
        return Wait(ended - began, ended - pressed, await page.evaluate("window.before"))
    except TimeoutError:
        return None
    finally:
        await page.context.close()


async def fresh_page(browser: Browser) -> Page:
    """A page in a context of its own, which has nothing in its cache."""
    context = await browser.new_context(bypass_csp=True, viewport={"width": 1440, "height": 900})
    context.set_default_timeout(PATIENCE)
    return await context.new_page()


async def run(page: Page) -> float:
    """Press Run and wait for the result and the downloads; returns when it was pressed."""
    await page.get_by_test_id("stMain").get_by_role("button", name="Run", exact=True).click()
    pressed = time.monotonic()
    await page.wait_for_function(OVER)
    return pressed


def server() -> Path:
    """The process that serves the app: a child of this one."""
    for children in Path("/proc/self/task").glob("*/children"):
        for child in children.read_text().split():
            if b"streamlit" in Path(f"/proc/{child}/cmdline").read_bytes():
                return Path("/proc", child)
    raise RuntimeError("no child of this process serves the app")


def server_cpu() -> float:
    """CPU seconds of the server, with all its threads."""
    user, system = (server() / "stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / TICKS


def peak_mib() -> int:
    """The most memory that the server has had, in MiB."""
    lines = (server() / "status").read_text().splitlines()
    return round(next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024)


def report(name: str, values: Iterable[float]) -> None:
    """Print the least, the median and the largest of the values."""
    if ordered := sorted(values):
        median = statistics.median(ordered)
        print(f"{name}: {ordered[0]:.2f} / {median:.2f} / {ordered[-1]:.2f} (least, median, most)", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visits", type=int, default=7, help="of one visitor after another (7)")
    parser.add_argument("--crowds", type=int, nargs="*", default=[10, 30], help="visitors at once (10 30)")
    arguments = parser.parse_args()
    asyncio.run(measure(arguments.visits, arguments.crowds))
