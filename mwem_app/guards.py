"""What guards the server from its start, before it has drawn any page: `app.py` puts it around Streamlit's server."""

import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartParser
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config, file_util, runtime
from streamlit.runtime.stats import StatsManager

from mwem_app.base import APP
from mwem_app.charts import digest_of
from mwem_app.session import demo, is_demo

LARGEST = 2  # files of the largest size: as much as a session may have sent
TOO_MUCH = "The files of this tab are too large together: load the page again, and the server forgets them."
FRAMES = "MWEM_FRAMES"  # in the environment: origins that may show the app in a frame, with blanks between them
PAGES = Path(file_util.get_static_dir(), "index.html"), APP / "page" / "scripts.html"
SCRIPTS = re.findall("(?s)<script>(.*?)</script>", "".join(page.read_text("utf-8") for page in PAGES))
DIGESTS = " ".join(f"'sha256-{digest_of(script)}'" for script in SCRIPTS)
POLICY = (  # blob: is for the scripts of components, which Streamlit's script is sent as text
    f"default-src 'none'; script-src 'self' blob: {DIGESTS}; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)


class Guards:
    """A server with headers of protection and limits of uploads. It writes no upload to disk, tells no statistics."""

    def __init__(self, app: ASGIApp):
        self._app = app
        self._arriving = Counter[tuple[str, object]]()  # bytes of files that are on their way, by session and request
        MultiPartParser.spool_max_size = 0  # 0 is no limit; what is over it goes to a temporary file
        # Whoever asks at /_stcore/metrics would get bytes of uploads and visits. No option turns the address off.
        StatsManager.get_stats = lambda self, family_names=None: {}  # noqa: ARG005 - as Streamlit calls it

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, as ASGI has it."""
        *_, upload, session, _ = ["", "", *scope.get("path", "").split("/")]
        arriving = session, object()

        async def take() -> Message:
            message = await receive()
            self._arriving[arriving] += len(message.get("body", b""))
            manager: Any = runtime.get_instance().uploaded_file_mgr
            sizes = [len(file.data) for file in manager.file_storage.get(session, {}).values()]
            sizes += [size for (owner, _), size in self._arriving.items() if owner == session]
            if is_demo() or sum(sizes) > LARGEST * config.get_option("server.maxUploadSize") * 2**20:
                raise HTTPException(413, demo.NO_FILES if is_demo() else TOO_MUCH)
            return message

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("content-security-policy", " ".join([POLICY, *os.environ.get(FRAMES, "").split()]))
                headers.setdefault("x-content-type-options", "nosniff")
            await send(message)

        try:
            await self._app(scope, take if upload == "upload_file" else receive, answer)
        finally:
            self._arriving.pop(arriving, None)
