"""The scripts and styles of the stage, and the stage as a page in one file: it fetches nothing, so it opens offline."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from markupsafe import Markup

from mwem_app.base import Badge
from mwem_app.charts import HTML, digest_of, embed, script_of, style_of, theme_properties
from mwem_core.base import template

SOURCE = Path(__file__)
CHART_SCRIPTS = tuple(SOURCE.with_name(f"{name}.js") for name in ("rounds_chart", "tables"))
SCRIPTS = *CHART_SCRIPTS, *(SOURCE.with_name(f"{name}.js") for name in ("round", "player", "player_charts"))
STYLES = (SOURCE.with_name("stage.css"),)
CSS = style_of(STYLES)
PAGE = template(SOURCE.with_suffix(".html.jinja"))


def player_page(title: str, badge: Badge, message: dict[str, Any] | None = None) -> str:
    """Return the page that shows a player's message; without one, those that a page around it posts to it."""
    return page_of(title, message, SCRIPTS, STYLES, note=badge.text, kind=badge.kind)


def page_of(
    title: str, message: Any, scripts: Iterable[Path], styles: Iterable[Path], *, note: str = "", kind: str = ""
) -> str:
    """Return the page of a drawing, below the title if there is a note on it.

    Its content security policy allows its own script and no request.
    """
    script = script_of([*scripts, SOURCE.with_suffix(".js")])
    page = PAGE(
        title=title,
        note=note,
        kind=kind,
        style=Markup(theme_properties() + style_of([*styles, SOURCE.with_suffix(".css")])),
        drawing=Markup(HTML),
        script=Markup(script),
        digest=digest_of(script),
        message=embed(message),
    )
    return str(page)
