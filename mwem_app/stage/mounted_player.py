"""The player on a page of Streamlit: a fragment of the page polls the run and sends new rounds."""

from collections.abc import Callable
from typing import Any

from streamlit.components.v2 import component

from mwem_app.stage.player_message import CSS, HTML, JS

_mount = component(
    "mwem_player",
    html=HTML,
    css=CSS,
    js=JS,
    isolate_styles=False,  # Plotly writes its style sheet into the document, where a shadow root does not see it
)


def player(message: dict[str, Any], *, key: str, on_gap: Callable[[], None]) -> None:
    """Show the rounds of a message (`mwem_app.stage.scene_message`).

    A full rerun of the page makes a new player, which needs all rounds. If the browser lacks rounds, `on_gap` is called
    before the rerun: make it forget what was sent.
    """
    _mount(key=key, data=message, on_gap_change=on_gap)
