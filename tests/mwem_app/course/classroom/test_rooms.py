"""Rooms of live classes: who gets in, what is kept of an answer, and when everything is forgotten."""

import math
import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from messages import exactly
from scipy import stats

from mwem_app.course.classroom.room import FEWEST, MAX_STUDENTS, PhoneView
from mwem_app.course.classroom.rooms import CODE_LENGTH, HOURS, LETTERS, MAX_ROOMS, Rooms, Seat, new_code, readable_code

TEXTS = ("Do you walk?", "Do you run?")


class Clock:
    seconds = 0.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def rooms(clock):
    return Rooms(clock)


@pytest.fixture
def teacher(rooms):
    return rooms.open()


@pytest.fixture
def room(rooms, teacher):
    return rooms.room(teacher)


def test_a_code_has_40_random_bits_of_letters_that_are_not_mistaken():
    assert CODE_LENGTH * math.log2(len(set(LETTERS))) == 40
    assert not set(LETTERS) & set("0O1I")
    assert LETTERS.upper() == LETTERS
    codes = []
    for _ in range(4000):
        random.seed(0)  # the codes do not follow a generator that anyone can seed
        codes.append(new_code())
    assert len(set(codes)) == 4000
    counts = [sum(code.count(letter) for code in codes) for letter in LETTERS]
    assert stats.chisquare(counts).pvalue > 1e-9  # not seeded, so it must hold on every run


def test_a_room_is_joined_by_its_code_in_any_spelling(rooms, teacher, room):
    seats = [rooms.join(typed) for typed in (teacher.code, teacher.code.lower(), f" {readable_code(teacher.code)} ")]
    assert len({seat.token for seat in seats}) == room.students == 3
    assert all(rooms.room(seat) == room for seat in seats)


def test_a_wrong_code_opens_nothing(rooms, teacher):
    for wrong in ("", teacher.code[:-1], teacher.code[::-1] + "2"):
        with pytest.raises(ValueError, match="there is no room with this code"):
            rooms.join(wrong)


def test_a_seat_needs_its_own_token(rooms, teacher, room):
    student = rooms.join(teacher.code)
    assert Seat.of(teacher.text) == teacher
    assert Seat.of(student.text) == student
    assert rooms.room(Seat(teacher.code, student.token, teacher=True)) is None
    assert min(len(teacher.token), len(student.token)) == 43  # 256 bits in base64
    for token in ("", student.token[:-1]):
        assert rooms.room(Seat.of(f"{teacher.code} {token} student")) is None
    for text in ("", teacher.code, f"{teacher.code} {student.token}", f"{teacher.code} ü student", student.text + " x"):
        assert Seat.of(text) is None


def test_only_its_teacher_closes_a_room(rooms, teacher, room):
    student = rooms.join(teacher.code)
    rooms.close(student)
    rooms.close(Seat(teacher.code, student.token, teacher=True))
    assert rooms.room(teacher) == room
    rooms.close(teacher)
    assert rooms.room(teacher) is rooms.room(student) is None


def test_a_room_ends_some_hours_after_it_was_opened_however_busy_it_is(rooms, clock, teacher, room):
    student = rooms.join(teacher.code)
    assert rooms.minutes_left(room) == 60 * HOURS
    clock.seconds = HOURS * 3600 - 1
    assert rooms.room(student) == room
    assert rooms.minutes_left(room) == 1
    clock.seconds += 1
    assert rooms.room(teacher) is rooms.room(student) is None
    with pytest.raises(ValueError, match="its time is over"):
        rooms.join(teacher.code)


def test_there_is_a_limit_on_rooms_and_an_ended_room_makes_place(rooms, clock):
    seats = [rooms.open() for _ in range(MAX_ROOMS)]
    assert len({seat.code for seat in seats}) == MAX_ROOMS
    with pytest.raises(ValueError, match=exactly("all 100 rooms of this server are in use: try again later")):
        rooms.open()
    rooms.close(seats[0])
    rooms.open()
    clock.seconds = HOURS * 3600
    rooms.open()


def test_200_students_fit_in_a_room_and_none_of_them_is_lost_when_all_come_and_answer_at_once(rooms, teacher, room):
    question = room.ask(TEXTS)

    def come(i):
        try:
            seat = rooms.join(teacher.code)
        except ValueError:
            return False
        room.predict(seat.token, "noise", "bet", i)
        return room.answer(seat.token, question.number, (True, False))

    with ThreadPoolExecutor(32) as threads:
        came = list(threads.map(come, range(MAX_STUDENTS + 50)))
    assert came.count(True) == room.students == len(room.answers(question.number)) == MAX_STUDENTS
    assert len(set(room.predictions("noise", "bet"))) == MAX_STUDENTS
    with pytest.raises(ValueError, match=exactly("this room is full: 200 students are in it")):
        rooms.join(teacher.code)


@pytest.mark.parametrize("answer", [(), (True,), (True, True, True), (1, 0), ("yes", True)])
def test_an_answer_that_does_not_fit_the_question_is_dropped(rooms, teacher, room, answer):
    student, question = rooms.join(teacher.code).token, room.ask(TEXTS)
    assert not room.answer(student, question.number, answer)
    assert room.answers(question.number) == []


def test_who_is_not_in_the_room_cannot_answer_or_predict(room):
    question = room.ask(TEXTS)
    assert not room.answer("stranger", question.number, (True, True))
    room.predict("stranger", "noise", "bet", 1)
    assert room.predictions("noise", "bet") == room.prediction_keys() == []


def test_a_new_question_drops_the_answers_to_the_last_one_of_its_kind_alone(rooms, teacher, room):
    student = rooms.join(teacher.code).token
    coins, survey = room.ask(TEXTS[:1], epsilon=1.0), room.ask(TEXTS)
    assert room.answer(student, coins.number, (True,))
    assert room.answer(student, survey.number, (True, False))
    again = room.ask(TEXTS[:1], epsilon=0.5)
    assert room.last_question("coins") == room.now == again
    assert room.last_question("survey") == survey
    assert room.answers(coins.number) == []
    assert not room.answer(student, coins.number, (True,))  # a phone that was slow
    assert room.answers(survey.number) == [(True, False)]
    assert again.number not in (coins.number, survey.number)


def test_every_answer_by_coins_adds_to_what_a_student_has_spent(rooms, teacher, room):
    student, other = (rooms.join(teacher.code).token for _ in range(2))
    for epsilon in (1.0, 0.5):
        room.answer(student, room.ask(TEXTS[:1], epsilon=epsilon).number, (True,))
    room.answer(student, room.ask(TEXTS).number, (True, True))
    assert room.shown_to(student).spent_by_coins == 1.5
    assert room.shown_to(other).spent_by_coins == 0


def test_a_student_who_leaves_is_forgotten(rooms, teacher, room):
    student = rooms.join(teacher.code)
    question = room.ask(TEXTS)
    room.answer(student.token, question.number, (True, False))
    room.predict(student.token, "noise", "bet", 12)
    assert room.prediction_keys() == [("noise", "bet")]
    room.leave(student.token)
    assert room.answers(question.number) == room.predictions("noise", "bet") == room.prediction_keys() == []
    assert rooms.room(student) is None


def test_a_prediction_replaces_the_one_before_and_is_short(rooms, teacher, room):
    student = rooms.join(teacher.code).token
    for value in (12, "14"):
        room.predict(student, "noise", "bet", value)
    assert room.predictions("noise", "bet") == ["14"]
    for bad in ("x" * 201, math.nan, None, [1]):
        with pytest.raises(ValueError, match="a prediction must be"):
            room.predict(student, "noise", "bet", bad)


def test_nothing_of_a_room_is_logged_or_written(caplog, capfd, monkeypatch):
    rooms, opened = Rooms(), []
    with monkeypatch.context() as watched:
        for name in ("builtins.open", "os.open"):
            watched.setattr(name, lambda *args, **settings: opened.append(args))
        teacher = rooms.open()
        room, student = rooms.room(teacher), rooms.join(teacher.code).token
        room.answer(student, room.ask(TEXTS).number, (True, False))
        room.predict(student, "noise", "bet", "MY SECRET")
        rooms.close(teacher)
    assert not opened
    assert not caplog.records
    assert capfd.readouterr() == ("", "")


def answered(rooms, teacher, room, *, by: int):
    """A survey that this many students have answered, and their seats."""
    question, seats = room.ask(TEXTS), [rooms.join(teacher.code) for _ in range(by)]
    assert all(room.answer(seat.token, question.number, (True, False)) for seat in seats)
    return question, seats


def test_exact_answers_are_given_out_for_ten_students_at_least(rooms, teacher, room):
    question, _ = answered(rooms, teacher, room, by=FEWEST - 1)
    assert FEWEST == 10
    assert room.close(question.number) == []
    assert room.answer(rooms.join(teacher.code).token, question.number, (True, True))  # it is open still
    assert len(room.close(question.number)) == FEWEST


def test_no_two_sets_of_exact_answers_differ_by_one_student(rooms, teacher, room):
    question, seats = answered(rooms, teacher, room, by=FEWEST + 1)
    late = rooms.join(teacher.code)
    first = room.close(question.number)
    assert room.shown_to(late.token) == PhoneView(question, FEWEST + 2, None, is_closed=True, spent_by_coins=0.0)
    assert not room.answer(late.token, question.number, (True, True))
    assert room.close(question.number) == first
    room.leave(seats[0].token)
    assert room.close(question.number) == []
    again = room.ask(TEXTS)
    assert not room.shown_to(late.token).is_closed
    assert room.answer(late.token, again.number, (True, True))
