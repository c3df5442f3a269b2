"""Where others reach this app: the address for phones, QR codes and handouts, which localhost never is."""

import ipaddress
import socket
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import SplitResult, urlencode, urlsplit

import streamlit as st

PORTS = {"http": 80, "https": 443}
# A UDP socket that is connected to one of these sends nothing: the system only says which address it would send from.
# The first stands for the internet, the others for a private network without it.
PROBES = "192.0.2.1", "192.168.0.1", "10.0.0.1", "172.16.0.1", "2001:db8::1", "fd00::1"
LOCAL_ONLY = (
    "Phones cannot join or open a link: this server listens on localhost only. Stop it, and start it again "
    "with: mwem app --address 0.0.0.0"
)
FORWARDED_PORT = (
    "Phones cannot join or open a link: this page is open at localhost through port {page}, and the server "
    "listens on port {server}, so the address that phones need is not known. Open this page at that "
    "address instead of localhost."
)
UNKNOWN = (
    "Phones cannot join or open a link: this page is open at localhost, and this machine has no address on a "
    "network. Connect it to the network of the phones, and load this page again."
)
SAME_NETWORK = (
    "This is this computer's address on its network: phones must be in the same network. If a phone finds nothing "
    "there, open this page at the address that the phone needs."
)


class Place(NamedTuple):
    """The address of a page; why others cannot open it, and what to do; what they need for it. Texts may be empty."""

    url: str
    trouble: str = ""
    needs: str = ""


def place(page: str, **query: object) -> Place:
    """Where others reach a page of this app, by Streamlit's own options and the address in this browser."""
    port = st.get_option("server.port")
    here = urlsplit(st.context.url or f"http://localhost:{port}/")
    return reach(
        here._replace(path=f"{here.path.rpartition('/')[0]}/{page}", query=urlencode(query), fragment="").geturl(),
        port=port,
        address=st.get_option("server.address"),
        public=st.get_option("browser.serverAddress"),
        public_port=st.get_option("browser.serverPort"),
    )


def reach(
    url: str,
    *,
    port: int,
    address: str | None = None,
    public: str | None = None,
    public_port: int = 0,
    machine: Callable[[], str | None] | None = None,
) -> Place:
    """Where others reach what this browser has at `url`. An address that is not local stays: others may use it too.

    The server listens at `address` (everywhere, if None) and `port`. `public` and `public_port` are what it was told
    that browsers should use. `machine` says the machine's address on its network.
    """
    here = urlsplit(url)
    page_port = here.port or PORTS.get(here.scheme, 0)
    if not is_local(here.hostname):
        return Place(url)
    if public and not is_local(public):
        return Place(_at(here, public, public_port))
    if address and (address.startswith("unix:") or (is_local(address) and address not in ("0.0.0.0", "::"))):
        return Place(url, LOCAL_ONLY)
    if page_port != port:
        return Place(url, FORWARDED_PORT.format(page=page_port, server=port))
    if address and not is_local(address):
        return Place(_at(here, address, port))
    host = (machine or machine_address)()
    return Place(_at(here, host, port), needs=SAME_NETWORK) if host else Place(url, UNKNOWN)


def machine_address() -> str | None:
    """This machine's address on its network, None if it has none. Contacts no other machine.

    Of several it is the one that leads to the internet: on a laptop, that of its Wi-Fi.
    """
    addresses = filter(None, map(_sends_from, PROBES))
    return next((address for address in addresses if not is_local(address)), None)


def is_local(host: str | None) -> bool:
    """Whether a host means the machine of whoever opens it, or nothing.

    >>> [is_local(host) for host in (None, "localhost", "127.0.0.1", "::1", "0.0.0.0", "192.168.1.7", "a.school")]
    [True, True, True, True, True, False, False]
    """
    if not host or host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return False
    return ip.is_loopback or ip.is_unspecified or ip.is_link_local


def _sends_from(target: str) -> str | None:
    family = socket.AF_INET6 if ":" in target else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as unsent:
            unsent.connect((target, 9))
            return unsent.getsockname()[0]
    except OSError:  # no way there, or no such kind of address
        return None


def _at(here: SplitResult, host: str, port: int) -> str:
    host = f"[{host}]" if ":" in host else host
    return here._replace(netloc=host if port == PORTS.get(here.scheme) else f"{host}:{port}").geturl()
