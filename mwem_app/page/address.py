"""A setting in the address that the page cannot follow is named, with what is used instead, and one that none has."""

from collections.abc import Iterable
from typing import Any

import streamlit as st
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.scriptrunner import get_script_run_ctx

from mwem_app.page.wording import plain, problem
from mwem_app.session import state
from mwem_core.systems import SYSTEMS

WHOLE_NUMBERS = (
    state.SEEDS,
    *(state.of_part(key, part) for part in state.PARTS for key in (state.K, state.RANGE_COUNT, state.RANGE_SEED)),
)
MAX_DIGITS = 15
REQUESTS, REFUSALS = "_asked", "_refused"
CHECKED_KEYS = tuple(key for key in state.CARRIED_KEYS if key != state.EPSILON)  # ε names its own problem
OTHER_KEYS = "how_many", "present", "lesson", "projector", "room", "target"  # no widget is bound to them
STREAMLIT_S = "embed", "embed_options"


def repeat_address() -> None:
    """Before a page that Back or Forward led to: tell the browser its settings, as the last word.

    A message of the page that was left may have come late. The browser would send the settings in it with the next
    click on a button, and lose those of this page.
    """
    context = get_script_run_ctx()
    if context and context.is_history_navigation:
        message = ForwardMsg()
        message.page_info_changed.query_string = context.query_string
        context.enqueue(message)


def read_address() -> None:
    """Before a page: note the settings in its address, and name those that were refused, until they are changed."""
    asked = st.session_state.setdefault(REQUESTS, {})
    for key in CHECKED_KEYS:
        if key in st.query_params and key not in st.session_state:
            asked[key] = texts = [text for text in st.query_params.get_all(key) if text]
            if key in WHOLE_NUMBERS and not all(map(is_small, texts)):
                st.query_params.pop(key)  # Streamlit would end the page at it
                st.rerun()
    refused = st.session_state.get(REFUSALS, {})
    kept = [refusal(key, *refused[key]) for key in refused if st.session_state.get(key) == refused[key][-1]]
    if sentences := [*kept, *unknown_settings(st.query_params)]:
        problem("  \n".join(sentences))  # a line each


def name_unknown() -> None:
    """Before a lesson, whose settings are its own: name what no page knows."""
    if sentences := unknown_settings(st.query_params):
        problem("  \n".join(sentences))


def unknown_settings(keys: Iterable[str]) -> list[str]:
    """One sentence on the keys of an address that no page has, if there are any.

    >>> unknown_settings(["epsilon", "epsilom", "embed"])
    ["the address has 'epsilom', which is no setting of any page: it is ignored"]
    """
    unknown = [repr(key) for key in keys if key not in (*state.CARRIED_KEYS, *OTHER_KEYS, *STREAMLIT_S)]
    if not unknown:
        return []
    what = "is no setting of any page: it is" if len(unknown) == 1 else "are no settings of any page: they are"
    return [f"the address has {' and '.join(unknown)}, which {what} ignored"]


def check_address() -> None:
    """After a page: find the settings that Streamlit has dropped because they are no choice. It does so silently."""
    asked, refused = (st.session_state.setdefault(name, {}) for name in (REQUESTS, REFUSALS))
    before = len(refused)
    for key in [key for key in asked if key in st.session_state]:
        texts, used = asked.pop(key), st.session_state[key]
        values = used if isinstance(used, list) else [used]
        unknown = [text for text in texts if not any(says(key, text, value) for value in values)]
        if unknown:
            refused[key] = unknown, len(unknown) < len(texts), used
    if len(refused) > before:
        st.rerun()  # they are named at the top of the page


def is_small(text: str) -> bool:
    """Whether a text in an address is short enough for a whole number.

    >>> is_small("20"), is_small("inf"), is_small("9" * 400)
    (True, False, False)
    """
    return len(text) <= MAX_DIGITS and "e" not in text.lower() and "n" not in text.lower()


def says(key: str, text: str, value: Any) -> bool:
    """Whether a text in an address means this value of a widget.

    >>> says("truth", "TRUE", True), says("seeds", "05", 5), says("systems", "MWEM", "mwem"), says("k", "x", 2)
    (True, True, True, False)
    """
    if text.lower() in (_text(key, value).lower(), str(value).lower(), plain(str(value)).lower()):
        return True
    try:
        return float(text) == value
    except ValueError:
        return False


def refusal(key: str, unknown: list[str], kept: bool, used: Any) -> str:
    """One sentence: which values of a setting the page does not have, and what becomes of them."""
    values = " and ".join(map(repr, unknown))
    choice = "is no choice" if len(unknown) == 1 else "are no choices"
    if isinstance(used, list):
        instead = "the others are used" if kept else "the usual choice is used"
    else:
        instead = f"{_text(key, used)} is used"
    return f"the address asks for {key} = {values}, which {choice} here: {instead}"


def _text(key: str, value: Any) -> str:
    """How an address writes a value."""
    if key == state.AT_T:
        return f"T = {value}" if value else "T by rule"
    if key == state.AT_EPSILON:
        return f"ε = {value:g}"
    if isinstance(value, bool):
        return str(value).lower()
    return SYSTEMS[value].title if value in SYSTEMS else str(value)
