"""The students' page, and the addresses it talks to beside those of Streamlit."""

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from typing import Any

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from mwem_app.charts import PIECES, digest_of, theme_properties
from mwem_app.course.classroom import rooms
from mwem_app.course.classroom.class_screens import PRIVACY_NOTE
from mwem_app.course.classroom.phone import NOT_UNDERSTOOD, Refusal, enter, find_seat, respond
from mwem_app.course.classroom.room import FEWEST
from mwem_core.base import template

MOST_NAMES = 10_000


@dataclass
class Pace:
    """`burst` requests at once for each name, and `per_second` in the long run."""

    burst: int
    per_second: float
    clock: Callable[[], float] = time.monotonic
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _free_at: dict[str, float] = field(default_factory=dict)  # when a name has its whole burst again

    def allows(self, name: str) -> bool:
        """Whether a request of this name may go on now; one that may is counted."""
        with self._lock:
            now = self.clock()
            if len(self._free_at) >= MOST_NAMES:
                self._free_at = {each: free for each, free in self._free_at.items() if free > now}
            free = max(now, self._free_at.get(name, now)) + 1 / self.per_second
            if free > now + (self.burst + 0.5) / self.per_second:  # half a request for rounding
                return False
            self._free_at[name] = free
            return True

    def knows(self, name: str) -> bool:
        """Whether a request of this name was allowed, not so long ago that it is forgotten."""
        return name in self._free_at


FOLDER = Path(__file__).parent
SCRIPTS = PIECES / "build.js", PIECES / "controls.js", FOLDER / "phone.js"


def _text(*files: Path) -> str:
    return "".join(file.read_text(encoding="utf-8") for file in files)


SCRIPT, STYLE = _text(*SCRIPTS), theme_properties() + _text(FOLDER / "phone.css")
PAGE = str(
    template(FOLDER / "phone.html.jinja")(
        style=Markup(STYLE), script=Markup(SCRIPT), stored=PRIVACY_NOTE, fewest=FEWEST
    )
)
POLICY = (
    f"default-src 'none'; script-src 'sha256-{digest_of(SCRIPT)}'; style-src 'sha256-{digest_of(STYLE)}'; "
    "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-cache",
}


PATH = "/class"
MAX_BYTES = 4096  # of a request
OF_A_SEAT = Pace(burst=20, per_second=5)
OF_STRANGERS = Pace(burst=400, per_second=40)  # of an address: who sends a new code, a known code, or an ended seat
TOO_LARGE = "This is too much for one message: load the page again."
TOO_OFTEN = "Too many requests at once: wait a moment."


def routes(base: str = "") -> list[Route]:
    """The page, and what it talks to, below a server's base path."""
    base = f"/{base.strip('/')}" if base.strip("/") else ""
    return [Route(base + PATH, _page, methods=["GET"]), Route(base + PATH, _talk, methods=["POST"])]


async def _page(_: Request) -> Response:
    return HTMLResponse(PAGE, headers=HEADERS)


async def _talk(request: Request) -> Response:
    """Answer a phone in JSON. The seat is in the body, which no log has; a page of another site cannot send JSON."""
    try:
        answer, status = await run_in_threadpool(_answer, await _message(request), _address(request)), 200
    except Refusal as refusal:
        answer, status = {"problem": str(refusal), "ended": refusal.ended}, refusal.status
    return JSONResponse(answer, status, {"cache-control": "no-store", "x-content-type-options": "nosniff"})


async def _message(request: Request) -> dict[str, Any]:
    """The message of a phone. Raises Refusal for what is too large, or no JSON object."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise Refusal(NOT_UNDERSTOOD, status=415)
    body = b""
    try:
        async for part in request.stream():
            body += part
            if len(body) > MAX_BYTES:
                raise Refusal(TOO_LARGE, status=413)
        message = json.loads(body)
    except (ValueError, RecursionError, ClientDisconnect):
        raise Refusal(NOT_UNDERSTOOD, status=400) from None
    if not isinstance(message, dict):
        raise Refusal(NOT_UNDERSTOOD, status=400)
    return message


def _address(request: Request) -> str:
    """Where a request is from: an address of IPv4, or the first half of one of IPv6, as the other is its owner's."""
    try:
        address = ip_address(request.client.host if request.client else "")
    except ValueError:
        return ""
    return str(address.ipv4_mapped or int(address) >> 64) if isinstance(address, IPv6Address) else str(address)


def _answer(message: dict[str, Any], address: str) -> dict[str, Any]:
    """What to answer. Raises Refusal."""
    match message:
        case {"do": "join", "code": str(code)}:
            name = f"{address} {rooms.read_code(code)[: rooms.CODE_LENGTH + 1]}"
            if not OF_STRANGERS.knows(name):  # else a class has sent it too, which a flood of other codes must not stop
                _keep_pace(OF_STRANGERS, address)
            _keep_pace(OF_STRANGERS, name)
            return enter(code, rooms.ROOMS)
        case {"seat": str(seat)}:
            try:
                room, student = find_seat(seat, rooms.ROOMS)
            except Refusal:
                _keep_pace(OF_STRANGERS, f"{address} seat")
                raise
            _keep_pace(OF_A_SEAT, student)
            return respond(message, room, student)
    raise Refusal(NOT_UNDERSTOOD, status=400)


def _keep_pace(pace: Pace, name: str) -> None:
    if not pace.allows(name):
        raise Refusal(TOO_OFTEN, status=429)
