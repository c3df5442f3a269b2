"""The player as a page in one file: it fetches nothing, so it opens offline and in a sandboxed frame."""

import base64
from html import escape
from pathlib import Path
from typing import Any

from mwem_app.base import SERVED, Badge
from mwem_app.charts import digest_of, embedded, theme_properties
from mwem_app.stage import CSS, HTML, JS
from mwem_core.base import template

PAGE = template(Path(__file__).with_suffix(".html.jinja"))
SCRIPT = JS + Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
FRAME_HEIGHT = 980  # pixels: the whole player, with the truth, where its two charts are side by side


def player_page(title: str, badge: Badge, message: dict[str, Any] | None = None) -> str:
    """Return the page that shows a player's message; without one, those that a page around it posts to it.

    Its content security policy allows this page's script and Plotly's, which is in it, and no request.
    """
    (plotly,) = (SERVED / "static").glob("plotly-*.min.js.gz")
    page = PAGE(
        title=title,
        badge=badge,
        theme=theme_properties(),
        css=CSS,
        player=HTML,
        script=SCRIPT,
        digest=digest_of(SCRIPT),
        plotly=base64.b64encode(plotly.read_bytes()).decode(),
        message=embedded(message),
    )
    return str(page)


def player_frame(page: str) -> str:
    """Return a page in a frame, for an output of a notebook: apart from the notebook's styles, scripts and storage."""
    return (
        f'<iframe srcdoc="{escape(page)}" sandbox="allow-scripts" title="The rounds of a run" width="100%" '
        f'height="{FRAME_HEIGHT}" style="border: 0"></iframe>'
    )
