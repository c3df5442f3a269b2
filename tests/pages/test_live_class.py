"""A live class without a browser: the teacher's page and students' pages, each a session of its own."""

import json
import math

import pytest
from app_pages import button, checked, error_text, open_lesson, open_page, words
from streamlit.testing.v1 import AppTest

from mwem_core.lessons.rounds import ROUNDS
from mwem_core.privacy.randomised_response import RandomisedResponse
from ui.learn.lessons import LESSONS
from ui.learn.room_lessons import predictions_of
from ui.session import room as room_of
from ui.session import rooms, seat


@pytest.fixture(autouse=True)
def all_rooms(monkeypatch):
    """Rooms of this test alone."""
    fresh = rooms.Rooms()
    for module in (seat, rooms):
        monkeypatch.setattr(module, "ROOMS", fresh)
    monkeypatch.setattr("ui.learn.room_door.ROOMS", fresh)
    return fresh


@pytest.fixture
def teacher() -> AppTest:
    """A teacher who has opened a room."""
    return press(open_page("room"), "Open a room")


def press(app: AppTest, label: str) -> AppTest:
    return checked(button(app, label).click().run())


def room(app: AppTest, all_rooms) -> room_of.Room:
    return all_rooms.room(app.session_state[seat.SEAT])


def student(teacher: AppTest) -> AppTest:
    """A phone that has joined by the link."""
    return press(open_page("join", room=teacher.header[0].value.replace("-", "")), "Join")


def sent(app: AppTest, name: str) -> dict:
    """What the page sent to a drawing."""
    protos = [element.proto for element in app.get("bidi_component")]
    return next(json.loads(proto.json) for proto in protos if proto.component_name == f"mwem_lesson_{name}")


def drawn(app: AppTest, name: str) -> bool:
    return any(element.proto.component_name == f"mwem_lesson_{name}" for element in app.get("bidi_component"))


def show(app: AppTest, activity: str) -> AppTest:
    return checked(app.button_group(key="_activity").set_value(activity).run())


def answer(app: AppTest, all_rooms, answers: list[tuple[bool, ...]]) -> None:
    """Answer the question that is asked now, each by a student of its own."""
    question = room(app, all_rooms).now
    for each in answers:
        token = all_rooms.join(room(app, all_rooms).code).token
        assert room(app, all_rooms).answer(token, question.number, each)


def test_before_a_room_is_open_the_page_shows_a_simulated_class():
    app = open_page("room")
    data = sent(app, "coins")
    assert data["n"] == 30
    assert data["estimate"] == pytest.approx(RandomisedResponse(math.log(3)).estimate(data["yes"], 30))
    assert data["low"] <= 12 / 30 <= data["high"]
    assert "A simulated class of 30, of whom 12 (40%)" in words(app)


def test_students_join_by_the_code_and_are_told_what_is_stored_and_for_how_long(teacher, all_rooms):
    phone = student(teacher)
    assert room(teacher, all_rooms).students == 1
    assert "**Wait for the teacher.**" in words(phone)
    for part in ("No account and no name", "not written to disk and not logged", "This room ends in 3 h 0 min"):
        assert part in words(phone)
    checked(teacher.run())
    assert "**1 phone is here.**" in words(teacher)


def test_a_wrong_code_is_refused_with_a_reason():
    app = open_page("join", room="22222222")
    assert "there is no room with this code" in error_text(press(app, "Join"))


def test_when_all_rooms_are_in_use_the_teacher_is_told(monkeypatch, all_rooms):
    for _ in range(rooms.MAX_ROOMS):
        all_rooms.open()
    app = press(open_page("room"), "Open a room")
    assert "all 100 rooms of this server are in use" in error_text(app)


def test_a_question_by_coins_reaches_the_phones_and_its_answers_the_teacher(teacher, all_rooms):
    phone = student(teacher)
    press(teacher, "Ask the class")
    checked(phone.run())
    asked = sent(phone, "phone")
    assert asked["texts"] == ["Have you ever handed in work that was not your own?"]
    assert asked["first_coin"] == pytest.approx(1 / 2)
    assert asked["sent"] is None
    answer(teacher, all_rooms, 6 * [(True,)] + 4 * [(False,)])
    data = sent(checked(teacher.run()), "coins")
    assert (data["n"], data["yes"], data["students"]) == (10, 6, 11)
    assert data["estimate"] == pytest.approx((0.6 - 0.25) / 0.5)
    assert [data["low"], data["high"]] == list(RandomisedResponse(math.log(3)).interval(6, 10))
    assert [0.5, pytest.approx(0.75), pytest.approx(0.25)] in data["beliefs"]
    assert "(6/10 − 25%) / (75% − 25%) = 70%" in data["formula"]


def test_another_coin_changes_epsilon_and_the_first_answers_are_forgotten(teacher, all_rooms):
    press(teacher, "Ask the class")
    answer(teacher, all_rooms, [(True,)])
    teacher.radio(key="_first_coin").set_value(0.9)
    press(teacher, "Ask the class")
    assert room(teacher, all_rooms).now.epsilon == pytest.approx(math.log(19))
    assert sent(teacher, "coins")["n"] == 0


def test_the_class_becomes_a_table_and_its_truth_stays_hidden_until_the_teacher_shows_it(teacher, all_rooms):
    show(teacher, "The class as a table")
    teacher.text_input(key="_survey_question_0").set_value("Tea today?")
    press(teacher, "Ask the class")
    assert room(teacher, all_rooms).now.texts[0] == "Tea today?"
    answer(teacher, all_rooms, 20 * [(True, True, False, False, True)] + 10 * [(False, False, False, True, True)])
    press(teacher, "Run MWEM on the class")
    hidden = sent(teacher, "class_tables")
    assert hidden["truth"] is None
    assert len(hidden["sizes"]) == 1
    assert len(hidden["sizes"][0]["shares"]) == 10
    assert "together ε = 1 for each student" in words(teacher)
    assert "±0.23% of the class instead of ±23%" in words(teacher)
    checked(teacher.toggle(key="_class_truth").set_value(True).run())
    data = sent(teacher, "class_tables")
    assert data["truth"][0] == pytest.approx([1 / 3, 0, 0, 2 / 3])
    own, large = data["sizes"]
    assert own["shares"] == hidden["sizes"][0]["shares"]  # the truth costs no further run
    assert max(own["noise"]) == pytest.approx(100 * max(large["noise"]))
    assert large["shares"][0] == pytest.approx(data["truth"][0], abs=0.05)
    press(teacher, "Run MWEM on the class")
    assert "2 runs on this class so far: together ε = 2" in words(teacher)


def test_nothing_runs_before_someone_has_answered(teacher, all_rooms):
    show(teacher, "The class as a table")
    press(teacher, "Ask the class")
    press(teacher, "Run MWEM on the class")
    assert room(teacher, all_rooms).releases == []
    assert not drawn(teacher, "class_tables")


def test_predictions_of_a_lesson_arrive_at_the_teacher_before_the_answer_is_shown_there(teacher, all_rooms):
    show(teacher, "Predictions")
    press(teacher, "Send the phones there")
    phone = student(teacher)
    assert "The class is in a lesson" in words(phone)
    phone.switch_page("pages/learn.py")
    phone.query_params["lesson"] = "noise"
    press(checked(phone.run()), "Lock in")
    assert room(teacher, all_rooms).predictions("noise", "prediction") == [10]
    assert predictions_of(room(teacher, all_rooms)).split() == ["lesson,prediction", "noise,10"]
    data = sent(checked(teacher.run()), "arrivals")
    assert data == {"bars": [["10", 1]], "total": 1}
    teacher.switch_page("pages/learn.py")
    teacher.query_params["lesson"] = "noise"
    checked(teacher.run())
    assert sent(teacher, "arrivals")["total"] == 1
    assert "best guesser gets" not in words(teacher)
    assert not drawn(phone, "arrivals")


@pytest.mark.parametrize("lesson", [lesson.path for lesson in LESSONS if lesson.path != "rounds"])
def test_the_prediction_of_every_lesson_reaches_the_teacher_and_no_other_student(teacher, all_rooms, lesson):
    phone, other = student(teacher), student(teacher)
    for app in (phone, other, teacher):
        app.switch_page("pages/learn.py")
        app.query_params["lesson"] = lesson
        checked(app.run())
    asked = f"{lesson}_prediction_ask"
    for radio in (each for each in phone.radio if each.key == asked):
        checked(radio.set_value(radio.options[0]).run())
    press(phone, "Lock in")
    assert len(room(teacher, all_rooms).predictions(lesson, "prediction")) == 1
    assert sent(checked(teacher.run()), "arrivals")["total"] == 1
    assert not drawn(checked(other.run()), "arrivals")


def test_the_round_where_a_drawn_curve_is_lowest_reaches_the_teacher(teacher, all_rooms, monkeypatch):
    phone, drawn = student(teacher), [10, 9, 8, 7, 6, 5, 4, 5, 6, 7]
    open_page("learn", lesson="rounds")  # what else draws has imported the real drawing now
    monkeypatch.setattr("ui.learn.drawing.drawing", lambda name, *args, **settings: {"drawn": drawn})
    phone.switch_page("pages/learn.py")
    phone.query_params["lesson"] = "rounds"
    checked(phone.run())
    assert room(teacher, all_rooms).predictions("rounds", "prediction") == [ROUNDS[6]]


def test_a_lesson_outside_a_class_shows_nothing_of_classes():
    app = open_lesson("noise")
    assert not drawn(app, "arrivals")
    assert "Back to the class" not in str(app)


def test_closing_the_room_ends_it_on_all_phones(teacher, all_rooms):
    phone = student(teacher)
    press(teacher, "Close it now")
    assert [title.value for title in teacher.title] == ["Live class"]
    assert [title.value for title in checked(phone.run()).title] == ["Join the class"]


def test_a_student_who_leaves_takes_the_answers_along(teacher, all_rooms):
    phone = student(teacher)
    press(phone, "Leave, and delete what I sent")
    assert room(teacher, all_rooms).students == 0
    assert [title.value for title in phone.title] == ["Join the class"]


def test_the_teacher_is_sent_back_from_the_page_for_phones(teacher):
    teacher.switch_page("pages/join.py")
    assert "You are the teacher of a class" in words(checked(teacher.run()))


def test_nothing_that_a_student_types_or_sends_is_logged(teacher, all_rooms, caplog, capfd):
    phone = open_page("join")
    phone.text_input(key="_code").set_value("MY SECRET")
    press(phone, "Join")
    press(teacher, "Ask the class")
    answer(teacher, all_rooms, [(True,)])
    checked(teacher.run())
    assert "SECRET" not in caplog.text + "".join(capfd.readouterr())
    assert not [record for record in caplog.records if record.name.startswith(("ui", "mwem_core"))]
