"""The tables of rooms in a database. Seats are in it by a digest of their tokens, which nobody can sit down with."""

from sqlalchemy import JSON, Boolean, Column, Float, ForeignKeyConstraint, Integer, MetaData, String, Table, Text

META = MetaData()
STUDENT = "student"  # the digest of a token
ROOMS = Table(
    "class_rooms",
    META,
    Column("code", String(16), primary_key=True),
    Column("teacher", String(64), nullable=False),
    Column("end", Float, nullable=False),  # by the clock of `Rooms`
    Column("questions", Integer, nullable=False, default=0),  # how many were asked
    Column("question", Integer),  # that phones show
    Column("lesson", Text),  # that phones show
)


def _of_room(name: str, *columns: Column, student: bool = False) -> Table:
    """A table of things of a room, forgotten with it; with `student`, of a student, and forgotten with the student."""
    room = Column("room", String(16), primary_key=True)
    if not student:
        key = ForeignKeyConstraint(["room"], [ROOMS.c.code], ondelete="CASCADE")
        return Table(name, META, room, *columns, key)
    key = ForeignKeyConstraint(["room", STUDENT], [STUDENTS.c.room, STUDENTS.c.student], ondelete="CASCADE")
    return Table(name, META, room, Column(STUDENT, String(64), primary_key=True), *columns, key)


STUDENTS = _of_room(
    "class_students",
    Column(STUDENT, String(64), primary_key=True),
    Column("spent_by_coins", Float, nullable=False, default=0.0),
)
QUESTIONS = _of_room(
    "class_questions",
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("kind", String(16), nullable=False),
    Column("texts", JSON, nullable=False),
    Column("epsilon", Float),
    Column("closed", Integer),  # how many answers it had when it was closed
)
RELEASES = _of_room(
    "class_releases",
    Column("place", Integer, primary_key=True, autoincrement=False),  # in the order of time
    Column("number", Integer, nullable=False),
    Column("release", JSON, nullable=False),
)
ANSWERS = _of_room(
    "class_answers",
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("answer", JSON, nullable=False),
    student=True,
)
PREDICTIONS = _of_room(
    "class_predictions",
    Column("lesson", String(64), primary_key=True),
    Column("key", String(64), primary_key=True),
    Column("place", Integer, nullable=False),  # in the order of time
    Column("value", JSON, nullable=False),
    student=True,
)
ATTEMPTS = _of_room(
    "class_attempts",
    Column("place", Integer, primary_key=True, autoincrement=False),  # in the order of time
    Column("lesson", String(64), nullable=False),
    Column("kind", Text, nullable=False),
    Column("answer", Text, nullable=False),
    Column("right", Boolean),
    student=True,
)
