"""Predictions and exercises on a page of Streamlit. What is asked and answered is noted while the page is drawn.

A prediction is locked in before the answer is shown: predicting first makes people remember.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import streamlit as st

from mwem_app.course.blocks import Exercise, PredictChoice, PredictNumber
from mwem_app.course.classroom.class_lessons import post, post_attempt, show_predictions
from mwem_app.course.exercises import DrawnExercise
from mwem_app.course.lesson import LESSONS, PREDICTION, Lesson, drawing
from mwem_app.session import all_locks, lock, locked_value
from mwem_core.forms import csv_text

CURRENT, TASKS, ATTEMPTS = "_lesson", "_tasks", "_attempts"


class CheckedAnswer(NamedTuple):
    """An answer to an exercise that was checked."""

    answer: str
    right: bool


@dataclass(frozen=True)
class NotedTask:
    """A prediction or an exercise of a lesson, with what was predicted or all attempts."""

    kind: Literal["prediction", "exercise"]
    text: str
    answer: str | None = None
    attempts: Sequence[CheckedAnswer] = ()


NotedTasks = Mapping[str, Mapping[str, NotedTask]]


def start_lesson(lesson: Lesson) -> None:
    """Forget what was noted of this lesson before: the page is drawn again from its top."""
    st.session_state[CURRENT] = lesson.path
    st.session_state.setdefault(TASKS, {})[lesson.path] = {}


def note(key: str, task: NotedTask) -> None:
    """Note a task of the lesson that is being drawn; a later note with the same key replaces it."""
    st.session_state[TASKS][st.session_state[CURRENT]][key] = task


def note_exercise(key: str, question: str) -> None:
    """Note an exercise of the lesson that is being drawn, with the attempts at it, also those that follow."""
    note(key, NotedTask("exercise", question, attempts=_attempts(key)))


def attempt(key: str, answer: str, *, right: bool) -> None:
    """Add an attempt at the exercise that was noted with this key."""
    _attempts(key).append(CheckedAnswer(answer, right))


def noted_tasks() -> NotedTasks:
    """What this session's lessons have noted: by lesson and key, and with what is noted later.

    Predictions that were locked in before a reload are in it, though their lessons have not been drawn since.
    """
    tasks = st.session_state.setdefault(TASKS, {})
    for slot, (lesson, question, value) in all_locks().items():
        if question:
            tasks.setdefault(lesson, {}).setdefault(slot, NotedTask("prediction", question, answer=str(value)))
    return tasks


def tasks_of(lesson: Lesson, noted: NotedTasks) -> list[NotedTask]:
    """The tasks of a lesson, in the order of its page."""
    return list(noted.get(lesson.path, {}).values())


def results(noted: NotedTasks) -> str:
    """The predictions and all attempts at exercises, as CSV. No name is in it."""
    return csv_text(["lesson", "kind", "question", "attempt", "answer", "right"], _answer_rows(noted))


def _attempts(key: str) -> list[CheckedAnswer]:
    """The attempts at an exercise, which outlast the drawing of its page."""
    return st.session_state.setdefault(ATTEMPTS, {}).setdefault(key, [])


def _answer_rows(noted: NotedTasks) -> Iterator[tuple[str, str, str, int, str, str]]:
    for lesson in LESSONS:
        for task in tasks_of(lesson, noted):
            about = lesson.title, task.kind, task.text
            if task.answer is not None:
                yield *about, 1, task.answer, ""
            for number, (answer, right) in enumerate(task.attempts, start=1):
                yield *about, number, answer, "yes" if right else "no"


def predict(asked: PredictChoice | PredictNumber, *, lesson: str) -> str | int | None:
    """Ask for one of the options, or for a number; returns what was locked in, None before."""
    slot, options = f"{lesson}_{PREDICTION}", asked.options if isinstance(asked, PredictChoice) else ()
    allowed = range(asked.low, asked.high + 1) if isinstance(asked, PredictNumber) else options
    before = locked_value(slot, allowed.__contains__)
    with st.container(border=True, key=f"predict_{slot}"):
        st.markdown("## Predict first")
        if before is not None:
            st.markdown(f"You predicted **{before}**.")
        else:
            if isinstance(asked, PredictChoice):
                value = st.radio(asked.question, options, index=None, key=f"{slot}_ask")
            else:
                value = st.slider(asked.question, asked.low, asked.high, asked.middle, key=f"{slot}_ask")
            if st.button("Lock in", key=f"{slot}_lock", disabled=value is None):
                _lock(lesson, asked.question, value)
        show_predictions(lesson, options)
    return _note_prediction(lesson, asked.question, before)


def predict_drawn(question: str, sent: int | None, *, lesson: str) -> int | None:
    """Lock in the first number that a drawing sends; returns it, None before."""
    before = locked_value(f"{lesson}_{PREDICTION}", lambda value: isinstance(value, int))
    if sent is not None and before is None:
        _lock(lesson, question, sent)
    show_predictions(lesson, ())
    return _note_prediction(lesson, question, before)


def locked_in(lesson: str) -> Any:
    """What was predicted, None before: what stands above a prediction may show the answer from then on."""
    entry = all_locks().get(f"{lesson}_{PREDICTION}")
    return None if entry is None else entry.value


def _lock(lesson: str, question: str, value: Any) -> None:
    """Keep and post a prediction, and draw the page anew, with the answer."""
    lock(f"{lesson}_{PREDICTION}", value, lesson=lesson, question=question)
    post(lesson, PREDICTION, value)
    st.rerun()


def _note_prediction(lesson: str, question: str, value: Any) -> Any:
    """What was locked in, noted for the export."""
    answer = None if value is None else str(value)
    note(f"{lesson}_{PREDICTION}", NotedTask("prediction", question, answer=answer))
    return value


def exercise(asked: Exercise, *, predicted: bool, key: str) -> None:
    """Ask, and check what is chosen, without drawing the rest of the page again: a whole class checks at once.

    A new choice must be checked anew.
    """
    more = asked.once if predicted else {}
    reasons = {answer: reason + more.get(answer, "") for answer, reason in asked.answers.items()}
    note_exercise(key, asked.question)
    st.fragment(_choose)(asked.question, reasons, asked.right, key)


def drawn_exercise(asked: DrawnExercise, *, lesson: str) -> None:
    """Ask by a drawing, which judges and sends each attempt, without drawing the rest of the page again."""
    key = f"{lesson}_{asked.key}"
    note_exercise(key, asked.question)
    st.fragment(_draw)(asked, key, lesson)


def _choose(question: str, answers: Mapping[str, str], right: str, key: str) -> None:
    with st.container(border=True, key=f"exercise_{key}"):
        st.markdown("## Exercise")
        chosen = st.radio(question, list(answers), index=None, key=f"{key}_answer")
        checked = f"{key}_checked"
        pressed = st.button("Check", key=f"{key}_check", disabled=chosen is None)
        if chosen is None:
            return
        if pressed:
            st.session_state[checked] = chosen
            attempt(key, chosen, right=chosen == right)
            post_attempt(key, chosen, right=chosen == right)
        if st.session_state.get(checked) != chosen:
            return
        if chosen == right:
            st.success(f"**Right.** {answers[chosen]}", icon=":material/check_circle:")
        else:
            st.warning(f"**Not yet.** {answers[chosen]}", icon=":material/lightbulb:")


def _draw(asked: DrawnExercise, key: str, lesson: str) -> None:
    with st.container(border=True, key=f"exercise_{key}"):
        st.markdown("## Exercise")
        match drawing("exercise", asked.data, key=key):
            case {"answer": str(answer), "right": bool(right)}:  # a browser may send any
                attempt(key, answer, right=right)
                post_attempt(lesson, answer, right=right, kind=asked.data["kind"])
