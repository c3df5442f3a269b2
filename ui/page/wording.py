"""How a user's own texts, problems and badges stand on a page."""

import re
from typing import Literal

import streamlit as st

from ui.words.badges import Badge

ICONS: dict[str, tuple[str, Literal["orange", "gray", "green"]]] = {
    "private": (":material/lock:", "orange"),
    "exploring": (":material/science:", "gray"),
    "released": (":material/check:", "green"),
}


def plain(text: str) -> str:
    """A text that Markdown leaves as it is: a user's own values may hold anything."""
    return re.sub(r"([\\`*_{}\[\]$~<>#|:])", r"\\\1", text)


def problem(error: Exception | str) -> None:
    """One sentence on what is wrong and what to do, where it arose."""
    st.error(plain(str(error)), icon=":material/error:")


def show_badge(badge: Badge) -> None:
    """Whether what stands beside or below may leave the room."""
    icon, color = ICONS[badge.kind]
    st.badge(badge.text, icon=icon, color=color)
