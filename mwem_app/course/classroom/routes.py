"""The addresses of the students' page beside those of Streamlit."""

import json
from ipaddress import IPv6Address, ip_address
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from mwem_app.course.classroom import rooms
from mwem_app.course.classroom.pace import Pace
from mwem_app.course.classroom.page import HEADERS, PAGE
from mwem_app.course.classroom.phone import NOT_UNDERSTOOD, Refusal, enter, respond, seated

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
                room, student = seated(seat, rooms.ROOMS)
            except Refusal:
                _keep_pace(OF_STRANGERS, f"{address} seat")
                raise
            _keep_pace(OF_A_SEAT, student)
            return respond(message, room, student)
    raise Refusal(NOT_UNDERSTOOD, status=400)


def _keep_pace(pace: Pace, name: str) -> None:
    if not pace.allows(name):
        raise Refusal(TOO_OFTEN, status=429)
