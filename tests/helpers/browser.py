"""The app in a real browser: a server of its own, an installed Chromium, and short names for what a person looks at."""

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import urlopen

from playwright.sync_api import Browser, BrowserContext, Locator, Page, Playwright, expect

ROOT = Path(__file__).parents[2]
NAMES = "chromium", "chromium-browser", "google-chrome"
CHROMIUM = next((found for found in map(shutil.which, NAMES) if found), None)
WIDE, NARROW = {"width": 1360, "height": 900}, {"width": 390, "height": 844}
NO_BROWSER = CHROMIUM is None and os.environ.get("CI") != "true"
NOTHING_TESTED = f"NOTHING WAS TESTED IN A BROWSER: install Chromium (none of {', '.join(NAMES)} is on the PATH)"
SECONDS = 120  # for anything to happen on a slow machine; nothing waits longer than it must
expect.set_options(timeout=1000 * SECONDS)

WIDER = """() => [document.scrollingElement, document.querySelector("[data-testid=stMain]")]
  .map(box => box.scrollWidth - box.clientWidth)"""


@contextmanager
def serving() -> Iterator[str]:
    """The app on a free port, as `streamlit run app.py` starts it; yields its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    command += ["--server.address", "127.0.0.1", "--server.port", f"{port}"]
    with tempfile.TemporaryFile("w+") as log:
        server = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
        try:
            _await_health(server, f"http://127.0.0.1:{port}/_stcore/health", log)
            yield f"http://127.0.0.1:{port}/"
        finally:
            server.terminate()
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
    """The installed Chromium; as root only without its sandbox."""
    if CHROMIUM is None:
        raise RuntimeError(f"no browser: none of {', '.join(NAMES)} is on the PATH")
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    return playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"] if root else [])


def address(**settings: object) -> str:
    """Settings as the app writes them into its address."""
    return "?" + urlencode(settings, doseq=True)


class Visitors:
    """People who look at the app, each in a browser of their own, with nothing going wrong behind the page."""

    def __init__(self, chromium: Browser, app: str):
        self.chromium, self.app = chromium, app
        self.contexts: list[BrowserContext] = []
        self.troubles: list[str] = []

    def open(self, where: str = "", *, viewport=WIDE, dark: bool = False, **settings: object) -> Page:
        scheme = "dark" if dark else "light"
        context = self.chromium.new_context(viewport=viewport, color_scheme=scheme)
        context.set_default_timeout(1000 * SECONDS)
        self.contexts.append(context)
        page = context.new_page()
        self._watch(page)
        page.goto(where or self.app + address(**settings))
        button(page, "Run").wait_for()
        return page

    def _watch(self, page: Page) -> None:
        page.on("pageerror", lambda error: self.troubles.append(f"a script failed: {error}"))
        page.on("console", lambda line: self.troubles.append(line.text) if line.type == "error" else None)
        page.on("request", lambda asked: self._ours(asked.url) or self.troubles.append(f"asked {asked.url}"))

    def _ours(self, url: str) -> bool:
        return url.startswith((self.app, "data:", "blob:"))

    def leave(self) -> None:
        for context in self.contexts:
            context.close()
        assert not self.troubles


# ---- what a person looks at ----
def main(page: Page) -> Locator:
    """The page without Streamlit's own header, which has a Stop button too."""
    return page.get_by_test_id("stMain")


def button(page: Page, name: str) -> Locator:
    """A button of the page, by the first word on it; those inside the player are `go`."""
    named = re.compile(rf"^{name}\b")
    return main(page).get_by_test_id("stButton").get_by_role("button", name=named)


def go(page: Page, where: str) -> Locator:
    """One of the player's own: start, back, play, on, end."""
    return page.locator(f".mwem-player [data-go={where}]")


def scrubber(page: Page) -> Locator:
    """The player's slider over the rounds."""
    return page.get_by_role("slider", name="Round shown")


def words(page: Page) -> str:
    """What the page says, in one line."""
    return " ".join(main(page).inner_text().split())


def until(page: Page, condition: str) -> None:
    """Wait for a condition on `p`, the player, in JavaScript."""
    page.wait_for_function(
        f"(() => {{ const p = document.querySelector('.mwem-player'); return !!p && ({condition}) }})()"
    )


def until_drawn(page: Page) -> None:
    """Both charts are there: the first screen is complete."""
    until(page, "p.querySelectorAll('.js-plotly-plot .main-svg').length > 1 && p.dataset.shown >= 0")


def until_over(page: Page, how: str = "done") -> None:
    """The run has ended, its last round is drawn and the downloads are below."""
    until(page, f"p.dataset.status === '{how}' && p.dataset.moving === 'false'")
    main(page).get_by_role("heading", name="Downloads").wait_for()


def shown(page: Page) -> int:
    """The round the player shows."""
    return int(page.locator(".mwem-player").get_attribute("data-shown") or -1)


def chart(page: Page, name: str, expression: str) -> object:
    """What JavaScript says of `plot`, the Plotly node of a chart of the player: errors or view."""
    node = page.locator(f".mwem-player [data-name={name}] .plot")
    return node.evaluate(f"plot => {expression}")


def choose(page: Page, label: str, option: str) -> None:
    """Pick from a select box."""
    main(page).get_by_role("combobox", name=label, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()


def pick(page: Page, label: str, option: str) -> None:
    """Pick from a row of choices."""
    main(page).get_by_role("radiogroup", name=label).get_by_role("radio", name=option, exact=True).click()
