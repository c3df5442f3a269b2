"""Thirty people at the page Demonstrate at once: `python benchmarks/demonstration.py`. Needs Linux and Chromium.

First, on a server of its own for each table, the seconds until all twelve runs are there: committed, and computed, with
the browser's bytes. Then 30 visitors, each a browser context, open Adult. One of them moves both sliders through 60
positions while the others look on, and then all do at once: milliseconds from a move to the next frame, those of the
drawing alone, messages to the server meanwhile, bytes sent, and the server's memory. All browsers share these
processors with the server, so one visitor by itself is measured too.
"""

import argparse
import asyncio
import statistics
import sys
import time
from pathlib import Path
from urllib.parse import urlencode

from playwright.async_api import Browser, Page, async_playwright
from visitors import fresh_page, peak_mib, report

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "helpers"))

from browser import CHROMIUM, serving  # noqa: E402

POSITIONS = 60
PICTURE = "[data-ready=true]"  # Playwright looks into the shadow root of the picture
TABLES = {
    "Adult pairs, committed": {"table": "Adult"},
    "Adult pairs and single attributes, computed": {"table": "Adult", "k": 2, "up_to": "true"},
    "Czech pairs, committed": {"table": "Czech car workers"},
    "Czech triples, computed": {"table": "Czech car workers", "k": 3},
    "capital-loss ranges, computed": {"table": "Adult, whole numbers", "columns": "capital-loss", "count": 1999},
}
# Each move begins with a frame, and is timed until the next one, in which the picture is painted.
DRAG = """async (root, positions) => {
  const sliders = [...root.querySelectorAll("input[type=range]")].slice(0, 2), times = [], drawn = [];
  const frame = () => new Promise(requestAnimationFrame);
  for (let i = 0; i < positions; i++) {
    const slider = sliders[Math.floor(i / 10) % 2], most = Number(slider.max);
    await frame();
    const began = performance.now();
    slider.value = (Number(slider.value) + (most > 5 ? 3 : 1)) % (most + 1);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await frame();
    times.push(performance.now() - began);
    drawn.push(Number(root.dataset.redraw));
  }
  return [times, drawn];
}"""


class Traffic:
    """The bytes and the messages of a page's connection."""

    def __init__(self, page: Page):
        self.received, self.sent = 0, 0
        page.on("websocket", lambda socket: self._listen(socket))

    def _listen(self, socket) -> None:
        socket.on("framereceived", self._receive)
        socket.on("framesent", self._send)

    def _receive(self, frame: str | bytes) -> None:
        self.received += len(frame)

    def _send(self, _: str | bytes) -> None:
        self.sent += 1


async def opened(browser: Browser, app: str, **settings: object) -> tuple[Page, Traffic, float]:
    """A page with a picture, its traffic, and the seconds until the picture was there."""
    page = await fresh_page(browser)
    traffic, began = Traffic(page), time.monotonic()
    await page.goto(f"{app}demonstrate?{urlencode(settings)}")
    await page.locator(PICTURE).wait_for(state="attached")
    return page, traffic, time.monotonic() - began


async def all_runs(browser: Browser, name: str, settings: dict[str, object]) -> None:
    """Print how long a table's twelve runs take on a new server."""
    with serving() as app:
        page, _, _ = await opened(browser, app, table="Class survey")
        await page.context.close()
        page, traffic, first = await opened(browser, app, **settings)
        began = time.monotonic()
        await page.locator(".there i.on").nth(11).wait_for(state="attached")
        seconds = first + time.monotonic() - began
        print(
            f"{name}: first picture {first:.1f} s, all runs {seconds:.1f} s, {traffic.received / 1e6:.2f} MB",
            flush=True,
        )
        await page.context.close()


async def drag(page: Page, traffic: Traffic) -> tuple[list[float], list[float], int]:
    """Move the sliders: milliseconds of each move, of its drawing alone, and messages to the server meanwhile."""
    before = traffic.sent
    times, drawn = await page.locator(PICTURE).evaluate(DRAG, POSITIONS)
    return times, drawn, traffic.sent - before


async def measure(crowd: int) -> None:
    """Measure tables, one visitor, and a crowd."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name, settings in TABLES.items():
            await all_runs(browser, name, settings)
        for visitors in (1, crowd):
            with serving() as app:
                pages = await asyncio.gather(*(opened(browser, app) for _ in range(visitors)))
                report(f"{visitors} at once, seconds to the picture", [seconds for *_, seconds in pages])
                print(f"  bytes to each: {statistics.median(t.received for _, t, _ in pages) / 1e6:.2f} MB", flush=True)
                alone, drawing, messages = await drag(*pages[0][:2])
                report("  milliseconds of a move while the others look on", alone)
                report("  of its drawing", drawing)
                print(f"  messages to the server meanwhile: {messages}")
                moves = await asyncio.gather(*(drag(page, traffic) for page, traffic, _ in pages))
                report(f"{visitors} at once, milliseconds of a move", [each for times, _, _ in moves for each in times])
                report("  of its drawing", [each for _, drawn, _ in moves for each in drawn])
                print(f"  messages to the server meanwhile: {sum(sent for *_, sent in moves)}")
                print(f"  peak memory of the server: {peak_mib():,} MiB", flush=True)
                for page, _, _ in pages:
                    await page.context.close()
        await browser.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--crowd", type=int, default=30)
    asyncio.run(measure(parser.parse_args().crowd))
