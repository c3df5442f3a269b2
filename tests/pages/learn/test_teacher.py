"""The teacher's answers: each is what its lesson shows once a prediction is locked in, and no page shows one before."""

import re
from pathlib import Path

import numpy as np
import pytest
from app_pages import button, checked, open_lesson, open_page, words

from mwem_app.learn.exercises.kinds import DrawnExercise
from mwem_app.learn.lessons import LESSONS, lesson_at
from mwem_app.lessons.watched import EXAMPLES, T, example
from mwem_app.lessons.written import blocks_of
from mwem_app.session.locked import LOCKED, Locked
from mwem_app.words.numbers import percent
from mwem_core.lessons.mwem import watch
from mwem_core.lessons.rounds import ROUNDS
from mwem_core.privacy.noise import Seeded

KEY = (Path(__file__).parents[3] / "docs" / "teacher.md").read_text(encoding="utf-8")
ROWS = {title: rest for title, *rest in (line.strip("| ").split(" | ") for line in KEY.splitlines() if "|" in line)}

# What a lesson says of its prediction, once it is made: as the lesson writes it, and as the key does.
SHOWN = {
    "noise": ("best guesser gets **13.9** of 20", "13.9 on average"),
    "choosing": ("from 49% to 77%", "153 of 200 on average, as the probability grows from 49% to 77%; 160 at seed 1"),
    "reweighting": ("**After 6 updates.**", "6 updates halve the largest error of 56; the promise allows 61"),
    "mwem": ("**1.8 of 8** along this run", "1.8 at seed 1"),
    "factored": ("It holds **3,360**", "3,360 cells"),
    "attack": ("**About 16.**", "ε about 16"),
    "under_attack": ("1 of them:** all others leave fractions", "1 of the 40 seeds"),
    "composition": ("zCDP says ε = **4.0**", "zCDP says ε = 4.0"),
    "net": ("**Only 14.**", "14 of the 6,435 tables"),
}


def test_the_key_has_a_row_for_every_lesson():
    assert [title for title in ROWS if title in {lesson.title for lesson in LESSONS}] == [
        lesson.title for lesson in LESSONS
    ]


@pytest.fixture
def sent(monkeypatch):
    """What each drawing of a lesson was sent last, by its key."""
    last = {}
    open_page("learn")  # what else draws has imported the real drawing now
    monkeypatch.setattr("mwem_app.learn.drawing.drawing", lambda name, data, key: last.update({key: data}))
    return last


def predict(app, path):
    """Lock in the first option, or the number that the slider shows."""
    for radio in app.radio:
        if radio.key == f"{path}_prediction_ask":
            checked(radio.set_value(radio.options[0]).run())
    checked(button(app, "Lock in").click().run())


@pytest.mark.parametrize("path", SHOWN)
def test_a_lesson_shows_what_the_key_says_and_only_after_the_prediction(path):
    (shown, key), (title,) = SHOWN[path], (lesson.title for lesson in LESSONS if lesson.path == path)
    assert key in ROWS[title][0]
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


def test_the_chances_of_a_run_are_sent_only_after_the_prediction(sent):
    app = open_lesson("mwem")
    assert all(run["probabilities"] is None for run in sent["mwem_class"]["runs"])
    predict(app, "mwem")
    assert all(run["probabilities"] is not None for run in sent["mwem_class"]["runs"])


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


def test_the_bettors_wins_over_seeds_are_those_of_the_key():
    """Seeds 12 and 29 of 1 to 60 have the fewest and the most."""
    B, Q = example("Class survey")
    chosen = EXAMPLES["Class survey"]
    wins = [watch(B, Q, epsilon=chosen.start, T=T, noise=Seeded(seed)).best_bets for seed in (12, 29)]
    assert tuple(f"{each:.1f}" for each in wins) == re.findall(r"(\d\.\d) to (\d\.\d) at seeds 1 to 60", KEY)[0]


def test_the_curve_of_the_rounds_is_that_of_the_key(sent):
    app = open_lesson("rounds")
    assert sent["rounds"]["curves"] is None
    app.session_state[LOCKED] = {"rounds_drawn": Locked("rounds", "", [10.0] * len(ROUNDS))}
    checked(app.run())
    drawn = sent["rounds"]["curves"][sent["rounds"]["start"]]
    assert ROWS["How many rounds?"][0] == (
        f"the curve falls to {percent(drawn['mean'].min())} at {drawn['best']} rounds and rises again; uniform has "
        f"{percent(sent['rounds']['uniform'])}"
    )


def exercise_of(path):
    """The exercise of a lesson that is answered by its drawing."""
    blocks = [each for block in blocks_of(lesson_at(path), 1) for each in getattr(block, "blocks", [block])]
    (found,) = (block for block in blocks if isinstance(block, DrawnExercise))
    return found


def test_the_answers_to_exercises_beyond_one_choice_are_those_of_the_key():
    key = " ".join(KEY.split())
    curve, settings, number = map(exercise_of, ("choosing", "rounds", "composition"))
    at = [curve.positions.index(epsilon) for epsilon in ("0.05", "0.2", "0.5")]
    low, middle, high = (f"{curve.curve[i]:.0f}%" for i in at)
    assert f"from {low} at ε = 0.05 by {middle} at 0.2 to {high} at 0.5" in key
    (slip, _), _, (flat, _) = curve.typical
    low, middle, high = (f"{slip[i]:.0f}%" for i in at)
    assert f"by {low}, {middle} and {high} is the factor-two slip; a flat one at {flat[0]:.0f}% is" in key

    rounds, epsilons = (setting.texts for setting in settings.settings)
    right = [(epsilons[e], rounds[T]) for T, e in np.argwhere(settings.holds)]
    assert right == [("1.6", "8"), ("1.6", "12"), ("1.6", "16")]
    assert "ε = 1.6 with T = 8, 12 or 16" in key
    errors = settings.conditions[0].values
    few, many = (errors[rounds.index(T), epsilons.index("1.6")] for T in ("6", "20"))
    assert f"T = 6 errs by {few:.1f} and T = 20 by {many:.1f}" in key
    assert f"at ε = 0.8 the best T errs by {errors[:, epsilons.index('0.8')].min():.0f}" in key

    forgotten, doubled, whole, *_ = number.typical
    assert f"{number.right:g} = 2T/ε, within {number.tolerance:.0%}. {forgotten:g} forgets" in key
    assert f"{whole:g} gives each measurement the whole purse, and {doubled:g} takes the 4T" in key


def test_no_page_of_the_list_has_an_answer():
    app = open_page("learn")
    for lesson in LESSONS:
        checked(app.selectbox(key="class_lesson").select(lesson).run())
        assert not any(answer in words(app) for _, answer in SHOWN.values())
    assert "docs/teacher.md" in words(app)
