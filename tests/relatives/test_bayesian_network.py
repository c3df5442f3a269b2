"""A Bayesian network: its rows and answers."""

import numpy as np
import pytest
from oracles import domain_of, joint, random_records
from privbayes_oracles import every_cell, run

from mwem_core import Seeded
from mwem_core.relatives.privbayes import PrivBayes
from mwem_core.workload import families


def test_rows_follow_the_networks_probabilities():
    """Pearson's statistic of 20,000 rows, 59 degrees of freedom: it passes 110 once in 16,000 samples of the law."""
    B = random_records(domain_of([3, 4, 5]), 500, np.random.default_rng(2))
    network = run(PrivBayes(epsilon=2.0), B, Seeded(0))
    rows = network.draw(20_000, np.random.default_rng(0))
    p = network.probability(every_cell(B))
    assert p.sum() == pytest.approx(1, abs=1e-9)
    expected, seen = 20_000 * p / p.sum(), rows.marginal((0, 1, 2)).ravel()
    assert (seen[expected == 0] == 0).all()
    possible = expected > 0
    assert ((seen - expected)[possible] ** 2 / expected[possible]).sum() < 110


def test_answers_are_the_networks_own_sums():
    B = random_records(domain_of([3, 4, 2, 3]), 3_000, np.random.default_rng(0))
    network = run(PrivBayes(epsilon=0.3), B, Seeded(1))
    p = network.probability(every_cell(B)).reshape(B.domain.shape)
    Q = families.marginals(B.domain, 2)
    marginals = [p.sum(axis=tuple(a for a in range(4) if a not in S)).ravel() for S in Q.sets]
    assert network.answers(Q) == pytest.approx(B.total * np.concatenate(marginals), abs=1e-6 * B.total)
    assert network.exact is not None
    assert joint(network.exact) == pytest.approx(p, abs=1e-9)


def test_a_junction_tree_above_the_limit_is_answered_from_rows_drawn_at_a_public_seed(monkeypatch):
    monkeypatch.setattr("mwem_core.relatives.bayesian_network.MAX_EXACT_CELLS", 10)
    B = random_records(domain_of([3, 4, 2, 3]), 3_000, np.random.default_rng(0))
    network, Q = run(PrivBayes(epsilon=0.3), B, Seeded(1)), families.marginals(B.domain, 2)
    assert network.exact is None
    rows = network.draw(3_000, np.random.default_rng(0))
    assert (network.answers(Q) == Q.answers(rows)).all()
