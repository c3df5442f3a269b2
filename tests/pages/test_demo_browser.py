"""A public demo in a browser: it runs bundled tables, says what it refuses, and its server takes no file."""

import re
from collections.abc import Iterator

import pytest
from browser import NO_BROWSER, NOTHING_TESTED, Visitors, button, main, serving, until_drawn, until_over
from playwright.sync_api import Page, expect

from mwem_app.session import demo

pytestmark = [pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED), pytest.mark.slow]

SESSION = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@pytest.fixture
def of_a_demo(contexts) -> Iterator[Visitors]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv(demo.SETTING, "1")
        with serving() as where:
            visitors = Visitors(contexts, where)
            yield visitors
            visitors.leave()


def sent_file(visitors: Visitors, page: Page) -> int:
    """The status with which the server answers a file that no page has asked for."""
    frames = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: frames.append(frame)))
    page.goto(visitors.app + "run?table=Class+survey")
    button(page, "Run").wait_for()
    cookies = {each["name"]: each["value"] for each in page.context.cookies(visitors.app)}
    ids = {found.decode() for frame in frames for found in SESSION.findall(frame)}  # of the session, and of its runs
    answers = {
        page.request.put(
            f"{visitors.app}_stcore/upload_file/{each}/1",
            headers={"X-Xsrftoken": cookies["_streamlit_xsrf"]},
            multipart={"file": {"name": "a.csv", "mimeType": "text/csv", "buffer": b"a\n1\n"}},
        ).status
        for each in ids
    }
    (answer,) = answers - {400}  # which it answers to what is no session
    return answer


def test_a_demo_runs_bundled_tables_and_takes_no_file_by_a_page_a_link_or_past_them(of_a_demo, visitors):
    page = of_a_demo.open(table="Class survey", seed="1")
    until_drawn(page)
    button(page, "Run").click()
    until_over(page)
    own = of_a_demo.visit(of_a_demo.app + "run?table=Your+own+file")
    expect(main(own).get_by_text("This public demo takes no files")).to_be_visible()
    assert own.locator("input[type=file]").count() == 0
    assert sent_file(of_a_demo, page) == 413
    assert sent_file(visitors, visitors.visit(visitors.app + "run")) == 204  # where a page takes files
