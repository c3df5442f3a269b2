"""The numbers of the lesson on a whole table: the eight cells and the net by plain loops, and the check."""

import itertools
import math

import numpy as np
import pytest

from mwem_core import Seeded
from mwem_core.lessons import net as lesson
from mwem_core.lessons.eight import DOMAIN, eight_cells, six_questions
from mwem_core.relatives.net import Net


def test_the_eight_cells_count_the_students(survey, students):
    B = eight_cells(survey)
    assert (DOMAIN.size, B.total) == (8, 200)
    answers = [(drink == "coffee", year == "first", sleep == "under 6 h") for year, sleep, drink in students]
    expected = [answers.count(cell) for cell in itertools.product([True, False], repeat=3)]
    assert B.marginal((0, 1, 2)).ravel().tolist() == expected
    single = [sum(each[a] for each in answers) for a in range(3)]
    pairs = [sum(each[a] and each[b] for each in answers) for a, b in itertools.combinations(range(3), 2)]
    assert six_questions().answers(B).tolist() == single + pairs


def test_the_net_is_that_of_a_plain_loop_over_all_tables(survey, students):
    told = [(drink == "coffee", year == "first", sleep == "under 6 h") for year, sleep, drink in students]
    cells = list(itertools.product([True, False], repeat=3))
    asked = [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]
    truth = [sum(all(each[a] for a in S) for each in told) for S in asked]
    contained = [[all(cell[a] for a in S) for S in asked] for cell in cells]
    errors = []
    for table in itertools.combinations_with_replacement(range(8), lesson.NET_RECORDS):
        answers = [25 * sum(contained[x][q] for x in table) for q in range(6)]
        errors.append(max(abs(a - t) for a, t in zip(answers, truth, strict=True)))
    net = lesson.net_table(survey, [0.1, 1.0], Seeded(3))
    assert net.counts.tolist() == [sum(low <= e < low + lesson.BIN for e in errors) for low in net.lowest]
    for epsilon, probabilities in zip([0.1, 1.0], net.probabilities, strict=True):
        masses = [math.exp(-epsilon / 2 * e) for e in errors]
        expected = [
            sum(m for m, e in zip(masses, errors, strict=True) if low <= e < low + lesson.BIN) / sum(masses)
            for low in net.lowest
        ]
        assert probabilities == pytest.approx(expected)
    for table, error in zip(net.chosen, net.error, strict=True):
        assert table.sum() == 200
        answers = np.array(contained).T @ table
        assert error == pytest.approx(np.abs(answers - truth).max())


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_the_check_holds_and_catches_the_factor_two_slip(survey, epsilon, monkeypatch):
    assert lesson.check(survey, epsilon=epsilon).holds
    monkeypatch.setattr(lesson, "Net", lambda *, epsilon, m: Net(epsilon=2 * epsilon, m=m))
    assert not lesson.check(survey, epsilon=epsilon).holds
