"""Tilted rows: what a tilt holds, its weights, and the most probable weights against a general solver."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

from mwem_core.weighted.tilting import Tilt
from mwem_core.weighted.weighted_records import WeightedRecords

SIZES, TOTAL = (2, 3, 2), 50.0
QUERIES = [((0,), np.array([0.0, 1.0])), ((1, 2), np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))]
COUNTS = np.array([31.0, 12.0])


def rows() -> WeightedRecords:
    """Every cell but one, of random weights; one query has a log-weight already."""
    codes = tuple(axis.ravel()[1:] for axis in np.indices(SIZES))
    weights = np.random.default_rng(0).dirichlet(np.ones(11)) * TOTAL
    return WeightedRecords(SIZES, TOTAL, codes, weights, {(0,): np.array([0.5, -0.5])}, draws=11)


def tilt() -> Tilt:
    return Tilt.of(rows(), QUERIES, COUNTS)


def inside() -> np.ndarray:
    """Whether each row is in each query, row by row."""
    return np.array([[q[tuple(x[a] for a in S)] for S, q in QUERIES] for x in zip(*rows().codes, strict=True)])


def test_a_tilt_has_the_rows_values_of_the_queries_and_its_gaps_in_records():
    values, weights = inside(), rows().weights
    assert tilt().values.tolist() == values.tolist()
    assert tilt().shares == pytest.approx(weights / TOTAL)
    assert tilt().gaps == pytest.approx(COUNTS - weights @ values)
    assert tilt().untilted.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("chances", [None, np.random.default_rng(1).dirichlet(np.ones(11))])
def test_the_covariance_is_that_of_a_drawn_row(chances):
    weights = rows().weights if chances is None else chances
    assert tilt().covariance(chances) == pytest.approx(np.cov(inside().T, aweights=weights, ddof=0))


def test_a_tilt_multiplies_the_weights_and_adds_to_the_log_weights():
    theta = np.array([0.7, -1.2])
    tilted = tilt().tilted(theta)
    weights = rows().weights * np.exp(inside() @ theta)
    assert tilted.weights == pytest.approx(TOTAL * weights / weights.sum())
    assert tilted.theta[(0,)].tolist() == pytest.approx([0.5, -0.5 + 0.7])
    assert tilted.theta[(1, 2)] == pytest.approx(-1.2 * QUERIES[1][1])


def test_a_row_without_weight_keeps_none():
    start = rows()
    start = replace(start, weights=np.where(np.arange(11) == 3, 0.0, start.weights))
    start = replace(start, weights=start.weights * TOTAL / start.weights.sum())
    tilted = Tilt.of(start, QUERIES, COUNTS).tilted(np.array([4.0, 4.0]))
    assert tilted.weights[3] == 0
    assert tilted.weights.sum() == pytest.approx(TOTAL)


@pytest.mark.parametrize(("strength", "variance"), [(3.0, 9.0), (0.5, 1.0), (40.0, 100.0)])
@pytest.mark.parametrize("start", [np.zeros(2), np.array([3.0, -2.0])])
def test_the_most_probable_weights_are_those_of_a_general_solver(strength, variance, start):
    """The least n² Σ (m - q(p))² / 2 variance + λ KL(p || rows), over the logs of the rows' shares."""
    of, values = tilt(), inside()

    def loss(logs):
        p = np.exp(logs - np.logaddexp.reduce(logs))
        misfit = ((COUNTS - TOTAL * p @ values) ** 2).sum() / (2 * variance)
        return misfit + strength * (p * np.log(p / of.shares)).sum()

    theta = of.most_probable(strength=strength, variance=variance, tolerance=1e-16, start=start, rows=0.0)
    assert theta is not None
    found = of.tilted(theta).weights
    least = minimize(loss, np.log(of.shares), method="BFGS", options={"gtol": 1e-9})
    assert loss(np.log(found)) == pytest.approx(least.fun, rel=1e-8)
    assert found == pytest.approx(TOTAL * np.exp(least.x) / np.exp(least.x).sum(), abs=1e-3)


def test_a_tolerance_ends_the_search_once_the_gap_is_below_it():
    """The gap, n² Σ gradient² / 2 variance, against tolerance · Σ 1/2: a start just below it stays as it is."""
    of, strength, variance, start = tilt(), 3.0, 9.0, np.array([3.0, -2.0])
    ridge = strength * variance / TOTAL**2

    def gap(theta):
        p = of.tilted(theta).weights / TOTAL
        return TOTAL**2 * ((p @ of.values - of.m + ridge * theta) ** 2).sum() / variance / 2

    def found(tolerance):
        theta = of.most_probable(strength=strength, variance=variance, tolerance=tolerance, start=start, rows=0.0)
        assert theta is not None
        return theta

    assert found(1.01 * gap(start)) is start
    assert gap(found(0.99 * gap(start))) < 0.5 * gap(start)
    assert gap(found(1e-9)) <= 1e-9


def test_the_search_gives_up_where_fewer_rows_stay_in_effect_than_asked():
    of = tilt()
    settings = {"strength": 0.5, "variance": 1.0, "tolerance": 1e-12, "start": of.untilted}
    theta = of.most_probable(**settings, rows=0.0)
    p = of.tilted(theta).weights / TOTAL
    in_effect = 1 / (p**2).sum()
    assert of.most_probable(**settings, rows=0.5 * in_effect) is not None
    assert of.most_probable(**settings, rows=1.01 * in_effect) is None
