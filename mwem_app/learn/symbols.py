"""Formulas whose symbols explain themselves, on hover, on focus and by a tap."""

import re
from collections.abc import Mapping
from html import escape

from mwem_app.learn.drawing import drawing
from mwem_app.learn.record import Task, note


def formula(text: str, symbols: Mapping[str, str], *, key: str) -> None:
    """Show a formula. `{ε}` in `text` is a symbol, which `symbols` explains, and `^{ε}` is one in an exponent.

    Raises KeyError for a symbol that is not explained.
    """
    parts = [
        {"text": symbol or words, "means": symbols[symbol] if symbol else None, "raised": bool(raised)}
        for words, raised, symbol in re.findall(r"([^{^]+)|(\^?)\{(.+?)\}", text)
    ]
    drawing("symbols", {"parts": parts}, key=key)
    on_paper = "".join(
        f"<sup>{escape(part['text'])}</sup>" if part["raised"] else escape(part["text"]) for part in parts
    )
    note(key, Task("formula", on_paper, symbols=symbols))
