"""What a learner has locked in. The tab itself remembers it: neither a reload nor a restarted server loses it."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import streamlit as st

LOCKED = "_locked"
MAX_TEXT, MAX_ENTRIES, MAX_NUMBER = 1000, 100, 2**53  # of what comes back from a tab


class Locked(NamedTuple):
    """A value that is locked in, with its lesson and, if it answers one, its question."""

    lesson: str
    question: str
    value: Any


def all_locked() -> dict[str, Locked]:
    """What this session has locked in, by slot."""
    return st.session_state.get(LOCKED, {})


def locked(slot: str, fits: Callable[[Any], bool]) -> Any:
    """The value of a slot; None if nothing is locked in, or a value that does not fit: a tab may bring back any."""
    entry = all_locked().get(slot)
    return entry.value if entry is not None and fits(entry.value) else None


def lock(slot: str, value: Any, *, lesson: str, question: str = "") -> None:
    """Lock in a value: a number, a text, or a list of numbers."""
    st.session_state[LOCKED] = all_locked() | {slot: Locked(lesson, question, value)}


def forget() -> None:
    """Ask everything again: nothing is locked in any more, in the tab neither."""
    st.session_state[LOCKED] = {}


def remembered() -> str | None:
    """What the tab must remember; empty to forget it, None if nothing is known yet."""
    if LOCKED not in st.session_state:
        return None
    return json.dumps(all_locked()) if all_locked() else ""


def restore(text: str) -> None:
    """Take back what this tab had locked in before a reload. What is no such thing is dropped."""
    try:
        before = json.loads(text)
    except (ValueError, RecursionError):
        return
    if isinstance(before, dict):
        entries = [(slot, Locked(*entry)) for slot, entry in before.items() if _is_entry(entry)]
        st.session_state[LOCKED] = dict(entries[:MAX_ENTRIES]) | all_locked()


def _is_entry(entry: Any) -> bool:
    if not (isinstance(entry, list) and len(entry) == len(Locked._fields)):
        return False
    *names, value = entry
    values = value if isinstance(value, list) else [value]
    return len(values) <= MAX_ENTRIES and all(map(_is_text, names)) and all(map(_is_simple, values))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MAX_TEXT


def _is_simple(value: Any) -> bool:
    return _is_text(value) or (type(value) in (int, float) and abs(value) < MAX_NUMBER)  # NaN is below nothing
