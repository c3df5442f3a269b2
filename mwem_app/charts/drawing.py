"""A drawing: the pieces that all share and its own files after them, for a page of Streamlit or a page in one file."""

import base64
import hashlib
import json
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from mwem_app.base import SERVED_FOLDER

PIECES = Path(__file__).parent / "pieces"
PLOTLY = Path(__file__).with_name("plotly.js")  # loads the library once, for what draws with it
HTML = '<div class="drawing"></div>'
FONTS = {"font": 'system-ui, "Source Sans 3", sans-serif', "heading-font": 'Georgia, "Source Serif 4", serif'}


def script_of(own: Iterable[Path]) -> str:
    """The script of a drawing, from its own files."""
    return _joined([*sorted(PIECES.glob("*.js")), *own])


def style_of(own: Iterable[Path]) -> str:
    """The style of a drawing, from its own files."""
    return _joined([PIECES / "pieces.css", *own])


def _joined(files: Iterable[Path]) -> str:
    return "".join(file.read_text(encoding="utf-8") for file in files)


# ---- on a page of Streamlit: data come once, and only what a drawing sends goes back ----
def show(mount: Callable[..., Any], data: dict[str, Any], *, key: str, sends: Iterable[str]) -> Any:
    """Show a drawing; returns what it sends by name, each in the run that this causes, else None.

    `data` may hold NumPy arrays; they arrive as lists.
    """
    return mount(key=key, data=as_lists(data), **{f"on_{name}_change": _nothing for name in sends})


def _nothing() -> None:
    """What a drawing sends is read from its result."""


def as_lists(value: Any) -> Any:
    """The same data with NumPy's arrays and numbers as lists and numbers of Python.

    >>> as_lists({"a": np.arange(2), "b": (np.float64(0.5), None)})
    {'a': [0, 1], 'b': [0.5, None]}
    """
    if isinstance(value, Mapping):
        return {name: as_lists(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [as_lists(each) for each in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


# ---- on a page in one file: the policy, data as a part of the page, and the app's theme ----
def digest_of(script: str) -> str:
    """The digest by which a content security policy allows an inline script."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def embed(data: Any) -> Markup:
    """Data as JSON for a script element, which no text in them can end. Raises ValueError for NaN."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c"))


def theme_properties() -> str:
    """The colours of the theme as Streamlit's custom properties, light and dark."""
    theme = tomllib.loads((SERVED_FOLDER / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
    light = FONTS | {"base-radius": theme["baseRadius"]} | _colours(theme["light"])
    return _properties(":root", light) + _properties(":root[data-scheme=dark]", _colours(theme["dark"]))


def _colours(theme: dict[str, Any]) -> dict[str, str]:
    """The properties of a theme: "textColor" is "text-color", which headings have too."""
    names = {"".join(f"-{c.lower()}" if c.isupper() else c for c in key): value for key, value in theme.items()}
    lists = {name: ", ".join(value) if isinstance(value, list) else value for name, value in names.items()}
    return lists | {"heading-color": theme["textColor"]}


def _properties(selector: str, values: dict[str, str]) -> str:
    return f"{selector} {{ {' '.join(f'--st-{name}: {value};' for name, value in values.items())} }}\n"
