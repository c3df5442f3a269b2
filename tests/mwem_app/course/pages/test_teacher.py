"""The teacher's answers: each is what its lesson shows once a prediction is locked in, and no page shows one before."""

import re

import pytest
from app_pages import button, checked, open_lesson, open_page, words

from mwem_app.base import percent
from mwem_app.course import LESSONS, lesson_at
from mwem_app.course.mwem.mwem_numbers import T
from mwem_app.course.rounds.rounds_numbers import ROUNDS
from mwem_app.course.site.teacher_key import key_paragraphs
from mwem_app.session import LOCKS

# What a lesson says of its prediction, once it is made.
SHOWN = {
    "noise": "best guesser gets **13.9** of 20",
    "choosing": "from 49% to 77%",
    "reweighting": "**After 6 updates.**",
    "mwem": "**1.8 of 8** along this run",
    "factored": "It holds **3,360**",
    "attack": "**About 16.**",
    "under_attack": "1 of them:** all others leave fractions",
    "composition": "zCDP says ε = **4.0**",
}


def key(path):
    """The teacher's key to a lesson."""
    return "\n".join(key_paragraphs(lesson_at(path), 1))


@pytest.fixture
def sent(monkeypatch):
    """What each drawing of a lesson was sent last, by its key."""
    last = {}
    monkeypatch.setattr("mwem_app.course.lesson_page.drawing", lambda name, data, *, key, **_: last.update({key: data}))
    return last


def predict(app, path):
    """Lock in the first option, or the number that the slider shows."""
    for radio in app.radio:
        if radio.key == f"{path}_prediction_ask":
            checked(radio.set_value(radio.options[0]).run())
    checked(button(app, "Lock in").click().run())


@pytest.mark.parametrize("path", SHOWN)
def test_a_lesson_shows_what_the_key_says_and_only_after_the_prediction(path):
    shown = SHOWN[path]
    assert shown in key(path)
    app = open_lesson(path)
    assert shown not in words(app)
    predict(app, path)
    assert shown in words(app)


def test_the_chance_of_a_bet_is_nowhere_on_the_page_before_it_is_predicted(sent):
    """The answer is 13.9 of 20, 70%, and the cap at the same ε is 73%."""
    app = open_lesson("noise")
    texts = [words(app), *(text.value for text in app.success), *app.radio(key="noise_answer").options]
    assert not re.search(r"\b(70|73)%|13\.9|14\.6", "\n".join(texts))
    assert "bet" not in sent
    assert [kind["chances"] for kind in sent["noise"]["kinds"]] == [None] * 3
    assert sent["mean"]["caps"] is None
    assert sent["noise"]["epsilons"][sent["noise"]["closed"]] == 1.0  # its dots could be counted
    predict(app, "noise")
    assert sent["noise"]["closed"] is None
    assert all(kind["chances"] for kind in sent["noise"]["kinds"])
    assert sent["bet"]["chances"]


def test_later_rounds_and_the_chances_of_a_run_are_sent_only_after_the_prediction(sent):
    app = open_lesson("mwem")
    (run,) = sent["mwem_round"]["runs"]
    assert (len(run["chosen"]), run["probabilities"]) == (1, None)
    assert sent["mwem_halves"]["chance"] is None
    assert "mwem_class" not in sent
    predict(app, "mwem")
    assert all(len(run["probabilities"]) == T for run in sent["mwem_class"]["runs"])
    assert sent["mwem_halves"]["chance"] is not None


def test_the_cliques_of_the_loop_are_sent_and_the_puzzle_opens_only_after_the_prediction(sent):
    app = open_lesson("factored")
    assert sent["ring"]["structure"]["cliques"] == []
    assert "puzzle" not in sent
    assert not any(
        clique["cells"] == 3360 for step in sent["growth"]["steps"] for clique in step["structure"]["cliques"]
    )
    predict(app, "factored")
    assert max(clique["cells"] for clique in sent["ring"]["structure"]["cliques"]) == 3360
    assert "puzzle" in sent


def test_no_scene_of_choosing_has_the_predicted_candidates_at_another_epsilon_before_the_prediction(sent):
    open_lesson("choosing")
    asked = sent["start"]["scores"].tolist()
    assert [key for key, data in sent.items() if list(data.get("scores", ())) == asked] == ["start"]
    assert "slip" not in sent
    assert "flip" not in sent
    assert "spin" not in sent


def test_the_curve_of_the_rounds_is_that_of_the_key(sent):
    app = open_lesson("rounds")
    assert sent["rounds"]["curves"] is None
    app.session_state[LOCKS] = {"rounds_drawn": [10.0] * len(ROUNDS)}
    checked(app.run())
    drawn = sent["rounds"]["curves"][sent["rounds"]["start"]]
    assert f"{percent(drawn['mean'].min())} at {drawn['best']}, " in key("rounds")
    assert f"It is lowest at {drawn['best']}." in key("rounds")


def test_no_page_of_the_list_has_an_answer():
    app = open_page("learn")
    for lesson in LESSONS:
        checked(app.selectbox(key="class_lesson").select(lesson).run())
        assert not any(answer in words(app) for answer in SHOWN.values())
    assert "docs/teacher.md" in words(app)
