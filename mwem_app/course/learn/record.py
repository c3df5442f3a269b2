"""What a lesson asked and what the learner answered, noted while the page is drawn: for the export."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import streamlit as st

from mwem_app.course.learn.lessons import LESSONS, Lesson
from mwem_app.session import all_locks
from mwem_core.values import csv_text

CURRENT, TASKS, ATTEMPTS = "_lesson", "_tasks", "_attempts"


class Attempt(NamedTuple):
    """An answer to an exercise that was checked."""

    answer: str
    right: bool


@dataclass(frozen=True)
class Task:
    """A prediction or an exercise of a lesson, with what was predicted or all attempts."""

    kind: Literal["prediction", "exercise"]
    text: str
    options: tuple[str, ...] = ()
    answer: str | None = None
    attempts: Sequence[Attempt] = ()


Noted = Mapping[str, Mapping[str, Task]]


def start(lesson: Lesson) -> None:
    """Forget what was noted of this lesson before: the page is drawn again from its top."""
    st.session_state[CURRENT] = lesson.path
    st.session_state.setdefault(TASKS, {})[lesson.path] = {}


def note(key: str, task: Task) -> None:
    """Note a task of the lesson that is being drawn; a later note with the same key replaces it."""
    st.session_state[TASKS][st.session_state[CURRENT]][key] = task


def note_exercise(key: str, question: str, options: tuple[str, ...] = ()) -> None:
    """Note an exercise of the lesson that is being drawn, with the attempts at it, also those that follow."""
    note(key, Task("exercise", question, options, attempts=_attempts(key)))


def attempt(key: str, answer: str, *, right: bool) -> None:
    """Add an attempt at the exercise that was noted with this key."""
    _attempts(key).append(Attempt(answer, right))


def noted() -> Noted:
    """What this session's lessons have noted: by lesson and key, and with what is noted later.

    Predictions that were locked in before a reload are in it, though their lessons have not been drawn since.
    """
    tasks = st.session_state.setdefault(TASKS, {})
    for slot, (lesson, question, value) in all_locks().items():
        if question:
            tasks.setdefault(lesson, {}).setdefault(slot, Task("prediction", question, answer=str(value)))
    return tasks


def tasks_of(lesson: Lesson, noted: Noted) -> list[Task]:
    """The tasks of a lesson, in the order of its page."""
    return list(noted.get(lesson.path, {}).values())


def results(noted: Noted) -> str:
    """The predictions and all attempts at exercises, as CSV. No name is in it."""
    return csv_text(["lesson", "kind", "question", "attempt", "answer", "right"], _answered(noted))


def _attempts(key: str) -> list[Attempt]:
    """The attempts at an exercise, which outlast the drawing of its page."""
    return st.session_state.setdefault(ATTEMPTS, {}).setdefault(key, [])


def _answered(noted: Noted) -> Iterator[tuple[str, str, str, int, str, str]]:
    for lesson in LESSONS:
        for task in tasks_of(lesson, noted):
            about = lesson.title, task.kind, task.text
            if task.answer is not None:
                yield *about, 1, task.answer, ""
            for number, (answer, right) in enumerate(task.attempts, start=1):
                yield *about, number, answer, "yes" if right else "no"
