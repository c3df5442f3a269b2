"""A lesson as files: a page and a handout, each in one file, and the list of all lessons.

A page has the blocks as HTML, the scripts and styles of the drawings, and a script for the rest.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markupsafe import Markup

from mwem_app.base import EXAMPLE
from mwem_app.charts import as_lists, digest_of, embed, script_of, style_of, theme_properties
from mwem_app.course.blocks import (
    Block,
    Columns,
    Drawing,
    Exercise,
    Formula,
    PredictChoice,
    PredictDrawn,
    PredictNumber,
    Reveal,
)
from mwem_app.course.exercises import DrawnExercise
from mwem_app.course.lesson import LESSONS, Lesson, blocks_of, next_lesson, shared_scripts, sheet_of, style_sheets
from mwem_core.base import template
from mwem_core.systems import SYSTEMS

FOLDER = Path(__file__).parent
PAGE, INDEX, HANDOUT = (template(FOLDER / f"{name}.html.jinja") for name in ("site_page", "index", "handout"))
STYLE = Markup(theme_properties() + (FOLDER / "site_page.css").read_text(encoding="utf-8"))
SCHEME, OWN = ((FOLDER / name).read_text(encoding="utf-8") for name in ("scheme.js", "site_page.js"))
MARKDOWN = MarkdownIt("commonmark", {"html": False})


def index_page(seed: int) -> str:
    """The list of the lessons. Its content security policy allows its own script and no request."""
    return str(INDEX(lessons=LESSONS, seed=seed, style=STYLE, script=Markup(SCHEME), digest=digest_of(SCHEME)))


def lesson_page(lesson: Lesson, seed: int) -> str:
    """The page of a lesson with the draws of a seed. Its content security policy allows its own script and no request.

    It has all numbers of the lesson. Those that answer the prediction are shown once it is locked in.
    """
    return fill_page(PAGE, lesson, list(blocks_of(lesson, seed)), seed=seed)


def fill_page(
    page: Callable[..., Markup],
    lesson: Lesson,
    blocks: Sequence[Block],
    *,
    style: str = "",
    script: str = "",
    **own: Any,
) -> str:
    """A template that shows the blocks of a lesson, with its own style and script after theirs, and its own values."""
    whole = _script(lesson, blocks) + script
    values = {
        "lesson": lesson,
        "following": next_lesson(lesson),
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


def all_blocks(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks, and those within them."""
    for block in blocks:
        yield block
        if isinstance(block, Reveal):
            yield from all_blocks([*block.blocks, *block.before])
        elif isinstance(block, Columns):
            yield from all_blocks([*block.left, *block.right])
        elif isinstance(block, PredictDrawn):
            yield block.drawing


def _message(block: Drawing | Formula | DrawnExercise) -> Markup:
    """What the script of the page needs of a drawing."""
    data = {"parts": block.parts} if isinstance(block, Formula) else block.data
    return embed(as_lists({"data": data, "until": getattr(block, "until", {})}))


def _script(lesson: Lesson, blocks: Sequence[Block]) -> str:
    """The pieces of all drawings, the drawings with their styles, a scope for each file, and the page's own script."""
    asks = any(isinstance(block, DrawnExercise) for block in all_blocks(blocks))
    every = [shared_scripts("symbols"), *[shared_scripts("exercise")] * asks, lesson.scripts]
    sets = [
        f"SETS.push([(() => {{\n{''.join(map(_text, scripts))}return DRAWINGS;\n}})(), "
        f"{embed(''.join(map(_text, style_sheets(scripts))))}]);\n"
        for scripts in every
    ]
    return "".join([script_of(()), f"const PIECES = {embed(style_of(()))}, SETS = [];\n", *sets, SCHEME, OWN])


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def handout_page(lesson: Lesson, seed: int, link: str = "") -> str:
    """The handout of a lesson with the draws of a seed, to print on two pages. It has no script and fetches nothing."""
    blocks, (parts, tasks) = list(all_blocks(blocks_of(lesson, seed))), sheet_of(lesson, seed)

    def of(*kinds: type) -> list:
        return [block for block in blocks if isinstance(block, kinds)]

    return str(
        HANDOUT(
            lesson=lesson,
            parts=parts,
            tasks=tasks,
            formulas=of(Formula),
            symbols={name: text for formula in of(Formula) for name, text in formula.symbols.items()},
            predictions=of(PredictChoice, PredictNumber, PredictDrawn),
            exercises=[block for block in blocks if isinstance(block, Exercise | DrawnExercise)],
            inline=lambda text: Markup(MARKDOWN.renderInline(text)),
            seed=seed,
            link=link,
        )
    )
