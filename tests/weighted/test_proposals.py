"""Rows drawn for queries: what they stand for, and which of them are drawn at all."""

import numpy as np
import pytest
from models import chain_model
from oracles import joint

from mwem_core.model import LogLinear
from mwem_core.weighted.tilting import PLANTED_DRAWS, SHARED_DRAWS, drawn_rows, every_cell

DRAWS = 4000


def rare(sizes, S, cell):
    """The query of one cell."""
    q = np.zeros([sizes[a] for a in S])
    q[cell] = 1.0
    return S, q


def dependent(seed):
    """Two pairs of three attributes depend on each other, mildly."""
    rng = np.random.default_rng(seed)
    theta = {(0, 2): rng.normal(scale=0.7, size=(3, 4)), (1, 2): rng.normal(scale=0.7, size=(2, 4))}
    return LogLinear.of((3, 2, 4), 80.0, theta)


def ones(A):
    """One-way marginals, as shares."""
    return [A.marginal((a,)) / A.total for a in range(len(A.sizes))]


def test_every_cell_is_a_row_with_the_models_records():
    A = chain_model(np.random.default_rng(0), sizes=(3, 2, 4))
    rows = every_cell(A)
    assert rows.marginal((0, 1, 2)) == pytest.approx(joint(A) * A.total)
    assert (rows.rows, rows.draws, rows.total, rows.theta) == (24, 24, A.total, A.theta)


def test_drawn_rows_answer_as_the_model_does_in_the_mean():
    """Over 300 draws of the rows, each cell's mean within 5 standard errors.

    The draws that may meet several queries together, and here meet none, come on top of those that the weights count:
    so a cell with planted draws has a little less than A's records, beside the others.
    """
    draws, A, like = 300, dependent(1), dependent(2)
    rare_query, usual = rare(A.sizes, (0, 2), (2, 1)), ((1,), np.array([0.0, 1.0]))
    found = [
        drawn_rows(A, like, [rare_query, usual], np.zeros(2), draws, np.random.default_rng(seed)) for seed in range(300)
    ]
    shares = [0.9 * B + 0.1 * own for B, own in zip(ones(like), ones(A), strict=True)]
    chance = shares[0][2] * shares[2][1]
    assert chance * draws < PLANTED_DRAWS < shares[1][1] * draws
    counted = np.full(A.sizes, float(draws))
    counted[2, :, 1] += PLANTED_DRAWS / chance
    expected = joint(A) * (1 + SHARED_DRAWS * draws / counted)
    tables = np.array([rows.marginal((0, 1, 2)) / A.total for rows in found])
    error = tables.std(axis=0) / np.sqrt(len(tables))
    assert (np.abs(tables.mean(axis=0) - expected / expected.sum()) <= 5 * error).all()
    assert tables.sum(axis=(1, 2, 3)) == pytest.approx(np.ones(300))


def test_rows_have_nearly_the_one_way_marginals_of_the_model_that_they_are_like():
    """A tenth of A's own beside nine of the other's, within 5 standard deviations of 4,000 draws."""
    A, like = LogLinear.uniform((2, 2), 10.0), LogLinear.of((2, 2), 10.0, {(0,): np.array([0.0, -40.0])})
    rows = drawn_rows(A, like, [], np.array([]), DRAWS, np.random.default_rng(0))
    assert (rows.rows, rows.draws, rows.theta) == (round(DRAWS * (1 + SHARED_DRAWS)), DRAWS, A.theta)
    assert rows.codes[0][:DRAWS].mean() == pytest.approx(0.05, abs=5 * np.sqrt(0.05 * 0.95 / DRAWS))
    assert rows.codes[1][:DRAWS].mean() == pytest.approx(0.5, abs=5 * np.sqrt(0.25 / DRAWS))


@pytest.mark.parametrize("outside", [False, True])
def test_a_query_that_hardly_any_draw_meets_gets_draws_of_its_own(outside):
    """One of 10^6 cells, or all but one: 30 draws more, among which the other attribute varies."""
    A = LogLinear.uniform((100, 100, 100, 3), 1000.0)
    S, q = rare(A.sizes, (2, 0, 1), (5, 7, 9))
    rows = drawn_rows(A, A, [(S, 1 - q if outside else q)], np.array([0.0]), DRAWS, np.random.default_rng(0))
    met = (rows.codes[2] == 5) & (rows.codes[0] == 7) & (rows.codes[1] == 9)
    assert met.sum() == PLANTED_DRAWS
    assert len(set(rows.codes[3][met])) == 3
    assert rows.rows == DRAWS + PLANTED_DRAWS + round(SHARED_DRAWS * DRAWS)
    assert rows.weights[met].sum() == pytest.approx(1000 / 10**6 / (1 + SHARED_DRAWS), rel=0.01)


def test_a_query_that_enough_draws_meet_gets_none():
    A = LogLinear.uniform((2, 3), 1000.0)
    rows = drawn_rows(A, A, [((0,), np.array([0.0, 1.0]))], np.array([0.5]), DRAWS, np.random.default_rng(0))
    assert rows.rows == DRAWS + round(SHARED_DRAWS * DRAWS)


def test_a_few_draws_meet_several_queries_together_each_with_its_chance():
    """Two cells of 10^4, which are held by nine tenths and by half of the records: within 5 standard deviations."""
    A = LogLinear.uniform((100, 100, 100, 100), 1000.0)
    queries = [rare(A.sizes, (0, 1), (3, 4)), rare(A.sizes, (3, 2), (5, 6))]
    held = np.array([0.9, 0.5])
    rows = drawn_rows(A, A, queries, held, DRAWS, np.random.default_rng(0))
    last = round(SHARED_DRAWS * DRAWS)
    meets = np.array([(rows.codes[0] == 3) & (rows.codes[1] == 4), (rows.codes[3] == 5) & (rows.codes[2] == 6)])
    share = meets[:, -last:].mean(axis=1)
    assert share == pytest.approx(held, abs=5 * np.sqrt(0.25 / last))
    assert meets[:, -last:].all(axis=0).mean() == pytest.approx(0.45, abs=5 * np.sqrt(0.25 / last))


def test_a_query_that_no_row_can_meet_changes_nothing():
    A = LogLinear.uniform((4, 3), 100.0)
    rows = drawn_rows(A, A, [((0,), np.zeros(4))], np.array([1.0]), DRAWS, np.random.default_rng(0))
    assert rows.rows == DRAWS + round(SHARED_DRAWS * DRAWS)
    assert np.isfinite(rows.weights).all()
