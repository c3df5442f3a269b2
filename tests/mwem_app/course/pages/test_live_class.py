"""A live class without a browser: the teacher's page and students' pages, each a session of its own."""

import json
import math
import re

import pytest
from app_pages import button, checked, error_text, open_lesson, open_page, words
from markupsafe import escape
from phones import Phone
from streamlit.testing.v1 import AppTest

from mwem_app.course import LESSONS, PAGE, SCRIPT, Refusal, lesson_at
from mwem_app.course.classroom import room as room_of, rooms, seat
from mwem_app.course.rounds.rounds_numbers import ROUNDS
from mwem_app.session import LOCKS
from mwem_core.privacy import RandomisedResponse

pytestmark = pytest.mark.slow

YES = (True,) * 5


@pytest.fixture(autouse=True)
def all_rooms(monkeypatch):
    """Rooms of this test alone, on a machine in a network."""
    monkeypatch.setattr("mwem_app.page.reach.machine_address", lambda: "192.168.1.7")
    fresh = rooms.Rooms()
    for module in (seat, rooms):
        monkeypatch.setattr(module, "ROOMS", fresh)
    monkeypatch.setattr("mwem_app.course.classroom.class_screens.ROOMS", fresh)
    return fresh


@pytest.fixture
def teacher() -> AppTest:
    """A teacher who has opened a room."""
    return press(open_page("room"), "Open a room")


def press(app: AppTest, label: str) -> AppTest:
    return checked(button(app, label).click().run())


def room(app: AppTest, all_rooms) -> room_of.Room:
    return all_rooms.room(app.session_state[seat.SEAT])


def student(teacher: AppTest, all_rooms) -> Phone:
    """A phone that has joined by the code on the wall."""
    return Phone(all_rooms, teacher.header[0].value)


def lesson_of(phone: Phone, lesson: str) -> AppTest:
    """A lesson that was opened on a phone: the tab brings the seat."""
    app = open_page("learn", lesson="all")
    app.session_state[seat.SEAT] = rooms.Seat.of(phone.seat)
    app.query_params["lesson"] = lesson
    return checked(app.run())


def sent(app: AppTest, name: str) -> dict:
    """What the page sent to a drawing."""
    protos = [element.proto for element in app.get("bidi_component")]
    return next(json.loads(proto.json) for proto in protos if proto.component_name == f"mwem_lesson_{name}")


def drawn(app: AppTest, name: str) -> bool:
    return any(element.proto.component_name == f"mwem_lesson_{name}" for element in app.get("bidi_component"))


def links(app: AppTest) -> list[str]:
    ways = (re.search('href="class" target="_self">(.+)</a>', each.proto.body) for each in app.get("html"))
    return [link.proto.label for link in app.get("page_link")] + [way[1] for way in ways if way]


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


def test_students_join_by_the_code_and_are_told_for_how_long(teacher, all_rooms):
    phone = student(teacher, all_rooms)
    assert room(teacher, all_rooms).students == 1
    assert phone.told["now"] is None
    assert phone.told["left"] == "3 h 0 min"
    for part in ("No account and no name", "in this server's memory alone, not on a disk", "It is not logged."):
        assert escape(part) in PAGE
    checked(teacher.run())
    assert "**1 phone is here.**" in words(teacher)


def test_the_link_of_a_class_opened_at_localhost_has_the_machines_address(monkeypatch, all_rooms):
    monkeypatch.setattr("mwem_app.page.reach.machine_address", lambda: "192.168.1.7")
    app = press(open_page("room"), "Open a room")
    assert "open **192.168.1.7:8501/class**" in words(app)
    assert "phones must be in the same network" in words(app)
    assert not app.error
    learn = open_page("learn", lesson="all")
    assert learn.code[0].value.startswith("http://192.168.1.7:8501/learn?lesson=")


def test_where_phones_cannot_join_the_page_says_so_in_red_and_has_no_link(monkeypatch, all_rooms):
    monkeypatch.setattr("mwem_app.page.reach.machine_address", lambda: None)
    app = open_page("room")
    assert "Phones cannot join" in error_text(app)  # before the class comes
    assert "Phones cannot join" in error_text(press(app, "Open a room"))
    assert "Scan, or open" not in words(app)
    assert "Phones cannot join" in error_text(open_page("learn", lesson="all"))


def test_when_all_rooms_are_in_use_the_teacher_is_told(monkeypatch, all_rooms):
    for _ in range(rooms.MAX_ROOMS):
        all_rooms.open()
    app = press(open_page("room"), "Open a room")
    assert "all 100 rooms of this server are in use" in error_text(app)


def test_a_question_by_coins_reaches_the_phones_and_its_answers_the_teacher(teacher, all_rooms):
    phone = student(teacher, all_rooms)
    press(teacher, "Ask the class")
    asked = phone.now()
    assert list(asked["texts"]) == ["Have you ever handed in work that was not your own?"]
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
    press(checked(teacher.run()), "Run MWEM on the class")
    hidden = sent(teacher, "class_tables")
    assert hidden["truth"] is None
    assert len(hidden["sizes"]) == 1
    assert len(hidden["sizes"][0]["shares"]) == 10
    assert "together ε = 1 for each student" in words(teacher)
    assert " 0.23% of the class instead of 23%" in words(teacher)
    checked(teacher.toggle(key="_class_truth").set_value(True).run())
    data = sent(teacher, "class_tables")
    assert data["truth"][0] == pytest.approx([1 / 3, 0, 0, 2 / 3])
    own, large = data["sizes"]
    assert own["shares"] == hidden["sizes"][0]["shares"]  # the truth costs no further run
    assert max(own["noise"]) == pytest.approx(100 * max(large["noise"]))
    assert large["shares"][0] == pytest.approx(data["truth"][0], abs=0.05)
    press(teacher, "Run MWEM on the class")
    assert "2 runs on this class so far: together ε = 2" in words(teacher)


def test_below_ten_answers_there_is_no_table_and_no_truth(teacher, all_rooms):
    show(teacher, "The class as a table")
    press(teacher, "Ask the class")
    answer(teacher, all_rooms, 9 * [YES])
    checked(teacher.run())
    assert button(teacher, "Run MWEM on the class").disabled
    assert teacher.toggle(key="_class_truth").disabled
    assert "They are shown from 10 answers on: 1 more is needed." in words(teacher)
    assert not drawn(teacher, "class_tables")
    answer(teacher, all_rooms, [YES])
    checked(teacher.run())
    assert "needed" not in words(teacher)
    press(teacher, "Run MWEM on the class")
    assert drawn(teacher, "class_tables")


def test_the_truth_is_shown_of_one_set_of_students_only(teacher, all_rooms):
    """Of two sets that differ by one student, the exact shares would show that student's answers."""
    late = student(teacher, all_rooms)
    show(teacher, "The class as a table")
    press(teacher, "Ask the class")
    answer(teacher, all_rooms, 11 * [YES])
    press(checked(teacher.run()), "Run MWEM on the class")
    assert not late.now()["closed"]
    checked(teacher.toggle(key="_class_truth").set_value(True).run())
    assert sent(teacher, "class_tables")["truth"][0] == [0, 0, 0, 1]
    assert late.now()["closed"]
    answered = next(iter(room(teacher, all_rooms)._answers[1]))
    room(teacher, all_rooms).leave(answered)
    checked(teacher.run())
    assert sent(teacher, "class_tables")["truth"] is None
    assert len(sent(teacher, "class_tables")["sizes"]) == 1
    assert "A student has left since the truth was shown" in words(teacher)
    press(teacher, "Ask the class")
    assert not teacher.toggle(key="_class_truth").value
    assert not late.now()["closed"]


def test_a_phone_says_how_many_must_answer_before_anything_is_shown():
    assert f'<body data-fewest="{room_of.FEWEST}">' in PAGE
    assert "nothing before ${fewest} phones have answered" in SCRIPT
    assert "never one phone" not in SCRIPT


def test_randomised_answers_are_shown_from_the_first_on(teacher, all_rooms):
    """The coins protect each of them already."""
    press(teacher, "Ask the class")
    answer(teacher, all_rooms, [(True,)])
    assert sent(checked(teacher.run()), "coins")["n"] == 1


@pytest.mark.parametrize("in_the_lesson", [True, False])
def test_predictions_of_a_lesson_arrive_at_the_teacher_before_the_answer_is_shown_there(
    teacher, all_rooms, in_the_lesson
):
    show(teacher, "Predictions")
    press(checked(teacher.selectbox(key="_class_lesson").set_value(lesson_at("noise")).run()), "Send the phones there")
    phone = student(teacher, all_rooms)
    assert phone.now()["title"] == "Noise"
    if in_the_lesson:
        app = press(lesson_of(phone, "noise"), "Lock in")
        assert not drawn(app, "arrivals")
    else:
        phone.ask("predict", lesson="noise", value=10)
    assert phone.now()["sent"] == 10
    assert room(teacher, all_rooms).predictions("noise", "prediction") == [10]
    few = sent(checked(teacher.run()), "arrivals")
    assert few["bars"] == []
    assert few["needed"] == "They are shown from 10 predictions on: 9 more are needed."
    for value in range(9):
        student(teacher, all_rooms).ask("predict", lesson="noise", value=value)
    data = sent(checked(teacher.run()), "arrivals")
    assert data == {"bars": [[str(value), 1] for value in (*range(9), 10)], "total": 10, "needed": ""}
    teacher.switch_page("pages/learn.py")
    teacher.query_params["lesson"] = "noise"
    checked(teacher.run())
    assert sent(teacher, "arrivals")["total"] == 10
    assert "best guesser gets" not in words(teacher)


@pytest.mark.parametrize("lesson", [lesson.path for lesson in LESSONS if lesson.path != "rounds"])
def test_the_prediction_of_every_lesson_reaches_the_teacher_and_no_other_student(teacher, all_rooms, lesson):
    phone, other = (lesson_of(student(teacher, all_rooms), lesson) for _ in range(2))
    teacher.switch_page("pages/learn.py")
    teacher.query_params["lesson"] = lesson
    checked(teacher.run())
    asked = f"{lesson}_prediction_ask"
    for radio in (each for each in phone.radio if each.key == asked):
        checked(radio.set_value(radio.options[0]).run())
    press(phone, "Lock in")
    assert len(room(teacher, all_rooms).predictions(lesson, "prediction")) == 1
    assert sent(checked(teacher.run()), "arrivals")["total"] == 1
    assert not drawn(checked(other.run()), "arrivals")


def test_the_round_where_a_drawn_curve_is_lowest_reaches_the_teacher(teacher, all_rooms, monkeypatch):
    phone, drawn = student(teacher, all_rooms), [10, 9, 8, 7, 6, 5, 4, 5, 6, 7]
    monkeypatch.setattr("mwem_app.course.lesson_page.drawing", lambda name, *args, **settings: {"drawn": drawn})
    lesson_of(phone, "rounds")
    assert room(teacher, all_rooms).predictions("rounds", "prediction") == [ROUNDS[6]]


def test_neither_the_bars_nor_the_lesson_tell_the_right_answer_until_the_teacher_locks_in(all_rooms):
    app = open_lesson("reweighting")
    press(app, "Lock in")  # the teacher prepares the lesson
    assert "After 6 updates" in words(app)
    app.switch_page("pages/room.py")
    press(checked(app.run()), "Open a room")
    for value in 10 * [7]:
        room(app, all_rooms).predict(
            all_rooms.join(room(app, all_rooms).code).token, "reweighting", "prediction", value
        )
    app.switch_page("pages/learn.py")
    app.query_params["lesson"] = "reweighting"
    assert sent(checked(app.run()), "arrivals") == {"bars": [["7", 10]], "total": 10, "needed": ""}
    assert "After 6 updates" not in words(app)
    press(app, "Lock in")
    assert "After 6 updates" in words(app)


def test_a_tab_that_brings_back_its_predictions_sees_the_answers():
    before = open_lesson("noise")
    press(before, "Lock in")
    app = open_lesson("composition")
    app.session_state[LOCKS] = before.session_state[LOCKS]
    app.query_params["lesson"] = "noise"
    assert "You predicted **10**." in words(checked(app.run()))
    assert "best guesser gets" in words(app)


def test_a_prediction_that_is_no_choice_any_more_is_asked_again():
    app = open_page("learn", lesson="all")
    values = {"noise": 21, "attack": 4}
    app.session_state[LOCKS] = {f"{lesson}_prediction": value for lesson, value in values.items()}
    for lesson in values:
        app.query_params["lesson"] = lesson
        assert "You predicted" not in words(checked(app.run()))
        assert button(app, "Lock in")


def test_a_lesson_outside_a_class_shows_nothing_of_classes():
    app = open_lesson("noise")
    assert not drawn(app, "arrivals")
    assert "Back to the class" not in links(app)


def test_closing_the_room_ends_it_on_all_phones_which_say_so(teacher, all_rooms):
    phone = student(teacher, all_rooms)
    press(teacher, "Close it now")
    assert [title.value for title in teacher.title] == ["Live class"]
    assert "has ended" not in words(teacher)
    with pytest.raises(Refusal, match="The class has ended: it was closed") as refused:
        phone.now()
    assert refused.value.ended


def test_a_room_that_the_server_has_lost_is_said_to_have_ended_on_every_page_of_it(teacher, all_rooms):
    phone = student(teacher, all_rooms)
    reader = lesson_of(phone, "noise")
    assert "Back to the class" in links(reader)
    all_rooms._rooms.clear()
    assert "The class has ended" in links(checked(reader.run()))
    assert "**Your class has ended:**" in words(checked(teacher.run()))
    press(teacher, "Open a room")
    assert "has ended" not in words(teacher)


def test_nothing_that_a_student_types_or_sends_is_logged(teacher, all_rooms, caplog, capfd):
    with pytest.raises(Refusal):
        Phone(all_rooms, "MY SECRET")
    press(teacher, "Ask the class")
    answer(teacher, all_rooms, [(True,)])
    checked(teacher.run())
    assert "SECRET" not in caplog.text + "".join(capfd.readouterr())
    assert not [record for record in caplog.records if record.name.startswith(("mwem_app", "mwem_core"))]
