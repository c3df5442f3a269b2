"""What a handout has besides the prediction and the exercise of its lesson."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module

from markupsafe import Markup

from mwem_app.course.learn.lessons import Lesson


@dataclass(frozen=True)
class Data:
    """A small table to compute with. An empty text is a place to write."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Figure:
    """A drawing as SVG, with what it shows."""

    title: str
    drawing: Markup


@dataclass(frozen=True)
class Task:
    """What to do by hand, lines to write it on, and the answer, which only the teacher's key has."""

    text: str
    answer: str
    lines: int = 1


@dataclass(frozen=True)
class Sheet:
    """The part of a handout that a lesson has on paper alone."""

    question: str
    parts: Sequence[Data | Figure]
    tasks: Sequence[Task]


def sheet_of(lesson: Lesson, seed: int) -> Sheet:
    """The sheet of a lesson with the draws of a seed."""
    return import_module(f"mwem_app.course.lessons.paper.{lesson.path}").sheet(seed)
