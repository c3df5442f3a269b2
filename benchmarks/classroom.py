"""Thirty phones in a room, and thirty learners in a lesson: `python benchmarks/classroom.py`. Needs Linux and Chromium.

The phones come three times, each time to a server of their own. First they are a **protocol client**: threads of this
process that send what the page of a phone sends, as often. Then they are **browsers**: each phone is a browser context
of its own, and the browsers, on this same machine, take most of the time. With `--old FOLDER`, a checkout of a version
before `/class`, browsers then open that version's page for phones, which is a session of Streamlit each. The teacher's
page is a browser each time. Seconds are taken by the machine's one clock, in browsers inside their pages.
"""

import argparse
import asyncio
import http.client
import json
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from playwright.async_api import Browser, Page, async_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "helpers"))

import postgres  # noqa: E402
from browser import CHROMIUM, serving  # noqa: E402
from visitors import peak_mib, server_cpu  # noqa: E402

from mwem_app.classroom.phone import respond, seated  # noqa: E402
from mwem_app.session.rooms import rooms_at  # noqa: E402

PATIENCE = 240_000  # milliseconds, before the measurement gives up
OPENING = 4  # browsers that open a page at once; protocol clients come all at once
IDLE = 20  # seconds in which phones wait for the teacher, to measure what waiting costs
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


class Phone(Protocol):
    """A phone that is in the class."""

    async def choose(self) -> None:
        """Wait for the question, and choose the true answer."""

    async def flip(self) -> None:
        """Flip the coins and send."""

    async def tapped(self) -> float:
        """When the coins were flipped, in milliseconds."""
        ...

    async def reload(self) -> None:
        """Load the page again, until it says what this phone sent."""

    async def close(self) -> None:
        """Close the page."""


Join = Callable[[str], Awaitable[tuple[Phone, float]]]  # by the code; with the seconds that it took


async def measure(crowd: int, old: Path | None) -> None:
    """Measure rooms, then a lesson, each with this many phones or learners, and print the figures."""
    print(f"{'seconds, ' + str(crowd) + ' at once':62} {'median':>8} {'worst':>8}")
    async with async_playwright() as playwright:

        async def alone(place: Callable[[Browser, str], Awaitable[None]], folder: Path = ROOT) -> None:
            browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            with serving(folder=folder) as app:
                await place(browser, app)
            await browser.close()

        async def clients(browser: Browser, app: str) -> None:
            with ThreadPoolExecutor(crowd) as threads:
                await in_a_room("protocol client", browser, app, [client_at(app, threads)] * crowd)

        async def browsers(browser: Browser, app: str) -> None:
            await in_a_room("browsers", browser, app, [few_at_once(tab_at(browser, app, "class"))] * crowd)

        async def before(browser: Browser, app: str) -> None:
            await in_a_room("browsers, old page", browser, app, [few_at_once(tab_at(browser, app, "join"))] * crowd)

        report_polls(crowd)
        await alone(clients)
        await alone(browsers)
        if old is not None:
            await alone(before, old)
        await alone(lambda browser, app: in_a_lesson(browser, app, crowd))


# ---- a room ----
async def in_a_room(who: str, browser: Browser, app: str, joins: list[Join]) -> None:
    """From the tap on a phone to the teacher's screen, one by one, all at once, and all at once after a reload."""
    crowd = len(joins)
    teacher = await fresh_page(browser, 1280, app + "room")
    await teacher.get_by_role("button", name="Open a room").click()
    code = await teacher.locator(".st-key-class_code").inner_text()

    came = await asyncio.gather(*(join(code) for join in joins))
    phones = [phone for phone, _ in came]
    report(f"{who}: from the link to the class", [seconds for _, seconds in came])
    before = server_cpu()
    await asyncio.sleep(IDLE)
    print(f"{who + ': CPU of the server while they wait':62} {(server_cpu() - before) / IDLE:8.1%}")
    await ask(teacher, phones)
    report(f"{who}: tap to the teacher's screen, one by one", [await one_by_one(teacher, phone) for phone in phones])
    await ask(teacher, phones, another=True)
    report(f"{who}: tap to the teacher's screen, all at once", await all_at_once(teacher, phones))

    await asyncio.gather(teacher.reload(), *(phone.reload() for phone in phones))
    shown = teacher.get_by_text(re.compile(rf"^\d+ of {crowd} phones"))
    await shown.wait_for()
    print(
        f"{who + ': answers lost by a reload of every page':62} {crowd - int((await shown.inner_text()).split()[0]):>8}"
    )
    await ask(teacher, phones, another=True)
    report(f"{who}: tap to the teacher's screen, after the reload", await all_at_once(teacher, phones))
    print(f"{who + ': peak memory of the server, MiB':62} {peak_mib():8,}", flush=True)
    for phone in phones:
        await phone.close()


async def ask(teacher: Page, phones: list[Phone], *, another: bool = False) -> None:
    """Ask a question by coins; every phone chooses its true answer."""
    if another:
        await teacher.get_by_text("Ask another question").click()
        await teacher.wait_for_timeout(500)  # it unfolds
    await teacher.get_by_role("button", name="Ask the class").click()
    await teacher.get_by_text(re.compile(rf"^0 of {len(phones)} phones")).wait_for()
    await teacher.evaluate(WATCH)
    for phone in phones:
        await phone.choose()


async def one_by_one(teacher: Page, phone: Phone) -> float:
    """Seconds from the tap of one phone to the teacher's screen."""
    before = len(await teacher.evaluate("answered"))
    await phone.flip()
    await teacher.wait_for_function(f"answered.length > {before}")
    return (await teacher.evaluate(f"answered[{before}]") - await phone.tapped()) / 1000


async def all_at_once(teacher: Page, phones: list[Phone]) -> list[float]:
    """Seconds from the k-th tap to the k-th answer on the teacher's screen; no answer may be lost."""
    await asyncio.gather(*(phone.flip() for phone in phones))
    await teacher.wait_for_function(f"answered.length === {len(phones)}")
    taps = sorted([await phone.tapped() for phone in phones])
    return [(seen - tap) / 1000 for seen, tap in zip(await teacher.evaluate("answered"), taps, strict=True)]


def report_polls(crowd: int) -> None:
    """Milliseconds of a poll in this process, by where rooms are kept: what a server of a large course has to do."""
    with tempfile.TemporaryDirectory() as folder:
        places = {"memory": "", "SQLite": f"sqlite:///{folder}/rooms.db"}
        for name, url in places.items():
            report_poll(name, url, crowd)
    if postgres.INITDB is not None:
        with postgres.serving() as url:
            report_poll("PostgreSQL on this machine", url, crowd)


def report_poll(name: str, url: str, crowd: int) -> None:
    """Milliseconds of polls of one phone after another, each of which has answered a question."""
    rooms = rooms_at(url)
    teacher = rooms.open()
    room, seats, milliseconds = rooms.room(teacher), [rooms.join(teacher.code) for _ in range(crowd)], []
    assert room is not None
    number = room.ask(["Tea?"], epsilon=1.0).number
    for seat in seats:
        room.answer(seat.token, number, (True,))
    for seat in seats * 10:
        began = time.perf_counter()
        respond({"do": "show"}, *seated(seat.text, rooms))
        milliseconds.append(1000 * (time.perf_counter() - began))
    rooms.close(teacher)
    report(f"milliseconds of a poll, rooms in {name}", milliseconds)


# ---- phones ----
@dataclass
class Tab:
    """A `Phone` that is a browser context; the old page and the new one have the same words."""

    page: Page

    async def choose(self) -> None:
        await self.page.get_by_role("radio", name="Yes").check()
        await self.page.evaluate(TAPPED)

    async def flip(self) -> None:
        await self.page.get_by_role("button", name="Flip the coins and send").click()

    async def tapped(self) -> float:
        return await self.page.evaluate("tapped")

    async def reload(self) -> None:
        await self.page.reload()
        await self.page.get_by_text(SENT).wait_for()

    async def close(self) -> None:
        await self.page.context.close()


def tab_at(browser: Browser, app: str, path: str) -> Join:
    """Phones that are browser contexts, at this address of the app."""

    async def join(code: str) -> tuple[Phone, float]:
        phone = await fresh_page(browser, 400, "about:blank")
        began = time.monotonic()
        await phone.goto(f"{app}{path}?room={code}")
        await phone.get_by_role("button", name="Join", exact=True).click()
        await phone.get_by_text("Wait for the teacher").wait_for()
        return Tab(phone), time.monotonic() - began

    return join


@dataclass
class Client:
    """A `Phone` that is threads of this process: it sends what the page sends, as often."""

    app: str
    threads: ThreadPoolExecutor
    seat: str = ""
    question: int = 0
    told: dict[str, Any] | None = None
    tap: float = 0.0

    async def join(self, code: str) -> float:
        began = time.monotonic()
        await self._fetch("GET", f"class?room={code}")
        self.seat = (await self._tell(do="join", code=code))["seat"]
        self.polling = asyncio.create_task(self._poll())
        return time.monotonic() - began

    async def choose(self) -> None:
        while (now := (self.told or {}).get("now")) is None or now["number"] == self.question:
            await asyncio.sleep(0.05)
        self.question = now["number"]

    async def flip(self) -> None:
        self.tap = 1000 * time.time()
        await self._tell(do="answer", seat=self.seat, number=self.question, answer=[True])

    async def tapped(self) -> float:
        return self.tap

    async def reload(self) -> None:
        self.polling.cancel()
        await self._fetch("GET", "class")
        now = (await self._tell(do="show", seat=self.seat))["now"]
        assert now["sent"] == [True], now
        self.polling = asyncio.create_task(self._poll())

    async def close(self) -> None:
        self.polling.cancel()

    async def _poll(self) -> None:
        while True:
            self.told = await self._tell(do="show", seat=self.seat)
            await asyncio.sleep(self.told["every"])

    async def _tell(self, **message: Any) -> dict[str, Any]:
        told = json.loads(await self._fetch("POST", "class", json.dumps(message)))
        assert "problem" not in told, told
        return told

    async def _fetch(self, method: str, path: str, body: str | None = None) -> bytes:
        return await asyncio.get_running_loop().run_in_executor(self.threads, self._fetched, method, path, body)

    def _fetched(self, method: str, path: str, body: str | None) -> bytes:
        connection = http.client.HTTPConnection(urlsplit(self.app).netloc, timeout=PATIENCE / 1000)
        connection.request(method, f"/{path}", body, {"content-type": "application/json"})
        answer = connection.getresponse().read()
        connection.close()
        return answer


def client_at(app: str, threads: ThreadPoolExecutor) -> Join:
    """Phones that are threads of this process."""

    async def join(code: str) -> tuple[Phone, float]:
        client = Client(app, threads)
        seconds = await client.join(code)
        return client, seconds

    return join


def few_at_once(opening: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """The same opening of a page, for a few at a time, as people arrive."""
    turn = asyncio.Semaphore(OPENING)

    async def one(*args: Any) -> Any:
        async with turn:
            return await opening(*args)

    return one


async def fresh_page(browser: Browser, width: int, where: str) -> Page:
    """An address in a context of its own."""
    context = await browser.new_context(bypass_csp=True, viewport={"width": width, "height": 900})
    context.set_default_timeout(PATIENCE)
    page = await context.new_page()
    await page.goto(where)
    return page


# ---- a lesson ----
async def in_a_lesson(browser: Browser, app: str, crowd: int) -> None:
    """From a move of the slider to its drawing, and from a check to its answer."""

    async def open_lesson() -> Page:
        page = await fresh_page(browser, 1280, app + "learn?lesson=noise")
        await page.get_by_role("link", name="All lessons").wait_for()
        await page.wait_for_function(QUIET)
        return page

    opening = few_at_once(open_lesson)
    learners = await asyncio.gather(*(opening() for _ in range(crowd)))
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


def report(name: str, seconds: Iterable[float]) -> None:
    """Print the median and the largest."""
    values = list(seconds)
    print(f"{name:62} {statistics.median(values):8.2f} {max(values):8.2f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--crowd", type=int, default=30, help="phones, and learners (30)")
    parser.add_argument(
        "--old", type=Path, help="a checkout of a version before /class, to measure its page for phones too"
    )
    told = parser.parse_args()
    asyncio.run(measure(told.crowd, told.old))
