"""PrivBayes: what it spends, how much noise it adds, its conditionals, what it releases and refuses."""

import math

import numpy as np
import pytest
from contract import privacy_loss
from messages import exactly
from oracles import Following, Recording, domain_of, neighbours, random_records
from privbayes_oracles import every_cell, run
from scipy import stats
from workloads import bits

from mwem_core import Records, Seeded
from mwem_core.domain import OfTotal
from mwem_core.privacy import Accountant, Pure
from mwem_core.relatives.privbayes import (
    MAX_TABLE_CELLS,
    THETA,
    PrivBayes,
    conditionals,
    max_table_cells,
    measured_sets,
    privbayes_preset,
)
from mwem_core.workload import families


@pytest.mark.parametrize("n", [50, 1_000, 21_574, 10**6])
@pytest.mark.parametrize("epsilon", [0.05, 1.0, 10.0])
def test_measured_tables_are_theta_useful_and_the_degree_is_the_largest(n, epsilon):
    """By the paper's rule, made for twice our noise: the mean count of a cell is at least 2θ times the mean |noise|."""
    second = 0.7 * epsilon
    for d in (1, 6, 16):
        cells = max_table_cells([2] * d, n=n, epsilon=epsilon)
        k = int(math.log2(cells)) - 1
        useful = [j for j in range(1, d) if n * second / ((d - j) * 2 ** (j + 2)) >= THETA]
        assert k == max(useful, default=0)
        if k:
            noise = (d - k) / second  # the mean of |Laplace| is its scale, and there are d - k tables
            assert n / cells / noise >= 2 * THETA
    assert max_table_cells([3, 4, 5, 6], n=n, epsilon=epsilon) == min(
        int(n * second / (2 * 4 * THETA)), MAX_TABLE_CELLS
    )


def test_over_200_runs_noise_and_choices_follow_their_laws():
    """Six bits, degree 3: d - k = 3 tables of 16 cells at a third of ε₂ each, sensitivity 1 record.

    The classic slip is a scale for shares on counts, n times too little. All 9,600 draws are compared with Laplace's
    law by Kolmogorov and Smirnov, whose p-value falls below 0.001 for one seed in a thousand; the mean of |draw| has a
    standard error of 1%. A chosen score falls short of the best by (2Δ/ε)(ln m + t) with probability at most e^-t.
    """
    B = random_records(bits(6), 1_200, np.random.default_rng(0))
    settings = PrivBayes(epsilon=0.5, score="F")
    scale, drawn, short = 3 / (0.7 * 0.5), [], []
    for seed in range(200):
        noise = Recording(Seeded(seed))
        assert run(settings, B, noise).degree == 3
        choices, tables = noise.draws[:6], noise.draws[6:]
        assert [kind for kind, *_ in noise.draws] == ["choose"] * 6 + ["laplace"] * 3
        assert not choices[0][1].any()  # the first variable is drawn uniformly, whatever the records
        for _, exact, its_scale, noisy in tables:
            assert its_scale == pytest.approx(scale)
            assert (exact.size, exact.sum()) == (16, 1_200)
            drawn.append(noisy - exact)
        short += [weights.max() - weights[chosen] - math.log(len(weights)) for _, weights, _, chosen in choices]
    z = np.concatenate([table.ravel() for table in drawn]) / scale
    assert stats.kstest(z, stats.laplace.cdf).pvalue > 1e-3
    assert np.abs(z).mean() == pytest.approx(1, abs=0.04)
    assert 1_200 / 16 >= 2 * THETA * scale * np.abs(z).mean()  # θ-useful: a cell's mean count against noise
    for t in (0.0, 0.5, 1.0, 2.0):
        assert (np.array(short) >= t).mean() <= math.exp(-t)


@pytest.mark.parametrize(("sizes", "score"), [([2] * 6, "F"), ([3, 4, 2, 5], "R")])
def test_network_is_acyclic_within_its_tables_and_its_conditionals_sum_to_one(sizes, score):
    B = random_records(domain_of(sizes), 4_000, np.random.default_rng(1))
    max_cells = max_table_cells(sizes, n=4_000, epsilon=0.5)
    for seed in range(5):
        network, earlier = run(PrivBayes(epsilon=0.5, score=score), B, Seeded(seed)), set()
        for node in network.nodes:
            assert set(node.parents) <= earlier
            earlier.add(node.variable)
            assert node.conditional.size <= max(max_cells, len(node.conditional))
            assert node.conditional.min() >= 0
            assert node.conditional.sum(axis=0) == pytest.approx(1)
        assert earlier == set(range(len(sizes)))
        assert network.degree > 0


def test_the_whole_budget_is_spent_three_tenths_on_the_network_or_none_where_no_parents_fit():
    B = random_records(bits(4), 3_000, np.random.default_rng(0))
    Q = families.marginals(B.domain, 2)
    for epsilon, select in ((1.0, 0.3), (0.001, 0.0)):
        (entry,) = privbayes_preset(Q, n=B.total, epsilon=epsilon).rounds(B, Q, noise=Seeded(0))
        assert entry.index == 1
        assert entry.ledger.spent == pytest.approx(epsilon, rel=1e-12)
        assert entry.ledger.select == pytest.approx(select * epsilon)
        assert (entry.model.degree > 0) == (select > 0)


def test_without_noise_and_with_every_parent_it_is_the_data():
    B = random_records(domain_of([3, 5, 2]), 2_000, np.random.default_rng(0))
    network = run(PrivBayes(epsilon=1e6), B, Seeded(0))
    p = network.probability(every_cell(B)).reshape(B.domain.shape)
    assert p == pytest.approx(B.marginal((0, 1, 2)) / B.total, abs=1e-5)
    Q = families.marginals(B.domain, 2)
    assert Q.answers(B) == pytest.approx(network.answers(Q), abs=1e-2)


@pytest.mark.parametrize(("sizes", "score"), [([2] * 5, "F"), ([3, 4, 2, 3], "R")])
def test_neighbours_with_equal_draws_release_the_same_and_their_likelihoods_differ_by_at_most_epsilon(sizes, score):
    """The sum over all draws: the most a choice's log-probability moves, or a table's L1 distance over its scale."""
    rng = np.random.default_rng(0)
    B = random_records(domain_of(sizes), 400, rng)
    algorithm = PrivBayes(epsilon=0.9, score=score)
    model = run(algorithm, B, ours := Recording(Seeded(3)))
    for neighbour in neighbours(B, rng):
        again = run(algorithm, OfTotal(neighbour, B.total), theirs := Recording(Following(ours.draws)))
        loss = sum(
            privacy_loss(kind, a, b, scale, "ε")
            for (kind, a, scale, _), (_, b, *_) in zip(ours.draws, theirs.draws, strict=True)
        )
        assert 0 < loss <= algorithm.epsilon + 1e-9
        for a, b in zip(model.nodes, again.nodes, strict=True):
            assert (a.variable, a.parents) == (b.variable, b.parents)
            assert (a.conditional == b.conditional).all()


def test_preset_scores_bits_by_F_where_pairs_are_few():
    assert privbayes_preset(families.marginals(bits(16), 2), n=21_574, epsilon=0.1).score == "F"
    assert privbayes_preset(families.marginals(bits(16), 2), n=21_574, epsilon=1.0).score == "R"
    assert privbayes_preset(families.marginals(domain_of([2, 3]), 2), n=21_574, epsilon=0.1).score == "R"


@pytest.mark.parametrize(
    ("score", "size", "message"),
    [
        ("F", 4, "score F needs attributes of two values, 'b' has 4: choose score='R', or leave it out"),
        ("R", 2**17 + 1, "'b' has 131,073 values and a table may hold 131,072 cells: declare coarser bins"),
    ],
)
def test_a_domain_that_the_settings_cannot_serve_is_refused_on_the_call(score, size, message):
    Q = families.marginals(domain_of([2, size]), 1)
    with pytest.raises(ValueError, match=exactly(message)):
        PrivBayes(epsilon=1.0, score=score).rounds(None, Q, noise=Seeded(0))


class OneLess(Seeded):
    """Noise of -1 on every count."""

    def laplace(self, exact, epsilon, sensitivity):
        return exact - 1.0


def test_a_table_within_another_is_not_measured():
    assert measured_sets([(0, ()), (1, (0,)), (2, (0, 1))]) == [(0, 1, 2)]
    assert measured_sets([(0, ()), (1, (0,)), (2, (1,))]) == [(0, 1), (1, 2)]
    assert measured_sets([(2, ()), (0, (2,)), (1, (2, 0))]) == [(0, 1, 2)]
    assert measured_sets([(0, ()), (1, ()), (2, (1,))]) == [(0,), (1, 2)]


def test_a_conditional_is_uniform_where_no_count_is_left():
    """49 records are left in the first cell, and less than none elsewhere."""
    B = Records(domain_of([3, 2]), tuple(np.zeros(50, np.uint8) for _ in range(2)))
    first, second = conditionals(B, [(0, ()), (1, (0,))], Accountant(Pure(1.0), OneLess(0)))
    assert first.conditional.tolist() == [1, 0, 0]
    assert second.conditional.tolist() == [[1, 0.5, 0.5], [0, 0.5, 0.5]]
