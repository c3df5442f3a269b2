"""The picture on a page of Streamlit."""

from pathlib import Path
from typing import Any

import streamlit as st

from mwem_app.charts import mounted, show
from mwem_app.stage.demonstration_files import SCRIPTS, STYLES

PRESENT = Path(__file__).with_name("present.css").read_text(encoding="utf-8")


def demonstration(message: dict[str, Any], *, key: str) -> Any:
    """Show a message (`mwem_app.stage.scene_message`); returns what the picture sends, each once, else None.

    `at`: {"epsilon": index, "share": of the budget, "look": index of the table}, when both sliders rest. `question`: a
    text that is asked. `missing`: how many runs the browser lacks of those available. `person`: the index of a record.
    """
    if message["present"]:
        st.html(f"<style>{PRESENT}</style>")
    mount = mounted("mwem_demonstration", SCRIPTS, STYLES)
    return show(mount, message, key=key, sends=("at", "question", "missing", "person"))
