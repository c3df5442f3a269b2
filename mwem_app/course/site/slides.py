"""A lesson as slides: its blocks, a scene at a time, on the page of the lesson's own renderer and scripts.

A deck holds no speaker notes, as they have the answers: it lies beside the lessons, where students read it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from mwem_app.course.blocks import (
    Block,
    Caption,
    Columns,
    Drawing,
    Exercise,
    Formula,
    Heading,
    PredictDrawn,
    Reveal,
    RunLink,
    Text,
)
from mwem_app.course.exercises import DrawnExercise
from mwem_app.course.lesson import Lesson, Note, blocks_of, name_of
from mwem_app.course.site.pages import FOLDER, all_blocks, fill_page
from mwem_core.base import template

DECK = template(FOLDER / "slides.html.jinja")
STYLE, SCRIPT = ((FOLDER / name).read_text(encoding="utf-8") for name in ("slides.css", "slides.js"))
FIGURES = Drawing, PredictDrawn


@dataclass(frozen=True)
class Scene:
    """What one slide shows, below the heading of its section."""

    heading: str
    blocks: tuple[Block, ...]
    once: Literal["", "after", "before"] = ""  # shown always, once the prediction is locked in, or until then

    @property
    def words(self) -> list[Block]:
        """What stands beside a drawing."""
        return [block for block in self.blocks if _is_words(block)]

    @property
    def large(self) -> list[Block]:
        """What a slide has room for only once."""
        return [block for block in self.blocks if not _is_words(block)]

    @property
    def layout(self) -> Literal["figure", "wide", "plain"]:
        """Words beside a drawing, a block with columns of its own, or one column."""
        if any(isinstance(block, FIGURES) for block in self.blocks):
            return "figure"
        return "wide" if any(isinstance(block, Columns) for block in self.blocks) else "plain"


def slides_page(lesson: Lesson, seed: int) -> str:
    """The slides of a lesson with the draws of a seed.

    The content security policy allows the page's own script and no request.
    """
    blocks = list(blocks_of(lesson, seed))
    return fill_page(DECK, lesson, blocks, seed=seed, style=STYLE, script=SCRIPT, scenes=scenes(blocks))


def scenes(blocks: Iterable[Block], heading: str = "") -> Iterator[Scene]:
    """The slides of these blocks: each has one large block.

    Words stay with the block before them, unless a drawing follows. An exercise stands alone.
    """
    held: list[Block] = []
    for block in blocks:
        if isinstance(block, Heading):
            yield from _scene(heading, held)
            heading, held = block.text, []
        elif isinstance(block, Reveal) and not _is_words(block):
            words = held if all(map(_is_words, held)) else []
            yield from _scene(heading, [] if words else held)
            held = []
            for once, within in ("before", block.before), ("after", block.blocks):
                yield from (replace(each, once=once) for each in scenes([*words, *within], heading) if within)
        elif isinstance(block, Exercise | DrawnExercise):
            yield from _scene(heading, held)
            heading, held = "", [block]
        else:
            cut = _full(held, block)
            yield from _scene(heading, held[:cut])
            held = [*held[cut:], block]
    yield from _scene(heading, held)


def notes_by_slide(lesson: Lesson, shown: Sequence[Scene]) -> dict[int, list[Note]]:
    """The notes of a lesson by the number of their slide, from 0: that of the title.

    A note whose scene the lesson does not have stays with the note before it.
    """
    slides = {name: i for i, scene in enumerate(shown, 1) for name in map(name_of, all_blocks(scene.blocks))}
    notes: dict[int, list[Note]] = {}
    at = 0
    for note in lesson.notes:
        at = slides.get(note.at, at)
        notes.setdefault(at, []).append(note)
    return notes


def _scene(heading: str, blocks: Sequence[Block]) -> Iterator[Scene]:
    if blocks:
        yield Scene(heading, tuple(blocks))


def _full(held: Sequence[Block], block: Block) -> int:
    """How many of the blocks held make a slide before this one: none if there is a place for it beside them."""
    large = [i for i, each in enumerate(held) if not _is_words(each)]
    if _is_words(block) or not large or (isinstance(block, Formula) and isinstance(held[-1], Formula)):
        return 0
    if not isinstance(block, FIGURES):
        return len(held)
    return next((i + 1 for i in reversed(range(len(held))) if not isinstance(held[i], Text | Caption)), 0)


def _is_words(block: Block) -> bool:
    if isinstance(block, Reveal):
        return all(map(_is_words, block.blocks))
    return isinstance(block, Text | Caption | RunLink)
