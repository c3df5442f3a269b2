"""The students' page in one file, made once: its policy allows its own script and style, and requests to its server."""

from pathlib import Path

from markupsafe import Markup

from mwem_app.charts import PIECES, digest_of, theme_properties
from mwem_app.course.classroom.room import FEWEST
from mwem_app.course.learn.room_door import STORED
from mwem_core.base import template

HERE = Path(__file__).parent
SCRIPTS = PIECES / "build.js", PIECES / "controls.js", HERE / "questions.js", HERE / "page.js"


def _text(*files: Path) -> str:
    return "".join(file.read_text(encoding="utf-8") for file in files)


SCRIPT, STYLE = _text(*SCRIPTS), theme_properties() + _text(HERE / "page.css")
PAGE = str(template(HERE / "page.html.jinja")(style=Markup(STYLE), script=Markup(SCRIPT), stored=STORED, fewest=FEWEST))
POLICY = (
    f"default-src 'none'; script-src 'sha256-{digest_of(SCRIPT)}'; style-src 'sha256-{digest_of(STYLE)}'; "
    "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-cache",
}
