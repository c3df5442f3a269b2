"""A network's rows, answers and probabilities agree with each other."""

import numpy as np
import pytest
from oracles import domain_of, joint, random_records
from privbayes_oracles import every_cell, run

from mwem_core import Seeded
from mwem_core.relatives.privbayes.network import Network, Node
from mwem_core.relatives.privbayes.privbayes import PrivBayes
from mwem_core.relatives.privbayes.recoding import Recoding
from mwem_core.workload import families


@pytest.mark.parametrize("encoding", ["vanilla", "binary"])
def test_rows_follow_the_networks_probabilities(encoding):
    """Pearson's statistic of 20,000 rows, 59 degrees of freedom: it passes 110 once in 16,000 samples of the law."""
    B = random_records(domain_of([3, 4, 5]), 500, np.random.default_rng(2))
    network = run(PrivBayes(epsilon=2.0, encoding=encoding), B, Seeded(0))
    rows = network.draw(20_000, np.random.default_rng(0))
    p = network.probability(every_cell(B))
    assert p.sum() == pytest.approx(1, abs=1e-9 if network.recoding.plain else 0.02)
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
    monkeypatch.setattr("mwem_core.relatives.privbayes.network.MAX_EXACT_CELLS", 10)
    B = random_records(domain_of([3, 4, 2, 3]), 3_000, np.random.default_rng(0))
    network, Q = run(PrivBayes(epsilon=0.3), B, Seeded(1)), families.marginals(B.domain, 2)
    assert network.exact is None
    rows = network.draw(3_000, np.random.default_rng(0))
    assert (network.answers(Q) == Q.answers(rows)).all()


def test_rows_whose_bits_spell_no_code_are_drawn_again():
    """Two even bits for three values: a quarter of the draws is invalid, so each value has a third of the rows.

    Of 30,000 rows that is 10,000 with a standard deviation of 82; the estimated share of valid draws errs by 0.4%.
    """
    even = np.array([0.5, 0.5])
    network = Network(Recoding.bits(domain_of([3]), gray=False), 10_000.0, (Node(0, (), even), Node(1, (), even)))
    rows = network.draw(30_000, np.random.default_rng(0))
    assert rows.marginal((0,)) == pytest.approx(np.full(3, 10_000), abs=5 * 82)
    assert network.probability((np.arange(3),)) == pytest.approx(np.full(3, 1 / 3), rel=0.02)


def test_draws_that_stay_invalid_take_the_first_code():
    """All of the probability is on (1, 1), which spells none of three values."""
    one = np.array([0.0, 1.0])
    network = Network(Recoding.bits(domain_of([3]), gray=False), 100.0, (Node(0, (), one), Node(1, (), one)))
    assert network.draw(50, np.random.default_rng(0)).marginal((0,)).tolist() == [50, 0, 0]
