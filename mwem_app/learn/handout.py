"""A lesson on paper: its formulas with every symbol explained, and its questions with room for answers."""

from pathlib import Path

from mwem_app.learn.lessons import Lesson
from mwem_app.learn.record import Task
from mwem_core.templates import template

PAGE = template(Path(__file__).with_suffix(".html.jinja"))


def handout(lesson: Lesson, tasks: list[Task], link: str) -> str:
    """A page of HTML to print: for the learner, so it has no answers."""
    return str(PAGE(lesson=lesson, tasks=tasks, link=link))
