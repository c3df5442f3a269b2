"""The multiplicative update, on one table and through messages, against its formula over the whole domain."""

import numpy as np
import pytest

from mwem_core.model.loglinear import LogLinear
from mwem_core.model.measurement import Measurement, Prior
from mwem_core.model.replay import update
from mwem_core.model.sums import centre
from mwem_core.model.sweep import MIN_SHARE, CliqueTables, MarginalView, PlacedMeasurement


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("step", [0.5, 3.0])
def test_an_update_is_the_formula_of_figure_1(whole, step):
    """A(x) ∝ A(x) exp(step q(x) (m - q(A)) / n), cell by cell; of a whole marginal, every cell's own difference."""
    rng = np.random.default_rng(0)
    A = LogLinear.of((2, 3, 4), 50.0, {(0, 1): rng.normal(size=(2, 3)), (1, 2): rng.normal(size=(3, 4))})
    S = (0, 2)
    q = None if whole else rng.uniform(-1, 1, size=(2, 4))
    m = Measurement(S, 50 * rng.dirichlet(np.ones(8)).reshape(2, 4) if whole else np.array(20.0), 1.0, q)
    before = A.marginal((0, 1, 2))
    difference = m.residual(before.sum(axis=1))
    exponent = step / 50 * (difference if q is None else q * difference)
    expected = before * np.exp(exponent[:, None, :])
    expected *= 50 / expected.sum()
    assert update(A, m, step).marginal((0, 1, 2)) == pytest.approx(expected)


def test_an_update_says_the_weighted_squared_error_before_it_and_keeps_the_log_weights():
    p = np.array([0.5, 0.3, 0.2])
    theta = {(0,): np.zeros(())}
    placed = PlacedMeasurement(0, (0,), MarginalView.of((0,), (0,)), np.array([0.2, 0.3, 0.5]), None, weight=0.25)
    assert placed.update(p, theta, 2.0) == pytest.approx(0.25 * (0.3**2 + 0.3**2))
    assert theta[0,] == pytest.approx(2.0 * 0.25 * np.array([-0.3, 0.0, 0.3]))
    assert p.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("kind", ["whole", "centred", "query"])
def test_with_a_prior_an_update_goes_along_the_gradient_of_the_dual(kind):
    """m - q(p) - κ(θ - base), cell by cell and without its mean, or along q; the step is shortened by 1 + step κ."""
    rng, n, step = np.random.default_rng(2), 40.0, 1.5
    p, shape = rng.dirichlet(np.ones(6)).reshape(2, 3), (2, 3)
    q = rng.uniform(-1, 1, size=shape) if kind == "query" else None
    exact = rng.normal(8, 3, size=shape)
    value = np.array(9.0) if kind == "query" else centre(exact) if kind == "centred" else exact
    m = Measurement((0, 1), value, 2.0, q, centred=kind == "centred")
    base = rng.normal(size=shape)
    along = 0.7  # the log-weights of a query's updates are a multiple of q
    beyond = along * q if q is not None else rng.normal(size=shape)
    prior = Prior(30.0, 2.0, {(0, 1): base})
    ridge = 30.0 * 2.0 * (2.0 / n) ** 2
    if q is not None:
        error = 9.0 / n - (q * p).sum() - ridge * along
        change = step / (1 + step * ridge) * error * q
    else:
        error = value / n - (centre(p) if kind == "centred" else p) - ridge * beyond
        error = error - error.mean()
        change = step / (1 + step * ridge) * error
    expected = p * np.exp(change)
    theta, before = {(0, 1): base + beyond}, p.copy()
    placed = PlacedMeasurement.of(m, clique=0, axes=(0, 1), total=n, least=2.0, prior=prior)
    assert placed.update(p, theta, step) == pytest.approx((error**2).sum())
    assert p == pytest.approx(expected / expected.sum())
    assert theta[0, 1] - base - beyond == pytest.approx(change)
    assert not np.allclose(p, before)


def test_a_table_asked_for_has_received_every_change_made_elsewhere():
    """On a chain a - b - c - d: after changes in two cliques, each clique's table is the whole product's marginal."""
    rng = np.random.default_rng(1)
    A = LogLinear.of(
        (2, 3, 2, 3), 1.0, {S: rng.normal(size=s) for S, s in ((((0, 1)), (2, 3)), ((1, 2), (3, 2)), ((2, 3), (2, 3)))}
    )
    (component,) = A.components
    tree = component.tree
    tables = CliqueTables.of(component, list(tree.order), {S: np.zeros(()) for S in component.theta})
    joint = A.marginal((0, 1, 2, 3))
    for S in ((0, 1), (2, 3)):
        k = tree.clique_for(S)
        factor = rng.uniform(0.5, 2.0, size=[A.sizes[a] for a in S])
        MarginalView.of(S, tree.cliques[k]).scale(tables.informed_table(k), factor)
        joint = joint * (factor[:, :, None, None] if S == (0, 1) else factor[None, None])
    for k, table in tables.calibrated().items():
        clique = tree.cliques[k]
        other = tuple(a for a in range(4) if a not in clique)
        assert table.transpose(np.argsort(clique)) == pytest.approx(joint.sum(axis=other))


def test_a_marginal_that_is_read_is_never_zero_nor_are_the_cells_behind_it():
    table = np.array([[0.0, 0.6], [0.0, 0.4]])
    assert MarginalView.of((1,), (0, 1)).read(table) == pytest.approx([2 * MIN_SHARE, 1.0], rel=1e-9)
    assert table.min() == MIN_SHARE
