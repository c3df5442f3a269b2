"""Weighted records: multiplicative weights on rows, the redraw of poor rows, and what they answer."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from models import chain_model
from oracles import domain_of, joint
from scipy import stats

from mwem_core.model import LogLinear, Measurement, centre, drawn_columns, draws_in_order, replay
from mwem_core.output import round_rows, sample
from mwem_core.weighted import reweighting
from mwem_core.weighted.resampling import (
    MAX_PLANTED,
    SURE,
    UNIFORM_PROPOSALS,
    of_another_row,
    redrawn,
    with_planted_rows,
)
from mwem_core.weighted.reweighting import (
    FITTED_SQUARES,
    LAST_SWEEPS,
    MAX_DEVIATIONS,
    REDRAW_SWEEPS,
    Weights,
    reweight,
)
from mwem_core.weighted.weighted_records import MAX_COUNTED_CODES, MAX_ROWS, MIN_ROWS, WeightedRecords, rows_for

SIZES, TOTAL = (3, 2, 4), 600.0
PAIRS = [(0, 1), (0, 2), (1, 2)]


def every_cell(sizes=SIZES, total=TOTAL) -> WeightedRecords:
    """One row in every cell, of equal weight: the uniform model."""
    codes = tuple(axis.ravel().astype(np.uint8) for axis in np.indices(sizes))
    rows = len(codes[0])
    return WeightedRecords(sizes, total, codes, np.full(rows, total / rows), {}, draws=rows)


def noisy(B: np.ndarray, sets, rng: np.random.Generator, scale: float) -> list[Measurement]:
    """Measurements of the marginals of a table over D, with Gaussian noise."""
    d = range(B.ndim)
    tables = [B.sum(axis=tuple(a for a in d if a not in S)) for S in sets]
    return [Measurement(S, t + rng.normal(0, scale, t.shape), scale) for S, t in zip(sets, tables, strict=True)]


def fit(A: WeightedRecords, measurements, tolerance=0.0, **settings) -> WeightedRecords:
    return reweight(A, measurements, variance=1.0, tolerance=tolerance, rng=np.random.default_rng(0), **settings)


def chi_square_chance(observed, expected) -> float:
    """The p-value of counts, over the cells that are expected five times or more."""
    seen = expected >= 5
    statistic = ((observed - expected) ** 2 / np.maximum(expected, 1e-9))[seen].sum()
    return float(stats.chi2.sf(statistic, df=int(seen.sum()) - 1))


@pytest.mark.parametrize("whole", [True, False])
def test_an_update_multiplies_each_row_by_the_exponential_of_its_error(whole):
    """Loop by loop, with rows in all cells of D: the paper's step 3, each cell's step 1/(q(A) + damping)."""
    rng = np.random.default_rng(1)
    S, q = (0, 2), None if whole else rng.choice([0.0, 1.0, -1.0], (3, 4))
    A = every_cell()
    m = Measurement(S, rng.normal(50, 5, (3, 4)) if whole else np.array(130.0), 0.01, q)
    weights = Weights.of(A, [m], 1.0)
    weights.sweep(1.0)
    p, expected, damping = np.full(SIZES, 1 / 24), np.zeros(SIZES), 3.0 / TOTAL
    for x in itertools.product(*map(range, SIZES)):
        cell = (x[0], x[2])
        if q is None:
            count = sum(p[cell[0], b, cell[1]] for b in range(2))
            change = (m.value[cell] / TOTAL - count) / (count + damping)
        else:
            answer = sum(q[y[0], y[2]] * p[y] for y in itertools.product(*map(range, SIZES)))
            spread = sum(q[y[0], y[2]] ** 2 * p[y] for y in itertools.product(*map(range, SIZES)))
            change = q[cell] * (float(m.value) / TOTAL - answer) / (spread + damping)
        expected[x] = p[x] * np.exp(np.clip(change, -2, 2))
    assert weights.p.reshape(SIZES) == pytest.approx(expected / expected.sum(), rel=1e-9)
    model = weights.records(A)
    assert np.exp(sum(model.theta[T] for T in model.theta)) == pytest.approx(
        (expected / expected.sum()).sum(axis=1) / p.sum(axis=1), rel=1e-9
    )


def test_with_a_row_in_every_cell_the_replay_is_that_of_the_dense_model():
    """Measured without noise, both end at the one log-linear table with these marginals."""
    B = np.random.default_rng(2).dirichlet(np.ones(24)).reshape(SIZES) * TOTAL
    exact = noisy(B, PAIRS, np.random.default_rng(0), 0.0)
    dense = replay(LogLinear.uniform(SIZES, TOTAL), exact, step=3.0, sweeps=5000)
    slack = [Measurement(m.attrs, m.value, 0.1) for m in exact]
    ours = fit(every_cell(), slack).marginal((0, 1, 2))
    assert ours == pytest.approx(joint(dense) * TOTAL, abs=0.02 * TOTAL / 24)


def test_every_measurement_counts():
    """Each of six pairs is fitted to within its noise, though the rows were drawn from independent attributes."""
    rng = np.random.default_rng(3)
    truth = chain_model(rng, sizes=(5, 4, 6, 3))
    sets = list(itertools.combinations(range(4), 2))
    ms = noisy(joint(truth) * 10**5, sets, rng, 20.0)
    start = WeightedRecords.drawn_from(LogLinear.uniform(truth.sizes, 1e5), 20_000, rng)
    A = fit(start, ms, tolerance=0.01)
    for m in ms:
        before, after = m.residual(start.marginal(m.attrs)), m.residual(A.marginal(m.attrs))
        assert np.sqrt(np.mean(after**2)) <= 2 * 20.0 < np.sqrt(np.mean(before**2))


def test_a_table_of_few_cells_is_fitted_beside_one_of_many():
    """It starts 30 noise scales off, which is less than half of the noise in the 6,400 cells of the other table."""
    sizes, n = (2, 80, 80), 10**5
    few = Measurement((0,), np.array([0.65, 0.35]) * n, n / 200)
    many = Measurement((1, 2), np.full((80, 80), n / 6400), n / 200)
    start = every_cell(sizes, n)
    off = np.square(few.residual(start.marginal((0,)))).sum()
    assert off < FITTED_SQUARES * many.value.size * many.scale**2
    A = fit(start, [few, many], tolerance=0.01)
    assert np.square(few.residual(A.marginal((0,)))).sum() <= 2 * few.scale**2 * (1 + MAX_DEVIATIONS)


def test_residuals_of_marginals_are_fitted_like_the_marginals():
    """One-way marginals and centred pairs determine the pairs."""
    rng = np.random.default_rng(7)
    B = rng.dirichlet(np.ones(24)).reshape(SIZES) * TOTAL
    ones = noisy(B, [(0,), (1,), (2,)], rng, 0.1)
    pairs = [replace(m, value=centre(m.value), centred=True) for m in noisy(B, PAIRS, rng, 0.1)]
    A = fit(every_cell(), [*ones, *pairs], tolerance=0.001)
    for m in noisy(B, PAIRS, rng, 0.0):
        assert A.marginal(m.attrs) == pytest.approx(m.value, abs=0.05 * TOTAL / 8)


def test_marginals_are_consistent_and_sum_to_the_total():
    rng = np.random.default_rng(4)
    A = fit(every_cell(), noisy(rng.poisson(25.0, SIZES).astype(float), PAIRS, rng, 3.0))
    for S in PAIRS:
        for axis, a in enumerate(S):
            assert A.marginal(S).sum(axis=1 - axis) == pytest.approx(A.marginal((a,)))
    assert A.marginal(()) == pytest.approx(TOTAL)
    assert A.probability(every_cell().codes) == pytest.approx(A.marginal((0, 1, 2)).ravel() / TOTAL)
    assert A.changed_since(A).tolist() == [False] * 3
    assert A.changed_since(every_cell()).all()


def test_a_measured_cell_without_a_row_gets_rows():
    """A thousand records in cells that the drawn rows never reach, far above the noise."""
    A = LogLinear.of((4, 5, 6), 1e4, {(0, 1): np.where(np.eye(4, 5) > 0, -60.0, 0.0)})
    start = WeightedRecords.drawn_from(A, 5000, np.random.default_rng(0))
    assert start.marginal((0, 1))[np.eye(4, 5) > 0].sum() == 0
    B = (joint(A) + np.where(np.eye(4, 5) > 0, 0.25 / 6 / 4, 0.0)[:, :, None]) * 1e4 / 1.25
    ms = noisy(B, [(0, 1), (0, 2), (1, 2)], np.random.default_rng(1), 5.0)
    after = fit(start, ms, tolerance=0.01).marginal((0, 1))
    assert after[np.eye(4, 5) > 0] == pytest.approx(B.sum(axis=2)[np.eye(4, 5) > 0], abs=50)


def test_equal_draws_are_one_row_of_their_weight_together():
    """With as many draws as the total, so that a draw weighs one record."""
    A = LogLinear.of((2, 3), 5000.0, {(0, 1): np.random.default_rng(6).normal(size=(2, 3))})
    rows = WeightedRecords.drawn_from(A, 5000, np.random.default_rng(0))
    assert (rows.rows, rows.draws, rows.total) == (6, 5000, 5000.0)
    assert rows.weights.tolist() == rows.marginal((0, 1))[tuple(rows.codes)].tolist()
    assert rows.marginal((0, 1)).ravel() == pytest.approx(joint(A).ravel() * 5000, abs=5 * np.sqrt(1250))
    redraw = redrawn(rows, np.random.default_rng(1))
    assert (redraw.rows, redraw.draws, redraw.weights.sum()) == (6, 5000, 5000.0)


def test_counted_cells_are_rows_of_their_counts_where_these_are_above_zero():
    counts = np.zeros(SIZES)
    counts[0, 1, 2], counts[2, 0, 3], counts[1, 1, 1], counts[0, 0, 0] = 5, 10, -3, 0
    A = WeightedRecords.of_counts(LogLinear.uniform(SIZES, TOTAL), counts)
    assert [column.tolist() for column in A.codes] == [[0, 2], [1, 0], [2, 3]]
    assert A.weights.tolist() == [200.0, 400.0]
    assert (A.total, A.draws) == (TOTAL, 0)


def test_where_no_count_is_above_zero_the_cells_of_the_largest_are_rows():
    counts = np.full(SIZES, -2)
    counts[0, 0, :2] = -1
    A = WeightedRecords.of_counts(LogLinear.uniform(SIZES, TOTAL), counts)
    assert A.weights.tolist() == [TOTAL / 2, TOTAL / 2]
    assert A.codes[2].tolist() == [0, 1]


def test_a_cell_that_rules_forbid_is_no_row_whatever_noise_it_has():
    possible = {(0, 1): np.array([[True, False], [True, True], [True, True]])}
    A = WeightedRecords.of_counts(LogLinear.uniform(SIZES, TOTAL, possible), np.ones(SIZES))
    assert A.rows == 20
    assert A.marginal((0, 1))[0].tolist() == pytest.approx([TOTAL / 5, 0])


def test_a_redraw_leaves_the_log_linear_model_as_it_is():
    """Chi-square over all cells, at one seed. A correct step has a p-value below 0.001 at one seed in a thousand."""
    rng = np.random.default_rng(5)
    A = chain_model(rng, sizes=(3, 4, 2, 3))
    rows = redrawn(WeightedRecords.drawn_from(A, 100_000, rng), rng)
    expected = joint(A).ravel() * 100_000
    observed = rows.marginal((0, 1, 2, 3)).ravel() * 100_000 / rows.total
    assert chi_square_chance(observed, expected) > 0.001


def test_rounded_rows_are_far_nearer_to_the_model_than_independent_draws():
    rng = np.random.default_rng(6)
    truth = chain_model(rng, sizes=(5, 4, 6, 3))
    sets = list(itertools.combinations(range(4), 2))
    start = WeightedRecords.drawn_from(LogLinear.uniform(truth.sizes, 1e4), 20_000, rng)
    A = fit(start, noisy(joint(truth) * 1e4, sets, rng, 5.0), tolerance=0.01)

    def distance(draw):
        rows = draw(domain_of(truth.sizes), A, 10_000, np.random.default_rng(1))
        assert rows.total == 10_000
        return np.mean([np.abs(rows.marginal(S) - A.marginal(S)).sum() for S in sets])

    assert distance(round_rows) <= 0.35 * distance(sample)


def test_a_workload_too_wide_to_count_in_time_gets_no_rows():
    assert rows_for(21) == MAX_ROWS
    assert rows_for(MAX_COUNTED_CODES // MIN_ROWS) == MIN_ROWS
    assert rows_for(MAX_COUNTED_CODES // MIN_ROWS + 1) == 0


def test_more_rows_keep_the_total_and_the_proportions():
    A = every_cell()
    longer = A.with_rows([np.array([1, 0]), np.array([1, 1]), np.array([3, 0])], np.array([50.0, 25.0]))
    assert longer.rows == A.rows + 2
    assert longer.weights.sum() == pytest.approx(TOTAL)
    assert longer.weights[-2:] / longer.weights[0] == pytest.approx(np.array([50.0, 25.0]) / A.weights[0])


def one_valued(draws=4000, total=1000.0) -> WeightedRecords:
    """Draws whose first attribute has one of its two values; the other attribute has both."""
    codes = [np.zeros(draws, np.uint8), np.arange(draws).astype(np.uint8) % 2]
    return WeightedRecords.of_draws((2, 2), total, codes, {})


def test_rows_are_planted_as_many_as_a_measured_empty_cell_asks_for():
    """Its 60 records of 1,000 are 240 of 4,000 draws, and weigh as much; a value within the noise plants none."""
    A = one_valued()
    found = with_planted_rows(
        A, [Measurement((0,), np.array([940.0, 60.0]), 60 / SURE - 0.1)], np.random.default_rng(0)
    )
    new = found.codes[0] == 1
    assert (new.sum(), found.rows) == (240, A.rows + 240)
    assert found.weights[new].sum() / found.weights[~new].sum() == pytest.approx(60 / 1000)
    assert set(found.codes[1][new]) == {0, 1}
    assert with_planted_rows(A, [Measurement((0,), np.array([940.0, 60.0]), 60 / SURE)], np.random.default_rng(0)) is A


def test_a_cell_of_next_to_no_records_gets_one_row_and_a_large_one_no_more_than_the_most():
    A = one_valued()
    small = with_planted_rows(A, [Measurement((0,), np.array([1000.0, 0.01]), 0.001)], np.random.default_rng(0))
    assert (small.codes[0] == 1).sum() == 1
    large = with_planted_rows(A, [Measurement((0,), np.array([500.0, 500.0]), 1.0)], np.random.default_rng(0))
    assert (large.codes[0] == 1).sum() == MAX_PLANTED * A.draws


def test_a_redraw_offers_any_value_to_a_share_of_the_rows():
    """Of those offered, half are offered the value that no row has; all are accepted, as the weights are equal."""
    redraw = redrawn(one_valued(draws=40_000), np.random.default_rng(0))
    share = redraw.marginal((0,))[1] / redraw.total
    expected = UNIFORM_PROPOSALS / 2
    assert share == pytest.approx(expected, abs=5 * np.sqrt(expected / 40_000))


def test_another_row_offers_its_value_to_one_row_of_its_group():
    """And to itself as often as to any other; a value that no row of the group has is not offered."""
    rng = np.random.default_rng(3)
    group = rng.integers(5, size=3000).astype(np.uint8) * 2  # no row has an odd one
    values = np.arange(3000)
    offered = of_another_row(values, group, np.bincount(group, minlength=10), rng)
    assert sorted(offered.tolist()) == values.tolist()
    assert (group[offered] == group).all()
    pair = np.array([0, 1])
    kept = [(of_another_row(pair, pair * 0, np.array([2]), rng) == pair).all() for _ in range(1000)]
    assert np.mean(kept) == pytest.approx(0.5, abs=5 * 0.5 / np.sqrt(1000))


def test_draws_in_order_of_the_first_clique_are_draws_from_the_model():
    """Chi-square over all cells, at one seed. Correct draws have a p-value below 0.001 at one seed in a thousand."""
    rng = np.random.default_rng(7)
    A = chain_model(rng, sizes=(3, 4, 2, 3))
    codes = drawn_columns(A, 50_000, draws_in_order(rng))
    first = A.components[0].tree.cliques[A.components[0].tree.order[0]]
    cell = np.ravel_multi_index([codes[a] for a in first], [A.sizes[a] for a in first])
    assert (np.diff(cell) >= 0).all()
    observed = np.bincount(np.ravel_multi_index(codes, A.sizes), minlength=72)
    expected = joint(A).ravel() * 50_000
    assert chi_square_chance(observed, expected) > 0.001
    shares = np.array([[0.0, 0.4, 0.6, 0.0]])
    assert set(draws_in_order(rng)(np.zeros(1000, np.intp), shares, [], []).tolist()) == {1, 2}


@pytest.mark.parametrize(("most", "sweeps"), [(17 * 96, 17), (1, REDRAW_SWEEPS)], ids=["work", "least"])
def test_the_last_rows_of_large_tables_take_fewer_sweeps(most, sweeps, monkeypatch):
    """A sweep here goes through 24 rows, and for each of three pairs through a table of 24 cells."""
    weights = Weights.of(every_cell(), noisy(np.full(SIZES, 25.0), PAIRS, np.random.default_rng(0), 1.0), 1.0)
    assert weights.last_sweeps == LAST_SWEEPS
    monkeypatch.setattr(reweighting, "MAX_SWEPT", most)
    assert weights.last_sweeps == sweeps
