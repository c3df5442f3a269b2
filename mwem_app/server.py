"""Serving the app: what `mwem app` does, and what is done while it is served."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from streamlit import cli_util, config
from streamlit.web import cli
from streamlit.web.server.server_util import get_display_address, get_url

from mwem_app.base import SERVED_FOLDER


def serve(address: str, port: int | None = None) -> None:
    """Serve the app at an address until it is stopped; without a port at 8501, or the next one that is free.

    It ends by SystemExit, as Streamlit's own command does. On a first start, that command would ask for an e-mail
    address.
    """
    options = {"server.address": address, "server.showEmailPrompt": "false"}
    options |= {} if port is None else {"server.port": f"{port}"}
    cli.main(["run", str(SERVED_FOLDER / "app.py"), *(f"--{name}={value}" for name, value in options.items())])


@asynccontextmanager
async def open_browser(_: object) -> AsyncIterator[None]:
    """The lifespan of the served app: it begins by opening a browser, unless the server is told to be headless.

    Streamlit itself does this for a file of pages, and not for one with an `App`.
    """
    if not config.get_option("server.headless"):
        address = config.get_option("server.address") or "localhost"
        host = config.get_option("browser.serverAddress") if config.is_manually_set("browser.serverAddress") else None
        asyncio.get_running_loop().call_soon(cli_util.open_browser, get_url(host or get_display_address(address)))
    yield
