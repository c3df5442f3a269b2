"""The numbers of the lesson Reweighting: updates by plain sums, the fall of Ψ with and without noise."""

import itertools
import math

import numpy as np
import pytest
from oracles import query_vectors
from weights_instances import FAMILIES, instance

from mwem_app.course.reweighting import reweighting_numbers as reweighting
from mwem_app.course.reweighting.reweighting_numbers import DOMAIN, counted_cells, eight_cells, six_questions
from mwem_core import Seeded


@pytest.fixture(scope="module")
def class_of_eight(survey):
    return eight_cells(survey), six_questions()


def plain_update(A, q, m, n, times=1.0):
    """A(x) ∝ A(x) exp(times · q(x) (m - q(A)) / 2n), total n, by sums over lists."""
    answer = math.fsum(v * a for v, a in zip(q, A, strict=True))
    pushed = [a * math.exp(times * v * (m - answer) / (2 * n)) for v, a in zip(q, A, strict=True)]
    return [n * a / math.fsum(pushed) for a in pushed]


def potential(B, A):
    n = sum(B)
    return math.fsum(b / n * math.log(b / a) for b, a in zip(B, A, strict=True) if b)


def test_the_eight_cells_count_the_students(class_of_eight, students):
    B, Q = class_of_eight
    assert (DOMAIN.size, B.total) == (8, 200)
    answers = [(drink == "coffee", year == "first", sleep == "under 6 h") for year, sleep, drink in students]
    expected = [answers.count(cell) for cell in itertools.product([True, False], repeat=3)]
    assert B.marginal((0, 1, 2)).ravel().tolist() == expected
    single = [sum(each[a] for each in answers) for a in range(3)]
    pairs = [sum(each[a] and each[b] for each in answers) for a, b in itertools.combinations(range(3), 2)]
    assert Q.answers(B).tolist() == single + pairs


def test_the_counted_cells_are_those_of_the_questions(class_of_eight):
    _, Q = class_of_eight
    assert counted_cells(Q).tolist() == query_vectors(Q)


def test_updates_by_hand_are_those_of_plain_sums(class_of_eight):
    B, Q = class_of_eight
    truth, n, queries, picks = B.marginal((0, 1, 2)).ravel().tolist(), 200, query_vectors(Q), [2, 0, 5, 2, 3]
    A = [25.0] * 8
    first, *states = reweighting.by_hand(B, Q, picks)
    assert first.cells == pytest.approx(A)
    assert (first.query, first.promise) == (None, 0)
    for j, state in zip(picks, states, strict=True):
        answer, exact = np.dot(queries[j], A), np.dot(queries[j], truth)
        A = plain_update(A, queries[j], exact, n)
        assert state.query == j
        assert state.cells == pytest.approx(A)
        assert state.answers == pytest.approx(np.array(queries) @ A)
        assert state.potential == pytest.approx(potential(truth, A))
        assert state.error == pytest.approx(answer - exact)
        assert state.promise == pytest.approx(((answer - exact) / 400) ** 2)


def test_the_updates_that_halve_the_largest_error_are_those_of_plain_sums(class_of_eight):
    B, Q = class_of_eight
    truth, queries, A = B.marginal((0, 1, 2)).ravel(), np.array(query_vectors(Q)), [25.0] * 8
    errors = [np.abs(queries @ (A - truth)).max()]
    while errors[-1] > errors[0] / 2:
        worst = int(np.abs(queries @ (A - truth)).argmax())
        A = plain_update(A, queries[worst], queries[worst] @ truth, 200)
        errors.append(np.abs(queries @ (A - truth)).max())
    most = int(potential(truth.tolist(), [25.0] * 8) / (errors[0] / 2 / 400) ** 2)
    assert reweighting.halving(B, Q) == (errors[0], len(errors) - 1, most)
    assert len(errors) - 1 <= most


def test_going_back_and_picking_again_gives_the_same_states(class_of_eight):
    B, Q = class_of_eight
    *_, once = reweighting.by_hand(B, Q, [2, 0])
    *_, again = reweighting.by_hand(B, Q, [2, 0, 4])[:-1]
    assert once.cells.tolist() == again.cells.tolist()


def test_pushes_are_one_update_with_a_multiple_of_the_exponent(class_of_eight):
    B, Q = class_of_eight
    truth, q = B.marginal((0, 1, 2)).ravel().tolist(), query_vectors(Q)[1]
    exact, multiples = np.dot(q, truth), [0, 1, 8.5, 30]
    pushes = reweighting.pushes(B, Q, 1, multiples)
    for i, multiple in enumerate(multiples):
        A = plain_update([25.0] * 8, q, exact, 200, times=multiple)
        assert pushes.cells[i] == pytest.approx(A)
        assert pushes.answers[i] == pytest.approx(np.dot(q, A))
        assert pushes.potentials[i] == pytest.approx(potential(truth, A))
        assert pushes.factors[i] == pytest.approx(math.exp(multiple * (exact - 100) / 400))


@pytest.mark.parametrize("epsilon", [0.01, 0.05, 1.0])
@pytest.mark.parametrize("family", FAMILIES)
def test_psi_falls_by_at_least_the_promise_also_with_noise(family, epsilon):
    """Ψ_{i-1} - Ψ_i >= ((q(A) - q(B)) / 2n)² - ((m - q(B)) / 2n)², on every draw."""
    promises = []
    for seed in range(4):
        B, Q = instance(family, seed)
        states = reweighting.course(B, Q, 6, epsilon=epsilon, noise=Seeded(seed))
        for before, after in itertools.pairwise(states):
            assert before.potential - after.potential >= after.promise - 1e-12
            assert abs(after.error) == pytest.approx(np.abs(before.answers - Q.answers(B)).max())
            promises.append(after.promise)
    if epsilon != 0.05:  # there it depends on the draws
        assert (min(promises) < 0) == (epsilon < 1)  # large noise promises nothing


def test_measurements_of_a_course_miss_by_laplace_noise_of_scale_one_over_epsilon(class_of_eight):
    """The mean size of 240 Laplace draws of scale 20; its standard deviation is 20/√240 = 1.3."""
    B, Q = class_of_eight
    runs = [reweighting.course(B, Q, 12, epsilon=0.05, noise=Seeded(seed)) for seed in range(20)]
    misses = [abs(state.noise) for run in runs for state in run[1:]]
    assert np.mean(misses) == pytest.approx(20, abs=5)
