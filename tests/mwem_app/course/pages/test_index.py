"""The list of the lessons, and what a link asks for."""

from urllib.parse import unquote
from xml.etree import ElementTree

from app_pages import checked, error_text, open_page, sent, words

from mwem_app.course import LESSONS, lesson_at


def test_all_lessons_are_listed_with_their_pictures_and_what_a_teacher_needs():
    app = open_page("learn")
    assert len(LESSONS) == 9
    assert "Nine lessons" in words(app)
    assert all(lesson.aim[1:] in words(app) for lesson in LESSONS)
    shown = [html.proto.body for html in app.get("html")]
    for lesson in LESSONS:
        assert lesson.picture in shown
        picture = ElementTree.fromstring(unquote(lesson.picture.partition("svg+xml,")[2].removesuffix('">')))
        assert {shape.tag.partition("}")[2] for shape in picture} <= {"path", "polyline"}  # no words, no scripts
    checked(app.selectbox(key="class_lesson").select(lesson_at("choosing")).run())
    checked(app.number_input(key="class_seed").set_value(7).run())
    assert app.code[0].value.endswith("/learn?lesson=choosing&seed=7")


def test_an_unknown_lesson_is_named_above_the_list():
    assert "'alchemy', which does not exist" in error_text(open_page("learn", lesson="alchemy"))


def test_a_seed_that_is_no_number_gives_the_usual_draws():
    def dots(seed: str) -> list:
        return sent(open_page("learn", lesson="noise", seed=seed), "mwem_lesson_noise")["kinds"][0]["dots"]

    assert dots("x") == dots("-3") == dots("1") != dots("2")
