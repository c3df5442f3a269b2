"""A drawing that moves without the server: its data come once, and only what is locked in or checked goes back."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from streamlit.components.v2 import component

HERE = Path(__file__).parent
PIECES = HERE / "pieces"


def drawing(name: str, data: dict[str, Any], *, key: str) -> Any:
    """Show the drawing of `mwem_app/learn/<name>.js`; returns what it sends, in the run that this causes, else None.

    `data` may hold NumPy arrays; they arrive as lists.
    """
    return _mounted(name)(key=key, data=_lists(data), on_sent_change=_nothing).sent


@cache
def _mounted(name: str) -> Callable[..., Any]:
    script = HERE / f"{name}.js"
    scripts = [*sorted(PIECES.glob("*.js")), script]
    style = script.with_suffix(".css")
    styles = [PIECES / "pieces.css", *([style] if style.exists() else [])]
    return component(
        f"mwem_lesson_{name}",
        html='<div class="lesson"></div>',
        css="".join(file.read_text(encoding="utf-8") for file in styles),
        js="".join(file.read_text(encoding="utf-8") for file in scripts),
    )


def _lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _lists(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_lists(each) for each in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def _nothing() -> None:
    """What a drawing sends is read from its result."""
