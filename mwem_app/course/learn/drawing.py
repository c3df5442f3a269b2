"""The drawing of a lesson, by name: only what is locked in or checked goes back to the server."""

from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from mwem_app.charts import mounted, show

HERE = Path(__file__).parent


def drawing(name: str, data: dict[str, Any], *, key: str) -> Any:
    """Show the drawing of `course/learn/<name>.js`; returns what it sends, in the run that this causes, else None.

    `data` may hold NumPy arrays; they arrive as lists.
    """
    mount = mounted(f"mwem_lesson_{name}", (HERE / f"{name}.js",), styles_of(name))
    return show(mount, data, key=key, sends=("sent",)).sent


def draw_again() -> None:
    """Draw again what follows from a message: the fragment, or the whole page if all of it was being drawn."""
    context = get_script_run_ctx()
    st.rerun(scope="fragment" if context and context.fragment_ids_this_run else "app")


def styles_of(name: str) -> tuple[Path, ...]:
    """The style sheet of a drawing, if it has one."""
    style = HERE / f"{name}.css"
    return (style,) if style.exists() else ()
