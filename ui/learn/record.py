"""What a lesson asked and what the learner answered, noted while the page is drawn: for the handout and the export."""

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

import streamlit as st

from ui.learn.lessons import LESSONS, Lesson

CURRENT, TASKS = "_lesson", "_tasks"


@dataclass(frozen=True)
class Task:
    """A formula, a prediction or an exercise of a lesson, and what the learner answered."""

    kind: Literal["formula", "prediction", "exercise"]
    text: str
    options: tuple[str, ...] = ()
    symbols: Mapping[str, str] = field(default_factory=dict)
    answer: str | None = None
    right: bool | None = None


def start(lesson: Lesson) -> None:
    """Forget what was noted of this lesson before: the page is drawn again from its top."""
    st.session_state[CURRENT] = lesson.path
    st.session_state.setdefault(TASKS, {})[lesson.path] = {}


def note(key: str, task: Task) -> None:
    """Note a task of the lesson that is being drawn; a later note with the same key replaces it."""
    st.session_state[TASKS][st.session_state[CURRENT]][key] = task


def tasks_of(lesson: Lesson) -> list[Task]:
    """The tasks of a lesson, in the order of its page."""
    return list(st.session_state.get(TASKS, {}).get(lesson.path, {}).values())


def results() -> str:
    """The answers of this session to all lessons, as CSV. No name is in it."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(["lesson", "kind", "question", "answer", "right"])
    writer.writerows(_answered())
    return file.getvalue()


def _answered() -> Iterator[tuple[str, str, str, str, str]]:
    for lesson in LESSONS:
        for task in tasks_of(lesson):
            if task.answer is not None:
                right = "" if task.right is None else "yes" if task.right else "no"
                yield lesson.title, task.kind, task.text, task.answer, right
