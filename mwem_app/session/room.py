"""The room of a live class: what is asked, what is answered, what is predicted. Nothing here knows Streamlit."""

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from mwem_app.session.kept import new_token
from mwem_core.lessons.class_table import Release

MAX_STUDENTS = 200
FEWEST = 10  # answers as they are, or predictions, that a teacher's screen shows together; fewer are never shown
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


class Room:
    """What a class has asked, answered and predicted so far. All methods may be called from any thread."""

    def __init__(self, code: str, end: float):
        self.code, self.end = code, end  # by the clock of `Rooms`
        self.teacher = new_token()
        self._lock = threading.Lock()
        self._students: set[str] = set()
        self._asked: dict[Kind, Question] = {}
        self._answers: dict[int, dict[str, Answer]] = {}  # by question and student
        self._closed: dict[int, int] = {}  # questions that take no more answers, and how many they had
        self._predictions: dict[tuple[str, str], dict[str, Prediction]] = {}  # by lesson and key, and by student
        self._spent_by_coins: dict[str, float] = {}  # ε by student
        self.now: Question | str | None = None  # what phones show: a question, or the path of a lesson
        self.releases: list[tuple[int, Release]] = []  # made from surveys, by the number of the question

    @property
    def students(self) -> int:
        """How many have joined."""
        return len(self._students)

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
            for by_student in (*self._answers.values(), *self._predictions.values(), self._spent_by_coins):
                by_student.pop(student, None)

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

    def asked(self, kind: Kind) -> Question | None:
        """The last question of this kind."""
        return self._asked.get(kind)

    def answer(self, student: str, number: int, answer: Answer) -> bool:
        """Keep a student's answer to a question; returns whether it was kept.

        The first answer counts. Those after it are dropped: coins flipped again for the same truth would reveal it.
        """
        with self._lock:
            question = next((each for each in self._asked.values() if each.number == number), None)
            if question is None or number in self._closed:
                return False
            if student not in self._students or student in self._answers[number]:
                return False
            if len(answer) != len(question.texts) or not all(isinstance(each, bool) for each in answer):
                return False
            self._answers[number][student] = answer
            self._spent_by_coins[student] = self._spent_by_coins.get(student, 0.0) + (question.epsilon or 0.0)
            return True

    def answers(self, number: int) -> list[Answer]:
        """The answers to a question, without the students who gave them."""
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

    def is_closed(self, number: int) -> bool:
        """Whether a question takes no more answers."""
        return number in self._closed

    def answer_of(self, student: str, number: int) -> Answer | None:
        """What a student answered to a question."""
        return self._answers.get(number, {}).get(student)

    def spent_by_coins(self, student: str) -> float:
        """ε of all answers by coins that a student has sent."""
        return self._spent_by_coins.get(student, 0.0)

    def predict(self, student: str, lesson: str, key: str, value: Prediction) -> None:
        """Keep a student's prediction, the last one for each key. Raises ValueError for a long text or NaN."""
        short = isinstance(value, str) and len(value) <= MAX_TEXT
        if not short and not (isinstance(value, int | float) and math.isfinite(value)):
            raise ValueError(f"a prediction must be a number or a text of at most {MAX_TEXT} characters")
        with self._lock:
            if student in self._students:
                self._predictions.setdefault((lesson, key), {})[student] = value

    def predictions(self, lesson: str, key: str) -> list[Prediction]:
        """The predictions for a key of a lesson, without the students who made them."""
        with self._lock:
            return list(self._predictions.get((lesson, key), {}).values())

    def predicted(self) -> list[tuple[str, str]]:
        """The (lesson, key) for which there are predictions, the first to arrive first."""
        with self._lock:
            return [place for place, by_student in self._predictions.items() if by_student]
