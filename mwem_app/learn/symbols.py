"""Formulas whose symbols explain themselves, on hover, on focus and by a tap."""

from html import escape

from mwem_app.learn.blocks import Formula
from mwem_app.learn.drawing import drawing
from mwem_app.learn.record import Task, note


def formula(shown: Formula) -> None:
    """Show a formula, and note it for the handout."""
    drawing("symbols", {"parts": shown.parts}, key=shown.key)
    on_paper = "".join(
        f"<sup>{escape(part['text'])}</sup>" if part["raised"] else escape(part["text"]) for part in shown.parts
    )
    note(shown.key, Task("formula", on_paper, symbols=shown.symbols))
