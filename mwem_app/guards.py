"""What guards the server from its start, before it has drawn any page: `app.py` puts it around Streamlit's server."""

import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartParser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config, file_util, runtime
from streamlit.runtime.stats import StatsManager

from mwem_app.drawing.one_file import digest_of
from mwem_app.places import APP
from mwem_app.session.demo import NO_FILES, is_demo

UPLOAD = "/_stcore/upload_file/"  # then a session and a file
LARGEST = 2  # files of the largest size make the most that a session may have sent
TOO_MUCH = "The files of this tab are too large together: load the page again, and the server forgets them."
FRAMES = "MWEM_FRAMES"  # in the environment: origins that may show the app in a frame, with blanks between them
PAGES = Path(file_util.get_static_dir(), "index.html"), *sorted((APP / "page").glob("*.html"))
SCRIPTS = (script for page in PAGES for script in re.findall("(?s)<script>(.*?)</script>", page.read_text("utf-8")))
DIGESTS = (f"'sha256-{digest_of(script)}'" for script in SCRIPTS)
POLICY = (  # blob: is for the scripts of components, which Streamlit's script is sent as text
    f"default-src 'none'; script-src 'self' blob: {' '.join(DIGESTS)}; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)


class Guards:
    """A server whose answers have headers of protection, and which takes files as far as it may.

    Once there is one, this process writes no upload to disk and tells no statistics.
    """

    def __init__(self, app: ASGIApp):
        self._app = app
        self._arriving = Counter[str]()  # bytes of files that are on their way, by session
        MultiPartParser.spool_max_size = 0  # 0 is no limit; what is over it goes to a temporary file
        # Whoever asks at /_stcore/metrics would get bytes of uploads and visits. No option turns the address off.
        StatsManager.get_stats = lambda self, family_names=None: {}  # noqa: ARG005 - as Streamlit calls it

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, as ASGI has it."""

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("content-security-policy", " ".join([POLICY, *os.environ.get(FRAMES, "").split()]))
                headers.setdefault("x-content-type-options", "nosniff")
            await send(message)

        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif scope["method"] != "PUT" or UPLOAD not in scope["path"]:
            await self._app(scope, receive, answer)
        elif is_demo():
            await PlainTextResponse(NO_FILES, 413)(scope, receive, answer)
        else:
            await self._take(scope, receive, answer)

    async def _take(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a file come, unless the session has sent too much, with what is on its way."""
        session, size = scope["path"].split("/")[-2], 0
        manager: Any = runtime.get_instance().uploaded_file_mgr

        async def count() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            self._arriving[session] += len(message.get("body", b""))
            kept = sum(len(file.data) for file in manager.file_storage.get(session, {}).values())
            if kept + self._arriving[session] > LARGEST * config.get_option("server.maxUploadSize") * 2**20:
                raise HTTPException(413, TOO_MUCH)
            return message

        try:
            await self._app(scope, count, send)
        finally:
            self._arriving[session] -= size
            self._arriving = +self._arriving  # without sessions of which nothing is on its way
