"""A Bayesian network: its encodings, its rows and answers."""

import numpy as np
import pytest
from oracles import domain_of, joint, random_records
from privbayes_oracles import every_cell, run
from workloads import bits

from mwem_core import Seeded
from mwem_core.relatives.bayesian_network import Encoding, Network, Node
from mwem_core.relatives.privbayes import PrivBayes
from mwem_core.workload import families


def test_vanilla_leaves_the_records_as_they_are():
    B = random_records(domain_of([3, 2, 5]), 50, np.random.default_rng(0))
    encoding = Encoding.vanilla(B.domain)
    assert encoding.plain
    assert encoding.sizes == (3, 2, 5)
    assert encoding.encode(B) is B
    assert encoding.possible((0, 2)).tolist() == np.ones((3, 5)).tolist()


@pytest.mark.parametrize("gray", [False, True])
def test_bits_spell_every_code_and_no_other(gray):
    domain = domain_of([2, 3, 6, 8])
    encoding = Encoding.bits(domain, gray=gray)
    assert encoding.sizes == (2,) * (1 + 2 + 3 + 3)
    cells = tuple(x.ravel().astype(np.uint8) for x in np.indices(domain.shape))
    codes, invalid = encoding.codes(encoding.values(cells))
    assert not invalid.any()
    assert (codes == cells).all()
    patterns = [x.ravel() for x in np.indices((2,) * 9)]
    assert (~encoding.codes(patterns)[1]).sum() == domain.size
    assert encoding.possible(tuple(range(9))).sum() == domain.size
    assert encoding.possible((1, 2)).tolist() == ([[1, 1], [0, 1]] if gray else [[1, 1], [1, 0]])


def test_gray_codes_of_neighbours_differ_in_one_bit():
    encoding = Encoding.bits(domain_of([13]), gray=True)
    values = np.array(encoding.values((np.arange(13),)))
    assert (np.abs(np.diff(values.astype(int), axis=1)).sum(axis=0) == 1).all()


@pytest.mark.parametrize("gray", [False, True])
def test_recoded_records_have_the_counts_of_their_bits(gray):
    B = random_records(domain_of([3, 4]), 200, np.random.default_rng(0))
    encoding = Encoding.bits(B.domain, gray=gray)
    table = encoding.encode(B).marginal((0, 1, 2, 3))
    assert table.sum() == 200
    for a, b in np.ndindex(3, 4):
        pattern = encoding.values((np.array([a]), np.array([b])))
        assert table[tuple(int(x[0]) for x in pattern)] == B.marginal((0, 1))[a, b]


@pytest.mark.parametrize("gray", [False, True])
def test_bits_of_two_valued_attributes_are_the_attributes(gray):
    assert Encoding.bits(bits(4), gray=gray).plain
    assert not Encoding.bits(domain_of([2, 3]), gray=gray).plain


@pytest.mark.parametrize("encoding", ["vanilla", "binary"])
def test_rows_follow_the_networks_probabilities(encoding):
    """Pearson's statistic of 20,000 rows, 59 degrees of freedom: it passes 110 once in 16,000 samples of the law."""
    B = random_records(domain_of([3, 4, 5]), 500, np.random.default_rng(2))
    network = run(PrivBayes(epsilon=2.0, encoding=encoding), B, Seeded(0))
    rows = network.draw(20_000, np.random.default_rng(0))
    p = network.probability(every_cell(B))
    assert p.sum() == pytest.approx(1, abs=1e-9 if network.encoding.plain else 0.02)
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


def test_rows_whose_bits_spell_no_code_are_drawn_again():
    """Two even bits for three values: a quarter of the draws is invalid, so each value has a third of the rows.

    Of 30,000 rows that is 10,000 with a standard deviation of 82; the estimated share of valid draws errs by 0.4%.
    """
    even = np.array([0.5, 0.5])
    network = Network(Encoding.bits(domain_of([3]), gray=False), 10_000.0, (Node(0, (), even), Node(1, (), even)))
    rows = network.draw(30_000, np.random.default_rng(0))
    assert rows.marginal((0,)) == pytest.approx(np.full(3, 10_000), abs=5 * 82)
    assert network.probability((np.arange(3),)) == pytest.approx(np.full(3, 1 / 3), rel=0.02)


def test_draws_that_stay_invalid_take_the_first_code():
    """All of the probability is on (1, 1), which spells none of three values."""
    one = np.array([0.0, 1.0])
    network = Network(Encoding.bits(domain_of([3]), gray=False), 100.0, (Node(0, (), one), Node(1, (), one)))
    assert network.draw(50, np.random.default_rng(0)).marginal((0,)).tolist() == [50, 0, 0]
