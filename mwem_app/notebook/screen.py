"""Where a run is shown while it goes on: a widget in the output of a cell, and in its place at the end a frame."""

import sys
import time
from collections.abc import Callable
from contextlib import suppress
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

FRAME_HEIGHT = 980  # pixels: the whole player, with the truth, where its two charts are side by side
INTERVAL = 0.25  # seconds between two messages, at the least
LOAD = 20  # by how much messages may slow the run: each takes at most 1/LOAD of the time between two
SECONDS_TO_LOAD = 1.5  # for the widget, which tells the frame after it where to go on


class Screen(Protocol):
    """Where the rounds of a run are shown."""

    def show(self, message: Callable[[], dict[str, Any]]) -> None:
        """Show the rounds so far, unless a message was sent a moment ago."""

    def end(self, message: dict[str, Any], page: str) -> None:
        """Show all rounds, and leave a page with them."""


class Nowhere:
    """Outside a notebook nothing is shown."""

    def show(self, message: Callable[[], dict[str, Any]]) -> None:
        """Show nothing."""

    def end(self, message: dict[str, Any], page: str) -> None:
        """Leave nothing."""


class Cell:
    """The output of a notebook's cell."""

    def __init__(self, page: str):
        import anywidget
        import traitlets
        from IPython.display import display

        class Player(anywidget.AnyWidget):
            _esm = Path(__file__).with_suffix(".js")
            page = traitlets.Unicode().tag(sync=True)
            height = traitlets.Int(FRAME_HEIGHT).tag(sync=True)
            message = traitlets.Dict(allow_none=True, default_value=None).tag(sync=True)

        self.player = Player(page=page)
        self.output: Any = display(self.player, display_id=True)
        self.began, self.next = time.monotonic(), 0.0

    def show(self, message: Callable[[], dict[str, Any]]) -> None:
        """Show the rounds so far, unless a message was sent a moment ago."""
        if (now := time.monotonic()) < self.next:
            return
        self.player.message = message()
        ended = time.monotonic()
        self.next = ended + max(INTERVAL, LOAD * (ended - now))

    def end(self, message: dict[str, Any], page: str) -> None:
        """Show all rounds, and leave the page in the widget's place, where it goes on from the round that was shown.

        A saved notebook and its exports keep the page, and lose a widget.
        """
        self.player.message = message
        with suppress(KeyboardInterrupt):
            time.sleep(max(0.0, self.began + SECONDS_TO_LOAD - time.monotonic()))
        self.output.update({"text/html": player_frame(page), "text/plain": "the rounds of a run"}, raw=True)
        self.player.close()


def screen(page: str) -> Screen:
    """The output of the running cell, where there is one. Raises ValueError in a notebook without anywidget."""
    if not _in_notebook():
        return Nowhere()
    if find_spec("anywidget") is None:
        raise ValueError("the live player in a notebook needs anywidget: pip install 'mwem-explorer[notebook]'")
    return Cell(page)


def player_frame(page: str) -> str:
    """Return a page in a frame, for an output of a notebook: apart from the notebook's styles, scripts and storage."""
    return (
        f'<iframe srcdoc="{escape(page)}" sandbox="allow-scripts" title="The rounds of a run" width="100%" '
        f'height="{FRAME_HEIGHT}" style="border: 0"></iframe>'
    )


def _in_notebook() -> bool:
    """Whether a Jupyter kernel runs this, not a script or a terminal."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and getattr(ipython.get_ipython(), "kernel", None) is not None
