"""The stage as a page in one file: it fetches nothing, so it opens offline, from a mail and in a sandboxed frame."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from mwem_app.base import Badge
from mwem_app.charts import HTML, digest_of, embedded, script_of, style_of, theme_properties
from mwem_app.stage.files import DEMONSTRATION, PLAYER, PRESENT, STYLES
from mwem_core.base import template

HERE = Path(__file__)
PAGE = template(HERE.with_suffix(".html.jinja"))


def demonstration_page(message: dict[str, Any], *, verdict: str) -> str:
    """Return the page of a demonstration's message, which should bring all of its runs: no server answers questions.

    `verdict` says in a sentence whether the page may leave the room.
    """
    data = message | {"asks": False, "waiting": "", "available": list(message["tracks"])}
    title, larger = f"What privacy costs: {message['title']}", PRESENT if message["present"] else ""
    return _page(title, data, DEMONSTRATION, heading="What privacy costs", note=verdict, larger=larger)


def player_page(title: str, badge: Badge, message: dict[str, Any] | None = None) -> str:
    """Return the page that shows a player's message; without one, those that a page around it posts to it."""
    return _page(title, message, PLAYER, heading=title, note=badge.text, kind=badge.kind)


def _page(title: str, message: Any, scripts: Sequence[Path], *, larger: str = "", **texts: str) -> str:
    """The page's content security policy allows its own script and no request."""
    script = script_of([*scripts, HERE.with_suffix(".js")])
    page = PAGE(
        title=title,
        style=Markup(theme_properties() + style_of([*STYLES, HERE.with_suffix(".css")]) + larger),
        drawing=Markup(HTML),
        script=Markup(script),
        digest=digest_of(script),
        message=embedded(message),
        **{"kind": ""} | texts,
    )
    return str(page)
