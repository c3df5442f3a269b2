"""What a file finds of an answer to an exercise is what the page finds: at all positions of sliders, and on samples."""

import json
import random

import numpy as np
import pytest
from browser import NO_BROWSER, NOTHING_TESTED

from mwem_app.charts import as_lists
from mwem_app.course.blocks import Reveal
from mwem_app.course.exercises import CurveExercise, NumberExercise, SettingsExercise, message
from mwem_app.course.lesson import blocks_of, lesson_at, shared_scripts

pytestmark = pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)


def exercise(path, kind):
    """The exercise of this kind in a lesson."""
    blocks = [
        each
        for block in blocks_of(lesson_at(path), 1)
        for each in (block.blocks if isinstance(block, Reveal) else [block])
    ]
    (found,) = (block for block in blocks if isinstance(block, kind))
    return found


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
    settings = exercise("rounds", SettingsExercise)
    positions = [list(at) for at in np.ndindex(settings.holds.shape)]
    assert len(positions) == 80
    compare(settings, positions)


def test_numbers_near_and_far(compare):
    number = exercise("composition", NumberExercise)
    edges = [edge for low, high, *_ in number.cases for edge in (low, high) if edge is not None]
    near = [edge * factor for edge in edges for factor in (1 - 1e-12, 1, 1 + 1e-12)]
    compare(number, [*near, *np.linspace(-1, 500, 300).tolist()])


def test_curves_right_typical_and_random(compare):
    curve, rng = exercise("choosing", CurveExercise), random.Random(1)
    known = [curve.curve, *(wrong for wrong, _ in curve.typical)]
    drawn = [(wave + shift).clip(0, 100).tolist() for wave in known for shift in np.arange(-12, 13, 2.0)]
    rough = [[rng.randrange(0, 101, 2) for _ in curve.positions] for _ in range(200)]
    compare(curve, [*drawn, *rough])
