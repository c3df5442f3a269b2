"""What the scripts of drawings compute from a learner's choices, against the core."""

import random
from itertools import combinations
from math import prod

import numpy as np
import pytest
from browser import NO_BROWSER, NOTHING_TESTED

from mwem_app.charts import PIECES, as_lists
from mwem_app.course.attack import attack_numbers as attack
from mwem_app.course.blocks import Drawing
from mwem_app.course.factored.factored_numbers import Structure
from mwem_app.course.lesson import blocks_of, lesson_at
from mwem_app.course.reweighting import reweighting_numbers as reweighting
from mwem_app.course.site.pages import all_blocks
from mwem_app.inputs import load_sample

pytestmark = pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)
CASES = 20
SIZES = (9, 16, 7, 15, 6, 5, 2, 42)
WORK, EDU, MARITAL, JOB, REL, RACE, SEX, COUNTRY = range(8)
SOLUTION = [(WORK, RACE), (WORK, SEX), (RACE, SEX), (EDU, REL), (MARITAL, JOB), (SEX, COUNTRY)]


def one(path, key):
    """The data of a lesson's drawing."""
    (found,) = (
        each for each in all_blocks(blocks_of(lesson_at(path), 3)) if isinstance(each, Drawing) and each.key == key
    )
    return as_lists(found.data)


@pytest.fixture
def computed(chromium):
    """What an expression gives for each case, with a lesson's functions in scope, and the data of a drawing."""
    page = chromium.new_page()

    def computed(path, data, expression, cases):
        files = PIECES / "laws.js", *lesson_at(path).scripts
        script = "".join(file.read_text(encoding="utf-8") for file in files)
        return page.evaluate(
            f"([data, cases]) => {{ {script}\nreturn cases.map(each => {expression}); }}", [data, cases]
        )

    yield computed
    page.close()


def test_exact_answers_give_away_what_all_secrets_that_fit_have_in_common(computed):
    data, rng = one("attack", "exact"), np.random.default_rng(1)
    cases = [attack.GROUPS[rng.choice(len(attack.GROUPS), i % 7)] for i in range(CASES)]
    found = computed("attack", data, "givenAway(data.secret, each)", as_lists(cases))
    for groups, told in zip(cases, found, strict=True):
        answers = [attack.answer(np.array(data["secret"]), group) for group in groups]
        left = attack.consistent(groups, answers)
        assert told == {"answers": answers, "known": attack.known_bits(left), "left": len(left)}


def test_updates_by_hand_lead_to_the_tables_of_the_core(computed):
    data, rng = one("reweighting", "hand"), random.Random(2)
    cases = [[rng.randrange(6) for _ in range(count)] for count in (0, 1, 4, 12)]
    follow = "each.reduce((states, j) => [...states, updated(data, states.at(-1), j)], [uniformState(data)])"
    B, Q = reweighting.eight_cells(load_sample("Class survey")), reweighting.six_questions()
    for picks, found in zip(cases, computed("reweighting", data, follow, cases), strict=True):
        for mine, core in zip(found, reweighting.by_hand(B, Q, picks), strict=True):
            assert mine == {name: pytest.approx(getattr(core, name), abs=1e-9) for name in mine}
            assert mine.get("query") == core.query


@pytest.fixture
def puzzle(computed):
    """The tree of each set of pairs, and the goals that it reaches."""
    data = one("factored", "puzzle")
    assert tuple(each["size"] for each in data["attributes"]) == SIZES
    tell = "(tree => [tree, goalsOf(tree, data)])(structureOf(each, data))"
    return lambda cases: computed("factored", data, tell, as_lists(cases))


def closes_a_loop(pairs):
    """Whether pairs are left after attributes with a single pair are taken away repeatedly."""
    left = set(pairs)
    while ends := {pair for pair in left for a in pair if sum(a in other for other in left) == 1}:
        left -= ends
    return bool(left)


def test_pairs_chosen_give_as_small_a_tree_as_the_core_builds_and_their_goals(puzzle):
    """Of several trees with the fewest cells, the drawing may show another one than the core."""
    rng, every = random.Random(3), list(combinations(range(8), 2))
    cases = [sorted(rng.sample(every, rng.randint(0, 9))) for _ in range(3 * CASES)]
    for pairs, (here, goals) in zip(cases, puzzle(cases), strict=True):
        cells = Structure.of(pairs, SIZES).cells
        assert here["cells"] == cells == sum(each["cells"] for each in here["cliques"])
        cliques = [each["attrs"] for each in here["cliques"]]
        assert [each["cells"] for each in here["cliques"]] == [prod(SIZES[a] for a in each) for each in cliques]
        joined = {pair for each in cliques for pair in combinations(sorted(each), 2)}
        assert sorted(joined - set(pairs)) == sorted(map(tuple, here["added"]))
        assert joined >= set(pairs)
        for i, each in enumerate(here["cliques"]):
            assert not each["shared"] or any(set(each["shared"]) <= set(above) for above in cliques[:i])
        everyone = {a for pair in pairs for a in pair} == set(range(8))
        assert [reached for _, reached in goals] == [len(pairs) == 6, everyone, closes_a_loop(pairs), cells <= 500]


def test_the_puzzle_can_be_solved_and_each_goal_can_be_missed(puzzle):
    misses = [
        SOLUTION[:5],
        [*SOLUTION[:4], (REL, SEX), (SEX, COUNTRY)],
        [(WORK, SEX), (EDU, SEX), (MARITAL, SEX), (JOB, SEX), (REL, RACE), (SEX, COUNTRY)],
        [(WORK, EDU), (WORK, JOB), (EDU, JOB), (MARITAL, REL), (RACE, SEX), (SEX, COUNTRY)],
    ]
    solved, *missed = ([reached for _, reached in goals] for _, goals in puzzle([SOLUTION, *misses]))
    assert all(solved)
    assert not any(reached[i] for i, reached in enumerate(missed))
