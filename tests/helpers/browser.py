"""The app in a real browser: its own server, the installed Chromium, and short names for the parts of a page."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import urlopen

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Locator,
    Page,
    Playwright,
    TimeoutError,
    expect,
)

ROOT = Path(__file__).parents[2]
NAMES = "chromium", "chromium-browser", "google-chrome"
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
WIDE, NARROW = {"width": 1360, "height": 900}, {"width": 390, "height": 844}
NO_BROWSER = CHROMIUM is None and os.environ.get("CI") != "true"
NOTHING_TESTED = f"NOTHING WAS TESTED IN A BROWSER: install Chromium as {', '.join(NAMES[:-1])} or {NAMES[-1]}"
SECONDS = 120  # the longest wait, for a slow machine; each wait ends as soon as its condition holds
expect.set_options(timeout=1000 * SECONDS)

WIDER = """() => [document.scrollingElement, document.querySelector("[data-testid=stMain]")]
  .map(box => box.scrollWidth - box.clientWidth)"""


STREAMLIT = (sys.executable, "-m", "streamlit", "run", "app.py", "--server.address", "127.0.0.1", "--server.port")


@contextmanager
def serving(
    port: int = 0,
    *,
    end: signal.Signals = signal.SIGTERM,
    folder: Path = ROOT,
    command: Sequence[str | Path] = STREAMLIT,
) -> Iterator[str]:
    """Serve a folder's app by a command that a port is added to: this one, or a free one. Yields the app's address."""
    with socket.create_server(("127.0.0.1", port)) as free:
        port = free.getsockname()[1]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as log:
        environment = os.environ | {"STREAMLIT_SERVER_HEADLESS": "true"}
        server = subprocess.Popen(
            [*command, f"{port}"], cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            _await_health(server, f"http://127.0.0.1:{port}/_stcore/health", log)
            yield f"http://127.0.0.1:{port}/"
        finally:
            server.send_signal(end)
            server.wait(20)


def _await_health(server: subprocess.Popen, address: str, log) -> None:
    until = time.monotonic() + SECONDS
    while time.monotonic() < until and server.poll() is None:
        try:
            with urlopen(address, timeout=5):
                return
        except (URLError, OSError):
            time.sleep(0.1)
    log.seek(0)
    raise RuntimeError(f"the app did not start:\n{log.read()}")


def launch(playwright: Playwright) -> Browser:
    """Start the installed Chromium, without its sandbox if run as root."""
    if CHROMIUM is None:
        raise RuntimeError(f"no browser: none of {', '.join(NAMES)} is on the PATH")
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    return playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"] if root else [])


def address(**settings: object) -> str:
    """The settings as query parameters, as the app writes them."""
    return "?" + urlencode(settings, doseq=True)


class Visitors:
    """Visitors of the app. No error may occur on their pages.

    Tests share two browser contexts, whose caches hold Streamlit's and Plotly's scripts: one for the first visitor, and
    one for those who come while that one is there. Tabs of one context share a process, and one that draws a run
    starves the others.
    """

    def __init__(self, contexts: Sequence[BrowserContext], app: str):
        self.contexts, self.app = contexts, app
        self.pages: list[Page] = []
        self.errors: list[str] = []

    def open(self, where: str = "", *, viewport=WIDE, dark: bool = False, **settings: object) -> Page:
        """Open the Run page with these settings, or an address of the app."""
        page = self.visit(where or self.app + "run" + address(**settings), viewport=viewport, dark=dark)
        button(page, "Run").wait_for()
        return page

    def open_lesson(self, path: str, *, viewport=WIDE, dark: bool = False, **settings: object) -> Page:
        """Open a lesson with these settings, and wait until all of it is there."""
        where = self.app + "learn" + address(lesson=path, **settings)
        page = self.visit(where, viewport=viewport, dark=dark)
        main(page).get_by_role("link", name="All lessons").wait_for()
        until_whole(page)
        return page

    def visit(self, where: str, *, viewport=WIDE, dark: bool = False) -> Page:
        """Open an address as a new visitor."""
        another = any(not page.is_closed() for page in self.pages)
        page = self.contexts[another].new_page()
        page.set_default_timeout(1000 * SECONDS)
        page.set_viewport_size(viewport)
        page.emulate_media(color_scheme="dark" if dark else "light")
        self.pages.append(page)
        self._watch(page)
        page.goto(where)
        return page

    def _watch(self, page: Page) -> None:
        page.on("pageerror", lambda error: self.errors.append(f"a script failed: {error}"))
        page.on("console", lambda line: self.errors.append(line.text) if self._is_error(line) else None)
        page.on(
            "request",
            lambda request: None if self._is_own(request.url) else self.errors.append(f"fetched {request.url}"),
        )

    @staticmethod
    def _is_error(line: ConsoleMessage) -> bool:
        """Streamlit looks for its server below the address of a page first, and there finds nothing."""
        return line.type == "error" and not re.search(r"/\w+/_stcore/(health|host-config)$", line.location["url"])

    def _is_own(self, url: str) -> bool:
        return url.startswith((self.app, "data:", "blob:"))

    def leave(self) -> None:
        for page in self.pages:
            page.close()
        assert not self.errors, self.errors


# ---- parts of a page ----
def main(page: Page) -> Locator:
    """The page without Streamlit's own header, which also has a Stop button."""
    return page.get_by_test_id("stMain")


def button(page: Page, name: str) -> Locator:
    """A button of the page, by its first word; "Run" is not "Run both". For the player's buttons use `go`."""
    named = re.compile(rf"^{name}\b(?! both)")
    return main(page).get_by_test_id("stButton").get_by_role("button", name=named)


def go(page: Page, where: str) -> Locator:
    """A button of the player: start, back, play, on or end."""
    return page.locator(f".mwem-player [data-go={where}]")


def scrubber(page: Page) -> Locator:
    """The player's slider over the rounds."""
    return page.get_by_role("slider", name=re.compile("(Round|Step) shown"))


def words(page: Page) -> str:
    """The text of the page in one line."""
    return " ".join(main(page).inner_text().split())


def until_true(page: Page, expression: str, argument: object = None) -> None:
    """Wait until JavaScript gives what is true, also on a page that reloads meanwhile. Raises TimeoutError.

    Playwright's `wait_for_function` has the page itself evaluate a text, which the app's policy forbids.
    """
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        try:
            if page.evaluate(expression, argument):
                return
        except Error as problem:
            if "navigat" not in problem.message and "context was destroyed" not in problem.message:
                raise
        page.wait_for_timeout(50)
    raise TimeoutError(f"{expression} was never true")


def until(page: Page, condition: str) -> None:
    """Wait for a JavaScript condition on `p`, the player's element. If it never holds, say what the page shows."""
    try:
        until_true(
            page, f"(() => {{ const p = document.querySelector('.mwem-player'); return !!p && ({condition}) }})()"
        )
    except TimeoutError as never:
        players = page.evaluate("[...document.querySelectorAll('.mwem-player')].map(p => ({...p.dataset}))")
        raise AssertionError(f"{condition} never held; the players are {players}, the page: {words(page)}") from never


def until_drawn(page: Page) -> None:
    """Wait until both charts are drawn, so the first screen is complete."""
    until(page, "p.querySelectorAll('.plot svg').length > 1 && p.dataset.shown >= 0")


def until_over(page: Page, how: str = "done") -> None:
    """Wait until the run has ended, its last round is drawn and the downloads are below."""
    until(page, f"p.dataset.status === '{how}' && p.dataset.moving === 'false'")
    main(page).get_by_role("heading", name="Downloads").wait_for()


def until_whole(page: Page) -> None:
    """Wait until the page's script has ended, its own scripts run, and nothing of the previous page is left."""
    until_true(page, "!!window.onePageOneEntry")
    page.locator("[data-test-script-state=notRunning]").wait_for()
    expect(main(page).locator("[data-stale=true]")).to_have_count(0)


def shown(page: Page) -> int:
    """The round the player shows."""
    return int(page.locator(".mwem-player").get_attribute("data-shown") or -1)


def chart(page: Page, name: str, expression: str) -> object:
    """Evaluate JavaScript on `plot`, the element of the player's chart: errors or view."""
    node = page.locator(f".mwem-player [data-name={name}] .plot")
    return node.evaluate(f"plot => {expression}")


GROUPS = {
    **dict.fromkeys(("What privacy costs", "Run", "Compare", "Trade-off"), "Explore"),
    **dict.fromkeys(("Release", "Ask"), "Your data"),
    **dict.fromkeys(("Lessons", "Live class"), "Learn"),
    **dict.fromkeys(("The paper", "How it scales"), "Evidence"),
}


def follow(page: Page, name: str) -> None:
    """Go to a page by the navigation."""
    page.get_by_test_id("stHeader").get_by_role("button", name=GROUPS[name]).click()
    page.get_by_test_id("stTopNavDropdownLink").filter(has_text=name).click()


def part(page: Page, name: str) -> Locator:
    """What a part of the line of settings holds, opened: table, queries, epsilon, method or systems."""
    opener, body = main(page).locator(f".st-key-part_{name} button").first, page.get_by_test_id("stPopoverBody")
    if opener.get_attribute("aria-expanded") != "true":
        if body.count():
            page.keyboard.press("Escape")
        opener.click()
    body.wait_for()
    return body


def choose(page: Page, label: str, option: str) -> None:
    """Pick from a select box, on the page or in the part that is open."""
    page.get_by_role("combobox", name=label, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()


def pick(page: Page, label: str, option: str) -> None:
    """Pick from a row of choices, on the page or in the part that is open."""
    page.get_by_role("radiogroup", name=label).get_by_role("radio", name=option, exact=True).click()
