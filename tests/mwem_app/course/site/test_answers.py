"""What answers a drawing in a file is what the core answers on the page: on random choices of a learner."""

import json
import random
from itertools import combinations
from math import prod

import pytest
from browser import NO_BROWSER, NOTHING_TESTED

from mwem_app.charts import PIECES, as_lists
from mwem_app.course.blocks import Dialogue, Reveal
from mwem_app.course.lesson import blocks_of, lesson_at

pytestmark = pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)
CASES = 20


def dialogue(path):
    """The one drawing of a lesson that asks."""
    blocks = [
        each
        for block in blocks_of(lesson_at(path), 3)
        for each in (block.blocks if isinstance(block, Reveal) else [block])
    ]
    (found,) = (block for block in blocks if isinstance(block, Dialogue))
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
    block, rng = dialogue("attack"), random.Random(1)
    group = lambda: {"group": [rng.randint(0, 1) for _ in range(8)]}  # noqa: E731
    courses = [[group() for _ in range(6)] + [{"again": True}] for _ in range(CASES)]
    assert answered(block, courses) == [by_the_core(block, sent) for sent in courses]


def test_updates_by_hand_lead_to_the_same_tables(answered):
    block, rng = dialogue("reweighting"), random.Random(2)
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
    block, rng = dialogue("factored"), random.Random(3)
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
