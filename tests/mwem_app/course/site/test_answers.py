"""What answers a drawing or an exercise in a file is what the core answers on the page."""

import json
import random
from itertools import combinations
from math import prod

import numpy as np
import pytest
from browser import NO_BROWSER, NOTHING_TESTED

from mwem_app.charts import PIECES, as_lists
from mwem_app.course.blocks import Dialogue
from mwem_app.course.exercises import CurveExercise, NumberExercise, SettingsExercise, message
from mwem_app.course.lesson import blocks_of, lesson_at, shared_scripts
from mwem_app.course.site.pages import all_blocks

pytestmark = pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)
CASES = 20


def one(path, kind=Dialogue):
    """The one block of this kind in a lesson."""
    (found,) = (block for block in all_blocks(blocks_of(lesson_at(path), 3)) if isinstance(block, kind))
    return found


@pytest.fixture
def answered(chromium):
    """What the script of a drawing makes of messages, one after another: what the drawing is told after each."""
    page = chromium.new_page()

    def run(block, courses):
        files = PIECES / "laws.js", *lesson_at(block.name.partition("_")[0]).scripts
        script = "".join(file.read_text(encoding="utf-8") for file in files)
        message = as_lists({"data": block.data, "start": block.start, "held": block.solution})
        follow = f"const {{ tell, take }} = {block.name}_answers(message); "
        follow += " return courses.map((sent) => { let choice = message.start; "
        follow += "return [tell(choice), ...sent.map((each) => tell((choice = take(choice, each))))]; });"
        return page.evaluate(f"([message, courses]) => {{ {script}\n{follow} }}", [message, courses])

    yield run
    page.close()


def by_the_core(block, sent):
    """What the page tells the drawing after each of these messages."""
    choice, told = block.start, [block.tell(block.start)]
    for each in sent:
        choice = block.take(choice, each)
        told.append(block.tell(choice))
    return json.loads(json.dumps(as_lists(told)))


def test_exact_answers_give_the_same_away(answered):
    block, rng = one("attack"), random.Random(1)
    group = lambda: {"group": [rng.randint(0, 1) for _ in range(8)]}  # noqa: E731
    courses = [[group() for _ in range(6)] + [{"again": True}] for _ in range(CASES)]
    assert answered(block, courses) == [by_the_core(block, sent) for sent in courses]


def test_updates_by_hand_lead_to_the_same_tables(answered):
    block, rng = one("reweighting"), random.Random(2)
    picks = [rng.randrange(6) for _ in range(14)]  # two more than the drawing keeps
    courses = [[{"picks": picks[:count]} for count in (1, 4, 3, 14)]]
    for found, sent in zip(answered(block, courses), courses, strict=True):
        for mine, core in zip(found, by_the_core(block, sent), strict=True):
            assert len(mine["steps"]) == len(core["steps"])
            for here, there in zip(mine["steps"], core["steps"], strict=True):
                about = {
                    name: value if value is None else pytest.approx(value, abs=1e-9) for name, value in there.items()
                }
                assert here == about


def test_pairs_chosen_give_as_small_a_tree_and_the_same_goals(answered):
    """Of several trees with the fewest cells, a file may show another one than the page."""
    block, rng = one("factored"), random.Random(3)
    sizes = [each["size"] for each in block.data["attributes"]]
    pairs = list(combinations(range(8), 2))
    courses = [[{"pairs": rng.sample(pairs, rng.randint(0, 9))}] for _ in range(3 * CASES)]
    for found, sent in zip(answered(block, courses), courses, strict=True):
        for mine, core in zip(found, by_the_core(block, sent), strict=True):
            here, there = mine["structure"], core["structure"]
            assert (mine["goals"], mine["solved"]) == (core["goals"], core["solved"])
            assert (here["pairs"], here["cells"]) == (there["pairs"], there["cells"])
            cliques = [each["attrs"] for each in here["cliques"]]
            assert [each["cells"] for each in here["cliques"]] == [prod(sizes[a] for a in each) for each in cliques]
            assert sum(each["cells"] for each in here["cliques"]) == here["cells"]
            joined = {pair for each in cliques for pair in combinations(sorted(each), 2)}
            assert sorted(joined - set(map(tuple, here["pairs"]))) == sorted(map(tuple, here["added"]))
            assert joined >= set(map(tuple, here["pairs"]))
            for i, each in enumerate(here["cliques"]):
                assert not each["shared"] or any(set(each["shared"]) <= set(above) for above in cliques[:i])


pytestmark = pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)


@pytest.fixture
def compare(chromium):
    """Check that a file tells the drawing the same as the page after each of these answers, and before one."""
    page = chromium.new_page()

    def compare(exercise, answers):
        script = shared_scripts("exercise")[0].read_text(encoding="utf-8")
        follow = "const { take, tell } = exercise_answers(message);"
        follow += " return given.map((answer) => tell(take(null, { answer })));"
        sent = as_lists({"data": exercise.data, "held": exercise.solution})
        told = page.evaluate(f"([message, given]) => {{ {script}\n{follow} }}", [sent, [None, *answers]])
        for mine, answer in zip(told, [None, *answers], strict=True):
            core = json.loads(json.dumps(as_lists(message(exercise, answer))))
            assert exercise.data | mine == core

    yield compare
    page.close()


def test_settings_at_all_positions(compare):
    settings = one("rounds", SettingsExercise)
    positions = [list(at) for at in np.ndindex(settings.holds.shape)]
    assert len(positions) == 80
    compare(settings, positions)


def test_numbers_near_and_far(compare):
    number = one("composition", NumberExercise)
    edges = [edge for low, high, *_ in number.cases for edge in (low, high) if edge is not None]
    near = [edge * factor for edge in edges for factor in (1 - 1e-12, 1, 1 + 1e-12)]
    compare(number, [*near, *np.linspace(-1, 500, 300).tolist()])


def test_curves_right_typical_and_random(compare):
    curve, rng = one("choosing", CurveExercise), random.Random(1)
    known = [curve.curve, *(wrong for wrong, _ in curve.typical)]
    drawn = [(wave + shift).clip(0, 100).tolist() for wave in known for shift in np.arange(-12, 13, 2.0)]
    rough = [[rng.randrange(0, 101, 2) for _ in curve.positions] for _ in range(200)]
    compare(curve, [*drawn, *rough])
