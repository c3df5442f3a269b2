"""Formulas whose symbols explain themselves, on hover, on focus and by a tap."""

from mwem_app.course.learn.blocks import Formula
from mwem_app.course.learn.drawing import drawing


def formula(shown: Formula) -> None:
    """Show a formula."""
    drawing("symbols", {"parts": shown.parts}, key=shown.key)
