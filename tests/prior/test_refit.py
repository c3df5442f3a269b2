"""The last fit of rounds that selected: what was measured as residuals, the most probable table, and what it gains."""

from dataclasses import replace

import numpy as np
import pytest
from oracles import domain_of, joint, random_records

from mwem_core import Records, Seeded
from mwem_core.automatic import mwem_by_rule
from mwem_core.base import change, constants
from mwem_core.judge import errors
from mwem_core.model import LogLinear, Measurement, centre, marginalise, most_probable, pool_residuals, replay
from mwem_core.prior.fits import refit
from mwem_core.prior.strength import fit_by_order
from mwem_core.workload import families

SIZES, N, STEPS = (2, 3, 2, 4), 300, {"step": 3.0, "sweeps": 2000, "tolerance": 1e-12}


def measured(sets, scale=6.0):
    """Whole marginals, the first of them twice as noisy as the others."""
    B, rng = random_records(domain_of(SIZES), N, np.random.default_rng(1)), np.random.default_rng(2)
    scales = [2 * scale, *[scale] * (len(sets) - 1)]
    return [
        Measurement(S, table + rng.normal(0, b, table.shape), b)
        for S, table, b in zip(sets, B.marginals(sets), scales, strict=True)
    ]


def test_what_tables_tell_of_a_residual_is_averaged_by_precision():
    """Noise of b on a cell is b √(cells summed) on a cell of a smaller marginal."""
    first, second = measured([(0, 1), (1, 2, 3)])
    known = {m.attrs: m for m in pool_residuals([first, second])}
    assert set(known) == {(0,), (1,), (0, 1), (2,), (3,), (1, 2), (1, 3), (2, 3), (1, 2, 3)}
    squares = np.array([2 * first.scale**2, 8 * second.scale**2])
    of_1 = [centre(marginalise(m.value, m.attrs, (1,))) for m in (first, second)]
    assert known[(1,)].value == pytest.approx((of_1[0] / squares[0] + of_1[1] / squares[1]) / (1 / squares).sum())
    assert known[(1,)].scale == pytest.approx((1 / squares).sum() ** -0.5)
    assert known[(0, 1)].value == pytest.approx(centre(first.value))
    assert known[(0, 1)].scale == first.scale


def test_log_weights_of_residuals_are_the_same_distribution():
    A = replay(LogLinear.uniform(SIZES, N), measured([(0, 1), (1, 2, 3)]), **STEPS)
    B = A.in_residuals()
    assert joint(B) == pytest.approx(joint(A))
    assert all(centre(table) == pytest.approx(table, abs=1e-9) for table in B.theta.values())
    again = LogLinear.of(SIZES, N, B.theta)
    assert joint(again) == pytest.approx(joint(A), rel=1e-6)


@pytest.mark.parametrize("scale", [2.0, 200.0])
def test_the_last_fit_is_the_most_probable_order_by_order(scale, monkeypatch):
    """By the dual's optimum, from wherever it starts: from A, or from the base where noise outweighs the prior."""
    monkeypatch.setattr(constants, "REFIT_SWEEPS", STEPS["sweeps"])
    monkeypatch.setattr("mwem_core.prior.fits.TOLERANCE", STEPS["tolerance"])
    start, marginals = LogLinear.uniform(SIZES, N), measured([(0, 1), (1, 2, 3), (0, 3)], scale)
    A = replay(start, marginals[:-1], step=3.0, sweeps=60, tolerance=0.01)

    def by_the_dual(base, residuals, strength):
        strength *= constants.REFIT_STRENGTH
        close = {"unit_variance": 2.0, "iterations": 500, "tolerance": 1e-12}
        return most_probable(base, residuals, strength=strength, **close)

    *_, best = fit_by_order(start, pool_residuals(marginals), 2.0, by_the_dual)
    assert joint(refit(A, start, marginals, 2.0)) == pytest.approx(joint(best), abs=1e-5)


def test_parities_of_one_order_alone_are_fitted_too():
    B = random_records(domain_of([2] * 5), N, np.random.default_rng(3))
    Q = families.parities(B.domain, 2)
    settings = replace(mwem_by_rule(Q, n=N, epsilon=2.0), T=3)
    *_, last = settings.rounds(B, Q, noise=Seeded(0))
    without = change(settings, {"update.near_prior": False}).rounds(B, Q, noise=Seeded(0))
    assert np.abs(last.model.marginal((0, 1)) - [*without][-1].model.marginal((0, 1))).max() > 0


def test_the_last_fit_waits_for_the_last_round_and_takes_noise_off_the_answers():
    """Five seeds of four skewed attributes: earlier rounds are the same, and the mean error falls by a fifth."""
    rng = np.random.default_rng(5)
    shared, own = rng.random(50_000) ** 3, rng.random((4, 50_000)) ** 3
    codes = (np.floor(size * (0.6 * shared + 0.4 * each)) for size, each in zip((20, 20, 20, 4), own, strict=True))
    B = Records(domain_of([20, 20, 20, 4]), tuple(column.astype(np.uint8) for column in codes))
    Q = families.marginals(B.domain, 2)
    with_prior, without = (
        change(mwem_by_rule(Q, n=50_000, epsilon=3.0), {"update.near_prior": near}) for near in (True, False)
    )
    found = []
    for seed in range(5):
        rounds = [list(each.rounds(B, Q, noise=Seeded(seed))) for each in (with_prior, without)]
        assert joint(rounds[0][1].model) == pytest.approx(joint(rounds[1][1].model))
        assert rounds[0][-1].ledger.is_spent
        found.append([errors(Q, Q.answers(r[-1].model), Q.answers(B), 50_000).mean_tv for r in rounds])
    assert np.mean(found, axis=0)[0] < 0.8 * np.mean(found, axis=0)[1]
