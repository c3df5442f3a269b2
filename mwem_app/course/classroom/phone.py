"""What a student's phone may ask of its room, and what it is told. Nothing here knows Starlette."""

import threading
from collections.abc import Iterable
from functools import cache
from typing import Any

from mwem_app.base import three_digits
from mwem_app.course.blocks import Block, Columns, PredictChoice, PredictDrawn, PredictNumber
from mwem_app.course.classroom.class_screens import END_REASONS, time_left
from mwem_app.course.classroom.room import PhoneView, Prediction, Question, Room
from mwem_app.course.classroom.rooms import Rooms, Seat, readable_code
from mwem_app.course.lesson import PREDICTION, Lesson, blocks_of, lesson_at
from mwem_core.privacy import RandomisedResponse

SEED = 1  # of a lesson that the address gives no seed, as a phone opens it

PhonePrediction = PredictChoice | PredictNumber
_ONE_AT_A_TIME = threading.Lock()


def prediction_in(lesson: Lesson) -> PhonePrediction | None:
    """The prediction of a lesson; None if it is a curve to draw, or if there is none.

    It is computed once, while all phones that were sent to the lesson wait.
    """
    with _ONE_AT_A_TIME:
        return _cached_prediction(lesson)


@cache
def _cached_prediction(lesson: Lesson) -> PhonePrediction | None:
    return _first(blocks_of(lesson, SEED))


def fits(asked: PhonePrediction, value: object) -> bool:
    """Whether a value is one that a learner can choose.

    >>> [fits(PredictNumber("How many?", 0, 8), value) for value in (8, 9, True, "8")]
    [True, False, False, False]
    """
    if isinstance(asked, PredictChoice):
        return value in asked.options
    return type(value) is int and asked.low <= value <= asked.high


def _first(blocks: Iterable[Block]) -> PhonePrediction | None:
    """The first prediction. Blocks after it are not made."""
    for block in blocks:
        if isinstance(block, PredictDrawn):
            return None
        if isinstance(block, PhonePrediction):
            return block
        if isinstance(block, Columns) and (asked := _first([*block.left, *block.right])):
            return asked
    return None


POLLS_PER_SECOND = 50  # of all phones of a room together
SOONEST = 1.0  # seconds from one poll of a phone to the next
NOT_UNDERSTOOD = "This page and the server do not understand each other: load the page again."
NOT_ASKED = "The teacher asks something else now."


class Refusal(Exception):
    """A request that is refused, with a sentence for whoever reads it, and whether the seat has ended.

    `status` is that of the answer: 200 where no page and no program is at fault, as a browser reports any other.
    """

    def __init__(self, sentence: str, *, status: int = 200, ended: bool = False):
        super().__init__(sentence)
        self.status, self.ended = status, ended


def enter(code: str, rooms: Rooms) -> dict[str, Any]:
    """Take a student's seat, by the code as typed; returns the seat's text, and what the phone shows.

    Raises Refusal without such a room, or without a seat left in it.
    """
    try:
        seat = rooms.join(code)
    except ValueError as problem:
        text = str(problem)
        raise Refusal(f"{text[0].upper()}{text[1:]}.") from None
    return {"seat": seat.text} | respond({"do": "show"}, *find_seat(seat.text, rooms))


def find_seat(text: str, rooms: Rooms) -> tuple[Room, str]:
    """The room of a student's seat, and the student's token. Raises Refusal if there is no such seat any more."""
    seat = Seat.of(text)
    room = rooms.room(seat) if seat is not None and not seat.teacher else None
    if seat is None or room is None:
        raise Refusal(f"The class has ended: {END_REASONS}", ended=True)
    return room, seat.token


def respond(message: dict[str, Any], room: Room, student: str) -> dict[str, Any]:
    """Do what a phone asks; returns what it shows from now on, nothing once it has left.

    Raises Refusal for what is no request, or does not fit what the teacher asks now.
    """
    match message:
        case {"do": "show"}:
            pass
        case {"do": "answer", "number": int(number), "answer": list(answer)}:
            room.answer(student, number, tuple(answer))  # one that is dropped, the phone does not find in what is shown
        case {"do": "predict", "lesson": str(path), "value": str() | int() as value}:
            _predict(room, student, path, value)
        case {"do": "leave"}:
            room.leave(student)
            return {}
        case _:
            raise Refusal(NOT_UNDERSTOOD, status=400)
    shown = room.shown_to(student)
    return {
        "code": readable_code(room.code),
        "left": time_left(room),
        "every": max(SOONEST, shown.students / POLLS_PER_SECOND),
        "now": _now(shown, room, student),
    }


def _predict(room: Room, student: str, path: str, value: str | int) -> None:
    """Keep a prediction for the lesson that the class is in; the first one counts, as it is locked in."""
    lesson = lesson_at(path)
    asked = prediction_in(lesson) if lesson is not None and room.now == path else None
    if asked is None or not fits(asked, value):
        raise Refusal(NOT_ASKED)
    if room.prediction_of(student, path, PREDICTION) is None:
        room.predict(student, path, PREDICTION, value)


def _now(shown: PhoneView, room: Room, student: str) -> dict[str, Any] | None:
    if isinstance(shown.now, Question):
        return _question(shown.now, shown)
    lesson = None if shown.now is None else lesson_at(shown.now)
    return None if lesson is None else _lesson(lesson, room.prediction_of(student, lesson.path, PREDICTION))


def _question(question: Question, shown: PhoneView) -> dict[str, Any]:
    asked = {
        "kind": question.kind,
        "number": question.number,
        "texts": question.texts,
        "sent": shown.answer,
        "closed": shown.is_closed,
    }
    if question.epsilon is None:
        return asked
    coins, spent = RandomisedResponse(question.epsilon), shown.spent_by_coins
    return asked | {
        "first_coin": coins.first_coin,
        "odds": three_digits(coins.odds),
        "spent": three_digits(spent) if spent > question.epsilon else None,
    }


def _lesson(lesson: Lesson, sent: Prediction | None) -> dict[str, Any]:
    shown = {"kind": "lesson", "path": lesson.path, "title": lesson.title, "sent": sent}
    match prediction_in(lesson):
        case PredictChoice(question, options):
            return shown | {"asked": {"question": question, "options": list(options)}}
        case PredictNumber(question, low, high) as asked:
            return shown | {"asked": {"question": question, "low": low, "high": high, "start": asked.middle}}
    return shown | {"asked": None}
