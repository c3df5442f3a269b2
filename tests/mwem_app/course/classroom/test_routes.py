"""The addresses of the students' page: what a browser and what anybody else gets there, and how often."""

import asyncio
import gzip
import json
import re
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.applications import Starlette

from mwem_app.charts import digest_of
from mwem_app.course.classroom import rooms, routes as module
from mwem_app.course.classroom.phone import NOT_UNDERSTOOD
from mwem_app.course.classroom.routes import MAX_BYTES, PAGE, TOO_LARGE, TOO_OFTEN, Pace, routes

JSON = {"content-type": "application/json; charset=utf-8"}
REFUSED = {"problem": NOT_UNDERSTOOD, "ended": False}


@pytest.fixture(autouse=True)
def own(monkeypatch):
    """Rooms and paces of this test alone."""
    monkeypatch.setattr(rooms, "ROOMS", rooms.Rooms())
    monkeypatch.setattr(module, "OF_A_SEAT", Pace(burst=20, per_second=5, clock=lambda: 0.0))
    monkeypatch.setattr(module, "OF_STRANGERS", Pace(burst=30, per_second=5, clock=lambda: 0.0))
    return rooms.ROOMS


def fetch(
    method: str,
    where: str,
    body: bytes = b"",
    headers: dict[str, str] | None = None,
    base: str = "",
    client: str | None = "192.0.2.1",
):
    """The status, the headers and the body that the routes answer with, and how many parts of the body they read."""
    path, _, query = where.partition("?")
    heads = [(name.encode(), value.encode()) for name, value in (headers or {}).items()]
    scope = {"type": "http", "method": method, "path": path, "query_string": query.encode(), "headers": heads}
    scope["client"] = client and (client, 40_000)
    parts = [body[i : i + 1000] for i in range(0, len(body), 1000)] or [b""]
    read, sent = [], []

    async def receive():
        read.append(parts[len(read)])
        return {"type": "http.request", "body": read[-1], "more_body": len(read) < len(parts)}

    async def send(message):
        sent.append(message)

    with ThreadPoolExecutor() as pool:  # a browser of other tests may have a loop in this thread
        pool.submit(asyncio.run, Starlette(routes=routes(base))(scope, receive, send)).result()
    start, *rest = sent
    heads = {name.decode(): value.decode() for name, value in start["headers"]}
    return start["status"], heads, b"".join(each.get("body", b"") for each in rest), len(read)


def tell(message: object, headers: dict[str, str] = JSON, client: str | None = "192.0.2.1") -> tuple[int, dict]:
    status, _, body, _ = fetch("POST", "/class", json.dumps(message).encode(), headers, client=client)
    return status, json.loads(body)


def joins(codes: Iterable[str], client: str | None = "192.0.2.1") -> list[int]:
    """The statuses of requests to join."""
    return [tell({"do": "join", "code": code}, client=client)[0] for code in codes]


def guesses(count: int) -> list[str]:
    """Different codes, as a program tries them."""
    return [f"{2222 + i}2222" for i in range(count)]


def test_the_page_is_small_and_its_policy_allows_its_own_script_and_server_alone():
    status, headers, body, _ = fetch("GET", "/class?room=K7MQ-2WXZ")
    assert status == 200
    assert len(gzip.compress(body)) < 10_000
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    script, style = (re.search(f"<{tag}[^>]*>(.*?)</{tag}>", PAGE, re.DOTALL)[1] for tag in ("script", "style"))
    assert policy == {
        "default-src": "'none'",
        "script-src": f"'sha256-{digest_of(script)}'",
        "style-src": f"'sha256-{digest_of(style)}'",
        "img-src": "data:",
        "connect-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    assert "K7MQ" not in body.decode()
    assert "set-cookie" not in headers


def test_the_page_is_also_below_a_base_path():
    for base in ("", "/explorer"):
        assert fetch("GET", f"{base}/class", base=base)[0] == 200


def test_a_phone_joins_asks_answers_and_leaves(own):
    teacher = own.open()
    question = own.room(teacher).ask(["Tea?"], epsilon=1.0)
    status, told = tell({"do": "join", "code": teacher.code.lower()})
    assert status == 200
    seat = told["seat"]
    told = tell({"do": "answer", "seat": seat, "number": question.number, "answer": [True]})[1]
    assert told == tell({"do": "show", "seat": seat})[1]
    assert told["now"]["sent"] == [True]
    assert tell({"do": "leave", "seat": seat}) == (200, {})
    status, told = tell({"do": "show", "seat": seat})
    assert (status, told["ended"]) == (200, True)
    assert own.room(teacher).answers(question.number) == []


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'"join"', b"[" * 4000, b"\xff", b'{"do": "join", "code": 1}', b'{"do": "show"}', b"NaN"]
)
def test_bad_input_is_answered_by_a_sentence(body):
    status, headers, answer, _ = fetch("POST", "/class", body, JSON)
    assert (status, json.loads(answer)) == (400, REFUSED)
    assert headers["x-content-type-options"] == "nosniff"


def test_a_page_of_another_site_can_send_nothing(own):
    """Its forms have other types. Before it sends JSON, a browser asks the server, whose answer does not allow it."""
    teacher = own.open()
    for kind in ({}, {"content-type": "text/plain"}, {"content-type": "application/x-www-form-urlencoded"}):
        assert tell({"do": "join", "code": teacher.code}, kind) == (415, REFUSED)
    assert own.room(teacher).students == 0
    status, headers, _, _ = fetch("OPTIONS", "/class", headers={"origin": "https://evil.example"})
    assert status == 405
    assert not [name for name in headers if name.startswith("access-control")]


def test_a_large_body_is_not_read_to_its_end():
    status, _, body, read = fetch("POST", "/class", b"x" * 100 * MAX_BYTES, JSON)
    assert (status, json.loads(body)["problem"]) == (413, TOO_LARGE)
    assert read == MAX_BYTES // 1000 + 1


def test_who_asks_too_often_is_told_so_and_no_other_phone(own):
    teacher = own.open()
    one, other = (tell({"do": "join", "code": teacher.code})[1]["seat"] for _ in range(2))
    asked = [tell({"do": "show", "seat": one}) for _ in range(21)]
    assert [status for status, _ in asked] == [200] * 20 + [429]
    assert asked[-1][1]["problem"] == TOO_OFTEN
    assert tell({"do": "show", "seat": other})[0] == 200


def test_codes_cannot_be_guessed_in_a_hurry_from_one_address():
    assert joins(guesses(31)) == [200] * 30 + [429]
    assert joins(["9999-9999"]) == [429]
    assert joins(["9999-9999"], client="192.0.2.2") == [200]


def test_seats_that_have_ended_have_a_pace_of_their_own():
    asked = [tell({"do": "show", "seat": f"{code} x student"})[0] for code in guesses(31)]
    assert asked == [200] * 30 + [429]
    assert joins(guesses(30)) == [200] * 30


@pytest.mark.parametrize("client", ["192.0.2.2", "192.0.2.1"])  # elsewhere, or behind the same router or proxy
def test_a_flood_of_a_wrong_code_keeps_no_student_out(own, client):
    assert joins(["ZZZZ0000"] * 200, client)[-1] == 429
    assert joins([own.open().code] * 30) == [200] * 30


def test_a_flood_of_guesses_keeps_nobody_out_at_another_address_nor_after_the_first_phone_of_the_class(own):
    code, other = own.open().code, own.open().code
    assert joins([code]) == [200]
    assert joins(guesses(200))[-1] == 429
    assert joins([f"{code[:4].lower()}-{code[4:]}"] * 29) == [200] * 29
    assert joins([other]) == [429]  # of no known code: it may be a guess
    assert joins([other] * 30, client="192.0.2.2") == [200] * 30


def test_a_class_is_kept_out_by_nobody_who_has_its_code_at_another_address(own):
    code = own.open().code
    assert joins([code] * 31, client="192.0.2.2")[-1] == 429
    assert joins([code] * 30) == [200] * 30


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8::1", "2001:db8::ffff:2", True),  # a subscriber has a network of 64 bits
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),  # IPv4 as a server hears of it that listens for both
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
        ("unknown", None, True),
    ],
)
def test_an_address_is_of_ipv4_or_the_network_of_one_of_ipv6(one, other, same):
    assert joins(guesses(31), one)[-1] == 429
    assert joins(["99999999"], other) == [429 if same else 200]


def test_a_burst_is_allowed_and_then_so_many_in_a_second():
    now = 0.0
    kept = Pace(burst=4, per_second=2, clock=lambda: now)
    assert [kept.allows("a") for _ in range(5)] == [True] * 4 + [False]
    assert kept.allows("b")
    for _ in range(3):
        now += 0.5
        assert [kept.allows("a") for _ in range(2)] == [True, False]
    now += 100
    assert [kept.allows("a") for _ in range(5)] == [True] * 4 + [False]


def test_names_that_ask_no_more_are_forgotten(monkeypatch):
    monkeypatch.setattr(module, "MOST_NAMES", 3)
    now = 0.0
    kept = Pace(burst=1, per_second=1, clock=lambda: now)
    for each in range(9):
        now = 2.0 * each
        assert not kept.knows(f"{each}")
        assert kept.allows(f"{each}")
    assert [each for each in range(9) if kept.knows(f"{each}")] == [6, 7, 8]
