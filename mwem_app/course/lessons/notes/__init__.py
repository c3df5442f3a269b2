"""What a teacher says and asks in each lesson: a file for each, by the lesson's path, which no student's page reads."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from mwem_app.course.learn.blocks import Block, Exercise, PredictChoice, PredictDrawn, PredictNumber
from mwem_app.course.learn.lessons import Lesson

TITLE, PREDICTION, EXERCISE = "title", "prediction", "exercise"


@dataclass(frozen=True, kw_only=True)
class Note:
    """What to say and to ask at one scene, what students get wrong there, and how many minutes it takes."""

    at: str  # the key of a drawing or formula; or "title", "prediction" or "exercise"
    minutes: int
    say: str
    ask: str = ""
    errors: str = ""


def notes_of(lesson: Lesson) -> list[Note]:
    """The notes of a lesson, in its order."""
    text = (Path(__file__).parent / f"{lesson.path}.toml").read_text(encoding="utf-8")
    return [Note(**note) for note in tomllib.loads(text)["note"]]


def name_of(block: Block) -> str:
    """The name by which a note finds a block; "" for one that has none."""
    if isinstance(block, PredictChoice | PredictNumber | PredictDrawn):
        return PREDICTION
    return EXERCISE if isinstance(block, Exercise) else getattr(block, "key", "")
