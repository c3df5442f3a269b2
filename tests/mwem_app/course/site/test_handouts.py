"""Handouts: what is on each, questions without answers, and the one class that fits the attack.

`test_key_numbers` computes the other answers again.
"""

from itertools import product

import numpy as np
import pytest

from mwem_app.course.attack import NAMES
from mwem_app.course.lesson import LESSONS, lesson_at, sheet_of
from mwem_app.course.sheet import Data, Figure
from mwem_app.course.site.pages import handout_page


def sheet(path, seed=1):
    return sheet_of(lesson_at(path), seed)


def data(path, number=0, seed=1):
    """The rows of a table, by their first cell."""
    found = [part for part in sheet(path, seed)[0] if isinstance(part, Data)][number]
    return {row[0]: list(row[1:]) for row in found.rows}


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.path)
def test_a_sheet_has_data_a_figure_and_tasks_with_answers(lesson):
    parts, tasks = sheet_of(lesson, 1)
    assert any(isinstance(part, Data) for part in parts)
    figures = [part.drawing for part in parts if isinstance(part, Figure)]
    assert figures
    assert all("<svg" in each and "aria-label" in each and "nan" not in each for each in figures)
    assert all(len(row) == len(part.head) for part in parts if isinstance(part, Data) for row in part.rows)
    assert all(task.text and task.answer for task in tasks)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.path)
def test_a_handout_asks_all_and_answers_nothing(lesson):
    page = handout_page(lesson, 1, "http://here/learn?lesson=x&seed=1")
    assert "lesson=x&amp;seed=1" in page
    assert page.count("<svg") >= 1
    assert "Predict first" in page
    assert "Exercise" in page
    assert "<script" not in page
    for task in sheet_of(lesson, 1)[1]:
        assert str(task.text).split(":")[0][:30].replace("'", "&#39;") in page
        assert task.answer not in page


@pytest.mark.parametrize("seed", [1, 2, 7])
def test_only_one_class_gives_the_answers_of_the_attack(seed):
    rows = [row for name, row in data("attack", seed=seed).items() if name != "who?"]
    groups, answers = np.array([[cell == "●" for cell in row[:-1]] for row in rows]), [int(row[-1]) for row in rows]
    (fitting,) = [bits for bits in product((0, 1), repeat=8) if (groups @ bits == answers).all()]
    names = [name for name, bit in zip(NAMES, fitting, strict=True) if bit]
    assert sheet("attack", seed)[1][1].answer == f"Yes: {', '.join(names)}."


def test_an_answer_is_not_that_of_the_screen():
    """The class of the handout is not the one of the lesson, which a screen shows."""
    assert data("attack", seed=1) != data("attack", seed=2)
    assert handout_page(lesson_at("attack"), 1) != handout_page(lesson_at("attack"), 2)
