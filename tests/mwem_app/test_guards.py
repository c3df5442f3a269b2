"""What a server refuses from its start: each is asked by a client of the protocol that never draws a page."""

import http.client
import re
import select
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from email.message import Message
from urllib.parse import urlsplit

import pytest
from browser import NO_BROWSER, NOTHING_TESTED, SECONDS, STREAMLIT, serving, until_true, until_whole
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from mwem_app.guards import FRAMES, TOO_MUCH
from mwem_app.session import demo

MWEM_APP = (sys.executable, "-m", "mwem_app", "127.0.0.1")  # what `mwem app` starts
HEAD = b'--X\r\nContent-Disposition: form-data; name="f"; filename="x.csv"\r\nContent-Type: text/csv\r\n\r\n'
TAIL = b"\r\n--X--\r\n"
FORM = {"Content-Type": "multipart/form-data; boundary=X"}


class Client:
    """A session of a server that never draws a page: it asks where to put files, and puts them there."""

    def __init__(self, where: str, socket: ClientConnection):
        self.where, self._host, self._socket = where, urlsplit(where).netloc, socket
        self._headers = dict(FORM)
        token = self.ask("GET", "/_stcore/health")[1]["set-cookie"].split("=", 1)[1].split(";")[0]
        self._headers |= {"Cookie": f"_streamlit_xsrf={token}", "X-Xsrftoken": token}

    def ask(self, method: str, path: str, body: bytes = b"") -> tuple[int, Message, bytes]:
        """The status, the headers and the body of an answer, which may come before all of the request is sent."""
        with closing(http.client.HTTPConnection(self._host, timeout=60)) as connection:
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.request(method, path, body, self._headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()

    def addresses(self, count: int) -> list[str]:
        """Where the server takes so many files of this session."""
        message = BackMsg()
        message.file_urls_request.request_id = "r"
        message.file_urls_request.file_names.extend(["x.csv"] * count)
        self._socket.send(message.SerializeToString())
        while True:
            answer = ForwardMsg.FromString(self._socket.recv(60, decode=False))
            if answer.WhichOneof("type") == "file_urls_response":
                return [each.upload_url for each in answer.file_urls_response.file_urls]

    def put(self, address: str, size: int) -> tuple[int, str]:
        """Send a file of so many bytes; the status and the text of the answer."""
        status, _, text = self.ask("PUT", address, HEAD + b"1,2\n" * (size // 4) + TAIL)
        return status, text.decode()

    def put_until(self, status: int, address: str, size: int) -> None:
        """Send a file again and again until the answer has a status."""
        end = time.monotonic() + SECONDS
        while self.put(address, size)[0] != status:
            assert time.monotonic() < end, f"never answered by {status}"
            time.sleep(0.1)

    def begin(self, address: str, size: int) -> socket.socket:
        """Send a file of so many bytes but for its end."""
        host, port = self._host.split(":")
        head = f"PUT {address} HTTP/1.1\r\nHost: {self._host}\r\nContent-Length: {size + 1000}\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in self._headers.items())
        sending = socket.create_connection((host, int(port)), timeout=60)
        with suppress(BrokenPipeError, ConnectionResetError):
            sending.sendall(f"{head}\r\n".encode() + HEAD + b"1" * size)
        return sending


@contextmanager
def client_of(where: str) -> Iterator[Client]:
    origin, protocols = Origin(where.rstrip("/")), [Subprotocol("streamlit")]
    with connect(where.replace("http", "ws", 1) + "_stcore/stream", origin=origin, subprotocols=protocols) as socket:
        yield Client(where, socket)


@pytest.mark.slow
@pytest.mark.parametrize("command", [STREAMLIT, MWEM_APP])
def test_a_demo_that_has_drawn_no_page_takes_no_file_and_tells_no_statistics(monkeypatch, command):
    monkeypatch.setenv(demo.SETTING, "1")
    with serving(command=command) as where, client_of(where) as client:
        (address,) = client.addresses(1)
        assert client.put(address, 2 * 10**6) == (413, demo.NO_FILES)
        assert client.put(address, 4) == (413, demo.NO_FILES)
        assert client.ask("GET", "/_stcore/metrics")[2] == b"# EOF\n"


@pytest.fixture
def client(monkeypatch, written) -> Iterator[Client]:
    """Of a server that takes files of 2 MiB, and 4 MiB of a session."""
    monkeypatch.setenv("STREAMLIT_SERVER_MAX_UPLOAD_SIZE", "2")
    monkeypatch.setenv(FRAMES, "https://school.example  https://*.town.example")
    with serving() as where, client_of(where) as client:
        yield client


@pytest.mark.slow
def test_a_server_that_has_drawn_no_page_writes_no_file_and_a_session_s_files_have_a_sum(client, written):
    first, second, third, fourth = client.addresses(4)
    assert [client.put(each, 1_500_000)[0] for each in (first, second)] == [204, 204]
    assert client.put(third, 1_500_000) == (413, TOO_MUCH)
    assert client.put(fourth, 1_000_000)[0] == 204
    assert client.ask("DELETE", first)[0] == 204
    assert client.put(third, 1_400_000)[0] == 204
    with client_of(client.where) as other, ExitStack() as open_:  # another session has a sum of its own
        *addresses, last = other.addresses(7)
        sending = [open_.enter_context(other.begin(each, 1_900_000)) for each in addresses]
        end, refused = time.monotonic() + SECONDS, []
        while len(refused) < len(sending) - 2:  # what is on its way counts
            assert time.monotonic() < end, f"only {len(refused)} files were refused"
            refused, _, _ = select.select(sending, [], [], 1)
        assert {each.recv(12) for each in refused} == {b"HTTP/1.1 413"}
        for each in sending:
            each.close()
        other.put_until(204, last, 2_000_000)
    assert client.ask("GET", "/_stcore/metrics")[2] == b"# EOF\n"
    assert set(written.read_text("utf-8").splitlines()) <= {"/dev/null"}

    policy = client.ask("GET", "/learn")[1]["content-security-policy"]
    policy = dict(part.split(" ", 1) for part in policy.split("; "))
    assert policy["frame-ancestors"] == "'self' https://school.example https://*.town.example"
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert policy["connect-src"] == "'self'"
    assert not re.search("unsafe|http|data:", policy["script-src"])
    for path in ("", "run", "class", "nowhere", "media/0.csv", "app/static/0", "_stcore/health", "_stcore/host-config"):
        headers = client.ask("GET", f"/{path}")[1]
        assert headers.get_all("x-content-type-options") == ["nosniff"]
        assert len(headers.get_all("content-security-policy")) == 1
    assert "frame-ancestors 'none'" in client.ask("GET", "/class")[1]["content-security-policy"]


@pytest.mark.slow
@pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)
def test_no_page_of_another_site_frames_the_app_and_what_comes_into_a_page_runs_no_script(chromium, visitors, app):
    page = chromium.new_page()
    page.set_content(f"<iframe src='{app}'></iframe>")
    until_true(page, "!document.querySelector('iframe').contentDocument")  # not its parent's: it has loaded
    page.wait_for_timeout(500)
    assert [frame.url for frame in page.frames[1:]] == ["chrome-error://chromewebdata/"]
    page.close()

    page = visitors.visit(app + "paper?embed=true")
    until_whole(page)
    heard = len(visitors.errors)
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=data: onerror=\"window.hacked = 1\">')")
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'window.hacked = 1'}))")
    page.wait_for_timeout(500)
    assert page.evaluate("window.hacked") is None
    blocked, visitors.errors[heard:] = visitors.errors[heard:], []
    assert len([each for each in blocked if "Content Security Policy" in each]) == 2
