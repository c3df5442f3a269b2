"""Rooms of live classes in a database that several servers share: PostgreSQL, or an SQLite file to try it.

What students send is in the database until its room ends, or until they leave. Nothing here knows Streamlit.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from hashlib import sha256
from importlib.util import find_spec
from typing import Any

import numpy as np
from sqlalchemy import Connection, Engine, create_engine, delete, event, func, insert, select, update
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, IntegrityError, SQLAlchemyError

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
from mwem_app.session.shared_tables import (
    ANSWERS,
    ATTEMPTS,
    META,
    PREDICTIONS,
    QUESTIONS,
    RELEASES,
    ROOMS,
    STUDENTS,
)
from mwem_core.lessons.class_table import Release

WAIT_SECONDS = 20  # for another server that writes to the same SQLite file
KINDS = "rooms must be at a URL such as postgresql://user:password@host/base, or sqlite:////folder/rooms.db to try it"
NO_DRIVER = "rooms on a server need a driver: pip install 'mwem-explorer[database]'"
UNREACHABLE = "the database of the rooms cannot be reached: check the URL, and that the server runs"


def open_shared(url: str) -> SharedRooms:
    """The rooms at this URL; their tables are made if they are not there yet.

    Raises ValueError, in a sentence without the URL, for one of another kind, without a driver, or if nothing answers.
    """
    engine = _engine(url)
    try:
        META.create_all(engine)
    except SQLAlchemyError:
        try:  # another server that starts at this moment may have made them
            META.create_all(engine)
        except SQLAlchemyError:
            raise ValueError(UNREACHABLE) from None
    return SharedRooms(engine)


def _engine(text: str) -> Engine:
    try:
        url: URL | None = make_url(text)
    except (ArgumentError, ValueError):
        url = None
    kind = None if url is None else url.get_backend_name()
    if url is not None and kind == "sqlite" and url.database:
        return _one_writer(create_engine(url, connect_args={"timeout": WAIT_SECONDS}, hide_parameters=True))
    if url is None or kind not in ("postgresql", "postgres"):
        raise ValueError(KINDS)
    if find_spec("psycopg") is None:
        raise ValueError(NO_DRIVER)
    return create_engine(url.set(drivername="postgresql+psycopg"), pool_pre_ping=True, hide_parameters=True)


def _one_writer(engine: Engine) -> Engine:
    """Let a transaction of SQLite wait for the writer before it, unless it is one statement that reads."""

    @event.listens_for(engine, "connect")
    def connect(connection: sqlite3.Connection, _: object) -> None:
        connection.isolation_level = None  # the transactions are begun below
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = OFF")  # a class need not outlive a loss of power
        connection.execute("PRAGMA secure_delete = ON")  # what is forgotten is overwritten

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        if connection.get_execution_options().get("isolation_level") != "AUTOCOMMIT":
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


@contextmanager
def _reading(engine: Engine) -> Iterator[Connection]:
    """For one statement that reads: without a transaction, which would take two more messages to the database."""
    with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
        yield connection


@dataclass(frozen=True)
class SharedRooms:
    """Rooms by code, in a database. Its methods do what `RoomStore` says."""

    engine: Engine

    def add(self, code: str, teacher: str, *, end: float, most: int) -> bool:
        try:
            with self.engine.begin() as connection:
                if (connection.scalar(select(func.count()).select_from(ROOMS)) or 0) >= most:
                    raise ValueError(f"all {most} rooms of this server are in use: try again later")
                connection.execute(insert(ROOMS).values(code=code, teacher=_digest(teacher), end=end))
        except IntegrityError:
            return False
        return True

    def find(self, code: str) -> Room | None:
        with _reading(self.engine) as connection:
            end = connection.scalar(select(ROOMS.c.end).where(ROOMS.c.code == code))
        return None if end is None else SharedRoom(self.engine, code, end)

    def drop(self, code: str) -> None:
        with self.engine.begin() as connection:
            connection.execute(delete(ROOMS).where(ROOMS.c.code == code))

    def drop_ended(self, now: float) -> None:
        with self.engine.begin() as connection:
            connection.execute(delete(ROOMS).where(ROOMS.c.end <= now))


@dataclass(frozen=True)
class SharedRoom:
    """A `Room` in a database; its methods do what `Room` says. Those that write wait for one another."""

    engine: Engine
    code: str
    end: float

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """The one transaction that writes to this room at a time."""
        with self.engine.begin() as connection:
            connection.execute(select(ROOMS.c.code).where(ROOMS.c.code == self.code).with_for_update())
            yield connection

    def _all(self, *columns: Any, where: Sequence[Any] = (), order: Any = None) -> list[Any]:
        """Rows of this room's part of the table that the columns are of."""
        with _reading(self.engine) as connection:
            return list(connection.execute(self._select(*columns, where=where).order_by(order)))

    def _select(self, *columns: Any, where: Sequence[Any] = ()) -> Any:
        return select(*columns).where(_room_of(columns[0].table) == self.code, *where)

    @property
    def students(self) -> int:
        with _reading(self.engine) as connection:
            return _count(connection, STUDENTS, STUDENTS.c.room == self.code)

    @property
    def now(self) -> Question | str | None:
        ((number, lesson),) = self._all(ROOMS.c.question, ROOMS.c.lesson) or [(None, None)]
        return lesson if number is None else self._question(QUESTIONS.c.number == number)

    @property
    def releases(self) -> Sequence[tuple[int, Release]]:
        rows = self._all(RELEASES.c.number, RELEASES.c.release, order=RELEASES.c.place)
        return [(number, _release(made)) for number, made in rows]

    def is_teacher(self, token: str) -> bool:
        return any(secrets.compare_digest(digest, _digest(token)) for (digest,) in self._all(ROOMS.c.teacher))

    def enter(self) -> str | None:
        token = new_token()
        with self._writing() as connection:
            if _count(connection, STUDENTS, STUDENTS.c.room == self.code) >= MAX_STUDENTS:
                return None
            connection.execute(insert(STUDENTS).values(room=self.code, student=_digest(token)))
        return token

    def knows(self, token: str) -> bool:
        return bool(self._all(STUDENTS.c.student, where=[STUDENTS.c.student == _digest(token)]))

    def leave(self, student: str) -> None:
        with self._writing() as connection:
            connection.execute(delete(STUDENTS).where(*_own(STUDENTS, self.code, student)))

    def show(self, lesson: str) -> None:
        with self._writing() as connection:
            self._put_up(connection, question=None, lesson=lesson)

    def ask(self, texts: Sequence[str], *, epsilon: float | None = None) -> Question:
        with self._writing() as connection:
            number = 1 + (connection.scalar(self._select(ROOMS.c.questions)) or 0)
            question = Question(number, tuple(texts), epsilon)
            last = self._select(QUESTIONS.c.number, where=[QUESTIONS.c.kind == question.kind]).scalar_subquery()
            connection.execute(delete(ANSWERS).where(ANSWERS.c.room == self.code, ANSWERS.c.number.in_(last)))
            connection.execute(
                delete(QUESTIONS).where(QUESTIONS.c.room == self.code, QUESTIONS.c.kind == question.kind)
            )
            row = {"number": number, "kind": question.kind, "texts": list(texts), "epsilon": epsilon}
            connection.execute(insert(QUESTIONS).values(room=self.code, **row))
            self._put_up(connection, question=number, questions=number, lesson=None)
            return question

    def asked(self, kind: Kind) -> Question | None:
        return self._question(QUESTIONS.c.kind == kind)

    def answer(self, student: str, number: int, answer: Answer) -> bool:
        with self._writing() as connection:
            columns = QUESTIONS.c.number, QUESTIONS.c.texts, QUESTIONS.c.epsilon, QUESTIONS.c.closed
            row = connection.execute(self._select(*columns, where=[QUESTIONS.c.number == number])).one_or_none()
            if row is None or row.closed is not None or not _question(row).fits(answer):
                return False
            if not self._count_own(connection, STUDENTS, student):
                return False
            if self._count_own(connection, ANSWERS, student, ANSWERS.c.number == number):
                return False
            self._insert_own(connection, ANSWERS, student, number=number, answer=list(answer))
            spent = STUDENTS.c.spent_by_coins + (row.epsilon or 0.0)
            connection.execute(update(STUDENTS).where(*_own(STUDENTS, self.code, student)).values(spent_by_coins=spent))
            return True

    def answers(self, number: int) -> list[Answer]:
        return [tuple(answer) for (answer,) in self._all(ANSWERS.c.answer, where=[ANSWERS.c.number == number])]

    def close(self, number: int) -> list[Answer]:
        own = QUESTIONS.c.room == self.code, QUESTIONS.c.number == number
        with self._writing() as connection:
            rows = connection.execute(self._select(ANSWERS.c.answer, where=[ANSWERS.c.number == number]))
            answers = [tuple(answer) for (answer,) in rows]
            if len(answers) < FEWEST:
                return []
            closed = connection.scalar(select(QUESTIONS.c.closed).where(*own))
            if closed is None:
                connection.execute(update(QUESTIONS).where(*own).values(closed=len(answers)))
            return answers if closed in (None, len(answers)) else []

    def shown_to(self, student: str) -> Shown:
        """In one statement, as every phone asks every second or two."""
        own, here = STUDENTS.c.student == _digest(student), ROOMS.c.code == self.code
        students = select(func.count()).select_from(STUDENTS).where(STUDENTS.c.room == self.code).scalar_subquery()
        question = QUESTIONS.c.number, QUESTIONS.c.texts, QUESTIONS.c.epsilon, QUESTIONS.c.closed
        statement = (
            select(ROOMS.c.lesson, *question, ANSWERS.c.answer, STUDENTS.c.spent_by_coins, students.label("students"))
            .select_from(ROOMS)
            .outerjoin(QUESTIONS, (QUESTIONS.c.room == ROOMS.c.code) & (QUESTIONS.c.number == ROOMS.c.question))
            .outerjoin(STUDENTS, (STUDENTS.c.room == ROOMS.c.code) & own)
            .outerjoin(
                ANSWERS,
                (ANSWERS.c.room == ROOMS.c.code)
                & (ANSWERS.c.number == ROOMS.c.question)
                & (ANSWERS.c.student == STUDENTS.c.student),
            )
            .where(here)
        )
        with _reading(self.engine) as connection:
            row = connection.execute(statement).one_or_none()
        if row is None:  # the room has just ended
            return Shown(None, 0, None, is_closed=False, spent_by_coins=0.0)
        now = row.lesson if row.number is None else _question(row)
        answer = None if row.answer is None else tuple(row.answer)
        return Shown(now, row.students, answer, row.closed is not None, row.spent_by_coins or 0.0)

    def predict(self, student: str, lesson: str, key: str, value: Prediction) -> None:
        check_prediction(value)
        with self._writing() as connection:
            if not self._count_own(connection, STUDENTS, student):
                return
            here = PREDICTIONS.c.lesson == lesson, PREDICTIONS.c.key == key
            if self._count_own(connection, PREDICTIONS, student, *here):
                own = _own(PREDICTIONS, self.code, student)
                connection.execute(update(PREDICTIONS).where(*own, *here).values(value=value))
            else:
                place = _count(connection, PREDICTIONS, PREDICTIONS.c.room == self.code)
                self._insert_own(connection, PREDICTIONS, student, lesson=lesson, key=key, place=place, value=value)

    def predictions(self, lesson: str, key: str) -> list[Prediction]:
        where = [PREDICTIONS.c.lesson == lesson, PREDICTIONS.c.key == key]
        return [value for (value,) in self._all(PREDICTIONS.c.value, where=where)]

    def predicted(self) -> list[tuple[str, str]]:
        rows = self._all(PREDICTIONS.c.lesson, PREDICTIONS.c.key, order=PREDICTIONS.c.place)
        return list(dict.fromkeys((lesson, key) for lesson, key in rows))

    def prediction_of(self, student: str, lesson: str, key: str) -> Prediction | None:
        own = PREDICTIONS.c.student == _digest(student)
        where = [own, PREDICTIONS.c.lesson == lesson, PREDICTIONS.c.key == key]
        return next((value for (value,) in self._all(PREDICTIONS.c.value, where=where)), None)

    def attempt(self, student: str, lesson: str, attempt: Attempt) -> bool:
        check_attempt(attempt)
        with self._writing() as connection:
            place = self._count_own(connection, ATTEMPTS, student)
            if place >= MAX_ATTEMPTS or not self._count_own(connection, STUDENTS, student):
                return False
            self._insert_own(connection, ATTEMPTS, student, place=place, lesson=lesson, **asdict(attempt))
            return True

    def attempts(self) -> dict[str, list[list[Attempt]]]:
        columns = ATTEMPTS.c.lesson, ATTEMPTS.c.student, ATTEMPTS.c.kind, ATTEMPTS.c.answer, ATTEMPTS.c.right
        by_lesson: dict[str, dict[str, list[Attempt]]] = {}
        for lesson, student, *attempt in self._all(*columns, order=ATTEMPTS.c.place):
            by_lesson.setdefault(lesson, {}).setdefault(student, []).append(Attempt(*attempt))
        return {lesson: list(by_student.values()) for lesson, by_student in by_lesson.items()}

    def release(self, number: int, release: Release) -> None:
        row = {name: _listed(value) for name, value in vars(release).items()}
        with self._writing() as connection:
            place = _count(connection, RELEASES, RELEASES.c.room == self.code)
            connection.execute(insert(RELEASES).values(room=self.code, place=place, number=number, release=row))

    def _put_up(self, connection: Connection, **values: Any) -> None:
        connection.execute(update(ROOMS).where(ROOMS.c.code == self.code).values(values))

    def _question(self, where: Any) -> Question | None:
        rows = self._all(QUESTIONS.c.number, QUESTIONS.c.texts, QUESTIONS.c.epsilon, where=[where])
        return _question(rows[0]) if rows else None

    def _count_own(self, connection: Connection, table: Any, student: str, *where: Any) -> int:
        return _count(connection, table, *_own(table, self.code, student), *where)

    def _insert_own(self, connection: Connection, table: Any, student: str, **row: Any) -> None:
        connection.execute(insert(table).values(room=self.code, student=_digest(student), **row))


def _digest(token: str) -> str:
    return sha256(token.encode()).hexdigest()


def _room_of(table: Any) -> Any:
    return table.c.code if table is ROOMS else table.c.room


def _own(table: Any, code: str, student: str) -> tuple[Any, Any]:
    return table.c.room == code, table.c.student == _digest(student)


def _count(connection: Connection, table: Any, *where: Any) -> int:
    return connection.scalar(select(func.count()).select_from(table).where(*where)) or 0


def _question(row: Any) -> Question:
    return Question(row.number, tuple(row.texts), row.epsilon)


def _listed(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def _release(made: dict[str, Any]) -> Release:
    pairs, measured = (tuple((a, b) for a, b in made[name]) for name in ("pairs", "measured"))
    return Release(made["n"], made["epsilon"], pairs, np.array(made["shares"]), measured, made["noise"])
