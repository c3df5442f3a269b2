"""How rounds update: the last fit of a run, and replays that end by their own gap."""

from dataclasses import replace

import numpy as np
import pytest
from oracles import domain_of, joint, random_records

from mwem_core import MWEM, Replay, Seeded, Tables, mwem_by_rule
from mwem_core.domain import Records
from mwem_core.prior import refit
from mwem_core.workload import families


@pytest.mark.parametrize(("delta", "variance"), [(0.0, 2.0), (1e-6, 1.0)], ids=["Laplace", "Gaussian"])
def test_the_last_update_is_the_fit_near_a_prior_with_the_variance_of_the_noise(delta, variance):
    B = random_records(domain_of([3, 4, 2]), 500, np.random.default_rng(0))
    Q = families.marginals(B.domain, 2)
    update = Replay(step=3.0, near_prior=True)
    settings = MWEM(epsilon=1.0, delta=delta, T=2, candidates=Tables(), update=update)
    first, before, last = settings.rounds(B, Q, noise=Seeded(0))
    expected = refit(before.A, first.A, [before.measurement, last.measurement], variance)
    assert joint(last.model) == pytest.approx(joint(expected))


def nearly_determined(n, rng):
    """n records of 6 x 15 x 42 values. The last attribute determines the middle one, but for 1 in 500 records."""
    last = rng.choice(42, n, p=rng.dirichlet(np.full(42, 0.5)))
    middle = np.where(rng.random(n) < 0.002, rng.integers(15, size=n), rng.integers(15, size=42)[last])
    cumulated = rng.dirichlet(np.ones(6), size=42).cumsum(axis=1)
    first = (rng.random(n)[:, None] > cumulated[last]).sum(axis=1).clip(0, 5)
    return Records(domain_of([6, 15, 42]), (first, middle, last))


@pytest.mark.parametrize("epsilon", [1.0, 3.0])
def test_a_replay_ends_by_its_gap_where_one_attribute_nearly_determines_another(epsilon):
    """400,000 records, all pairs, three seeds: sixty sweeps of any gap would leave .018 in total variation."""
    errors = []
    for seed in range(3):
        B = nearly_determined(400_000, np.random.default_rng(seed))
        Q = families.marginals(B.domain, 2)
        settings = mwem_by_rule(Q, n=B.total, epsilon=epsilon)
        *_, last = replace(settings, T=3).rounds(B, Q, noise=Seeded(seed))
        errors.append(np.abs(Q.answers(last.model) - Q.answers(B)).sum() / (2 * B.total * Q.parts))
    assert np.mean(errors) < 0.003
