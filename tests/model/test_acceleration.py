"""Batches, leaps and unions: faster ways to make the same updates."""

import math

import numpy as np
import pytest

from mwem_core.model.acceleration import MAX_BATCH_CELLS, MIN_BATCHED_CELLS, Batch, _leap, small_unions
from mwem_core.model.loglinear import LogLinear
from mwem_core.model.measurement import Measurement
from mwem_core.model.replay import replay
from mwem_core.model.sums import marginalise
from mwem_core.model.sweep import CliqueTables, MarginalView, PlacedMeasurement

CLIQUE, S, R = (3, 1, 2), (1, 3), (1,)


def placed(sets, axes):
    return [PlacedMeasurement(0, T, MarginalView.of(T, axes), m, None) for T, m in sets.items()]


def test_a_batch_on_a_small_marginal_makes_the_updates_one_after_another():
    rng = np.random.default_rng(0)
    table = rng.dirichlet(np.ones(24)).reshape(2, 3, 4)
    sets = {S: rng.dirichlet(np.ones(6)).reshape(3, 2), R: rng.dirichlet(np.ones(3))}

    def updated(axes, view):
        p, theta = table.copy(), {T: np.zeros(()) for T in sets}
        return Batch(0, view, placed(sets, axes)).update(p, theta, 2.0), p, theta

    alone, together = updated(CLIQUE, None), updated(S, MarginalView.of(S, CLIQUE))
    assert together[0] == pytest.approx(alone[0])
    assert together[1] == pytest.approx(alone[1])
    assert all(together[2][T] == pytest.approx(alone[2][T]) for T in sets)


def test_a_tilt_multiplies_by_the_changes_up_to_a_constant():
    """p ∝ p exp(Σ change), written out, on the clique's own table and through a small one."""
    rng = np.random.default_rng(1)
    table = rng.dirichlet(np.ones(24)).reshape(2, 3, 4)
    change = {S: rng.normal(size=(3, 2)), R: rng.normal(size=3)}
    expected = table * np.exp(change[S].T + change[R])[:, :, None]
    for axes, view in ((CLIQUE, None), (S, MarginalView.of(S, CLIQUE))):
        p = table.copy()
        Batch(0, view, placed(dict.fromkeys(change, np.zeros(())), axes)).tilt(p, change)
        assert p / p.sum() == pytest.approx(expected / expected.sum())


def test_after_a_leap_every_clique_has_the_shares_of_the_whole_product():
    """On a chain a - b - c - d: p(x) ∝ p(x) exp(reach Σ change), written out, and no other table is changed."""
    rng, sizes, reach = np.random.default_rng(3), (2, 3, 2, 3), 1.5
    pairs = [(0, 1), (1, 2), (2, 3)]
    (component,) = LogLinear.of(sizes, 1.0, {T: rng.normal(size=[sizes[a] for a in T]) for T in pairs}).components
    tree, earlier = component.tree, {T: np.zeros([sizes[a] for a in T]) for T in [*pairs, (1,)]}
    theta = {T: table + rng.normal(size=table.shape) for T, table in earlier.items()}
    tables = CliqueTables.of(component, list(tree.order), theta)
    kept, batches = tables.calibrated()[0].copy(), []
    for k in tree.order:
        own = [T for T in theta if tree.clique_for(T) == k]
        axes = tree.cliques[k]
        ms = [PlacedMeasurement(k, T, MarginalView.of(T, axes), np.zeros(()), None) for T in own]
        batches += [Batch(k, None, ms[:1]), Batch(k, MarginalView.of(axes, axes), ms[1:])]
    expected = LogLinear(sizes, 1.0, (component,)).marginal((0, 1, 2, 3))
    for T, table in theta.items():
        expected = expected * np.exp(reach * table).reshape([n if a in T else 1 for a, n in enumerate(sizes)])
    expected /= expected.sum()
    ahead = _leap(tables, batches, earlier, reach)
    assert all(ahead.theta[T] == pytest.approx((1 + reach) * theta[T]) for T in theta)
    for k, table in ahead.calibrated().items():
        assert table == pytest.approx(marginalise(expected, (0, 1, 2, 3), tree.cliques[k]))
    assert tables.tables[0] == pytest.approx(kept)


@pytest.mark.parametrize("seed", range(4))
def test_contradictory_measurements_are_fitted_as_closely_as_by_small_steps_without_leaps(seed):
    """Pairs along a chain that no distribution has: the sum of squared residuals ends within a thousandth."""
    rng, sizes = np.random.default_rng(seed), (4, 3, 5, 2, 4)
    shapes = {(a, a + 1): sizes[a : a + 2] for a in range(4)}
    past = [Measurement(T, rng.dirichlet(np.ones(math.prod(n))).reshape(n), 1.0) for T, n in shapes.items()]

    def left(**settings):
        A = replay(LogLinear.uniform(sizes, 1.0), past, **settings)
        return sum(float((m.residual(A.marginal(m.attrs)) ** 2).sum()) for m in past)

    assert left(step=3.0, sweeps=200) < 1.001 * left(step=0.1, sweeps=4000, in_order=True)


def test_unions_hold_every_set_and_stay_far_smaller_than_a_large_clique():
    sizes = (8,) * 6
    clique, sets = (0, 1, 2, 3, 4, 5), [(0, 1), (1, 2), (3, 4), (0, 5), (2, 3, 4, 5)]
    *unions, everything = small_unions(sets, clique, sizes)
    assert everything == clique
    assert all(any(set(T) <= set(U) for U in (*unions, everything)) for T in sets)
    limit = min(math.prod(sizes) // 8, MAX_BATCH_CELLS)
    assert all(math.prod(sizes[a] for a in U) <= limit for U in unions)
    assert len(unions) < len(sets)


def test_a_small_clique_has_no_unions_but_itself():
    assert math.prod((4, 4, 4)) < MIN_BATCHED_CELLS
    assert small_unions([(0, 1), (1, 2)], (2, 0, 1), (4, 4, 4)) == [(0, 1, 2)]


def test_a_clique_swept_in_batches_ends_where_it_does_without(monkeypatch):
    """Measurements of a pair and of its attributes share a small table, and one of the whole clique has its own."""
    rng, sizes = np.random.default_rng(2), (2, 3, 16)
    p = rng.dirichlet(np.ones(96)).reshape(sizes) * 100
    past = [Measurement(T, p.sum(axis=tuple({0, 1, 2} - set(T))), 1.0) for T in ((0, 1), (0,), (1,), (1, 2))]
    start = LogLinear.uniform(sizes, 100.0).covering([(0, 1, 2)])
    alone = replay(start, past, step=2.0, sweeps=300)
    monkeypatch.setattr("mwem_core.model.acceleration.MIN_BATCHED_CELLS", 1)
    together = replay(start, past, step=2.0, sweeps=300)
    assert len(small_unions([(0, 1), (0,), (1,), (1, 2)], (0, 1, 2), sizes)) == 2
    assert together.marginal((0, 1, 2)) == pytest.approx(alone.marginal((0, 1, 2)), abs=1e-6)
    for m in past:
        assert together.marginal(m.attrs) == pytest.approx(m.value, abs=1e-2)
