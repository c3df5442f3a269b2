"""What a lesson asked and what the learner answered, noted while the page is drawn: for the export."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from mwem_app.learn.lessons import LESSONS, Lesson
from mwem_app.session.locked import all_locked
from mwem_core.domain.csv_cell import csv_text

CURRENT, TASKS = "_lesson", "_tasks"


@dataclass(frozen=True)
class Task:
    """A prediction or an exercise of a lesson, and what the learner answered."""

    kind: Literal["prediction", "exercise"]
    text: str
    options: tuple[str, ...] = ()
    answer: str | None = None
    right: bool | None = None


Noted = Mapping[str, Mapping[str, Task]]


def start(lesson: Lesson) -> None:
    """Forget what was noted of this lesson before: the page is drawn again from its top."""
    st.session_state[CURRENT] = lesson.path
    st.session_state.setdefault(TASKS, {})[lesson.path] = {}


def note(key: str, task: Task) -> None:
    """Note a task of the lesson that is being drawn; a later note with the same key replaces it."""
    st.session_state[TASKS][st.session_state[CURRENT]][key] = task


def noted() -> Noted:
    """What this session's lessons have noted: by lesson and key, and with what is noted later.

    Predictions that were locked in before a reload are in it, though their lessons have not been drawn since.
    """
    tasks = st.session_state.setdefault(TASKS, {})
    for slot, (lesson, question, value) in all_locked().items():
        if question:
            tasks.setdefault(lesson, {}).setdefault(slot, Task("prediction", question, answer=str(value)))
    return tasks


def tasks_of(lesson: Lesson, noted: Noted) -> list[Task]:
    """The tasks of a lesson, in the order of its page."""
    return list(noted.get(lesson.path, {}).values())


def results(noted: Noted) -> str:
    """The answers to all lessons, as CSV. No name is in it."""
    return csv_text(["lesson", "kind", "question", "answer", "right"], _answered(noted))


def _answered(noted: Noted) -> Iterator[tuple[str, str, str, str, str]]:
    for lesson in LESSONS:
        for task in tasks_of(lesson, noted):
            if task.answer is not None:
                right = "" if task.right is None else "yes" if task.right else "no"
                yield lesson.title, task.kind, task.text, task.answer, right
