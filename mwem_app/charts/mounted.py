"""A drawing on a page of Streamlit: its data come once, and only what it sends goes back."""

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

from streamlit.components.v2 import component

from mwem_app.charts.data import as_lists
from mwem_app.charts.scripts import HTML, script_of, style_of


@cache
def mounted(
    name: str, scripts: tuple[Path, ...], styles: tuple[Path, ...], *, apart: bool = True
) -> Callable[..., Any]:
    """The component of a drawing, made once; `apart` from the styles and scripts of the page around it."""
    return component(name, html=HTML, css=style_of(styles), js=script_of(scripts), isolate_styles=apart)


def show(mount: Callable[..., Any], data: dict[str, Any], *, key: str, sends: Iterable[str]) -> Any:
    """Show a drawing; returns what it sends by name, each in the run that this causes, else None.

    `data` may hold NumPy arrays; they arrive as lists.
    """
    return mount(key=key, data=as_lists(data), **{f"on_{name}_change": _nothing for name in sends})


def _nothing() -> None:
    """What a drawing sends is read from its result."""
