"""Rooms of live classes: who may open, join and close them.

A teacher opens a room, and students join it by its code, without a name. Threat model: whoever reads the code on the
wall may join; nobody else should. So the code is random (40 bits) and short enough to type. What the teacher may do is
tied to a token of 256 bits, and so is each student's place. A token lies in its tab's `sessionStorage`, like that of
`kept`. Nothing of a room is logged, and it is in this server's memory alone. Nothing here knows Streamlit.
"""

import math
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from mwem_app.course.classroom.room import MAX_STUDENTS, Room
from mwem_app.session import new_token

LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # five bits each; without 0 and O, 1 and I
CODE_LENGTH = 8
HOURS = 3  # from opening to the end
MAX_ROOMS = 100


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


class Rooms:
    """Rooms by code, in this process alone: at most `MAX_ROOMS`, each for `HOURS` at most."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock, self._lock = clock, threading.Lock()
        self._rooms: dict[str, Room] = {}

    def open(self) -> Seat:
        """Open a room; returns its teacher's seat. Raises ValueError if there are too many rooms."""
        with self._lock:
            self._drop_ended()
            if len(self._rooms) >= MAX_ROOMS:
                raise ValueError(f"all {MAX_ROOMS} rooms of this server are in use: try again later")
            while (code := new_code()) in self._rooms:
                pass
            teacher = new_token()
            self._rooms[code] = Room(code, teacher, self._clock() + HOURS * 3600)
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
            with self._lock:
                self._rooms.pop(seat.code, None)

    def minutes_left(self, room: Room) -> int:
        """Whole minutes until the room ends by itself, rounded up."""
        return max(0, math.ceil((room.end - self._clock()) / 60))

    def _find(self, code: str) -> Room | None:
        with self._lock:
            self._drop_ended()
            return self._rooms.get(code)

    def _drop_ended(self) -> None:
        now = self._clock()
        self._rooms = {code: room for code, room in self._rooms.items() if room.end > now}


def new_code() -> str:
    """A code that nobody can guess while its room is open."""
    return "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))


def read_code(typed: str) -> str:
    """A code as it was typed: in small letters, in groups, with blanks.

    >>> read_code(" k7mq-2wxz ")
    'K7MQ2WXZ'
    """
    return "".join(letter for letter in typed.upper() if letter.isalnum())


def readable_code(code: str) -> str:
    """A code as people read it.

    >>> grouped("K7MQ2WXZ")
    'K7MQ-2WXZ'
    """
    return f"{code[: CODE_LENGTH // 2]}-{code[CODE_LENGTH // 2 :]}"


ROOMS = Rooms()
