"""The lesson Why a factored model: without a browser, and walked through in one."""

import pytest
from app_pages import button, checked, open_page

from mwem_core.model.sweep import CliqueTables


def answered(app, answer):
    """The page after this answer to the exercise was checked."""
    checked(app.radio(key="factored_answer").set_value(answer).run())
    return checked(button(app, "Check").click().run())


@pytest.fixture
def lesson():
    return open_page("learn", lesson="factored")


def test_the_lamp_is_green_and_the_answer_hidden_until_the_prediction_is_locked_in(lesson):
    assert "Checked just now" in lesson.success[0].value
    assert not any("It holds **3,360**" in text.value for text in lesson.markdown)
    checked(lesson.radio(key="factored_prediction_ask").set_value("672").run())
    checked(button(lesson, "Lock in").click().run())
    assert any("It holds **3,360**" in text.value for text in lesson.markdown)


def test_the_exercise_says_why_an_answer_is_wrong_and_which_is_right(lesson):
    assert "largest clique" in answered(lesson, "84").warning[0].value
    assert "no such table" in answered(lesson, "38,102,400").warning[0].value
    assert "each pair is a clique" in answered(lesson, "200").success[0].value
    assert not lesson.warning


def test_a_sweep_that_forgets_a_separator_turns_the_lamp_red(monkeypatch):
    def send(self, source, target):
        self.views[target, source].scale(self.tables[target], self.views[source, target].read(self.tables[source]))

    monkeypatch.setattr(CliqueTables, "send", send)
    lesson = open_page("learn", lesson="factored")
    assert "breaks its promise" in lesson.error[0].value
