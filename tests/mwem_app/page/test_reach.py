"""Where phones find the app that a teacher has opened at localhost."""

import socket
from typing import Any

import pytest

from mwem_app.page import reach as module
from mwem_app.page.reach import FORWARDED_PORT, LOCAL_ONLY, SAME_NETWORK, UNKNOWN, Place, machine_address, reach

WIFI = "192.168.1.7"
HERE = "http://localhost:8501/class?room=K7MQ2WXZ"


def told(url: str = HERE, machine: str | None = WIFI, **server: Any) -> Place:
    return reach(url, **{"port": 8501, "machine": lambda: machine} | server)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "0.0.0.0", "[::1]", "app.localhost"])
def test_a_page_open_at_localhost_is_reached_at_the_machines_address(host):
    link = f"http://{WIFI}:8501/class?room=K7MQ2WXZ"
    assert told(HERE.replace("localhost", host)) == Place(link, needs=SAME_NETWORK)
    for everywhere in ("0.0.0.0", "::"):
        assert told(HERE.replace("localhost", host), address=everywhere).url == link


@pytest.mark.parametrize(
    "url", ["https://mwem.school/a/class", "http://10.0.0.9:8501/class", "http://[fd00::2]:8501/class"]
)
def test_an_address_that_others_can_open_stays_as_it_is_in_the_browser(url):
    """Also behind a proxy, where the server itself listens on localhost, on another port."""
    for server in ({}, {"address": "127.0.0.1", "port": 9000}, {"public": "old.school", "public_port": 80}):
        assert told(url, machine=None, **server) == Place(url)


def test_a_server_that_listens_at_one_address_is_reached_there():
    assert told(address="10.0.0.9") == Place("http://10.0.0.9:8501/class?room=K7MQ2WXZ")
    assert told(address="fd00::2").url == "http://[fd00::2]:8501/class?room=K7MQ2WXZ"


def test_a_server_that_was_told_its_address_is_reached_there_also_through_a_proxy_before_localhost():
    server = {"public": "mwem.school", "public_port": 80, "address": "127.0.0.1"}
    assert told(**server) == Place("http://mwem.school/class?room=K7MQ2WXZ")
    assert told(**server | {"public_port": 8080}).url == "http://mwem.school:8080/class?room=K7MQ2WXZ"


@pytest.mark.parametrize("address", ["localhost", "127.0.0.1", "::1", "unix:///tmp/socket"])
def test_nobody_else_reaches_a_server_that_listens_on_localhost_only(address):
    assert told(address=address) == Place(HERE, LOCAL_ONLY)


def test_a_port_that_is_forwarded_to_localhost_says_nothing_of_the_network():
    assert told(port=9000) == Place(HERE, FORWARDED_PORT.format(page=8501, server=9000))
    assert told("http://localhost/class").trouble == FORWARDED_PORT.format(page=80, server=8501)


def test_a_machine_without_a_network_is_reached_by_nobody():
    assert told(machine=None) == Place(HERE, UNKNOWN)


def sockets(monkeypatch, routes: dict[str, str]) -> list[str]:
    """A system that sends to these targets from these addresses; returns what is done with its sockets."""
    done: list[str] = []

    class Socket:
        """Has no method that sends."""

        def __init__(self, family, kind):
            assert kind == socket.SOCK_DGRAM
            done.append("open")

        def __enter__(self):
            return self

        def __exit__(self, *error):
            done.append("close")

        def connect(self, target):
            if target[0] not in routes:
                raise OSError("network is unreachable")
            self.target = target[0]

        def getsockname(self):
            return routes[self.target], 50_000

    monkeypatch.setattr(module.socket, "socket", Socket)
    return done


@pytest.mark.parametrize(
    ("routes", "address"),
    [
        ({}, None),
        ({"192.0.2.1": WIFI, "10.0.0.1": "10.8.0.2"}, WIFI),  # several interfaces: the one to the internet
        ({"10.0.0.1": "10.0.0.9"}, "10.0.0.9"),  # a network without the internet
        ({"192.0.2.1": "127.0.0.1", "2001:db8::1": "fd00::2"}, "fd00::2"),  # IPv6 only
        ({"2001:db8::1": "fe80::1"}, None),  # an address that needs the name of an interface
    ],
)
def test_the_machines_address_is_read_from_its_routes_and_nothing_is_sent(monkeypatch, routes, address):
    done = sockets(monkeypatch, routes)
    assert machine_address() == address
    assert done.count("open") == done.count("close")
