"""Two strangers on one server: neither is served anything of the other, labels are text, uploads are not stored."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import (
    NO_BROWSER,
    NOTHING_TESTED,
    Visitors,
    button,
    main,
    part,
    pick,
    serving,
    until_drawn,
    until_over,
    until_whole,
)
from hostile import HOSTILE, INTERPRETED, NAMES, NOTHING, table
from playwright.sync_api import Page, Response, expect

pytestmark = [pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED), pytest.mark.slow]

PLAIN = ["Bob's town", "Bob's age", "Bob's hours"]
STATISTICS = "cache_memory_bytes", "session_events", "session_duration_seconds", "active_sessions"
OF_THE_SERVER = (  # what Streamlit's server answers besides pages
    *("_stcore/health", "_stcore/host-config", "_stcore/script-health-check", "_stcore/agent/openapi.json"),
    *("_stcore/upload_file/", "_stcore/stream", "_stcore/bidi-components/", "media/", "component/", "app/static/"),
)


@pytest.fixture
def watched(written, chromium) -> Iterator[Visitors]:
    with serving() as where:
        visitors = Visitors([chromium.new_context() for _ in range(2)], where)
        yield visitors
        visitors.leave()


class Visitor:
    """A page, and everything that the server has sent to it."""

    def __init__(self, visitors: Visitors):
        self.served, self.urls = list[bytes](), set[str]()
        self.page = visitors.visit("about:blank")
        self.page.on("websocket", lambda socket: socket.on("framereceived", self._receive))
        self.page.on("response", self._read)
        self.page.goto(visitors.app + "run?table=Your+own+file")

    def _receive(self, frame: str | bytes) -> None:
        self.served.append(frame.encode() if isinstance(frame, str) else frame)

    def _read(self, response: Response) -> None:
        self.urls.add(response.url)

    def saw(self, text: str) -> bool:
        return any(text.encode() in message for message in self.served)


def run(page: Page, name: str, content: bytes) -> None:
    main(page).locator("input[type=file]").first.set_input_files(
        {"name": name, "mimeType": "text/csv", "buffer": content}
    )
    button(page, "Use this schema").click()
    until_drawn(page)
    button(page, "Run").click()
    until_over(page)
    until_whole(page)


def test_no_label_is_more_than_text_nothing_reaches_a_stranger_and_no_upload_is_written(watched, written):
    ann, bob = Visitor(watched), Visitor(watched)
    large = table(NAMES, HOSTILE, 60_000)
    assert len(large) > 1.5 * 2**20  # over the size from which the server would write it to disk
    run(ann.page, "<b>strong</b> :smile: www.evil.example.csv", large)
    run(bob.page, "bob.csv", table(PLAIN, ["Bob's one", "Bob's two", "Bob's three"], 300))

    page = ann.page
    assert page.evaluate(INTERPRETED) == NOTHING
    names = part(page, "table").get_by_test_id("stButtonGroup").filter(has_text="hacked").get_by_role("button")
    names.first.wait_for()
    assert [text.replace("\u2060", "") for text in names.all_inner_texts()] == NAMES
    page.keyboard.press("Escape")
    for view, charts in (("One column", 2), ("Two columns", 4)):
        pick(page, "Compare", view)
        expect(main(page).locator(".js-plotly-plot")).to_have_count(charts)  # the view's own: the rerun has begun
        main(page).locator(".js-plotly-plot .main-svg").last.wait_for()
        until_whole(page)
        assert page.evaluate(INTERPRETED) == NOTHING
    ticks = page.locator(".js-plotly-plot text, .mwem-player svg text").all_text_contents()
    assert {"**strong**", ":red[strong]", "a<br>b", "%{x}", "$x^2$"} <= set(ticks)

    with page.expect_download() as download:
        main(page).get_by_role("button", name="Rows, CSV").click()
    rows = Path(download.value.path()).read_text("utf-8")
    assert "'=1+1," in rows
    assert ann.saw("evil.example")
    assert bob.saw("Bob's town")
    assert not ann.saw("Bob's")
    assert not bob.saw("evil.example")
    assert not bob.saw("strong")
    addresses = {url.removeprefix(watched.app) for url in ann.urls - bob.urls}
    for address in addresses:  # nor does another get what was served there; a download's is a digest of 128 bits
        if not re.match(r"media/[0-9a-f]{32}\.", address):
            assert b"evil.example" not in bob.page.request.get(watched.app + address).body()
    assert not [url for url in bob.urls if url.removeprefix(watched.app).startswith("media/")]

    for query in ("", *(f"?families={family}" for family in STATISTICS)):
        assert bob.page.request.get(f"{watched.app}_stcore/metrics{query}").text() == "# EOF\n"
    for address in OF_THE_SERVER:
        answer = bob.page.request.get(watched.app + address).text()
        assert "evil.example" not in answer
        assert str(len(large)) not in answer

    files = written.read_text("utf-8").splitlines()
    assert [file for file in files if file != "/dev/null"] == []
    assert list((written.parent / "temporary").iterdir()) == []
