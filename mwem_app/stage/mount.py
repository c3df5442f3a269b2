"""The stage on a page of Streamlit, in the page's own tree: its styles and its focus reach into the player."""

from collections.abc import Callable
from functools import cache
from typing import Any

from streamlit.components.v2 import component

from mwem_app.charts import HTML, script_of
from mwem_app.stage.standalone import CSS, SCRIPTS


def player(message: dict[str, Any], *, key: str, on_gap: Callable[[], None]) -> None:
    """Show the rounds of a run (`rounds_message`): a fragment of the page polls the run and sends new rounds.

    A full rerun of the page makes a new player, which needs all rounds. If the browser lacks rounds, `on_gap` is called
    before the rerun: make it forget what was sent.
    """
    _stage()(key=key, data=message, on_gap_change=on_gap)


@cache
def _stage() -> Callable[..., Any]:
    return component("mwem_stage", html=HTML, css=CSS, js=script_of(SCRIPTS), isolate_styles=False)
