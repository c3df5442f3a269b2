"""How user texts, error messages, headings and badges are written on a page."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from html import escape
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mwem_app.base import ON_PUBLIC, PRIVATE, PRIVATE_TABLE, Badge
from mwem_app.session import state

ICONS: dict[str, tuple[str, Literal["orange", "gray", "green"]]] = {
    "private": (":material/lock:", "orange"),
    "exploring": (":material/science:", "gray"),
    "released": (":material/lock_open_right:", "green"),
}


# What Markdown reads as its own: signs, an underscore at the end of a word, and the signs of a list or a heading.
SYNTAX = re.compile(
    r"[\\`*{}\[\]$~<>#|:&]|(?<![^\W_])_|_(?![^\W_])|^[-+=](?!\d)|(?<=\d)[.)](?=\s|$)", flags=re.MULTILINE
)
# What Streamlit replaces in a text, escaped or not: names of emoji and icons, arrows, addresses of pages and of mail.
REPLACEMENTS = re.compile(
    r":(?=material/|[\w+-]+:)|https?:(?=//)|www(?=\.)|(?<=[-.\w+])(?=@[-\w])|(?<!\S)[<>~-](?=(->|[-=>])(?!\S))",
    flags=re.IGNORECASE,
)
MAX_MESSAGE = 800  # characters
WORD_JOINER = "\u2060"  # takes no room; what it parts is not replaced


def plain(text: str) -> str:
    """Escape a text so that Markdown shows it unchanged: values of a user's table may hold any character."""
    parted = REPLACEMENTS.sub(rf"\g<0>{WORD_JOINER}", text)
    return SYNTAX.sub(r"\\\g<0>", re.sub(r"\n\s*\n", "\n", parted).lstrip(" \t"))


def unseen_heading(title: str) -> None:
    """Give a page that shows no title of its own the heading that a screen reader looks for first.

    The headings in sight are of level 3, so one of level 2 stands between, as no level may be left out.
    """
    st.html(f'<div class="unseen"><h1>{escape(title)}</h1><h2>Settings and results</h2></div>')


_IN_SIGHT: ContextVar[DeltaGenerator | None] = ContextVar("in_sight", default=None)


@contextmanager
def stand_in(place: DeltaGenerator) -> Iterator[None]:
    """Inside a part of a page that is closed at first: what must be seen stands in this place instead."""
    token = _IN_SIGHT.set(place)
    try:
        yield
    finally:
        _IN_SIGHT.reset(token)


def in_sight() -> DeltaGenerator:
    """Where what must be seen stands: here, or in the place that `stand_in` names."""
    return _IN_SIGHT.get() or st.container()


def problem(error: Exception | str) -> None:
    """Show an error message near the setting that caused it. A long one, which quotes a long text, is cut inside."""
    message = str(error)
    if len(message) > MAX_MESSAGE:
        message = f"{message[: MAX_MESSAGE // 2]} … {message[-MAX_MESSAGE // 2 :]}"
    (_IN_SIGHT.get() or st).error(plain(message), icon=":material/error:")


def section(title: str, badge: Badge) -> None:
    """Begin a section: its heading, and one badge for all of it, the strictest of its charts and numbers."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.subheader(title, anchor=False, width="content")
        show_badge(badge)


def set_page_badge(badge: Badge) -> None:
    """Show whether what is on this page may be published, once for all of it."""
    st.session_state[state.PAGE_BADGE] = None
    show_badge(badge)
    st.session_state[state.PAGE_BADGE] = badge


def badge_in_view(badge: Badge) -> Badge:
    """A badge as this page says it: whatever comes of a public table is public, unless it is a release."""
    public = st.session_state.get(state.PAGE_BADGE) == ON_PUBLIC and badge.kind != "released"
    return ON_PUBLIC if public else badge


def show_badge(badge: Badge) -> None:
    """Show whether the content beside or below may be published, where the page's own badge does not say the same.

    An unknown kind looks private.
    """
    badge, of_page = badge_in_view(badge), st.session_state.get(state.PAGE_BADGE)
    if badge == of_page or (badge == PRIVATE and of_page == PRIVATE_TABLE):
        return
    icon, color = ICONS.get(badge.kind, ICONS["private"])
    st.badge(badge.text, icon=icon, color=color)
