"""Rooms of live classes: who may open, join and close them, and where they are kept.

A teacher opens a room, and students join it by its code, without a name. Threat model: whoever reads the code on the
wall may join; nobody else should. So the code is random (40 bits) and short enough to type. What the teacher may do is
tied to a token of 256 bits, and so is each student's place. A token lies in its tab's `sessionStorage`, like that of
`kept`. Nothing of a room is logged. It is in this server's memory alone, unless the setting `MWEM_ROOMS` names a
database that several servers share: then it is there until its room ends. Nothing here knows Streamlit.
"""

import math
import os
import secrets
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from mwem_app.session.kept import new_token
from mwem_app.session.memory_rooms import MemoryRooms
from mwem_app.session.room import MAX_STUDENTS, Room

SETTING = "MWEM_ROOMS"  # in the environment: the URL of a database
LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # five bits each; without 0 and O, 1 and I
CODE_LENGTH = 8
HOURS = 3  # from opening to the end
MAX_ROOMS = 100
SWEEP_SECONDS = 60  # after which rooms that are over are forgotten, when a room is asked for


@dataclass(frozen=True)
class Seat:
    """A place in a room: its teacher's, or a student's."""

    code: str
    token: str
    teacher: bool

    @property
    def text(self) -> str:
        """How the seat's tab remembers it."""
        return f"{self.code} {self.token} {'teacher' if self.teacher else 'student'}"

    @classmethod
    def of(cls, text: str) -> "Seat | None":
        """The seat that a tab remembered, whether or not its room is open still; None for any other text."""
        match text.split(" "):
            case [code, token, ("teacher" | "student") as role] if text.isascii():
                return cls(code, token, role == "teacher")
        return None


class RoomStore(Protocol):
    """Where rooms are kept, by their codes: `MemoryRooms` or `SharedRooms`."""

    def add(self, code: str, teacher: str, *, end: float, most: int) -> bool:
        """Open a room, for a teacher with this token; returns False if the code is taken.

        Raises ValueError if there are `most` rooms already.
        """
        ...

    def find(self, code: str) -> Room | None:
        """The room with this code."""
        ...

    def drop(self, code: str) -> None:
        """Forget a room."""
        ...

    def drop_ended(self, now: float) -> None:
        """Forget the rooms whose time is over."""
        ...


class Rooms:
    """Rooms by code, kept in a store: at most `MAX_ROOMS`, each for `HOURS` at most."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, store: RoomStore | None = None):
        self._clock = clock
        self._store = MemoryRooms() if store is None else store
        self._swept = -math.inf

    def open(self) -> Seat:
        """Open a room; returns its teacher's seat. Raises ValueError if there are too many rooms."""
        self._sweep()
        teacher, end = new_token(), self._clock() + HOURS * 3600
        while not self._store.add(code := new_code(), teacher, end=end, most=MAX_ROOMS):
            pass
        return Seat(code, teacher, teacher=True)

    def join(self, typed: str) -> Seat:
        """Take a new student's seat in the room with this code, as typed. Raises ValueError if that is not possible."""
        room = self._find(read_code(typed))
        if room is None:
            raise ValueError("there is no room with this code: it may have a typing mistake, or its time is over")
        token = room.enter()
        if token is None:
            raise ValueError(f"this room is full: {MAX_STUDENTS} students are in it")
        return Seat(room.code, token, teacher=False)

    def room(self, seat: Seat) -> Room | None:
        """The room of a seat; None if it has ended, or has no such seat."""
        room = self._find(seat.code)
        if room is None:
            return None
        seated = room.is_teacher(seat.token) if seat.teacher else room.knows(seat.token)
        return room if seated else None

    def close(self, seat: Seat) -> None:
        """End the room if the seat is its teacher's; everything in it is forgotten."""
        if seat.teacher and self.room(seat):
            self._store.drop(seat.code)

    def minutes_left(self, room: Room) -> int:
        """Whole minutes until the room ends by itself, rounded up."""
        return max(0, math.ceil((room.end - self._clock()) / 60))

    def _find(self, code: str) -> Room | None:
        if self._clock() > self._swept + SWEEP_SECONDS:
            self._sweep()
        room = self._store.find(code)
        return None if room is None or room.end <= self._clock() else room

    def _sweep(self) -> None:
        """Forget what is over."""
        self._swept = self._clock()
        self._store.drop_ended(self._swept)


def rooms_at(url: str) -> Rooms:
    """Rooms in the database with this URL; in this process alone if it is empty. Raises ValueError as `open_shared`."""
    if not url:
        return Rooms()
    from mwem_app.session.shared_rooms import open_shared  # imported when needed: SQLAlchemy takes time

    return Rooms(time.time, open_shared(url))


def new_code() -> str:
    """A code that nobody can guess while its room is open."""
    return "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))


def read_code(typed: str) -> str:
    """A code as it was typed: in small letters, in groups, with blanks.

    >>> read_code(" k7mq-2wxz ")
    'K7MQ2WXZ'
    """
    return "".join(letter for letter in typed.upper() if letter.isalnum())


def grouped(code: str) -> str:
    """A code as people read it.

    >>> grouped("K7MQ2WXZ")
    'K7MQ-2WXZ'
    """
    return f"{code[: CODE_LENGTH // 2]}-{code[CODE_LENGTH // 2 :]}"


def _rooms_of_this_server() -> Rooms:
    try:
        return rooms_at(os.environ.get(SETTING, ""))
    except ValueError as problem:
        sys.exit(f"mwem: error: {SETTING}: {problem}")


SHARED = bool(os.environ.get(SETTING))
ROOMS = _rooms_of_this_server()
