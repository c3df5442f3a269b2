"""The scripts and styles of the stage, and the stage as a page in one file: it fetches nothing, so it opens offline."""

from pathlib import Path
from typing import Any

from markupsafe import Markup

from mwem_app.base import Badge
from mwem_app.charts import HTML, digest_of, embed, script_of, style_of, theme_properties
from mwem_core.base import template

SOURCE = Path(__file__)
PLAYER = "round", "player", "player_charts"
DEMONSTRATION = "runs", "presence", "question", "demonstration"
PARTS = "rounds_chart", "tables", *PLAYER, *DEMONSTRATION, "stage"
SCRIPTS = tuple(SOURCE.with_name(f"{name}.js") for name in PARTS)
STYLES = (SOURCE.with_name("stage.css"),)
CSS = style_of(STYLES)
PRESENT = SOURCE.with_name("present.css").read_text(encoding="utf-8")  # for a projector
PAGE = template(SOURCE.with_suffix(".html.jinja"))
SCRIPT = script_of([*SCRIPTS, SOURCE.with_suffix(".js")])


def demonstration_page(message: dict[str, Any], *, verdict: str) -> str:
    """Return the page of a demonstration's message, which should bring all of its runs: no server answers questions.

    `verdict` says in a sentence whether the page may leave the room.
    """
    data = message | {"asks": False, "waiting": "", "available": list(message["tracks"])}
    title, larger = f"What privacy costs: {message['title']}", PRESENT if message["present"] else ""
    return _page(title, data, heading="What privacy costs", note=verdict, larger=larger)


def player_page(title: str, badge: Badge, message: dict[str, Any] | None = None) -> str:
    """Return the page that shows a player's message; without one, those that a page around it posts to it."""
    return _page(title, message, heading=title, note=badge.text, kind=badge.kind)


def _page(title: str, message: Any, *, heading: str, note: str, kind: str = "", larger: str = "") -> str:
    """The page's content security policy allows its own script and no request."""
    page = PAGE(
        title=title,
        heading=heading,
        note=note,
        kind=kind,
        style=Markup(theme_properties() + style_of([*STYLES, SOURCE.with_suffix(".css")]) + larger),
        drawing=Markup(HTML),
        script=Markup(SCRIPT),
        digest=digest_of(SCRIPT),
        message=embed(message),
    )
    return str(page)
