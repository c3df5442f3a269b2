"""The list of the lessons, and what a link asks for."""

from app_pages import checked, error_text, open_page, words

from mwem_app.course import LESSONS, lesson_at


def test_all_lessons_are_listed_with_what_a_teacher_needs():
    app = open_page("learn")
    texts = [text.value for text in (*app.caption, *app.markdown)]
    assert len(LESSONS) == 9
    assert "Nine lessons of ten minutes." in words(app)
    assert all(any(lesson.aim[1:] in text for text in texts) for lesson in LESSONS)
    checked(app.selectbox(key="class_lesson").select(lesson_at("choosing")).run())
    checked(app.number_input(key="class_seed").set_value(7).run())
    assert app.code[0].value.endswith("/learn?lesson=choosing&seed=7")


def test_an_unknown_lesson_is_named_above_the_list():
    assert "'alchemy', which does not exist" in error_text(open_page("learn", lesson="alchemy"))


def test_a_seed_that_is_no_number_gives_the_usual_draws(monkeypatch):
    dots = []

    def drawing(name, data, *, key, **_):
        if name == "noise":
            dots.append(data["kinds"][0]["dots"].tolist())

    monkeypatch.setattr("mwem_app.course.lesson_page.drawing", drawing)
    for seed in ("1", "x", "-3", "2"):
        open_page("learn", lesson="noise", seed=seed)
    usual, *others, of_two = dots
    assert others == [usual, usual]
    assert of_two != usual
