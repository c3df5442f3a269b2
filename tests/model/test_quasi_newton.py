"""L-BFGS against exact solutions."""

import numpy as np
import pytest

from mwem_core.model.most_probable_fit import minimise


def small(gradient):
    return bool(np.abs(gradient).max() < 1e-9)


@pytest.mark.parametrize("condition", [1.0, 1e2, 1e4])
def test_the_least_value_of_a_quadratic_is_that_of_its_linear_equations(condition):
    rng = np.random.default_rng(0)
    rotation = np.linalg.qr(rng.normal(size=(30, 30)))[0]
    hessian, b = rotation * np.geomspace(1, condition, 30) @ rotation.T, rng.normal(size=30)
    x = minimise(
        lambda x: (x @ hessian @ x / 2 - b @ x, hessian @ x - b),
        np.zeros(30),
        scale=1 / np.diag(hessian),
        done=small,
        iterations=2000,
    )
    assert x == pytest.approx(np.linalg.solve(hessian, b), abs=1e-9 * condition + 1e-7)


def test_no_step_raises_the_function_and_an_infinite_value_is_stepped_back_from():
    """x - ln x is infinite below 0, where the first step at this scale would go; its least value is at 1."""
    taken = []

    def f(x):
        value = float(x[0] - np.log(x[0])) if x[0] > 0 else np.inf
        return value, 1 - 1 / np.where(x > 0, x, 1.0)

    def done(gradient):
        taken.append(1 / (1 - gradient[0]))  # where the gradient was taken
        return small(gradient)

    assert minimise(f, np.array([5.0]), scale=np.array([100.0]), done=done, iterations=100) == pytest.approx([1.0])
    values = [x - np.log(x) for x in taken]
    assert values == sorted(values, reverse=True)
    assert taken[0] == pytest.approx(5.0)


def test_it_stops_after_the_given_number_of_steps():
    calls = []

    def done(gradient):
        calls.append(gradient)
        return False

    minimise(lambda x: (float((x**4).sum()), 4 * x**3), np.ones(3), scale=np.full(3, 0.1), done=done, iterations=7)
    assert len(calls) == 7


def points(f, start, scale, iterations=1):
    """Every point at which f is asked, in order."""
    asked = []

    def recorded(x):
        asked.append(x.tolist())
        return f(x)

    minimise(recorded, start, scale=scale, done=small, iterations=iterations)
    return asked


def bowl(x):
    return float(x @ x), 2 * x


def test_a_step_of_the_exact_curvature_is_newtons_and_is_tried_once():
    assert points(bowl, np.array([3.0, -2.0]), np.full(2, 0.5), iterations=9) == [[3.0, -2.0], [0.0, 0.0]]


def test_a_step_too_long_is_cut_to_the_least_of_the_parabola():
    """Four times Newton's step from 3 ends at -9; the parabola through both has its least at a quarter of the step."""
    assert points(bowl, np.array([3.0]), np.array([2.0])) == [[3.0], [-9.0], [0.0]]


def test_a_step_is_cut_to_no_less_than_a_tenth():
    """Its end is so high that the parabola's least is far nearer, or it is infinite, so that there is no parabola."""

    def steep(x):
        return (float(x[0] ** 2) if abs(x[0]) < 2 else 1e6), 2 * x

    assert points(steep, np.array([1.0]), np.array([5.0])) == [[1.0], [-9.0], [0.0]]

    def infinite(x):
        return (float(x[0]) if x[0] > 0 else np.inf), np.ones(1)

    assert points(infinite, np.array([1.0]), np.array([5.0])) == [[1.0], [-4.0], [0.5]]


def test_where_l_bfgs_is_slow_newton_steps_reach_the_end_in_a_dozen():
    """A valley along which f falls like exp(-x): ten steps of L-BFGS leave the gradient at a thousandth."""
    rotation = np.linalg.qr(np.random.default_rng(1).normal(size=(12, 12)))[0]
    ridge = np.geomspace(1e-9, 1e-3, 12)

    def f(x):
        y = rotation @ x
        return float(np.exp(-y).sum() + (ridge * y**2).sum() / 2), rotation.T @ (ridge * y - np.exp(-y))

    def curvature(x):
        y = rotation @ x
        return rotation.T * (np.exp(-y) + ridge) @ rotation

    asked = []

    def done(gradient):
        asked.append(gradient)
        return bool(np.abs(gradient).max() < 1e-12)

    settings = {"scale": np.ones(12), "done": done}
    x = minimise(f, np.zeros(12), curvature=curvature, iterations=15, **settings)
    assert np.abs(f(x)[1]).max() < 1e-12
    assert len(asked) <= 31
    assert np.abs(f(minimise(f, np.zeros(12), iterations=100, **settings))[1]).max() > 1e-12  # L-BFGS alone
