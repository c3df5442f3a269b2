"""A student's phone without a browser: what its page asks of the server, and what it is told."""

from typing import Any

from mwem_app.course import Room, Rooms, enter, find_seat, respond


class Phone:
    """A phone that has joined by a code."""

    def __init__(self, rooms: Rooms, code: str):
        self._rooms = rooms
        self.told = enter(code, rooms)
        self.seat = self.told["seat"]

    @property
    def student(self) -> str:
        return self.seat.split(" ")[1]

    @property
    def room(self) -> Room:
        return find_seat(self.seat, self._rooms)[0]

    def ask(self, do: str = "show", **more: Any) -> dict[str, Any]:
        """What the server says to this message, after it went over the wire."""
        self.told = respond({"do": do} | more, *find_seat(self.seat, self._rooms))
        return self.told

    def now(self) -> Any:
        """What the teacher shows on this phone."""
        return self.ask()["now"]
