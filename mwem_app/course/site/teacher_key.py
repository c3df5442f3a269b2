"""The teacher's key and speaker notes, in Markdown. The key is made from the blocks of the lessons, as pages are."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from mwem_app.base import percent
from mwem_app.course.blocks import Block, Exercise, PredictChoice, PredictDrawn, PredictNumber, Reveal, Text
from mwem_app.course.exercises import CurveExercise, DrawnExercise, NumberExercise, SettingsExercise
from mwem_app.course.lesson import LESSONS, Lesson, Note, blocks_of, sheet_of
from mwem_app.course.site.pages import all_blocks
from mwem_app.course.site.slides import notes_by_slide, scenes

KEY = (
    "For the teacher: what the lessons ask, and what is right. Made by `mwem lessons --teacher`, from the lessons "
    "themselves; all numbers are those of seed {}. Do not give this file away."
)
NOTES = (
    "For the teacher: what to say and to ask in each lesson, and what students get wrong there. They have "
    "answers: do not give them away."
)


def key(seed: int) -> str:
    """The right answer to every prediction, exercise and task, with the reasons."""
    parts = ["# Key", KEY.format(seed)]
    for lesson in LESSONS:
        parts += [f"## {lesson.title}", *key_paragraphs(lesson, seed)]
    return "\n\n".join(parts) + "\n"


def key_paragraphs(lesson: Lesson, seed: int) -> Iterator[str]:
    """The key of a lesson, a paragraph each."""
    blocks = list(all_blocks(blocks_of(lesson, seed)))
    for i, block in enumerate(blocks):
        match block:
            case PredictChoice() | PredictNumber():
                yield _task_text("Prediction", block.question, getattr(block, "options", ()))
                yield f"*Then:* {' '.join(_reveal_texts(blocks[i + 1 :]))}"
            case PredictDrawn():
                yield _task_text("Prediction", block.question)
                yield f"*Then:* {_curve(block)}"
            case Exercise():
                yield _task_text("Exercise", block.question)
                yield "\n".join(_reasons(block))
            case NumberExercise() | SettingsExercise() | CurveExercise():
                yield _task_text("Exercise", block.question)
                yield "\n".join(_right(block))
    _, tasks = sheet_of(lesson, seed)
    yield "\n".join(["**Handout.**", "", *(f"{i}. {task.text} *{task.answer}*" for i, task in enumerate(tasks, 1))])


def _task_text(kind: str, question: str, options: Iterable[str] = ()) -> str:
    return f"**{kind}.** {question}" + "".join(f"\n- {option}" for option in options)


def _reveal_texts(blocks: Sequence[Block]) -> Iterator[str]:
    """What a lesson says at once when the prediction is locked in."""
    opened = next((block.blocks for block in blocks if isinstance(block, Reveal)), ())
    for block in opened:
        if not isinstance(block, Text):
            return
        yield block.text


def _curve(block: PredictDrawn) -> str:
    """The measured curve at the ε that is drawn for."""
    data = block.drawing.data
    drawn = data["curves"][data["start"]]["mean"]
    heights = ", ".join(f"{percent(error)} at {x}" for x, error in zip(block.positions, drawn, strict=True))
    return f"{heights}. It is lowest at {block.positions[int(drawn.argmin())]}."


def _reasons(block: Exercise) -> Iterator[str]:
    for answer, reason in block.answers.items():
        yield f"- {'**Right:** ' if answer == block.right else ''}{answer} *{reason}{block.once.get(answer, '')}*"


def _right(block: DrawnExercise) -> Iterator[str]:
    """What is right, and the typical errors."""
    match block:
        case NumberExercise():
            yield f"- **Right:** {block.right:g} {block.unit}, within {block.tolerance:.0%}. *{block.why}*"
            yield from (f"- {wrong:g} *{why}*" for wrong, why in block.typical.items())
        case SettingsExercise():
            yield from (f"- **Right:** {block.in_words(at)}" for at in np.argwhere(block.holds).tolist())
            yield f"- *{block.why}*"
        case CurveExercise():
            within = f"each within {block.tolerance:g}{block.unit}"
            yield f"- **Right:** {_heights(block, block.curve)}, {within}."
            yield from (f"- {_heights(block, curve)} *{why}*" for curve, why in block.typical)


def _heights(block: CurveExercise, curve: np.ndarray) -> str:
    pairs = zip(block.positions, curve, strict=True)
    return ", ".join(f"{value:g}{block.unit} at {position}" for position, value in pairs)


def speaker_notes(seed: int) -> str:
    """The notes of all lessons, by the number of their slide."""
    parts = ["# Speaker notes", NOTES]
    for lesson in LESSONS:
        parts.append(f"## {lesson.title} ({lesson.minutes} minutes)")
        shown = list(scenes(blocks_of(lesson, seed)))
        titles = [lesson.title, *(scene.heading or lesson.title for scene in shown)]
        for i, notes in notes_by_slide(lesson, shown).items():
            parts.append(f"### Slide {i + 1}: {titles[i]} ({sum(note.minutes for note in notes)} min)")
            parts += [text for note in notes for text in _spoken(note)]
    return "\n\n".join(parts) + "\n"


def _spoken(note: Note) -> Iterator[str]:
    yield note.say.strip()
    if note.ask:
        yield f"*Ask:* {note.ask.strip()}"
    if note.errors:
        yield f"*Typical errors:* {note.errors.strip()}"
