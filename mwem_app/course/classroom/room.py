"""The room of a live class: what is asked, answered and predicted. Nothing here knows Streamlit.

A room is in this process alone: nothing of it is written to disk.
"""

import math
import secrets
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mwem_app.session import new_token

MAX_STUDENTS = 200
FEWEST = 10  # answers as they are, or predictions, that are shown together; fewer are never shown
MAX_TEXT = 200  # characters of a prediction

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
class PhoneView:
    """What a student's phone shows: what the teacher has put up, and what of it the student has sent.

    `spent_by_coins` is ε of all answers by coins that the student has sent.
    """

    now: Question | str | None
    students: int
    answer: Answer | None
    is_closed: bool
    spent_by_coins: float


@dataclass(frozen=True, eq=False)
class Release:
    """What MWEM released of n students' answers to d questions: differentially private for each of them.

    `pairs` are the pairs of questions; `shares`, (pairs, 4), are the estimated shares of no and no, no and yes, yes and
    no, yes and yes. `measured` are the pairs that the rounds chose, in order, and `noise` is the mean |noise| of each
    of their counts, in students.
    """

    n: int
    epsilon: float
    pairs: tuple[tuple[int, int], ...]
    shares: np.ndarray
    measured: tuple[tuple[int, int], ...]
    noise: float


class Room:
    """What a class has asked, answered and predicted so far. All methods may be called from any thread.

    A student is named by the token of the student's seat. What is read back is without the students who sent it.
    `now` is what phones show: a question, or the path of a lesson. `releases` has what was released of surveys, by the
    number of the question. `code` is that by which students join, and `end` is when the room ends, by the clock of
    `Rooms`.
    """

    def __init__(self, code: str, teacher: str, end: float):
        self.code, self.end = code, end
        self._teacher = teacher
        self._lock = threading.Lock()
        self._students: set[str] = set()
        self._asked: dict[Kind, Question] = {}
        self._answers: dict[int, dict[str, Answer]] = {}  # by question and student
        self._closed: dict[int, int] = {}  # questions that take no more answers, and how many they had
        self._predictions: dict[tuple[str, str], dict[str, Prediction]] = {}  # by lesson and key, and by student
        self._spent_by_coins: dict[str, float] = {}  # ε by student
        self.now: Question | str | None = None
        self.releases: list[tuple[int, Release]] = []

    @property
    def students(self) -> int:
        """How many have joined."""
        return len(self._students)

    def is_teacher(self, token: str) -> bool:
        """Whether this is the token of the teacher's seat."""
        return secrets.compare_digest(self._teacher, token)

    def enter(self) -> str | None:
        """Admit a student; returns the student's token, or None if the room is full."""
        with self._lock:
            if len(self._students) >= MAX_STUDENTS:
                return None
            self._students.add(token := new_token())
            return token

    def knows(self, token: str) -> bool:
        """Whether a student with this token is in the room."""
        return token in self._students

    def leave(self, student: str) -> None:
        """Forget a student, with all answers and predictions."""
        with self._lock:
            self._students.discard(student)
            for each in (*self._answers.values(), *self._predictions.values(), self._spent_by_coins):
                each.pop(student, None)

    def show(self, lesson: str) -> None:
        """Send the phones to a lesson, by its path."""
        self.now = lesson

    def ask(self, texts: Sequence[str], *, epsilon: float | None = None) -> Question:
        """Ask the class from now on. The last question of this kind is dropped, with its answers."""
        with self._lock:
            question = Question(max(self._answers, default=0) + 1, tuple(texts), epsilon)
            last = self._asked.get(question.kind)
            self._asked[question.kind] = self.now = question
            self._answers[question.number] = {}
            if last is not None:
                del self._answers[last.number]
                self._closed.pop(last.number, None)
            return question

    def last_question(self, kind: Kind) -> Question | None:
        """The last question of this kind."""
        return self._asked.get(kind)

    def answer(self, student: str, number: int, answer: Answer) -> bool:
        """Keep a student's answer to a question; returns whether it was kept.

        The first answer counts. Those after it are dropped: coins flipped again for the same truth would reveal it.
        """
        with self._lock:
            question = next((each for each in self._asked.values() if each.number == number), None)
            if question is None or number in self._closed or not question.fits(answer):
                return False
            if student not in self._students or student in self._answers[number]:
                return False
            self._answers[number][student] = answer
            self._spent_by_coins[student] = self._spent_by_coins.get(student, 0.0) + (question.epsilon or 0.0)
            return True

    def answers(self, number: int) -> list[Answer]:
        """The answers to a question."""
        with self._lock:
            return list(self._answers.get(number, {}).values())

    def close(self, number: int) -> list[Answer]:
        """Take no more answers to a question; returns those it has, to be shown as shares.

        None are returned below `FEWEST`, and the question stays open. None are returned either once a student has left
        after the close: two results that differ by one student would show that student's answers.
        """
        with self._lock:
            answers = list(self._answers.get(number, {}).values())
            if len(answers) < FEWEST or len(answers) != self._closed.setdefault(number, len(answers)):
                return []
            return answers

    def shown_to(self, student: str) -> PhoneView:
        """What a student's phone shows now."""
        with self._lock:
            number = self.now.number if isinstance(self.now, Question) else 0
            answer, is_closed = self._answers.get(number, {}).get(student), number in self._closed
            return PhoneView(self.now, len(self._students), answer, is_closed, self._spent_by_coins.get(student, 0.0))

    def predict(self, student: str, lesson: str, key: str, value: Prediction) -> None:
        """Keep a student's prediction, the last one for each key. Raises ValueError for a long text or NaN."""
        short = isinstance(value, str) and len(value) <= MAX_TEXT
        if not short and not (isinstance(value, int | float) and math.isfinite(value)):
            raise ValueError(f"a prediction must be a number or a text of at most {MAX_TEXT} characters")
        with self._lock:
            if student in self._students:
                self._predictions.setdefault((lesson, key), {})[student] = value

    def predictions(self, lesson: str, key: str) -> list[Prediction]:
        """The predictions for a key of a lesson."""
        with self._lock:
            return list(self._predictions.get((lesson, key), {}).values())

    def prediction_keys(self) -> list[tuple[str, str]]:
        """The (lesson, key) for which there are predictions, the first to arrive first."""
        with self._lock:
            return [place for place, by_student in self._predictions.items() if by_student]

    def prediction_of(self, student: str, lesson: str, key: str) -> Prediction | None:
        """What a student predicted last."""
        return self._predictions.get((lesson, key), {}).get(student)

    def release(self, number: int, release: Release) -> None:
        """Keep what was released of a survey."""
        self.releases.append((number, release))
