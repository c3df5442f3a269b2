"""The room of a live class: what is asked, answered, predicted and tried. Nothing here knows Streamlit.

A room is kept in this server's memory (`memory_rooms`), or in a database that several servers share (`shared_rooms`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from mwem_core.lessons.class_table import Release

MAX_STUDENTS = 200
FEWEST = 10  # answers as they are, predictions, or pupils with attempts, that are shown together; fewer are never shown
MAX_TEXT = 200  # characters of a prediction
MAX_ATTEMPTS = 500  # of a student
MAX_ATTEMPT = 400  # characters of an attempt

Kind = Literal["coins", "survey"]
Answer = tuple[bool, ...]
Prediction = str | float


@dataclass(frozen=True)
class Question:
    """Yes/no questions for the class. Phones answer by coins with this ε; without ε they send the answers as they are.

    Questions of a room are numbered from 1.
    """

    number: int
    texts: tuple[str, ...]
    epsilon: float | None = None

    @property
    def kind(self) -> Kind:
        """Whether coins are flipped."""
        return "survey" if self.epsilon is None else "coins"

    def fits(self, answer: Answer) -> bool:
        """Whether this is an answer to each of the texts."""
        return len(answer) == len(self.texts) and all(isinstance(each, bool) for each in answer)


@dataclass(frozen=True)
class Attempt:
    """A prediction, or a checked answer to an exercise, in a lesson. `right` is None for what is neither."""

    kind: str
    answer: str
    right: bool | None = None


@dataclass(frozen=True)
class Shown:
    """What a student's phone shows: what the teacher has put up, and what of it the student has sent.

    `spent_by_coins` is ε of all answers by coins that the student has sent.
    """

    now: Question | str | None
    students: int
    answer: Answer | None
    is_closed: bool
    spent_by_coins: float


class Room(Protocol):
    """What a class has asked, answered, predicted and tried so far. All methods may be called from any thread.

    A student is named by the token of the student's seat. What is read back is without the students who sent it.
    """

    @property
    def code(self) -> str:
        """The code by which students join."""
        ...

    @property
    def end(self) -> float:
        """When the room ends, by the clock of `Rooms`."""
        ...

    @property
    def students(self) -> int:
        """How many have joined."""
        ...

    @property
    def now(self) -> Question | str | None:
        """What phones show: a question, or the path of a lesson."""
        ...

    @property
    def releases(self) -> Sequence[tuple[int, Release]]:
        """What was released of surveys, by the number of the question."""
        ...

    def is_teacher(self, token: str) -> bool:
        """Whether this is the token of the teacher's seat."""
        ...

    def enter(self) -> str | None:
        """Admit a student; returns the student's token, or None if the room is full."""
        ...

    def knows(self, token: str) -> bool:
        """Whether a student with this token is in the room."""
        ...

    def leave(self, student: str) -> None:
        """Forget a student, with all answers, predictions and attempts."""
        ...

    def show(self, lesson: str) -> None:
        """Send the phones to a lesson, by its path."""
        ...

    def ask(self, texts: Sequence[str], *, epsilon: float | None = None) -> Question:
        """Ask the class from now on. The last question of this kind is dropped, with its answers."""
        ...

    def asked(self, kind: Kind) -> Question | None:
        """The last question of this kind."""
        ...

    def answer(self, student: str, number: int, answer: Answer) -> bool:
        """Keep a student's answer to a question; returns whether it was kept.

        The first answer counts. Those after it are dropped: coins flipped again for the same truth would reveal it.
        """
        ...

    def answers(self, number: int) -> list[Answer]:
        """The answers to a question."""
        ...

    def close(self, number: int) -> list[Answer]:
        """Take no more answers to a question; returns those it has, to be shown as shares.

        None are returned below `FEWEST`, and the question stays open. None are returned either once a student has left
        after the close: two results that differ by one student would show that student's answers.
        """
        ...

    def shown_to(self, student: str) -> Shown:
        """What a student's phone shows now."""
        ...

    def predict(self, student: str, lesson: str, key: str, value: Prediction) -> None:
        """Keep a student's prediction, the last one for each key. Raises ValueError for a long text or NaN."""
        ...

    def predictions(self, lesson: str, key: str) -> list[Prediction]:
        """The predictions for a key of a lesson."""
        ...

    def predicted(self) -> list[tuple[str, str]]:
        """The (lesson, key) for which there are predictions, the first to arrive first."""
        ...

    def prediction_of(self, student: str, lesson: str, key: str) -> Prediction | None:
        """What a student predicted last."""
        ...

    def attempt(self, student: str, lesson: str, attempt: Attempt) -> bool:
        """Keep a student's attempt in a lesson, `MAX_ATTEMPTS` at most; returns whether it was kept.

        Raises ValueError for a text of more than `MAX_ATTEMPT` characters.
        """
        ...

    def attempts(self) -> dict[str, list[list[Attempt]]]:
        """All attempts by lesson: a list for each student, in the order of time."""
        ...

    def release(self, number: int, release: Release) -> None:
        """Keep what was released of a survey."""
        ...


def check_prediction(value: object) -> None:
    """Raise ValueError for what is no prediction: a long text, NaN, or neither a text nor a number."""
    short = isinstance(value, str) and len(value) <= MAX_TEXT
    if not short and not (isinstance(value, int | float) and math.isfinite(value)):
        raise ValueError(f"a prediction must be a number or a text of at most {MAX_TEXT} characters")


def check_attempt(attempt: Attempt) -> None:
    """Raise ValueError for texts that are too long to keep."""
    if max(len(attempt.kind), len(attempt.answer)) > MAX_ATTEMPT:
        raise ValueError(f"an attempt must have at most {MAX_ATTEMPT} characters")
