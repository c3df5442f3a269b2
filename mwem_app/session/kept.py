"""What a tab has made, kept in the server's memory so that a reload of the page does not lose it.

Streamlit gives a reloaded page a new session. The tab remembers a token, and the new session gets back what the token
stands for: the upload, the run, the trials and the count of ε. Threat model: whoever knows the token sees private
data. So it is random (256 bits), and it is a new one in every session. It lies in the tab's `sessionStorage`, which no
other site and no other browser can read, and which ends with the tab. It travels in the page's own connection and
nowhere else: it is in no address, no link, no cookie and no log.
"""

import secrets
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from mwem_app.session.demo import KEPT_MINUTES, is_demo

HOURS = 2  # after the last contact
MINUTES_OF_A_COPY = 5  # what a new session has taken over stays for its old tab, which may be open still
MAX_SESSIONS = 50
MAX_BYTES = 10**9  # of all uploads together

Things = Mapping[str, Any]


class Entry(NamedTuple):
    """What a token stands for, how many bytes its upload takes, and when it ends, by the clock."""

    end: float
    size: int
    things: Things


class Kept:
    """Things by token, in this process alone, none longer than `HOURS` without contact.

    They are those of at most `MAX_SESSIONS`, whose uploads take at most `MAX_BYTES` together.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock, self._lock = clock, threading.Lock()
        self._kept: dict[str, Entry] = {}

    def put(self, token: str, things: Things, *, size: int = 0) -> None:
        """Keep these things, whose upload takes `size` bytes, instead of those the token stood for.

        If there are too many, the first to end are dropped; if an upload is too large by itself, only that one.
        The things are not copied: a run that is going on is kept with the rounds to come.
        """
        with self._lock:
            minutes = KEPT_MINUTES if is_demo() else 60 * HOURS
            self._kept[token] = Entry(self._clock() + 60 * minutes, size, things)
            self._drop_ended()
            while len(self._kept) > MAX_SESSIONS or sum(entry.size for entry in self._kept.values()) > MAX_BYTES:
                del self._kept[min(self._kept, key=self._drops_before)]

    def take(self, token: str) -> Things | None:
        """The things that a token stands for; None if it is unknown, or if they have ended.

        A tab that was duplicated takes what the original has. The original keeps it too, if it is in contact again
        before `MINUTES_OF_A_COPY` are over.
        """
        with self._lock:
            self._drop_ended()
            if token not in self._kept:
                return None
            entry = self._kept[token]
            self._kept[token] = entry._replace(end=min(entry.end, self._clock() + MINUTES_OF_A_COPY * 60))
            return entry.things

    def _drops_before(self, token: str) -> tuple[bool, float]:
        entry = self._kept[token]
        return entry.size <= MAX_BYTES, entry.end

    def _drop_ended(self) -> None:
        now = self._clock()
        self._kept = {token: entry for token, entry in self._kept.items() if entry.end > now}


def new_token() -> str:
    """A token that nobody can guess."""
    return secrets.token_urlsafe(32)


KEPT = Kept()
