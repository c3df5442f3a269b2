"""A lesson as a page in one file: its blocks as HTML, its drawings' scripts and styles, and a script for the rest."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markupsafe import Markup

from mwem_app.base import EXAMPLE
from mwem_app.charts import as_lists, digest_of, embedded, script_of, style_of, theme_properties
from mwem_app.course.learn.blocks import Beside, Block, Dialogue, Drawing, Formula, Once, PredictDrawn, Switch
from mwem_app.course.learn.drawing import HERE as DRAWINGS, styles_of
from mwem_app.course.learn.exercises.kinds import DrawnExercise
from mwem_app.course.learn.lessons import LESSONS, Lesson, after
from mwem_app.course.lessons.written import blocks_of
from mwem_core.base import template
from mwem_core.systems import SYSTEMS

HERE = Path(__file__).parent
PAGE, INDEX = template(HERE / "page.html.jinja"), template(HERE / "index.html.jinja")
STYLE = Markup(theme_properties() + (HERE / "page.css").read_text(encoding="utf-8"))
SCHEME, OWN = ((HERE / name).read_text(encoding="utf-8") for name in ("scheme.js", "page.js"))
MARKDOWN = MarkdownIt("commonmark", {"html": False})


def index_page(seed: int) -> str:
    """The list of the lessons. Its content security policy allows its own script and no request."""
    return str(INDEX(lessons=LESSONS, seed=seed, style=STYLE, script=Markup(SCHEME), digest=digest_of(SCHEME)))


def lesson_page(lesson: Lesson, seed: int) -> str:
    """The page of a lesson with the draws of a seed. Its content security policy allows its own script and no request.

    It has all numbers of the lesson. Those that answer the prediction are shown once it is locked in.
    """
    return filled(PAGE, lesson, list(blocks_of(lesson, seed)), seed=seed)


def filled(
    page: Callable[..., Markup],
    lesson: Lesson,
    blocks: Sequence[Block],
    *,
    style: str = "",
    script: str = "",
    **own: Any,
) -> str:
    """A template that shows the blocks of a lesson, with its own style and script after theirs, and its own values."""
    whole = _script(blocks) + script
    values = {
        "lesson": lesson,
        "following": after(lesson),
        "badge": EXAMPLE,
        "blocks": blocks,
        "kind": lambda block: type(block).__name__,
        "markdown": lambda text: Markup(MARKDOWN.render(text)),
        "inline": lambda text: Markup(MARKDOWN.renderInline(text)),
        "message": _message,
        "systems": SYSTEMS,
        "style": STYLE + Markup(style),
        "script": Markup(whole),
        "digest": digest_of(whole),
    }
    return str(page(**values | own))


def inside(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks, and those within them."""
    for block in blocks:
        yield block
        if isinstance(block, Once):
            yield from inside([*block.blocks, *block.before])
        elif isinstance(block, Beside):
            yield from inside([*block.left, *block.right])
        elif isinstance(block, Switch):
            for make in block.variants.values():
                yield from inside(make())
        elif isinstance(block, PredictDrawn):
            yield block.drawing


def _message(block: Drawing | Dialogue | Formula | DrawnExercise) -> Markup:
    """What the script of the page needs of a drawing."""
    if isinstance(block, Formula):
        return embedded({"data": {"parts": block.parts}, "until": {}})
    if isinstance(block, Drawing):
        return embedded(as_lists({"data": block.data, "until": block.until}))
    return embedded(as_lists({"data": block.data, "until": {}, "start": block.start, "held": block.held}))


def _script(blocks: Iterable[Block]) -> str:
    """The pieces of all drawings, the maker of each drawing in a scope of its own, and the script of the page."""
    every = list(inside(blocks))
    names = sorted(
        {block.name for block in every if isinstance(block, Drawing | Dialogue | DrawnExercise)} | {"symbols"}
    )
    asking = sorted({block.name for block in every if isinstance(block, Dialogue | DrawnExercise)})
    makers = [_scoped("MAKERS", name, DRAWINGS / f"{name}.js", "make") for name in names]
    answers = [_scoped("ANSWERS", name, DRAWINGS / f"{name}_answers.js", "answers") for name in asking]
    own_styles = {name: "".join(map(_text, styles_of(name))) for name in names}
    styles = f"const PIECES = {embedded(style_of(()))}, STYLES = {embedded(own_styles)};\n"
    return "".join([script_of(()), "const MAKERS = {}, ANSWERS = {};\n", *makers, *answers, styles, SCHEME, OWN])


def _scoped(table: str, name: str, file: Path, function: str) -> str:
    return f'{table}["{name}"] = (() => {{\n{_text(file)}\nreturn {function};\n}})();\n'


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")
