"""What a phone may ask, and what it is told."""

import math

import pytest
from messages import exactly
from phones import Phone

from mwem_app.course.blocks import PredictNumber
from mwem_app.course.classroom.phone import (
    NOT_ASKED,
    NOT_UNDERSTOOD,
    Refusal,
    enter,
    find_seat,
    fits,
    prediction_in,
    respond,
)
from mwem_app.course.classroom.room import MAX_STUDENTS
from mwem_app.course.classroom.rooms import Rooms, readable_code
from mwem_app.course.lesson import LESSONS, lesson_at


@pytest.fixture
def rooms():
    return Rooms()


@pytest.fixture
def teacher(rooms):
    return rooms.open()


@pytest.fixture
def room(rooms, teacher):
    return rooms.room(teacher)


@pytest.fixture
def phone(rooms, teacher):
    return Phone(rooms, readable_code(teacher.code))


def test_a_wrong_code_and_a_full_room_are_refused_with_a_reason(rooms, teacher):
    with pytest.raises(Refusal, match="There is no room with this code: it may have a typing mistake"):
        enter("22222222", rooms)
    for _ in range(MAX_STUDENTS):
        rooms.join(teacher.code)
    with pytest.raises(Refusal, match=exactly("This room is full: 200 students are in it.")):
        enter(teacher.code, rooms)


def test_a_teachers_seat_is_no_phone(rooms, teacher):
    for text in (teacher.text, teacher.text.replace("teacher", "student"), "", "x"):
        with pytest.raises(Refusal, match="The class has ended") as refused:
            find_seat(text, rooms)
        assert refused.value.ended


def test_the_phone_gets_the_coin_and_the_server_only_what_coins_left(room, phone):
    question = room.ask(["Tea?"], epsilon=math.log(3))
    asked = phone.now()
    assert asked["first_coin"] == pytest.approx(1 / 2)
    assert (asked["odds"], asked["sent"], asked["spent"], asked["closed"]) == ("3", None, None, False)
    assert phone.ask("answer", number=question.number, answer=[True])["now"]["sent"] == (True,)
    assert phone.ask("answer", number=question.number, answer=[False])["now"]["sent"] == (True,)  # the first counts
    room.ask(["Coffee?"], epsilon=math.log(3))
    again = phone.ask("answer", number=question.number, answer=[True])["now"]  # a phone that was slow
    assert (again["texts"], again["sent"], again["spent"]) == (("Coffee?",), None, None)
    assert phone.ask("answer", number=again["number"], answer=[True])["now"]["spent"] == "2.2"


def test_a_survey_has_no_coin(room, phone):
    number = room.ask(["Tea?", "Coffee?"]).number
    assert "first_coin" not in phone.now()
    assert phone.ask("answer", number=number, answer=[True])["now"]["sent"] is None
    assert phone.ask("answer", number=number, answer=[True, False])["now"]["sent"] == (True, False)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.path)
def test_the_prediction_of_every_lesson_but_a_curve_is_asked_on_the_phone_and_locked_in(room, phone, lesson):
    room.show(lesson.path)
    shown, asked = phone.now(), prediction_in(lesson)
    assert (shown["path"], shown["title"], shown["sent"]) == (lesson.path, lesson.title, None)
    assert (asked is None) == (shown["asked"] is None) == (lesson.path == "rounds")
    if asked is None:
        return
    first, other = (asked.low, asked.high) if isinstance(asked, PredictNumber) else asked.options[:2]
    assert phone.ask("predict", lesson=lesson.path, value=first)["now"]["sent"] == first
    assert phone.ask("predict", lesson=lesson.path, value=other)["now"]["sent"] == first
    assert room.predictions(lesson.path, "prediction") == [first]
    assert not fits(asked, "anything else")


@pytest.mark.parametrize(("lesson", "value"), [("noise", 21), ("noise", "10"), ("noise", True), ("mwem", 3), ("x", 1)])
def test_only_what_is_asked_now_can_be_predicted(room, phone, lesson, value):
    room.show("noise")
    with pytest.raises(Refusal, match=exactly(NOT_ASKED)):
        phone.ask("predict", lesson=lesson, value=value)
    assert room.prediction_keys() == []


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"do": "open"},
        {"do": ["show"]},
        {"do": "answer", "number": "1", "answer": [True]},
        {"do": "answer", "number": 1},
        {"do": "predict", "lesson": 1, "value": 1},
        {"do": "predict", "lesson": "noise", "value": [1]},
    ],
)
def test_what_is_no_request_is_refused(room, phone, message):
    with pytest.raises(Refusal, match=exactly(NOT_UNDERSTOOD)) as refused:
        respond(message, room, phone.student)
    assert refused.value.status == 400


def test_the_more_phones_the_less_often_each_of_them_asks(rooms, teacher, phone):
    assert phone.ask()["every"] == 1
    for _ in range(99):
        rooms.join(teacher.code)
    assert phone.ask()["every"] == 2


def test_a_lesson_that_is_none_any_more_shows_nothing(room, phone):
    room.show("no such lesson")
    assert lesson_at("no such lesson") is phone.now() is None
