"""`mwem app` serves the app with Streamlit: on this computer alone, unless it is told where."""

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from command_line import assert_refused
from messages import exactly

from mwem_app import __main__ as program, server
from mwem_app.base import SERVED_FOLDER
from mwem_core.__main__ import main


@pytest.fixture
def served(monkeypatch) -> list[list[str]]:
    """What Streamlit is called with."""
    calls: list[list[str]] = []
    monkeypatch.setattr(server.cli, "main", calls.append)
    monkeypatch.setattr("mwem_core.cli.app_commands.IN_PLACE", False)

    def call(command: list[str]) -> int:
        assert command[:3] == [sys.executable, "-m", "mwem_app"]
        program.main(*command[3:])
        return 0

    monkeypatch.setattr("mwem_core.cli.app_commands.subprocess.call", call)
    return calls


def test_it_listens_on_this_computer_alone_unless_told(served):
    assert (main(["app"]), main(["app", "--port", "80", "--address", "0.0.0.0"])) == (0, 0)
    quiet = "--server.showEmailPrompt=false"
    run = ["run", str(SERVED_FOLDER / "app.py")]
    assert served == [
        [*run, "--server.address=localhost", quiet],
        [*run, "--server.address=0.0.0.0", quiet, "--server.port=80"],
    ]


def test_what_is_no_port_is_refused(served, capsys):
    assert_refused(capsys, "app", {"--port": "0"}, "port must be a whole number from 1 up, got '0'")
    assert_refused(capsys, "app", {"--port": "65536"}, "port must be at most 65535, got 65536")
    assert not served


def test_an_address_that_is_not_of_this_computer_is_refused_in_one_line(monkeypatch):
    def nowhere(_: list[str]) -> None:
        raise OSError(99, "Cannot assign requested address")

    monkeypatch.setattr(server.cli, "main", nowhere)
    refused = "mwem: error: the app cannot listen at '192.0.2.1': Cannot assign requested address"
    with pytest.raises(SystemExit, match=exactly(refused)):
        program.main("192.0.2.1")


@pytest.mark.parametrize(("headless", "opened"), [(False, ["http://localhost:8501"]), (True, [])])
def test_a_browser_opens_unless_the_server_is_headless(monkeypatch, headless, opened):
    urls: list[str] = []
    monkeypatch.setattr(server.cli_util, "open_browser", urls.append)
    before = server.config.get_option("server.headless")

    async def serve() -> None:
        async with server.open_browser(None):
            await asyncio.sleep(0)

    server.config.set_option("server.headless", headless)
    try:
        with ThreadPoolExecutor() as pool:  # a browser of other tests may have a loop in this thread
            pool.submit(asyncio.run, serve()).result()
    finally:
        server.config.set_option("server.headless", before)
    assert urls == opened
