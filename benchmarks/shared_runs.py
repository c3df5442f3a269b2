"""Thirty who press Run together on one link: `python benchmarks/shared_runs.py`. Needs Linux.

A visitor is a client of Streamlit's protocol: it opens the page, keeps long messages, polls as it is told, presses Run,
and reads what it gets, as Streamlit's script in a browser does; but it draws nothing. With `--browsers` each is a
context of Chromium beside the server on this machine, and the browsers take most of the time.

All have opened the page before. Then all press Run at once: with the same table, settings and seed; others with the
same again, whose run is kept; and others with a seed each. Prints seconds from the press to the first round that the
player has, to its last one and to the last download on the page; and the server's CPU seconds and peak memory.
"""

import argparse
import asyncio
import os
import random
import re
import statistics
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol
from urllib.parse import urlencode

from playwright.async_api import Browser, Page, async_playwright
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NewSession_pb2 import NewSession
from visitors import fresh_page, peak_mib, server_cpu
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "helpers"))

from browser import CHROMIUM, serving  # noqa: E402

PATIENCE = 300  # seconds, before the measurement gives up
OPENING = 4  # pages that open at once
LINK = {"table": "Adult", "epsilon": 1}
STATUS, ROUND = re.compile(r'"status": ?"(\w+)"'), re.compile(r'"round": ?(\d+)')
LAST = "Quality, HTML"  # the last download of the page
WORDS = {"first": "to the first round", "ended": "to the last round", "whole": "to the downloads"}
# A page notes what its player and its downloads show, and when.
WATCH = """last => {
  const seen = window.seen = { pressed: null, first: null, ended: null, whole: null };
  const now = () => performance.now() / 1000, player = () => document.querySelector(".mwem-player").dataset;
  const buttons = () => [...document.querySelectorAll("[data-testid=stMain] button")];
  addEventListener("click", () => { seen.pressed ??= now(); }, true);
  setInterval(() => {
    if (player().status !== "idle" && Number(player().shown) > 0) seen.first ??= now();
    if (seen.first && player().status === "done") seen.ended ??= now();
    if (seen.ended && buttons().some((each) => each.textContent.includes(last))) seen.whole ??= now();
  }, 20);
}"""


@dataclass
class Seen:
    """When a visitor pressed Run, and saw the first round, the last one, and the whole page: seconds of one clock."""

    pressed: float | None = None
    first: float | None = None
    ended: float | None = None
    whole: float | None = None


class Visitor(Protocol):
    """Someone at the page Run."""

    async def open(self, seed: int) -> None:
        """Open the class link with this seed, and wait until the page is there."""

    async def press(self) -> Seen:
        """Press Run, and wait for the end of the page."""
        ...

    async def leave(self) -> None:
        """Close the page."""


class Client:
    """A visitor without a browser."""

    def __init__(self, app: str):
        self.app, self.query, self.page = app, "", ""
        self.socket: ClientConnection | None = None
        self.kept: dict[str, ForwardMsg] = {}  # long messages, which the server then only names
        self.polls: dict[str, asyncio.Task] = {}  # by fragment
        self.run, self.seen, self.bytes = "", Seen(), 0
        self.idle, self.over = asyncio.Event(), asyncio.Event()

    async def open(self, seed: int) -> None:
        """Open the class link with this seed, and wait until the page is there."""
        self.query = urlencode(LINK | {"seed": seed})
        self.socket = await connect(
            f"{self.app.replace('http', 'ws', 1)}_stcore/stream",
            subprotocols=[Subprotocol("streamlit")],
            origin=Origin(self.app.rstrip("/")),
            max_size=None,
        )
        self.listening = asyncio.create_task(self._listen(self.socket))
        await self._rerun()
        while not self.run:
            self.idle.clear()
            await self.idle.wait()

    async def press(self) -> Seen:
        """Press Run, and wait for the end of the page."""
        self.seen = Seen(pressed=time.monotonic())
        self.over.clear()
        await self._rerun(press=self.run)
        await self.over.wait()
        return self.seen

    async def leave(self) -> None:
        """Close the page."""
        for task in (self.listening, *self.polls.values()):
            task.cancel()
        if self.socket:
            await self.socket.close()

    async def _rerun(self, *, press: str = "", fragment: str = "") -> None:
        message = BackMsg()
        state = message.rerun_script
        state.query_string, state.page_script_hash, state.fragment_id = self.query, self.page, fragment
        state.is_auto_rerun = bool(fragment)
        state.cached_message_hashes.extend(self.kept)
        state.context_info.url = self.app
        if press:
            state.widget_states.widgets.add(id=press, trigger_value=True)
        assert self.socket
        await self.socket.send(message.SerializeToString())

    async def _listen(self, socket: ClientConnection) -> None:
        async for data in socket:
            assert isinstance(data, bytes)
            self.bytes += len(data)
            message = ForwardMsg.FromString(data)
            kind = message.WhichOneof("type")
            if kind == "ref_hash":
                message = self.kept[message.ref_hash]
                kind = message.WhichOneof("type")
            elif message.metadata.cacheable:
                self.kept[message.hash] = message
            if kind == "new_session":
                self._begin(message.new_session, fragments=list(message.metadata.run.fragment_ids))
            elif kind == "page_info_changed":
                self.query = message.page_info_changed.query_string
            elif kind == "auto_rerun":
                fragment = message.auto_rerun.fragment_id
                self._stop(fragment)
                self.polls[fragment] = asyncio.create_task(self._poll(fragment, message.auto_rerun.interval))
            elif kind == "stop_auto_rerun":
                for fragment in message.stop_auto_rerun.fragment_ids:
                    self._stop(fragment)
            elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
                self._look(message.delta.new_element)
            elif kind == "script_finished":
                self.idle.set()

    def _begin(self, session: NewSession, fragments: Sequence[str]) -> None:
        self.page = session.page_script_hash
        if not fragments:  # the whole page is drawn: what polls says so again
            for fragment in tuple(self.polls):
                self._stop(fragment)

    async def _poll(self, fragment: str, seconds: float) -> None:
        while True:
            await asyncio.sleep(seconds)
            await self._rerun(fragment=fragment)

    def _stop(self, fragment: str) -> None:
        if task := self.polls.pop(fragment, None):
            task.cancel()

    def _look(self, element: Element) -> None:
        now, seen = time.monotonic(), self.seen
        if element.button.label == "Run":
            self.run = element.button.id
        elif element.bidi_component.component_name.endswith("mwem_player") and seen.pressed:
            data = element.bidi_component.json
            status = STATUS.search(data)
            rounds = max(map(int, ROUND.findall(data)), default=0)
            if status and status[1] != "idle" and rounds:
                seen.first = seen.first or now
                if status[1] == "done":
                    seen.ended = seen.ended or now
        elif element.download_button.label == LAST and seen.ended:
            seen.whole = seen.whole or now
            self.over.set()


class Tab:
    """A visitor with a context of Chromium."""

    def __init__(self, app: str, page: Page):
        self.app, self.page = app, page

    async def open(self, seed: int) -> None:
        """Open the class link with this seed, and wait until the page is there."""
        await self.page.goto(f"{self.app}?{urlencode(LINK | {'seed': seed})}")
        await self.page.wait_for_function("() => document.querySelector('.mwem-player')?.dataset.shown >= 0")
        await self.page.wait_for_function("() => document.querySelector('[data-test-script-state=notRunning]')")

    async def press(self) -> Seen:
        """Press Run, and wait for the end of the page."""
        await self.page.evaluate(WATCH, LAST)
        await self.page.get_by_test_id("stMain").get_by_role("button", name="Run", exact=True).click()
        await self.page.wait_for_function("() => seen.whole")
        return Seen(**await self.page.evaluate("() => seen"))

    async def leave(self) -> None:
        """Close the page."""
        await self.page.context.close()


async def measure(crowd: int, *, browsers: bool) -> None:
    """Let crowds press Run together, and print what they waited for. Every crowd has new visitors."""
    who = "contexts of Chromium" if browsers else "clients of the protocol"
    print(f"{crowd} {who}; {os.cpu_count()} processors; load before: {os.getloadavg()[0]:.1f}")
    async with async_playwright() as playwright:
        launch = partial(playwright.chromium.launch, executable_path=CHROMIUM, args=["--no-sandbox"])
        chromium = await launch() if browsers else None
        with serving() as app:
            await let_in("one visitor, on a new server", app, chromium, [2])
            await let_in("one visitor", app, chromium, [1])
            await let_in("the same seed, for the first time", app, chromium, [3] * crowd)
            await let_in("the same seed, whose run is kept", app, chromium, [3] * crowd)
            await let_in("a seed each", app, chromium, random.sample(range(10**6), crowd))


async def let_in(title: str, app: str, chromium: Browser | None, seeds: Sequence[int]) -> None:
    """Open a page for each seed, press Run on all at once, and print what was waited for."""
    visitors = [Tab(app, await fresh_page(chromium)) if chromium else Client(app) for _ in seeds]
    async with asyncio.timeout(PATIENCE):
        await open_all(visitors, seeds)
        before = server_cpu()
        seen = await asyncio.gather(*(visitor.press() for visitor in visitors))
    await asyncio.sleep(1)  # pages are drawn to their end
    cpu = (server_cpu() - before) / len(visitors)
    print(f"{title}: {cpu:.2f} CPU seconds of the server each; its peak memory {peak_mib():,} MiB")
    for name, words in WORDS.items():
        seconds = [getattr(each, name) - each.pressed for each in seen]
        print(f"  {words:18} {statistics.median(seconds):6.2f} s median {max(seconds):6.2f} worst", flush=True)
    for visitor in visitors:
        await visitor.leave()


async def open_all(visitors: Sequence[Visitor], seeds: Iterable[int]) -> None:
    """Open the pages, a few at once."""
    turn = asyncio.Semaphore(OPENING)

    async def one(visitor: Visitor, seed: int) -> None:
        async with turn:
            await visitor.open(seed)

    await asyncio.gather(*map(one, visitors, seeds))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--crowd", type=int, default=30, help="visitors at once (30)")
    parser.add_argument("--browsers", action="store_true", help="contexts of Chromium, not clients of the protocol")
    arguments = parser.parse_args()
    asyncio.run(measure(arguments.crowd, browsers=arguments.browsers))
