"""Thirty phones in one room, and thirty learners in one lesson: `python benchmarks/classroom.py`. Needs Chromium.

Every phone and every learner is a browser context of its own, beside a server of their own, all on this machine: the
browsers take most of the time. Seconds are taken inside the pages, by the machine's one clock.
"""

import argparse
import asyncio
import re
import statistics
import sys
from collections.abc import Awaitable, Callable, Iterable
from itertools import chain
from pathlib import Path

from playwright.async_api import Browser, Page, async_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "helpers"))

from browser import CHROMIUM, serving  # noqa: E402

PATIENCE = 240_000  # milliseconds, before the measurement gives up
OPENING = 4  # pages that open at once
DRAGS, EVERY = 10, 1.0  # moves of a learner's slider, and seconds from one to the next
# The teacher's page notes when it shows how many phones have answered: answered[k - 1] is the time of the k-th answer.
WATCH = """() => {
  const drawing = [...document.querySelectorAll("*")]
    .map(each => each.shadowRoot?.querySelector(".coins > p")).find(Boolean);
  const count = () => Number(drawing.textContent.match(/^(\\d+) of/)[1]);
  window.answered = [];
  clearInterval(window.watch);
  window.watch = setInterval(() => { while (answered.length < count()) answered.push(Date.now()); }, 10);
}"""
# A phone notes when its button is tapped.
TAPPED = """() => addEventListener("click", () => { window.tapped = Date.now(); }, true)"""
SENT = "This phone sent"
# From a move of the slider to the frame that shows it.
MOVED = """() => {
  window.moved = [];
  document.addEventListener("input", () => {
    const began = performance.now();
    requestAnimationFrame(() => setTimeout(() => moved.push((performance.now() - began) / 1000)));
  }, true);
}"""
CHECKED = """() => new Promise(done => {
  const exercise = document.querySelector(".st-key-exercise_noise"), began = performance.now();
  const seen = () => /Not yet|Right\\./.test(exercise.textContent);
  new MutationObserver((_, watch) => { if (seen()) { watch.disconnect(); done((performance.now() - began) / 1000); } })
    .observe(exercise, { childList: true, subtree: true, characterData: true });
  exercise.querySelector(".st-key-noise_check button").click();
})"""
QUIET = "() => document.querySelector('[data-test-script-state=notRunning]')"


async def measure(crowd: int) -> None:
    """Measure a room, then a lesson, each with this many contexts, and print the figures."""
    print(f"{'seconds, ' + str(crowd) + ' at once':50} {'median':>8} {'worst':>8}")
    async with async_playwright() as playwright:
        for place in (in_a_room, in_a_lesson):
            browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            with serving() as app:
                await place(browser, app, crowd)
            await browser.close()


async def in_a_room(browser: Browser, app: str, crowd: int) -> None:
    """From the tap on a phone to the teacher's screen, one by one, all at once, and all at once after a reload."""
    teacher = await fresh_page(browser, 1280, app + "room")
    await teacher.get_by_role("button", name="Open a room").click()
    code = await teacher.locator(".st-key-class_code").inner_text()

    async def join() -> Page:
        phone = await fresh_page(browser, 400, f"{app}join?room={code}")
        await phone.get_by_role("button", name="Join", exact=True).click()
        await phone.get_by_text("Wait for the teacher").wait_for()
        return phone

    phones = await few_at_once([join] * crowd)
    await ask(teacher, phones)
    report("tap to the teacher's screen, one by one", [await one_by_one(teacher, phone) for phone in phones])
    await ask(teacher, phones, another=True)
    report("tap to the teacher's screen, all at once", await all_at_once(teacher, phones))

    await asyncio.gather(*(page.reload() for page in (teacher, *phones)))
    for phone in phones:
        await phone.get_by_text(SENT).wait_for()
    await teacher.get_by_text(f"{crowd} of {crowd} phones").wait_for()
    print(f"{'answers after a reload of every page':50} {crowd:>8} of {crowd}")
    await ask(teacher, phones, another=True)
    report("tap to the teacher's screen, after the reload", await all_at_once(teacher, phones))


async def ask(teacher: Page, phones: list[Page], *, another: bool = False) -> None:
    """Ask a question by coins; every phone chooses its true answer."""
    if another:
        await teacher.get_by_text("Ask another question").click()
        await teacher.wait_for_timeout(500)  # it unfolds
    await teacher.get_by_role("button", name="Ask the class").click()
    await teacher.get_by_text(re.compile(rf"^0 of {len(phones)} phones")).wait_for()
    await teacher.evaluate(WATCH)
    for phone in phones:
        await phone.get_by_role("radio", name="Yes").check()
        await phone.evaluate(TAPPED)


async def one_by_one(teacher: Page, phone: Page) -> float:
    """Seconds from the tap of one phone to the teacher's screen."""
    before = len(await teacher.evaluate("answered"))
    await flip(phone)
    await teacher.wait_for_function(f"answered.length > {before}")
    return (await teacher.evaluate(f"answered[{before}]") - await phone.evaluate("tapped")) / 1000


async def all_at_once(teacher: Page, phones: list[Page]) -> list[float]:
    """Seconds from the k-th tap to the k-th answer on the teacher's screen; no answer may be lost."""
    await asyncio.gather(*map(flip, phones))
    await teacher.wait_for_function(f"answered.length === {len(phones)}")
    taps = sorted([await phone.evaluate("tapped") for phone in phones])
    return [(seen - tap) / 1000 for seen, tap in zip(await teacher.evaluate("answered"), taps, strict=True)]


async def flip(phone: Page) -> None:
    """Tap the button that flips the coins and sends."""
    await phone.get_by_role("button", name="Flip the coins and send").click()


async def in_a_lesson(browser: Browser, app: str, crowd: int) -> None:
    """From a move of the slider to its drawing, and from a check to its answer."""

    async def open_lesson() -> Page:
        page = await fresh_page(browser, 1280, app + "learn?lesson=noise")
        await page.get_by_role("link", name="All lessons").wait_for()
        await page.wait_for_function(QUIET)
        return page

    learners = await few_at_once([open_lesson] * crowd)
    moves = asyncio.gather(*(drag(page, EVERY * i / crowd) for i, page in enumerate(learners)))
    report("lesson Noise, drag to redraw", chain.from_iterable(await moves))
    await asyncio.gather(*map(choose, learners))
    report("lesson Noise, check to answer", await asyncio.gather(*(page.evaluate(CHECKED) for page in learners)))


async def drag(page: Page, begin: float) -> list[float]:
    """Seconds of each of `DRAGS` moves of the slider, of which the first is after `begin` seconds."""
    await asyncio.sleep(begin)
    slider = page.locator(".st-key-noise").get_by_role("slider").first
    await page.evaluate(MOVED)
    for key in ("ArrowLeft", "ArrowRight") * (DRAGS // 2):
        await asyncio.gather(slider.press(key), asyncio.sleep(EVERY))
    await page.wait_for_function(f"moved.length === {DRAGS}")
    return await page.evaluate("moved")


async def choose(page: Page) -> None:
    """Choose an answer of the exercise."""
    await page.locator(".st-key-noise_answer label").nth(1).click()
    await page.locator(".st-key-noise_check button:enabled").wait_for()
    await page.wait_for_function(QUIET)


async def fresh_page(browser: Browser, width: int, where: str) -> Page:
    """An address in a context of its own."""
    context = await browser.new_context(viewport={"width": width, "height": 900})
    context.set_default_timeout(PATIENCE)
    page = await context.new_page()
    await page.goto(where)
    return page


async def few_at_once(openings: list[Callable[[], Awaitable[Page]]]) -> list[Page]:
    """Open pages a few at a time, as people arrive."""
    turn = asyncio.Semaphore(OPENING)

    async def one(opening: Callable[[], Awaitable[Page]]) -> Page:
        async with turn:
            return await opening()

    return await asyncio.gather(*map(one, openings))


def report(name: str, seconds: Iterable[float]) -> None:
    """Print the median and the largest."""
    values = list(seconds)
    print(f"{name:50} {statistics.median(values):8.2f} {max(values):8.2f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--crowd", type=int, default=30, help="phones, and learners (30)")
    asyncio.run(measure(parser.parse_args().crowd))
