"""Replay against the convex optimum, and what it may leave alone."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from models import random_model
from oracles import least_squares

from mwem_core.model.loglinear import LogLinear
from mwem_core.model.measurement import Measurement
from mwem_core.model.replay import replay
from mwem_core.model.sums import marginalise

TOTAL = 1000.0


def history(seed, halvings=0):
    """Six measurements, tables and single queries, of a random distribution: exact for every third seed, else noisy.

    The noise is halved that many times on the way.
    """
    rng = np.random.default_rng(seed)
    sizes = tuple(int(s) for s in rng.integers(2, 4, size=rng.integers(3, 5)))
    p = rng.dirichlet(np.full(math.prod(sizes), 0.5)).reshape(sizes)
    noise, past = (0.0, 0.02, 0.1)[seed % 3], []
    for i in range(6):
        b = noise / 2 ** (i * (halvings + 1) // 6)
        S = tuple(sorted(rng.choice(len(sizes), size=rng.integers(1, 3), replace=False).tolist()))
        table = p.sum(axis=tuple(a for a in range(len(sizes)) if a not in S))
        q = None if rng.random() < 0.6 else rng.uniform(-1, 1, size=table.shape)
        exact = table if q is None else np.array(np.vdot(q, table))
        past.append(Measurement(S, TOTAL * (exact + b * rng.laplace(size=exact.shape)), TOTAL * b, q))
    return sizes, past


def f(A, measurements):
    """½ Σ w (m - q(A))², in shares; w = (least scale / scale)²."""
    errors = [((m.residual(A.marginal(m.attrs)) / A.total) ** 2).sum() for m in measurements]
    return np.dot(weights(measurements), errors) / 2


def weights(measurements):
    least = min(m.scale for m in measurements)
    return [(least / m.scale) ** 2 if least else 1.0 for m in measurements]


@pytest.mark.parametrize(
    ("seed", "halvings"),
    [
        pytest.param(seed, halvings, marks=[pytest.mark.sweep] if seed >= 10 else [])
        for halvings, seeds in ((0, 40), (2, 20))
        for seed in range(seeds)
    ],
)
def test_replay_ends_at_the_least_squares_over_all_distributions(seed, halvings):
    """f is strictly convex in the weighted answers, so a distribution near the optimum in f is near it in them.

    The tolerances are what vanishing cells leave: their weights sink ever more slowly. Exact measurements are met.
    """
    sizes, past = history(seed, halvings)
    A = replay(LogLinear.uniform(sizes, TOTAL), past, step=1.0, sweeps=20_000, tolerance=1e-9)
    least, answers = least_squares(past, sizes, TOTAL)
    ours = np.concatenate([np.ravel(m.answer(A.marginal(m.attrs))) / TOTAL for m in past])
    w = np.repeat(weights(past), [np.size(m.value) for m in past])
    assert -1e-12 <= f(A, past) - least <= 3e-6
    assert (np.sqrt(w) * np.abs(ours - answers)).max() <= 3e-3
    assert seed % 3 or least <= 1e-12


@pytest.mark.parametrize("seed", range(30))
def test_more_sweeps_never_leave_a_model_much_further_off(seed):
    """A leap is taken back when f has risen: what is left is the circling of a single step, before it cools."""
    sizes, past = history(seed)
    start = LogLinear.uniform(sizes, TOTAL)
    found = [f(replay(start, past, step=1.0, sweeps=n, tolerance=1e-3), past) for n in (1, 3, 5, 9, 17, 33, 65, 129)]
    for before, after in itertools.pairwise(found):
        assert after <= 1.05 * before + 1e-6


def test_sixty_sweeps_with_leaps_and_cooling_come_nearer_than_sixty_without():
    nearer, ours, theirs = 0, 0.0, 0.0
    for seed in range(30):
        sizes, past = history(seed)
        start = LogLinear.uniform(sizes, TOTAL)
        least, _ = least_squares(past, sizes, TOTAL)
        leaping, plain = (
            f(replay(start, past, step=1.0, sweeps=60, in_order=in_order), past) - least for in_order in (False, True)
        )
        nearer, ours, theirs = nearer + (leaping < plain), ours + leaping, theirs + plain
    assert nearer >= 25
    assert ours <= theirs / 2


@pytest.mark.parametrize("tolerance", [1e-2, 1e-4])
@pytest.mark.parametrize("seed", [1, 2, 4, 5, 7])
def test_replay_rests_where_there_is_less_to_gain_than_its_tolerance(seed, tolerance):
    """Contradictory measurements, and no limit to the sweeps: it stops by its rule, near the optimum."""
    sizes, past = history(seed)
    A = replay(LogLinear.uniform(sizes, TOTAL), past, step=1.0, sweeps=10**9, tolerance=tolerance)
    assert all(component.converged for component in A.components)
    least, _ = least_squares(past, sizes, TOTAL)
    assert f(A, past) <= least + 30 * tolerance * max(least, f(LogLinear.uniform(sizes, TOTAL), past) / 100)


def bits(n, rng):
    """A measurement of each of n bits' share of ones."""
    return [Measurement((a,), np.array(TOTAL * rng.uniform(0.2, 0.8)), 1.0, np.array([0.0, 1.0])) for a in range(n)]


PRESETS = {"default": {"step": 1.0, "sweeps": 100, "tolerance": 1e-2}, "paper": {"step": 0.5, "sweeps": 100}}


@pytest.mark.parametrize("preset", PRESETS)
def test_components_at_rest_stay_the_same_objects(preset):
    n, in_order = 100, preset == "paper"
    past = bits(n, np.random.default_rng(0))
    A = LogLinear.uniform((2,) * n, TOTAL)
    for _ in range(5):
        A = replay(A, past[:-1], in_order=in_order, news=past[:-1], **PRESETS[preset])
    assert all(component.converged for component in A.components)
    after = replay(A, past, in_order=in_order, news=past[-1:], **PRESETS[preset])
    assert [c.attrs for c in after.components if c not in A.components] == [(n - 1,)]
    assert np.flatnonzero(after.changed_since(A)).tolist() == [n - 1]


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("seed", range(5))
def test_leaving_settled_components_alone_gives_what_sweeping_everything_gives(preset, seed):
    """To 1e-9 under Figure 8, where converged is that nothing moves; by default to what its rule calls no gain."""
    rng = np.random.default_rng(seed)
    in_order = preset == "paper"
    past = bits(6, rng)
    past += [
        Measurement((a, b), TOTAL * rng.dirichlet(np.ones(4)).reshape(2, 2), 1.0) for a, b in [(0, 1), (2, 3), (1, 2)]
    ]
    some = every = LogLinear.uniform((2,) * 6, TOTAL)
    for i in range(1, len(past) + 1):
        some = replay(some, past[:i], in_order=in_order, news=past[i - 1 : i], **PRESETS[preset])
        every = replay(every, past[:i], in_order=in_order, **PRESETS[preset])
    gap = np.abs(some.marginal(tuple(range(6))) - every.marginal(tuple(range(6)))).max() / TOTAL
    if in_order:
        assert gap <= 1e-9
    else:
        assert f(some, past) <= f(every, past) * 1.1 + 1e-6


def test_a_component_left_before_it_rests_is_taken_up_again():
    past = bits(2, np.random.default_rng(1))
    A = LogLinear.uniform((2, 2), TOTAL)
    A = replay(A, past[:1], step=0.1, sweeps=3, in_order=True, news=past[:1])
    assert [component.attrs for component in A.components if not component.converged] == [(0,)]
    after = replay(A, past, step=0.1, sweeps=3, in_order=True, news=past[1:])
    assert f(after, past[:1]) < f(A, past[:1])


def test_in_a_large_tree_news_is_swept_as_far_as_it_travels(monkeypatch):
    """A chain of pairs of bits, three times as likely to agree as to differ: a change halves at each step along it."""
    n, agree = 80, TOTAL * np.array([[0.375, 0.125], [0.125, 0.375]])
    past = [Measurement((a, a + 1), agree, 0.01 * TOTAL) for a in range(n - 1)]
    A = replay(LogLinear.uniform((2,) * n, TOTAL), past, step=3.0, sweeps=200, tolerance=1e-4)
    assert len(A.components[0].tree.cliques) > 32
    A = LogLinear(A.sizes, A.total, tuple(replace(c, converged=True) for c in A.components))
    news = Measurement((40,), TOTAL * np.array([0.7, 0.3]), 0.01 * TOTAL)
    near = replay(A, [*past, news], step=3.0, sweeps=200, tolerance=1e-4, news=[news])
    monkeypatch.setattr("mwem_core.model.acceleration.MAX_SMALL_TREE_CLIQUES", 10**9)
    everywhere = replay(A, [*past, news], step=3.0, sweeps=200, tolerance=1e-4, news=[news])
    assert all(table.sum() == pytest.approx(1) for c in near.components for table in c.beliefs)
    for S in [(a,) for a in range(n)] + [(30, 50), (39, 41), (0, 79)]:
        assert near.marginal(S) == pytest.approx(everywhere.marginal(S), abs=0.005 * TOTAL)
    for component in near.components:  # calibrated: neighbours agree on what they share
        tree = component.tree
        for k in tree.order[1:]:
            S, above = tree.separator[k], tree.parent[k]
            below = marginalise(component.beliefs[k], tree.cliques[k], S)
            assert below == pytest.approx(marginalise(component.beliefs[above], tree.cliques[above], S), abs=1e-12)


def test_sweep_leaves_the_total_unchanged():
    A = random_model(np.random.default_rng(3), (3, 2, 4, 2))
    assert all(table.sum() == pytest.approx(A.total) for table in A.marginals([(0,), (1, 3), (0, 2, 3)]))


def test_replay_reaches_the_measurements_where_they_agree():
    p = np.random.default_rng(0).dirichlet(np.ones(24)).reshape(2, 3, 4) * 500
    exact = {(0, 1): p.sum(axis=2), (1, 2): p.sum(axis=0), (0, 2): p.sum(axis=1)}
    past = [Measurement(S, m, 1.0) for S, m in exact.items()]
    A = replay(LogLinear.uniform((2, 3, 4), 500.0), past, step=3.0, sweeps=20_000)
    for S, m in exact.items():
        assert A.marginal(S) == pytest.approx(m, abs=1e-3)


def test_order_of_a_sweep_does_not_change_where_it_ends():
    """The bias of the order shrinks with the step: here it is below 0.2 of 100 records."""
    rng = np.random.default_rng(2)
    past = [Measurement(S, rng.dirichlet(np.ones(6)).reshape(2, 3) * 100, 1.0) for S in ((0, 1), (2, 3), (0, 3))]
    start = LogLinear.uniform((2, 3, 2, 3), 100.0)
    given, by_tree = (
        replay(start, past, step=0.02, sweeps=3_000, in_order=in_order).marginal((0, 1, 2, 3))
        for in_order in (True, False)
    )
    assert given == pytest.approx(by_tree, abs=0.2)


def test_replay_stops_when_nothing_moves():
    A = LogLinear.uniform((2, 2), 100.0)
    met = Measurement((0, 1), A.marginal((0, 1)).copy(), 1.0)
    assert replay(A, [met], step=3.0, sweeps=10**9).marginal((0, 1)) == pytest.approx(np.full((2, 2), 25.0))


def test_a_replay_of_nothing_changes_nothing():
    A = random_model(np.random.default_rng(0), (2, 3, 2))
    assert replay(A, [], step=1.0, sweeps=5).components == A.components


def test_a_component_that_meets_its_measurements_has_converged():
    m = Measurement((0, 1), np.array([[10.0, 20.0], [30.0, 40.0]]), 1.0)
    A = replay(LogLinear.uniform((2, 2), 100.0), [m], step=2.0, sweeps=10_000)
    assert A.components[0].converged
    assert A.marginal((0, 1)) == pytest.approx(m.value, abs=1e-4)
    assert not replay(LogLinear.uniform((2, 2), 100.0), [m], step=2.0, sweeps=3).components[0].converged


def test_the_news_of_each_component_is_its_own(monkeypatch):
    """Two chains, each with news in the middle, of which only the cliques near it are swept."""
    monkeypatch.setattr("mwem_core.model.acceleration.MAX_SMALL_TREE_CLIQUES", 3)
    agree = 100 * np.array([[0.4, 0.1], [0.1, 0.4]])
    past = [Measurement((a, a + 1), agree, 1.0) for a in (*range(5), *range(6, 11))]
    A = replay(LogLinear.uniform((2,) * 12, 100.0), past, step=3.0, sweeps=300, tolerance=1e-6)
    A = LogLinear(A.sizes, A.total, tuple(replace(c, converged=True) for c in A.components))
    news = [Measurement((a,), np.array([70.0, 30.0]), 0.1) for a in (2, 8)]
    after = replay(A, [*past, *news], step=3.0, sweeps=300, tolerance=1e-6, news=news)
    for m in news:
        assert after.marginal(m.attrs) == pytest.approx(m.value, abs=0.5)
