"""The picture as a page in one file: it fetches nothing, so it opens offline and from a mail."""

from pathlib import Path
from typing import Any

from markupsafe import Markup

from mwem_app.charts import HTML, digest_of, embedded, script_of, style_of, theme_properties
from mwem_app.stage.demonstration_files import SCRIPTS, STYLES
from mwem_app.stage.mounted_demonstration import PRESENT
from mwem_core.base import template

HERE = Path(__file__)
PAGE = template(HERE.with_suffix(".html.jinja"))
SCRIPT = script_of([*SCRIPTS, HERE.with_suffix(".js")])


def demonstration_page(message: dict[str, Any], *, verdict: str) -> str:
    """Return the page of a message, which should bring all of its runs, and no server answers its questions.

    `verdict` says in a sentence whether the page may leave the room. The page's content security policy allows its own
    script and no request.
    """
    data = message | {"asks": False, "waiting": "", "available": list(message["tracks"])}
    page = PAGE(
        title=message["title"],
        verdict=verdict,
        present=message["present"],
        style=Markup(theme_properties() + style_of([*STYLES, HERE.with_suffix(".css")])),
        larger=Markup(PRESENT),
        drawing=Markup(HTML),
        script=Markup(SCRIPT),
        digest=digest_of(SCRIPT),
        message=embedded(data),
    )
    return str(page)
