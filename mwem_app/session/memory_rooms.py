"""Rooms of live classes in this process alone: nothing of them is written to disk. Nothing here knows Streamlit."""

import secrets
import threading
from collections.abc import Sequence

from mwem_app.session.kept import new_token
from mwem_app.session.room import (
    FEWEST,
    MAX_ATTEMPTS,
    MAX_STUDENTS,
    Answer,
    Attempt,
    Kind,
    Prediction,
    Question,
    Room,
    Shown,
    check_attempt,
    check_prediction,
)
from mwem_core.lessons.class_table import Release


class MemoryRooms:
    """Rooms by code, in this process alone."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rooms: dict[str, MemoryRoom] = {}

    def add(self, code: str, teacher: str, *, end: float, most: int) -> bool:
        """Open a room, for a teacher with this token; returns False if the code is taken.

        Raises ValueError if there are `most` rooms already.
        """
        with self._lock:
            if len(self._rooms) >= most:
                raise ValueError(f"all {most} rooms of this server are in use: try again later")
            if code in self._rooms:
                return False
            self._rooms[code] = MemoryRoom(code, teacher, end)
            return True

    def find(self, code: str) -> Room | None:
        """The room with this code."""
        return self._rooms.get(code)

    def drop(self, code: str) -> None:
        """Forget a room."""
        with self._lock:
            self._rooms.pop(code, None)

    def drop_ended(self, now: float) -> None:
        """Forget the rooms whose time is over."""
        with self._lock:
            self._rooms = {code: room for code, room in self._rooms.items() if room.end > now}


class MemoryRoom:
    """A `Room` in this process alone; its methods do what `Room` says."""

    def __init__(self, code: str, teacher: str, end: float):
        self.code, self.end = code, end
        self._teacher = teacher
        self._lock = threading.Lock()
        self._students: set[str] = set()
        self._asked: dict[Kind, Question] = {}
        self._answers: dict[int, dict[str, Answer]] = {}  # by question and student
        self._closed: dict[int, int] = {}  # questions that take no more answers, and how many they had
        self._predictions: dict[tuple[str, str], dict[str, Prediction]] = {}  # by lesson and key, and by student
        self._attempts: dict[str, list[tuple[str, Attempt]]] = {}  # with their lesson, by student
        self._spent_by_coins: dict[str, float] = {}  # ε by student
        self.now: Question | str | None = None
        self.releases: list[tuple[int, Release]] = []

    @property
    def students(self) -> int:
        return len(self._students)

    def is_teacher(self, token: str) -> bool:
        return secrets.compare_digest(self._teacher, token)

    def enter(self) -> str | None:
        with self._lock:
            if len(self._students) >= MAX_STUDENTS:
                return None
            self._students.add(token := new_token())
            return token

    def knows(self, token: str) -> bool:
        return token in self._students

    def leave(self, student: str) -> None:
        with self._lock:
            self._students.discard(student)
            by_student = *self._answers.values(), *self._predictions.values(), self._attempts, self._spent_by_coins
            for each in by_student:
                each.pop(student, None)

    def show(self, lesson: str) -> None:
        self.now = lesson

    def ask(self, texts: Sequence[str], *, epsilon: float | None = None) -> Question:
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
        return self._asked.get(kind)

    def answer(self, student: str, number: int, answer: Answer) -> bool:
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
        with self._lock:
            return list(self._answers.get(number, {}).values())

    def close(self, number: int) -> list[Answer]:
        with self._lock:
            answers = list(self._answers.get(number, {}).values())
            if len(answers) < FEWEST or len(answers) != self._closed.setdefault(number, len(answers)):
                return []
            return answers

    def shown_to(self, student: str) -> Shown:
        with self._lock:
            number = self.now.number if isinstance(self.now, Question) else 0
            answer, is_closed = self._answers.get(number, {}).get(student), number in self._closed
            return Shown(self.now, len(self._students), answer, is_closed, self._spent_by_coins.get(student, 0.0))

    def predict(self, student: str, lesson: str, key: str, value: Prediction) -> None:
        check_prediction(value)
        with self._lock:
            if student in self._students:
                self._predictions.setdefault((lesson, key), {})[student] = value

    def predictions(self, lesson: str, key: str) -> list[Prediction]:
        with self._lock:
            return list(self._predictions.get((lesson, key), {}).values())

    def predicted(self) -> list[tuple[str, str]]:
        with self._lock:
            return [place for place, by_student in self._predictions.items() if by_student]

    def prediction_of(self, student: str, lesson: str, key: str) -> Prediction | None:
        return self._predictions.get((lesson, key), {}).get(student)

    def attempt(self, student: str, lesson: str, attempt: Attempt) -> bool:
        check_attempt(attempt)
        with self._lock:
            own = self._attempts.get(student, [])
            if student not in self._students or len(own) >= MAX_ATTEMPTS:
                return False
            self._attempts[student] = [*own, (lesson, attempt)]
            return True

    def attempts(self) -> dict[str, list[list[Attempt]]]:
        with self._lock:
            by_student = list(self._attempts.values())
        lessons = {lesson for own in by_student for lesson, _ in own}
        return {
            path: [by for own in by_student if (by := [each for lesson, each in own if lesson == path])]
            for path in lessons
        }

    def release(self, number: int, release: Release) -> None:
        self.releases.append((number, release))
