"""Thirty visitors of a public demo at once: `python benchmarks/demo_load.py`. Needs Linux and Chromium.

The server has `MWEM_DEMO=1` and what `hosting/Dockerfile` sets. Every visitor is a browser context of its own, and
every run has a seed that no other has, by which it is told apart. All open the page and run Adult. Then a third run a
comparison, which are more than the line takes, a third ask for what a demo refuses and send the server a file, and
three run all columns of Adult again and again until they are refused. Prints seconds, refusals, and the memory of the
server with its worker: resident, and filled, which is what a container counts. The script fails if a visitor is served
the seed of another, if a refusal is missing, or if a new visitor is not let in after all have left.
"""

import argparse
import asyncio
import os
import random
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlencode

from playwright.async_api import Browser, Error, Page, async_playwright

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "helpers")]

from browser import CHROMIUM, serving  # noqa: E402

from mwem_app.inputs import load_sample  # noqa: E402
from mwem_app.session import demo  # noqa: E402

PATIENCE = 900_000  # milliseconds, before a visitor counts as stuck
OF_THE_IMAGE = {demo.SETTING: "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
FORGETS = 150  # seconds until Streamlit's server has forgotten who left
GIVES_UP = 10  # runs one after another that were stopped for want of memory, after which a visitor presses Run no more
MOST_AGAIN = 60  # runs of one visitor, before which the allowance must have been used up
SEED = re.compile(rb"(?<!\d)73\d{10}(?!\d)")
SESSION = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
REFUSED = {  # an address, and what the page says
    "a file of one's own": ({"table": "Your own file"}, "This public demo takes no files"),
    "another path": ({"table": "/etc/passwd"}, "which is no choice here: Adult is used"),
    "too much memory": ({"table": "Adult", "k": 4}, "in this public demo it may take"),
    "too many rounds": (
        {"table": "Czech car workers", "method": "Figure 1", "rounds": demo.ROUNDS + 1},
        "a run in this public demo may have",
    ),
}
USED_UP, STOPPED = "a visitor of this public demo may use", "it was stopped"
NO_ROOM = demo.FULL.partition(":")[0]  # the rest has marks of code, which the page draws
SHORT = f"{STOPPED} because the server is short of memory"
COME_BACK = 15  # seconds after which a visitor whom a full server did not let in tries again
AGAIN = 60  # seconds after which a visitor looks whether the run has begun
LINE_IS_FULL = "batches of trials are at work or wait"
GREEDY = 3
NO_SESSION = 400  # what the server answers to a file of no session
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
RUN = "document.querySelector('.mwem-player').dataset.run"
SHOWN = """() => document.querySelector("[data-test-script-state=notRunning]")
  && document.querySelector("[data-testid=stMain]")?.textContent.trim()"""
ENDED = """([run, refusal, short]) => document.body.textContent.includes(refusal)
  || document.querySelector(".mwem-player").dataset.run !== run
  && document.querySelector("[data-test-script-state=notRunning]")
  && (document.querySelector(".mwem-player").dataset.status === "done" || document.body.textContent.includes(short))"""
COMPARED = """refusals => refusals.some(each => document.body.textContent.includes(each))
  || document.querySelector("[data-testid=stProgress]")?.textContent.includes("done in")"""


class Visitor:
    """A page with runs of its own, and the seeds in all that the server has sent to it."""

    def __init__(self, page: Page, app: str, seed: int):
        self.page, self.app, self.seed = page, app, f"{seed}"
        self.served, self.bytes, self.ids, self.lost = set[str](), 0, set[str](), 0
        self.pressed, self.full = 0.0, 0
        page.on("websocket", lambda socket: socket.on("framereceived", self._receive))

    def _receive(self, frame: str | bytes) -> None:
        content = frame.encode() if isinstance(frame, str) else frame
        self.served |= {each.decode() for each in SEED.findall(content)}
        self.bytes += len(content)
        self.ids |= {each.decode() for each in SESSION.findall(content)}

    async def go(self, path: str = "", **settings: object) -> None:
        """Open an address of the app, with this visitor's seed; again and again as long as the server is full."""
        while True:
            self.ids.clear()
            await self.page.goto(f"{self.app}{path}?{urlencode({'seed': self.seed} | settings, doseq=True)}")
            await self.page.wait_for_function(SHOWN)
            if not await self.page.get_by_text(NO_ROOM).count():
                return
            self.full += 1
            await asyncio.sleep(COME_BACK)

    async def press(self, condition: str, argument: object = None) -> None:
        """Press Run and wait for a condition; again where nothing has begun, as a page being drawn may lose a press."""
        button = self.page.get_by_test_id("stMain").get_by_role("button", name="Run", exact=True)
        enabled = self.page.locator(":enabled")
        await button.click()
        self.pressed = time.monotonic()
        waiting = asyncio.create_task(self.page.wait_for_function(condition, arg=argument))
        while not (await asyncio.wait([waiting], timeout=AGAIN))[0]:
            if await button.and_(enabled).count() and await self.page.evaluate(QUIET):
                self.lost += 1
                await button.click()
        await waiting

    async def first_run(self) -> tuple[float, int]:
        """Seconds from Run to the result of Adult, and the most runs that the page said were before it."""
        await self.go()
        await self.page.evaluate(LINE)
        await self.press(OVER)
        return time.monotonic() - self.pressed, await self.page.evaluate("window.before")

    async def compare(self) -> float | None:
        """Seconds of a batch of trials that did not come with the program, None if it was refused or stopped."""
        await self.go("compare", table="Adult", epsilon=0.7, systems=["MWEM", "AIM", "Laplace"], seeds=2)
        await self.press(COMPARED, [LINE_IS_FULL, STOPPED])
        seconds = time.monotonic() - self.pressed
        return None if await self._sees(LINE_IS_FULL) or await self._sees(STOPPED) else seconds

    async def _sees(self, sentence: str) -> bool:
        return await self.page.get_by_text(sentence).count() > 0

    async def ask_for_too_much(self) -> Counter[str]:
        """What was refused: each of `REFUSED`, and a file sent to the server without a page that asks for one."""
        refused = Counter[str]()
        for what, (settings, sentence) in REFUSED.items():
            await self.go(**settings)
            await self.page.get_by_test_id("stMain").get_by_text(sentence).first.wait_for()
            await self.page.wait_for_function(QUIET)
            refused[what] += 1
        cookies = {each["name"]: each["value"] for each in await self.page.context.cookies()}
        for each in tuple(self.ids):  # of the session, and of its runs
            try:
                answer = await self.page.request.put(
                    f"{self.app}_stcore/upload_file/{each}/1",
                    headers={"X-Xsrftoken": cookies["_streamlit_xsrf"]},
                    multipart={"file": {"name": "a.csv", "mimeType": "text/csv", "buffer": b"a\n1\n"}},
                )
            except Error:  # the server refuses before it has read the file, and closes the connection
                refused["a file sent to the server: closed"] += 1
                continue
            if answer.status != NO_SESSION:
                refused[f"a file sent to the server: {answer.status}"] += 1
        return refused

    async def run_until_refused(self) -> tuple[int, int]:
        """How many runs were allowed, and how many more were stopped for want of memory, until no more are."""
        await self.go(table="Adult", attributes=load_sample("Adult").domain.names)
        runs = short = in_a_row = 0
        await self.page.locator(".mwem-player[data-run]").wait_for()
        while runs + short < MOST_AGAIN and in_a_row < GIVES_UP:
            await self.press(ENDED, [await self.page.evaluate(RUN), USED_UP, SHORT])
            if await self._sees(USED_UP):
                return runs, short
            if await self._sees(SHORT):
                short, in_a_row = short + 1, in_a_row + 1
                await asyncio.sleep(COME_BACK)
            else:
                runs, in_a_row = runs + 1, 0
        if in_a_row == GIVES_UP:  # the pages of all others fill the server
            return runs, short
        raise AssertionError(f"{runs} runs did not use up the allowance, and {short} were stopped for want of memory")


class Memory:
    """The memory of the server and its children: the most of each since it was last told, in MiB."""

    def __init__(self) -> None:
        self.resident = self.filled = self.worker = 0

    async def watch(self) -> None:
        """Look again and again."""
        while True:
            of_server, of_workers = _of(server()), [0, 0]
            for children in (server() / "task").glob("*/children"):
                with suppress(OSError):
                    for child in map(Path("/proc").joinpath, children.read_text().split()):
                        if _command(child) != _command(server()):  # else it has just begun, in the server's own memory
                            of_workers = [a + b for a, b in zip(of_workers, _of(child), strict=True)]
            self.resident = max(self.resident, of_server[0] + of_workers[0])
            self.filled = max(self.filled, of_server[1] + of_workers[1])
            self.worker = max(self.worker, of_workers[1])
            await asyncio.sleep(0.2)

    async def tell(self, when: str) -> None:
        """Print the most so far, and begin anew."""
        await asyncio.sleep(1)
        filled = f"{self.filled:,} filled, {self.worker:,} of it by workers"
        print(f"  memory {when}: {self.resident:,} MiB resident, {filled}", flush=True)
        self.resident = self.filled = self.worker = 0


def server() -> Path:
    """The process that serves the app: a child of this one."""
    for children in Path("/proc/self/task").glob("*/children"):
        for child in children.read_text().split():
            if b"streamlit" in Path(f"/proc/{child}/cmdline").read_bytes():
                return Path("/proc", child)
    raise RuntimeError("no child of this process serves the app")


def _command(process: Path) -> bytes:
    return (process / "cmdline").read_bytes()


def _of(process: Path) -> list[int]:
    """Resident and filled memory of a process in MiB; nothing of one that has ended."""
    try:
        lines = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
        return [int(lines[name].split()[0]) // 1024 for name in ("VmRSS", "RssAnon")]
    except (OSError, KeyError):
        return [0, 0]


async def measure(crowd: int) -> None:
    """Let a crowd in, and print what it met."""
    os.environ |= OF_THE_IMAGE
    print(f"{crowd} visitors; {os.cpu_count()} processors; load before: {os.getloadavg()[0]:.1f}", flush=True)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        with serving() as app:
            memory = Memory()
            watching = asyncio.create_task(memory.watch())
            await memory.tell("before the first visitor")
            seeds = random.sample(range(73 * 10**10, 74 * 10**10), crowd)
            visitors = [Visitor(await fresh_page(browser), app, seed) for seed in seeds]
            waits = await asyncio.gather(*(visitor.first_run() for visitor in visitors))
            report("seconds from Run to the result, all at once", [seconds for seconds, _ in waits])
            print(f"  presses of Run that were lost: {sum(visitor.lost for visitor in visitors)}")
            print(f"  longest line: {max(before for _, before in waits)} before")
            await memory.tell("with a run of each")
            others = [visitors[i::3] for i in range(3)]
            compared, refused, runs = await asyncio.gather(
                asyncio.gather(*(visitor.compare() for visitor in others[0])),
                asyncio.gather(*(visitor.ask_for_too_much() for visitor in others[1])),
                asyncio.gather(*(visitor.run_until_refused() for visitor in others[2][:GREEDY])),
            )
            report("seconds of a comparison", filter(None, compared))
            print(f"  comparisons refused by the line, or stopped: {compared.count(None)} of {len(compared)}")
            report("runs of all columns until no more were allowed", [done for done, _ in runs])
            print(f"  runs of all columns that were stopped for want of memory: {sum(short for _, short in runs)}")
            print(f"  visits that a full server did not let in: {sum(visitor.full for visitor in visitors)}")
            for what, times in sorted(sum(refused, Counter()).items()):
                print(f"  refused: {what}, {times} of {len(others[1])} times")
            await memory.tell("with comparisons, refusals and runs again and again")
            check(visitors)
            for visitor in visitors:
                await visitor.page.context.close()
            await asyncio.sleep(FORGETS)
            memory.resident = memory.filled = memory.worker = 0
            await memory.tell("after all have left")
            await let_in(browser, app)
            watching.cancel()
        await browser.close()


async def fresh_page(browser: Browser) -> Page:
    """A page in a context of its own, which has nothing in its cache."""
    context = await browser.new_context(bypass_csp=True, viewport={"width": 1440, "height": 900})
    context.set_default_timeout(PATIENCE)
    return await context.new_page()


def check(visitors: list[Visitor]) -> None:
    """Every visitor was served its own seed and no other's; decimals have digits like a seed's now and then."""
    seeds = {visitor.seed for visitor in visitors}
    for visitor in visitors:
        served = visitor.served & seeds
        assert served == {visitor.seed}, f"{visitor.seed} was served {served}"
    sent = sum(visitor.bytes for visitor in visitors) / 2**20
    print(f"each of {len(visitors)} was served its own seed and no other's, in {sent:,.0f} MiB", flush=True)


async def let_in(browser: Browser, app: str) -> None:
    """A new visitor gets a page, and a run."""
    visitor = Visitor(await fresh_page(browser), app, 73 * 10**10)
    seconds, _ = await visitor.first_run()
    print(f"a new visitor is let in, and waits {seconds:.1f} seconds from Run to the result", flush=True)


def report(name: str, values: Iterable[float]) -> None:
    """Print the least, the median and the largest of the values."""
    if ordered := sorted(values):
        median = statistics.median(ordered)
        print(f"{name}: {ordered[0]:.2f} / {median:.2f} / {ordered[-1]:.2f} (least, median, most)", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--crowd", type=int, default=demo.VISITORS, help=f"visitors at once ({demo.VISITORS})")
    asyncio.run(measure(parser.parse_args().crowd))
