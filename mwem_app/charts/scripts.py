"""The scripts and styles of a drawing: the pieces that all share, and its own files after them."""

from collections.abc import Iterable
from pathlib import Path

PIECES = Path(__file__).parent / "pieces"
PLOTLY = Path(__file__).with_name("plotly.js")  # loads the library once, for what draws with it
HTML = '<div class="drawing"></div>'


def script_of(own: Iterable[Path]) -> str:
    """The script of a drawing, from its own files."""
    return _joined([*sorted(PIECES.glob("*.js")), *own])


def style_of(own: Iterable[Path]) -> str:
    """The style of a drawing, from its own files."""
    return _joined([PIECES / "pieces.css", *own])


def _joined(files: Iterable[Path]) -> str:
    return "".join(file.read_text(encoding="utf-8") for file in files)
