"""The log-linear model on a junction tree against brute force over the whole domain."""

import itertools
import math

import numpy as np
import pytest
from oracles import domain_of, joint
from scipy import stats

from mwem_core.model.average import Average
from mwem_core.model.component import Component
from mwem_core.model.junction_tree import JunctionTree
from mwem_core.model.loglinear import LogLinear
from mwem_core.model.measurement import Measurement
from mwem_core.model.replay import replay
from mwem_core.model.sums import table_marginals
from mwem_core.model.triangulation import triangulate
from mwem_core.mwem.prices import with_set
from mwem_core.release.synthesis import rounded, sample


def random_history(rng, sizes, length=6):
    """A model after some random measurements, of whole marginals and single queries, each with a replay."""
    A, past = LogLinear.uniform(sizes, 1000.0), []
    for _ in range(length):
        S = tuple(sorted(rng.choice(len(sizes), size=rng.integers(1, 4), replace=False).tolist()))
        shape = [sizes[a] for a in S]
        if rng.random() < 0.5:
            past.append(Measurement(S, rng.dirichlet(np.ones(math.prod(shape))).reshape(shape) * 1000, 1.0))
        else:
            q = rng.uniform(-1, 1, size=shape)
            past.append(Measurement(S, np.array(rng.normal() * 300), 1.0, q))
        A = replay(A, past, step=1.0, sweeps=int(rng.integers(1, 6)), in_order=bool(rng.random() < 0.5))
    return A


def forgetful(A):
    """The same model without the marginals it remembers."""
    parts = (Component(c.sizes, c.theta, c.tree, c.beliefs, c.converged) for c in A.components)
    return LogLinear(A.sizes, A.total, tuple(parts))


def random_sizes(rng):
    return tuple(int(s) for s in rng.integers(2, 4, size=rng.integers(3, 8)))


@pytest.mark.parametrize("seed", range(50))
def test_every_marginal_equals_brute_force(seed):
    rng = np.random.default_rng(seed)
    A = random_history(rng, random_sizes(rng))
    p, d = joint(A), len(A.sizes)
    every = [S for k in range(d + 1) for S in itertools.combinations(range(d), k)]
    wanted = [p.sum(axis=tuple(a for a in range(d) if a not in S)) for S in every]
    together = A.marginals(every)
    for S, together_S, want in zip(every, together, wanted, strict=True):
        fresh = forgetful(A)
        assert np.abs(together_S / A.total - want).max() <= 1e-10
        assert np.abs(fresh.marginal(S) / A.total - want).max() <= 1e-10
    entropy = -(p[p > 0] * np.log(p[p > 0])).sum()
    assert A.entropy() == pytest.approx(entropy, abs=1e-9)
    cells = tuple(axis.ravel() for axis in np.indices(A.sizes))
    assert A.probability(cells) == pytest.approx(p.ravel(), abs=1e-10)


@pytest.mark.parametrize("seed", range(20))
def test_tree_covers_its_sets_and_has_the_running_intersection(seed):
    rng = np.random.default_rng(seed)
    sizes = [int(s) for s in rng.integers(2, 9, size=10)]
    sets = [tuple(sorted(rng.choice(10, size=3, replace=False).tolist())) for _ in range(rng.integers(0, 9))]
    tree = JunctionTree.over(sets, sizes)
    assert all(tree.find_clique(S) is not None for S in [*sets, *((a,) for a in range(10))])
    assert not any(set(a) < set(b) for a, b in itertools.permutations(tree.cliques, 2))
    for a in range(10):  # the cliques that hold a are connected: one of them alone has its parent outside
        tops = [k for k in tree.cliques_with[a] if tree.parent[k] not in tree.cliques_with[a]]
        assert len(tops) == 1
    assert sorted(tree.order) == list(range(len(tree.cliques)))
    assert all(tree.order.index(p) < tree.order.index(k) for k, p in enumerate(tree.parent) if p >= 0)


def test_untouched_attributes_stay_cliques_of_their_own():
    assert sorted(triangulate([(0, 1)], [2, 2, 2, 2], range(4))) == [(0, 1), (2,), (3,)]


def test_a_thousand_attributes_cost_a_thousand_small_tables():
    A = LogLinear.uniform((2,) * 1000, 1.0)
    A = replay(A, [Measurement((3, 700), np.array([[0.4, 0.1], [0.1, 0.4]]), 0.1)], step=2.0, sweeps=50)
    assert A.cells == 998 * 2 + 4
    assert A.marginal((3, 5, 700)).sum(axis=1) == pytest.approx(np.array([[0.4, 0.1], [0.1, 0.4]]), abs=1e-3)


def test_sweep_leaves_the_total_unchanged():
    A = random_history(np.random.default_rng(3), (3, 2, 4, 2))
    assert all(table.sum() == pytest.approx(A.total) for table in A.marginals([(0,), (1, 3), (0, 2, 3)]))


def test_replay_reaches_the_measurements_where_they_agree():
    p = np.random.default_rng(0).dirichlet(np.ones(24)).reshape(2, 3, 4) * 500
    wanted = {(0, 1): p.sum(axis=2), (1, 2): p.sum(axis=0), (0, 2): p.sum(axis=1)}
    A = replay(
        LogLinear.uniform((2, 3, 4), 500.0),
        [Measurement(S, m, 1.0) for S, m in wanted.items()],
        step=3.0,
        sweeps=20_000,
    )
    for S, m in wanted.items():
        assert A.marginal(S) == pytest.approx(m, abs=1e-3)


def test_order_of_a_sweep_does_not_change_where_it_ends():
    rng = np.random.default_rng(2)
    past = [Measurement(S, rng.dirichlet(np.ones(6)).reshape(2, 3) * 100, 1.0) for S in ((0, 1), (2, 3), (0, 3))]
    ends = [
        replay(LogLinear.uniform((2, 3, 2, 3), 100.0), past, step=0.02, sweeps=3_000, in_order=in_order).marginal(
            (0, 1, 2, 3)
        )
        for in_order in (True, False)
    ]
    assert ends[0] == pytest.approx(ends[1], abs=0.2)  # of 100 records: the bias of the order shrinks with the step


def test_replay_stops_when_nothing_moves():
    A = LogLinear.uniform((2, 2), 100.0)
    met = Measurement((0, 1), A.marginal((0, 1)).copy(), 1.0)
    assert replay(A, [met], step=3.0, sweeps=10**9).marginal((0, 1)) == pytest.approx(np.full((2, 2), 25.0))


def test_single_clique_is_the_dense_table():
    rng = np.random.default_rng(1)
    log = rng.normal(size=(3, 4, 2))
    A = LogLinear.of((3, 4, 2), 1.0, {(0, 1, 2): log})
    assert [len(c.tree.cliques) for c in A.components] == [1]
    assert A.marginal((0, 1, 2)) == pytest.approx(np.exp(log) / np.exp(log).sum())


def test_size_with_a_candidate_is_never_understated():
    rng = np.random.default_rng(4)
    for _ in range(30):
        A = random_history(rng, random_sizes(rng), length=3)
        S = tuple(sorted(rng.choice(len(A.sizes), size=2, replace=False).tolist()))
        assert A.covering([S]).cells <= with_set(A, S, limit=0)


def test_partial_sums_are_sums():
    rng = np.random.default_rng(0)
    table, attrs = rng.random((3, 2, 4, 2)), (1, 3, 4, 8)
    sets = [(), (3,), (1, 8), (1, 3, 4, 8), (4, 8), (1, 3, 4)]
    for S, found in table_marginals(table, attrs, sets).items():
        assert found == pytest.approx(table.sum(axis=tuple(i for i, a in enumerate(attrs) if a not in S)))


def test_average_answers_with_the_mean_of_its_models():
    rng = np.random.default_rng(5)
    models = tuple(random_history(rng, (2, 3, 2)) for _ in range(3))
    assert Average(models).marginal((0, 2)) == pytest.approx(np.mean([m.marginal((0, 2)) for m in models], axis=0))
    cells = tuple(axis.ravel() for axis in np.indices((2, 3, 2)))
    assert Average(models).probability(cells).sum() == pytest.approx(1)


def test_a_million_independent_rows_follow_the_model():
    """Chi-square over all cells with at least five expected; one seed, so 0.001 refuses a right sampler never twice."""
    rng = np.random.default_rng(11)
    A = random_history(rng, (3, 2, 4, 3, 2))
    assert sum(len(c.tree.cliques) for c in A.components) > 1 or A.cells == 144
    rows = sample(domain_of(A.sizes), A, 10**6, rng)
    counts, expected = rows.marginal((0, 1, 2, 3, 4)).ravel(), joint(A).ravel() * 10**6
    seen = expected >= 5
    observed = np.append(counts[seen], counts[~seen].sum())
    wanted = np.append(expected[seen], expected[~seen].sum())
    statistic = ((observed - wanted) ** 2 / np.maximum(wanted, 1e-9))[wanted > 0].sum()
    assert stats.chi2.sf(statistic, df=int(seen.sum()) - 1) > 0.001


def chain(rng, sizes=(4, 3, 5, 2, 4)):
    """A model over a chain of cliques (0,1), (1,2), (2,3), (3,4)."""
    A = LogLinear.uniform(sizes, 1.0)
    past = []
    for a in range(len(sizes) - 1):
        shape = (sizes[a], sizes[a + 1])
        past.append(Measurement((a, a + 1), rng.dirichlet(np.ones(math.prod(shape))).reshape(shape), 1.0))
    return replay(A, past, step=3.0, sweeps=200)


@pytest.mark.parametrize("model", ["last", "average"])
def test_rounded_rows_keep_marginals_far_better_than_chance(model):
    """In-clique pairs are a rounding (within a row or so a cell); pairs across the tree stay near the model too."""
    rng = np.random.default_rng(0)
    A = chain(rng) if model == "last" else Average((chain(rng), chain(rng)))
    n = 5000
    pairs = list(itertools.combinations(range(5), 2))

    def distance(draw):
        rows = draw(domain_of(A.sizes), A, n, np.random.default_rng(1))
        assert rows.total == n
        return np.mean([np.abs(rows.marginal(S) / n - A.marginal(S)).sum() / 2 for S in pairs])

    assert distance(rounded) <= 0.25 * distance(sample)


def test_rounded_rows_do_not_couple_the_children_of_one_parent():
    """Given the parent, children in the model are independent, and so they are in the rows: no order carries over."""
    p = np.full((2, 2), 0.25)
    A = replay(
        LogLinear.uniform((2, 2, 2), 1.0),
        [Measurement((0, 1), p, 1.0), Measurement((0, 2), p, 1.0)],
        step=1.0,
        sweeps=1,
    )
    rows = rounded(domain_of((2, 2, 2)), A, 4000, np.random.default_rng(0))
    assert rows.marginal((1, 2)) == pytest.approx(np.full((2, 2), 1000), abs=10)


def test_rounded_rows_of_one_ordered_attribute_keep_every_range():
    p = np.random.default_rng(0).dirichlet(np.full(500, 0.2))
    A = LogLinear.of((500,), 1.0, {(0,): np.log(p + 1e-12)})
    rows = rounded(domain_of((500,)), A, 1000, np.random.default_rng(0))
    assert np.abs(np.cumsum(rows.marginal((0,))) - 1000 * np.cumsum(A.marginal((0,)))).max() <= 1 + 1e-9


def test_many_marginals_of_bits_are_sums_too():
    table = np.random.default_rng(0).random((2,) * 6)
    attrs = (9, 2, 5, 0, 7, 4)
    sets = [S for k in range(4) for S in itertools.combinations(sorted(attrs), k)]
    for S, found in table_marginals(table, attrs, sets).items():
        kept = np.einsum(table, range(6), [attrs.index(a) for a in S])
        assert found == pytest.approx(kept, abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_marginals_by_the_array_are_marginals_by_the_list(seed):
    """Of bits alone or of all sizes, in one component or in many: pairs, products and transforms against each other."""
    rng = np.random.default_rng(seed)
    sizes = (2,) * 9 if seed % 2 else tuple(int(s) for s in rng.integers(2, 4, size=9))
    A = LogLinear.uniform(sizes, 100.0)
    for _ in range(rng.integers(1, 9)):
        S = tuple(sorted(rng.choice(9, size=rng.integers(1, 4), replace=False).tolist()))
        shape = [sizes[a] for a in S]
        A = replay(
            A, [Measurement(S, 100 * rng.dirichlet(np.ones(math.prod(shape))).reshape(shape), 1.0)], step=2.0, sweeps=4
        )
    blocks = [np.array(list(itertools.combinations(range(9), k))) for k in (1, 2, 3)]
    for block, cells in zip(blocks, A.flat_marginals(blocks), strict=True):
        alone = [forgetful(A).marginal(tuple(S)).ravel() for S in block.tolist()]
        assert cells == pytest.approx(np.concatenate(alone), abs=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_a_large_tree_takes_a_set_where_it_must_and_nowhere_else(seed, monkeypatch):
    """Only cliques between its attributes are triangulated anew; the distribution stays, and so do other tables."""
    monkeypatch.setattr("mwem_core.model.component.MAX_SMALL_TREE_CLIQUES", 0)
    rng = np.random.default_rng(seed)
    A = random_history(rng, tuple(int(s) for s in rng.integers(2, 4, size=8)), length=5)
    before = joint(A)
    S = tuple(sorted(rng.choice(8, size=rng.integers(2, 4), replace=False).tolist()))
    wide = A.covering([S])
    assert wide.covers(S)
    assert joint(wide) == pytest.approx(before, abs=1e-12)
    for component in wide.components:
        tree = component.tree
        for a in component.attrs:
            assert sum(tree.parent[k] not in tree.cliques_with[a] for k in tree.cliques_with[a]) == 1
        for clique, belief in zip(tree.cliques, component.beliefs, strict=True):
            marginal = A.marginal(tuple(sorted(clique))) / A.total
            assert belief == pytest.approx(marginal.transpose([sorted(clique).index(a) for a in clique]), abs=1e-12)
    touched = {component for component, _ in A.split(S)}
    assert all(c in wide.components for c in A.components if c not in touched)
