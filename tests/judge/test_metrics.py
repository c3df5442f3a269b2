"""Errors and relative entropy equal their definitions, evaluated loop by loop."""

import math

import numpy as np
import pytest
from oracles import domain_of, query_vectors, random_records

from mwem_core.domain import Records
from mwem_core.judge.errors import errors, relative_entropy
from mwem_core.model import LogLinear
from mwem_core.weighted import Average, WeightedRecords
from mwem_core.workload import marginals, parse_workload

DOMAIN = domain_of([2, 3, 4])
EVERYTHING = (0, 1, 2)


def random_model(rng: np.random.Generator, total: float) -> LogLinear:
    theta = {S: rng.normal(size=DOMAIN.sizes(S)) for S in [(0, 1), (1, 2)]}
    return LogLinear.of(DOMAIN.shape, total, theta)


@pytest.mark.parametrize("spec", ["marginals:2", "cuboids:<=3", "ranges:b,c:all", "where:a == 1 or c < 2"])
@pytest.mark.parametrize("total", [200.0, 170.5], ids=["same total", "another total"])
def test_errors_are_their_definitions(spec, total):
    rng = np.random.default_rng(0)
    Q, B, A = parse_workload(spec, DOMAIN), random_records(DOMAIN, 200, rng), random_model(rng, total)
    result = errors(Q, Q.answers(A), Q.answers(B), B.total, total=total)
    a, b = A.marginal(EVERYTHING).ravel(), B.marginal(EVERYTHING).ravel()
    gaps, squares = [], []
    for query in query_vectors(Q):
        q_A, q_B = sum(q * x for q, x in zip(query, a, strict=True)), sum(q * x for q, x in zip(query, b, strict=True))
        gaps.append(abs(q_A / total - q_B / 200))
        squares.append((q_A - q_B) ** 2)
    assert result.max_error == pytest.approx(max(gaps))
    assert result.mean_error == pytest.approx(sum(gaps) / len(gaps))
    assert result.mean_squared_error == pytest.approx(sum(squares) / len(squares))
    assert result.error_95 == pytest.approx(sorted(gaps)[math.ceil(0.95 * len(gaps)) - 1])
    if not Q.tabular:
        assert (result.mean_tv, result.max_tv) == (None, None)
        assert (result.mean_cuboid_error, result.max_cuboid_error) == (None, None)
        return
    tv = [np.abs(A.marginal(S) / total - B.marginal(S) / 200).sum() / 2 for S in Q.sets]
    assert result.mean_tv == pytest.approx(sum(tv) / len(tv))
    assert result.max_tv == pytest.approx(max(tv))
    within = [np.abs(A.marginal(S) / total * 200 - B.marginal(S)).mean() for S in Q.sets]
    assert result.mean_cuboid_error == pytest.approx(sum(within) / len(within))
    assert result.max_cuboid_error == pytest.approx(max(within))


def test_the_truth_has_no_error():
    Q, B = marginals(DOMAIN, 2), random_records(DOMAIN, 50, np.random.default_rng(1))
    result = errors(Q, Q.answers(B), Q.answers(B), B.total)
    assert (result.max_error, result.mean_error, result.mean_squared_error) == (0, 0, 0)
    assert (result.mean_tv, result.max_tv) == (0, 0)


def test_what_rounding_leaves_of_an_exact_answer_is_no_error():
    """Records that are weighted by thirds, as a fit leaves them: the entropy may be rounded to below 0."""
    B = random_records(DOMAIN, 50, np.random.default_rng(1)).distinct()
    Q, n = marginals(DOMAIN, 2), float(B.total)
    weights = B.weights / 3 * (n / (B.weights / 3).sum()) * (1 + 1e-15)
    A = WeightedRecords(DOMAIN.shape, n, B.codes, weights, {}, draws=0)
    answers = Q.answers(A) + 1e-13
    result = errors(Q, answers, Q.answers(B), n)
    assert (result.max_error, result.mean_tv, result.mean_squared_error) == (0, 0, 0)
    assert errors(Q, answers + 1e-9, Q.answers(B), n).max_error > 0
    assert relative_entropy(B, A) == 0


def test_total_variation_of_tables_without_a_common_cell_is_one():
    Q = marginals(DOMAIN, 3)
    A, B = (Records(DOMAIN, tuple(np.full(9, code, np.uint8) for code in row)) for row in ([0, 0, 0], [1, 2, 3]))
    assert errors(Q, Q.answers(A), Q.answers(B), 9).max_tv == 1


@pytest.mark.parametrize("seed", range(5))
def test_relative_entropy_is_its_sum_over_the_cells_with_records(seed):
    rng = np.random.default_rng(seed)
    B, A = random_records(DOMAIN, 100, rng), random_model(rng, 321.0)
    p, q = B.marginal(EVERYTHING).ravel() / 100, A.marginal(EVERYTHING).ravel() / 321
    looped = sum(x * math.log(x / y) for x, y in zip(p, q, strict=True) if x > 0)
    assert relative_entropy(B, A) == pytest.approx(looped)
    assert relative_entropy(B, A) > 0


def test_relative_entropy_is_zero_to_the_data_itself_and_the_log_of_the_cells_from_one_cell_to_uniform():
    B = Records(DOMAIN, tuple(axis.ravel().astype(np.uint8) for axis in np.indices(DOMAIN.shape)), np.arange(1, 25))
    A = LogLinear.of(DOMAIN.shape, 1.0, {EVERYTHING: np.log(np.arange(1.0, 25).reshape(DOMAIN.shape))})
    assert relative_entropy(B, A) == pytest.approx(0, abs=1e-12)
    one_cell = Records(DOMAIN, tuple(np.zeros(7, np.uint8) for _ in range(3)))
    assert relative_entropy(one_cell, LogLinear.uniform(DOMAIN.shape, 7)) == pytest.approx(math.log(24))


def test_relative_entropy_to_an_average_is_that_to_the_average_of_the_weights():
    rng = np.random.default_rng(3)
    B, parts = random_records(DOMAIN, 100, rng), [random_model(rng, 100.0) for _ in range(3)]
    p, q = B.marginal(EVERYTHING) / 100, np.mean([part.marginal(EVERYTHING) for part in parts], axis=0) / 100
    assert relative_entropy(B, Average(tuple(parts))) == pytest.approx((p[p > 0] * np.log(p[p > 0] / q[p > 0])).sum())


def test_relative_entropy_is_infinite_where_the_model_has_no_weight_in_a_cell_with_records():
    class ZeroWeight:
        def probability(self, codes):
            return np.where(codes[0] == 0, 0.1, 0.0)

    assert relative_entropy(random_records(DOMAIN, 50, np.random.default_rng(0)), ZeroWeight()) == math.inf


def test_rows_of_weight_zero_contribute_nothing_to_relative_entropy():
    codes = tuple(np.array(column, np.uint8) for column in ([0, 1], [0, 2], [0, 3]))
    weighted = Records(DOMAIN, codes, np.array([5, 0]))
    assert relative_entropy(weighted, LogLinear.uniform(DOMAIN.shape, 5)) == pytest.approx(math.log(24))
