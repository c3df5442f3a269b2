"""Handouts: data that give the answers of the key, computed again; and questions without answers."""

import math
import re
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


def test_chances_of_choosing_follow_from_the_scores_of_the_table():
    scores = np.array([float(row[0]) for row in data("choosing").values()])
    weights = np.exp(0.1 * (scores - scores.max()) / 2)
    answer = sheet("choosing")[1][0].answer
    assert all(f"{weight:.2f}" in answer for weight in weights)
    assert f"{100 * weights[0] / weights.sum():.0f}%" in answer


def test_updates_of_reweighting_follow_from_its_table():
    cells = data("reweighting")
    exact = [float(each) for each in cells.pop("measured")[1:7]]
    A = np.array([float(row[0]) for row in cells.values()])
    for j, task in enumerate(sheet("reweighting")[1][:2]):
        counted = np.array([row[1 + j] == "●" for row in cells.values()])
        A = A * np.exp(counted * (exact[j] - A[counted].sum()) / 400)
        A *= 200 / A.sum()
        assert ", ".join(f"{each:.1f}" for each in A) in task.answer


@pytest.mark.parametrize("seed", [1, 2, 7])
def test_the_round_of_mwem_follows_from_its_table(seed):
    cells, task = data("mwem", seed=seed), sheet("mwem", seed)[1][2]
    (m,) = re.findall(r"m = (−?[\d.]+) was", task.text)
    raised = 200 / 9 * math.exp((float(m) - 200 / 9) / 400)
    total = raised + 200 * 8 / 9
    assert f": {200 * raised / total:.2f}, and {200 * 200 / 9 / total:.2f} in" in task.answer
    gaps = {name: abs(float(row[1]) - 200 / 9) for name, row in cells.items()}
    assert max(gaps, key=gaps.__getitem__) in sheet("mwem", seed)[1][1].answer


def test_guesses_of_noise_are_counted_by_its_table():
    (published,) = [row for name, row in data("noise").items() if name == "published"]
    answer = sheet("noise")[1][0].answer
    sides = answer.split(". ")[0].split(", ")
    right = sum((float(value) > 74.5) == (side == "with") for value, side in zip(published, sides, strict=True))
    assert f"is right {right} times" in answer


def test_the_seed_of_a_release_gives_its_counts():
    rows = data("under_attack", 1)
    exact = np.array(rows["released"], float) - np.array(rows["noise of the seed"], float)
    found = [float(each) for each in re.findall(r" (\d+)", sheet("under_attack")[1][2].answer)]
    assert np.abs(exact - found).max() < 0.011


def test_an_answer_is_not_that_of_the_screen():
    """The class of the handout is not the one of the lesson, which a screen shows."""
    assert data("attack", seed=1) != data("attack", seed=2)
    assert handout_page(lesson_at("attack"), 1) != handout_page(lesson_at("attack"), 2)
