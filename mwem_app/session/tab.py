"""What a tab has made and what a learner has locked in. Neither a reload nor, for the latter, a restart loses it.

Streamlit gives a reloaded page a new session. The tab remembers a token, and the new session gets back what the token
stands for: the upload, the run, the trials and the count of ε. Threat model: whoever knows the token sees private
data. So it is random (256 bits), and it is a new one in every session. It lies in the tab's `sessionStorage`, which no
other site and no other browser can read, and which ends with the tab. It travels in the page's own connection and
nowhere else: it is in no address, no link, no cookie and no log.
"""

import json
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import streamlit as st

from mwem_app.session.demo import KEPT_MINUTES, is_demo

HOURS = 2  # after the last contact
MINUTES_OF_A_COPY = 5  # what a new session has taken over stays for its old tab, which may be open still
MAX_SESSIONS = 50
MAX_BYTES = 10**9  # of all uploads together

Things = Mapping[str, Any]
LOCKS = "_locked"
MAX_TEXT, MAX_ENTRIES, MAX_NUMBER = 1000, 100, 2**53  # of what comes back from a tab


class Entry(NamedTuple):
    """What a token stands for, how many bytes its upload takes, and when it ends, by the clock."""

    end: float
    size: int
    things: Things


class TabStore:
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


TABS = TabStore()


def all_locks() -> dict[str, Any]:
    """What this session has locked in, by slot."""
    return st.session_state.get(LOCKS, {})


def locked_value(slot: str, fits: Callable[[Any], bool]) -> Any:
    """The value of a slot; None if nothing is locked in, or a value that does not fit: a tab may bring back any."""
    value = all_locks().get(slot)
    return value if fits(value) else None


def lock(slot: str, value: Any) -> None:
    """Lock in a value: a number, a text, or a list of numbers."""
    st.session_state[LOCKS] = all_locks() | {slot: value}


def forget_locks() -> None:
    """Ask everything again: nothing is locked in any more, in the tab neither."""
    st.session_state[LOCKS] = {}


def locks_text() -> str | None:
    """What the tab must remember; empty to forget it, None if nothing is known yet."""
    if LOCKS not in st.session_state:
        return None
    return json.dumps(all_locks()) if all_locks() else ""


def restore_locks(text: str) -> None:
    """Take back what this tab had locked in before a reload. What is no such thing is dropped."""
    try:
        before = json.loads(text)
    except (ValueError, RecursionError):
        return
    if isinstance(before, dict):
        entries = [(slot, value) for slot, value in before.items() if _is_known(value)]
        st.session_state[LOCKS] = dict(entries[:MAX_ENTRIES]) | all_locks()


def _is_known(value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    return len(values) <= MAX_ENTRIES and all(map(_is_simple, values))


def _is_simple(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= MAX_TEXT
    return type(value) in (int, float) and abs(value) < MAX_NUMBER  # NaN is below nothing
