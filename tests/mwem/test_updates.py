"""The implicit update of rounds: its optimum, its law on one table, what it leaves alone, and its use in a run."""

import math
from dataclasses import replace

import numpy as np
import pytest
from oracles import domain_of, joint, random_records
from scipy.optimize import minimize

from mwem_core import MWEM, Implicit, Replay, Seeded, Tables, mwem_by_rule, paper, parse_workload
from mwem_core.model import LogLinear, Measurement, Nearness, implicit_change, marginalise, replay
from mwem_core.mwem import REPLAY, UniformStart
from mwem_core.mwem.updates import CHANGE
from mwem_core.prior import refitted
from mwem_core.privacy import Ledger, Pure
from mwem_core.workload import families

SIZES, N, VARIANCE = (2, 3, 4), 500.0, 2.0
SETS = [(0, 1), (1, 2), (0, 2)]


def measured(seed, scale=5.0):
    """Noisy tables of a random distribution, which contradict each other; the first is twice as noisy."""
    rng = np.random.default_rng(seed)
    p = N * rng.dirichlet(np.full(math.prod(SIZES), 0.4)).reshape(SIZES)
    tables = [marginalise(p, (0, 1, 2), S) for S in SETS]
    scales = [2 * scale, scale, scale]
    return [
        Measurement(S, t + rng.laplace(scale=b, size=t.shape), b) for S, t, b in zip(SETS, tables, scales, strict=True)
    ]


def start(seed):
    rng = np.random.default_rng(seed)
    return LogLinear.of(SIZES, N, {(0, 1): rng.normal(size=(2, 3)), (2,): rng.normal(size=4)})


@pytest.mark.parametrize("gradient", [-0.3, -1e-4, 0.0, 1e-6, 0.2])
@pytest.mark.parametrize("p", [1e-12, 1e-4, 0.3])
@pytest.mark.parametrize("ridge", [1e-5, 1e-2])
def test_repeated_changes_solve_the_implicit_equation(gradient, p, ridge):
    """p (e^Δ - 1) + κ Δ = gradient, and no change goes the wrong way."""

    def left(change):
        return gradient - p * math.expm1(change) - ridge * change

    change = 0.0
    for _ in range(60):
        step = implicit_change(np.array([p * math.exp(change)]), np.array([left(change)]), np.array([ridge]))[0]
        assert step == pytest.approx(0.0, abs=1e-9) or left(change) * step > 0
        change += step
    assert left(change) == pytest.approx(0.0, abs=1e-9 * max(1.0, ridge))


@pytest.mark.parametrize("seed", range(5))
def test_it_ends_at_the_model_of_the_least_distance_and_error(seed):
    """KL(A || before) + Σ (m - q(A))² / 2κ, by a general optimiser over all 24 cells."""
    A, tables = start(seed), measured(seed)
    nearness = Nearness(CHANGE, VARIANCE, A.theta)
    ours = joint(replay(A, tables, prior=nearness, step=1.0, sweeps=5000, tolerance=1e-20))
    before = joint(A)

    def objective(logs):
        p = np.exp(logs - logs.max())
        p = (p / p.sum()).reshape(SIZES)
        errors = sum(
            ((m.value / N - marginalise(p, (0, 1, 2), m.attrs)) ** 2 / nearness.ridge(m, N)).sum() / 2 for m in tables
        )
        return float((p * np.log(p / before)).sum() + errors)

    found = minimize(objective, np.log(before).ravel(), method="BFGS", options={"gtol": 1e-9, "maxiter": 2000})
    assert objective(np.log(ours)) <= found.fun + 1e-8
    p = np.exp(found.x - found.x.max())
    assert ours == pytest.approx((p / p.sum()).reshape(SIZES), abs=2e-4)


def test_each_sweep_lowers_what_is_minimised():
    A, tables = start(7), measured(7)
    nearness, before = Nearness(CHANGE, VARIANCE, A.theta), joint(A)

    def value(sweeps):
        p = joint(replay(A, tables, prior=nearness, step=1.0, sweeps=sweeps))
        errors = [
            ((m.value / N - marginalise(p, (0, 1, 2), m.attrs)) ** 2 / nearness.ridge(m, N)).sum() for m in tables
        ]
        return (p * np.log(p / before)).sum() + sum(errors) / 2

    values = [value(sweeps) for sweeps in (1, 2, 3, 5, 8, 20)]
    assert values == sorted(values, reverse=True)


def test_a_cell_as_large_as_its_noise_over_the_change_keeps_half_of_a_small_gap_and_larger_ones_more():
    m = Measurement((0,), np.array([0.0, 40.0, 400.0]), 2.0)
    unknown = math.sqrt(VARIANCE) * 2.0 / (CHANGE * N)
    assert Nearness(CHANGE, VARIANCE, {}).ridge(m, N) == pytest.approx(
        [unknown, unknown**2 / (unknown + 40 / N), unknown**2 / (unknown + 400 / N)]
    )


def test_exact_tables_are_met():
    A, tables = LogLinear.uniform(SIZES, N), measured(1, scale=1e-6)
    nearness = Nearness(CHANGE, VARIANCE, {})
    fitted = replay(A, tables, prior=nearness, step=1.0, sweeps=2000, tolerance=1e-20)
    for m in tables:
        assert fitted.marginal(m.attrs) == pytest.approx(m.value, abs=1e-2)


def test_components_without_news_stay_the_same_objects_and_impossible_cells_stay_empty():
    B = random_records(domain_of((2, 3, 4, 2, 3)), 300, np.random.default_rng(0))
    tables = [Measurement(S, B.marginal(S) + 1.0, 3.0) for S in ((0, 1), (2, 3))]
    A, ledger = LogLinear.uniform((2, 3, 4, 2, 3), 300.0), Ledger(Pure(1.0))
    for i in (1, 2):
        A, before = Implicit().apply(A, tables[:i], ledger, A, UniformStart()), A
    assert A.component_of[0] != A.component_of[2]
    assert A.components[A.component_of[0]] is before.components[before.component_of[0]]
    cells = np.ones((2, 3), bool)
    cells[1, 2] = False
    ruled = Implicit().apply(LogLinear.uniform((2, 3), 300.0, {(0, 1): cells}), tables[:1], ledger, A, UniformStart())
    assert ruled.marginal((0, 1))[1, 2] == 0.0
    assert ruled.marginal((0, 1)).sum() == pytest.approx(300.0)


def test_the_default_updates_marginals_implicitly_and_the_paper_does_not():
    Q = families.marginals(domain_of((3, 4, 2)), 2)
    assert isinstance(mwem_by_rule(Q, n=1e4, epsilon=1.0).update, Implicit)
    assert isinstance(paper(Q, epsilon=1.0).update, Replay)
    parities = families.parities(domain_of((2, 2, 2)), 2)
    assert isinstance(mwem_by_rule(parities, n=1e4, epsilon=1.0).update, Replay)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_rounds_come_as_near_as_the_explicit_replay(delta):
    """The mean total variation of 12 seeds: within a tenth of that of sixty sweeps with leaps."""
    B = random_records(domain_of((3, 4, 5, 4)), 4000, np.random.default_rng(4))
    Q = families.marginals(B.domain, 2)
    settings = mwem_by_rule(Q, n=4000, epsilon=1.0, delta=delta, T=4)
    exact = B.marginals(Q.sets)

    def tv(update):
        errors = []
        for seed in range(12):
            *_, last = replace(settings, update=update).rounds(B, Q, noise=Seeded(seed))
            A = last.model.marginals(Q.sets)
            errors += [np.abs(a - b).sum() / 8000 for a, b in zip(A, exact, strict=True)]
        return np.mean(errors)

    assert tv(Implicit()) <= 1.1 * tv(REPLAY)


def test_what_it_is_not_for_is_refused():
    with pytest.raises(ValueError, match="fits whole tables, no queries: choose a replay"):
        MWEM(epsilon=1.0, update=Implicit())
    Q = parse_workload("marginals:2 + parities:1", domain_of((2, 2, 2)))
    B = random_records(Q.domain, 400, np.random.default_rng(4))
    settings = MWEM(epsilon=1.0, T=1, candidates=Tables(), update=Implicit())
    with pytest.raises(ValueError, match="is of whole tables, not of"):
        settings.rounds(B, Q, noise=Seeded(0))
    assert isinstance(mwem_by_rule(Q, n=400, epsilon=1.0).update, Replay)


@pytest.mark.parametrize(("delta", "variance"), [(0.0, 2.0), (1e-6, 1.0)], ids=["Laplace", "Gaussian"])
@pytest.mark.parametrize("update", [Replay(step=3.0, near_prior=True), Implicit(near_prior=True)])
def test_the_last_update_is_the_fit_near_a_prior_with_the_variance_of_the_noise(update, delta, variance):
    B = random_records(domain_of([3, 4, 2]), int(N), np.random.default_rng(0))
    Q = families.marginals(B.domain, 2)
    settings = MWEM(epsilon=1.0, delta=delta, T=2, candidates=Tables(), update=update)
    first, before, last = settings.rounds(B, Q, noise=Seeded(0))
    expected = refitted(before.A, first.A, [before.measurement, last.measurement], variance)
    assert joint(last.model) == pytest.approx(joint(expected))
