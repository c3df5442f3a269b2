"""A model moved to tables and counts: by hand on a tree, on rows, and where neither can have all of them."""

import numpy as np
import pytest
from oracles import joint

from mwem_core.automatic import nearest_model
from mwem_core.automatic.nearest_model import move_table, move_to
from mwem_core.model import LogLinear, Measurement
from mwem_core.weighted import CorrectedModel, WeightedRecords

SIZES, N = (3, 2, 4), 600


def known(A, counts):
    """Predicates over (0, 1) and (2,), with these counts."""
    first, second = np.zeros((3, 2)), np.array([0.0, 0, 1, 1])
    first[0, 1] = 1
    return [
        Measurement(S, np.array(m), 0.1, q) for S, m, q in zip(((0, 1), (2,)), counts, (first, second), strict=True)
    ]


def test_a_log_linear_model_is_moved_to_the_counts_and_no_further():
    """Inside and outside of predicates that do not overlap in what they read, by hand: p times one factor for each."""
    rng = np.random.default_rng(1)
    A = LogLinear.of(SIZES, float(N), {S: rng.normal(size=[SIZES[a] for a in S]) for S in ((0, 1), (1, 2))})
    measured, p = known(A, (90.0, 350.0)), joint(A)
    moved = move_to(A, {}, measured)
    for _ in range(500):
        for m in measured:
            q, share = m.q[:, :, None] if m.attrs == (0, 1) else m.q, m.value / N
            inside = (p * q).sum()
            p = p * np.where(q > 0, share / inside, (1 - share) / (1 - inside))
    assert joint(moved) == pytest.approx(p, rel=1e-3)


def test_a_table_is_taken_over_and_what_is_inside_it_moves_it():
    """By hand: the nearest distribution with the table over (0, 2), scaled to the count within it, and one outside."""
    rng = np.random.default_rng(2)
    A = LogLinear.of(SIZES, float(N), {S: rng.normal(size=[SIZES[a] for a in S]) for S in ((0, 1), (1, 2))})
    table = rng.dirichlet(np.ones(12)).reshape(3, 4) * N
    outside, inside = known(A, (90.0, 350.0))
    moved, q = move_to(A, {(0, 2): table}, [outside, inside]), inside.q
    within = (table * q).sum()
    table = np.where(q, table * 350 / within, table * (N - 350) / (N - within))
    p = joint(A)
    for _ in range(500):
        p = p * (table / N / p.sum(axis=1))[:, None]
        count = (p * outside.q[:, :, None]).sum()
        p = p * np.where(outside.q[:, :, None] > 0, 90 / N / count, (1 - 90 / N) / (1 - count))
    far_below_the_noise = 0.02  # records: its scale is .1
    assert moved.marginal((0, 2)) == pytest.approx(table, abs=far_below_the_noise)
    assert moved.marginal((2,))[2:].sum() == pytest.approx(350, abs=far_below_the_noise)
    assert joint(moved) == pytest.approx(p, abs=far_below_the_noise / N)


@pytest.mark.parametrize("corrected", [False, True])
def test_where_rows_answer_they_and_the_tables_that_predicates_read_are_moved(corrected):
    rows = WeightedRecords.drawn_from(LogLinear.uniform(SIZES, float(N)), 300, np.random.default_rng(0))
    tables = {(0, 1): np.full((3, 2), N / 6), (1, 2): np.full((2, 4), N / 8)} if corrected else {}
    A = CorrectedModel(rows, tables) if corrected else rows
    moved = move_to(A, {}, known(A, (90.0, 350.0)))
    assert isinstance(moved, CorrectedModel)
    assert moved.A.marginal((0, 1))[0, 1] == pytest.approx(90)
    assert moved.A.marginal((2,))[2:].sum() == pytest.approx(350)
    assert moved.A.total == moved.A.weights.sum() == pytest.approx(N)
    assert moved.marginal((0, 1))[0, 1] == pytest.approx(90)
    assert moved.marginal((2,))[2:].sum() == pytest.approx(350)
    assert moved.marginal((0, 1)).sum() == pytest.approx(N)
    if corrected:
        assert moved.tables[1, 2] is tables[1, 2]
    table = np.arange(12.0)[::-1].reshape(3, 4) * N / 66
    with_table = move_to(A, {(0, 2): table}, known(A, (90.0, 350.0)))
    assert with_table.marginal((0, 2))[:, 2:].sum() == pytest.approx(350)
    assert with_table.marginal((0, 1))[0, 1] == pytest.approx(90)
    assert with_table.A.marginal((0, 2)) == pytest.approx(with_table.marginal((0, 2)), abs=0.01)


def test_where_a_tree_would_have_too_many_cells_tables_are_moved(monkeypatch):
    A = LogLinear.uniform(SIZES, float(N))
    monkeypatch.setattr(nearest_model, "MAX_FITTED_CELLS", A.cells)
    moved = move_to(A, {}, known(A, (90.0, 350.0)))
    assert isinstance(moved, CorrectedModel)
    assert moved.marginal((0, 1))[0, 1] == pytest.approx(90)
    assert moved.A.marginal((2,))[2:].sum() == pytest.approx(350, abs=0.02)  # which the tree can take
    assert moved.A.marginal((0, 1))[0, 1] == pytest.approx(100)


def test_counts_that_no_table_has_are_taken_as_the_nearest_it_can_have():
    A = LogLinear.uniform(SIZES, float(N))
    none, all_ = (move_to(A, {}, known(A, counts)) for counts in ((-40.0, 300.0), (10.0, 700.0)))
    assert none.marginal((0, 1))[0, 1] == pytest.approx(0, abs=1)
    assert all_.marginal((2,))[2:].sum() == pytest.approx(N, abs=1)
    whole = Measurement((2,), np.array(20.0), 1.0, np.ones(4))
    nothing = Measurement((2,), np.array(20.0), 1.0, np.zeros(4))
    assert move_table(np.full(4, 10.0), [whole, nothing]) == pytest.approx(np.full(4, 10.0))
