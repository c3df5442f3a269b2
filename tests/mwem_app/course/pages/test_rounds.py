"""The lesson How many rounds?: what the theorem says, and a prediction by a drawn curve."""

from app_pages import open_lesson

from mwem_app.course.rounds.rounds_numbers import ROUNDS
from mwem_app.session import LOCKS


def test_the_theorem_says_with_which_probability_and_where_it_promises_nothing():
    words = " ".join(each.value for each in open_lesson("rounds").markdown)
    assert "with a probability of 95% or more" in words
    assert "below ε = 0.32 the bound is above 100% of them at every T, and says nothing" in words


def test_a_drawn_curve_is_a_prediction_and_the_measured_ones_are_sent_only_after_it(monkeypatch):
    sent, curve = [], [10, 9, 8, 7, 6, 5, 4, 5, 6, 7]

    def drawing(name, data, *, key, **_):
        if name != "rounds":
            return None
        sent.append(data["curves"])
        return {"drawn": curve} if data["drawn"] is None else None

    monkeypatch.setattr("mwem_app.course.lesson_page.drawing", drawing)
    app = open_lesson("rounds")
    assert sent[0] is None
    assert [each["best"] for each in sent[-1]] == sorted(each["best"] for each in sent[-1])
    assert app.session_state[LOCKS]["rounds_prediction"] == ROUNDS[6]
    assert app.session_state[LOCKS]["rounds_drawn"] == curve
