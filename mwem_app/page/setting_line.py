"""The settings of a page in one line that reads as a sentence: each part says the present choice, and opens."""

from contextlib import ExitStack
from typing import Self

import streamlit as st
from streamlit.cursor import LockedCursor
from streamlit.delta_generator import DeltaGenerator

from mwem_app.page.wording import plain, stand_in

MAX_LABEL = 42  # letters


class SettingLine:
    """The parts of a line in the order of their first use, and the place below it of what must not be overlooked."""

    def __init__(self):
        self.row = st.container(key="settings", horizontal=True, vertical_alignment="center", gap="xsmall")
        self.below = st.container()
        self._parts: dict[str, Part] = {}

    def part(self, name: str) -> "Part":
        """The part of this name, to be filled by `with`, as often as needed."""
        if name not in self._parts:
            self._parts[name] = Part(self, name)
        return self._parts[name]


class Part:
    """A popover whose label is known only when the widgets in it are. Its problems stand below the line."""

    def __init__(self, line: SettingLine, name: str):
        self._label, self._below = f"_part {name}", line.below
        place = line.row.container(key=f"part_{name}", width="content")
        # The place of the popover itself: one that is sent there again keeps what it holds, and stays open.
        self._slot = DeltaGenerator(0, LockedCursor(0, place._cursor.parent_path), place)  # pyright: ignore
        self._popover = self._slot.popover(st.session_state.get(self._label, "…"))

    def says(self, choice: str) -> None:
        """Give the part its label: the choice in words."""
        label = plain(choice if len(choice) <= MAX_LABEL else f"{choice[: MAX_LABEL - 1]}…")
        if label != st.session_state.get(self._label):
            st.session_state[self._label] = label
            self._slot.popover(label)

    def __enter__(self) -> Self:
        self._entered = ExitStack()
        self._entered.enter_context(self._popover)
        self._entered.enter_context(stand_in(self._below))
        return self

    def __exit__(self, *raised: object) -> None:
        self._entered.close()
