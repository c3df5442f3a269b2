"""Barak et al.: coefficients determine the marginals, their sensitivity, and both fits against brute force."""

import itertools
import math

import numpy as np
import pytest
from messages import exactly
from oracles import domain_of, query_vectors, random_records

from mwem_core import Seeded, Witness
from mwem_core.judge import errors, relative_entropy
from mwem_core.output import round_rows
from mwem_core.relatives.barak import (
    Barak,
    BarakLP,
    characters,
    coefficient_counts,
    coefficients,
    nearest_table,
    sensitivity,
)
from mwem_core.workload import families

SIZES = ([2, 2, 2, 2], [2, 3, 4], [5, 2, 3])
FORMS = ["replay", "linear programme"]


def everything(domain):
    return tuple(range(len(domain)))


def on_cells(domain, q):
    """Every coefficient's values on all cells of the domain: (coefficients, |D|)."""
    cells = list(itertools.product(*map(range, domain.shape)))
    return np.array([[query[tuple(cell[a] for a in S)] for cell in cells] for S, own in q.items() for query in own])


@pytest.mark.parametrize("size", [2, 3, 4, 7, 12])
def test_characters_are_orthogonal_to_each_other_and_to_one(size):
    table = characters(size)
    assert table.shape == (size - 1, size)
    assert np.abs(table).max() <= 1
    basis = np.vstack([np.ones(size), table])
    products = basis @ basis.T
    assert products - np.diag(products.diagonal()) == pytest.approx(0.0, abs=1e-12)
    assert products.diagonal().min() >= size / 2 - 1e-12


def test_coefficients_of_bits_are_the_parities():
    domain = domain_of([2] * 5)
    q = on_cells(domain, coefficients(families.marginals(domain, 3)))
    parities = query_vectors(families.parities(domain, 3))
    assert sorted(map(tuple, q)) == sorted(map(tuple, parities))


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("k", [1, 2])
def test_marginals_are_recovered_from_their_coefficients(sizes, k):
    """marginal = n / cells + Σ coefficient · q / (|q|² · cells outside of q's attributes)."""
    domain = domain_of(sizes)
    Q, B = families.marginals(domain, k), random_records(domain, 100, np.random.default_rng(k))
    q = coefficients(Q)
    for S in Q.sets:
        cells = domain.cells(S)
        recovered = np.full(domain.sizes(S), 100 / cells)
        count = 1
        for R, own in q.items():
            if set(R) <= set(S):
                shape = [domain.shape[a] if a in R else 1 for a in S]
                outside = cells / domain.cells(R)
                for query in own:
                    value = np.vdot(query, B.marginal(R))
                    recovered = recovered + value * query.reshape(shape) / (np.vdot(query, query) * outside)
                    count += 1
        assert count == cells
        assert recovered == pytest.approx(B.marginal(S), abs=1e-9)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_the_sensitivity_is_the_largest_l1_norm_of_the_coefficients_of_one_record(sizes):
    domain = domain_of(sizes)
    Q = families.marginals(domain, 2)
    q = coefficients(Q)
    assert sensitivity(q) == pytest.approx(np.abs(on_cells(domain, q)).sum(axis=0).max())
    if set(sizes) == {2}:
        assert sensitivity(q) == sum(coefficient_counts(Q).values()) == families.parities(domain, 2).size


@pytest.mark.parametrize("settings", [Barak(epsilon=0.4), BarakLP(epsilon=0.4)], ids=FORMS)
def test_one_round_measures_all_coefficients_and_spends_exactly_epsilon(settings):
    domain = domain_of([2, 2, 3])
    B, Q = random_records(domain, 80, np.random.default_rng(0)), families.marginals(domain, 2)
    witness = Witness(Seeded(0))
    (entry,) = settings.rounds(B, Q, noise=witness)
    assert (entry.index, entry.ledger.spent, entry.ledger.measure) == (1, 0.4, 0.4)
    assert entry.label == "9 Fourier coefficients"
    q = on_cells(domain, coefficients(Q))
    assert witness.exact == pytest.approx(q @ B.marginal((0, 1, 2)).ravel())
    assert entry.model.marginal((0, 1, 2)).sum() == pytest.approx(80)


@pytest.mark.parametrize("sizes", [[2] * 5, [3, 4, 2]], ids=str)
@pytest.mark.parametrize("algorithm", [Barak, BarakLP], ids=FORMS)
def test_with_a_large_epsilon_the_answers_are_the_true_ones(algorithm, sizes):
    domain = domain_of(sizes)
    B, Q = random_records(domain, 500, np.random.default_rng(0)), families.marginals(domain, 2)
    (entry,) = algorithm(epsilon=1e6).rounds(B, Q, noise=Seeded(0))
    assert errors(Q, Q.answers(entry.model), Q.answers(B), 500).max_error <= 2e-3


@pytest.mark.parametrize("seed", range(3))
def test_replay_ends_near_the_least_squares_over_all_distributions(seed):
    """Where noisy answers disagree, the default replay ends within a twentieth of the least Σ (m - q(A))²."""
    from scipy.optimize import nnls

    domain = domain_of([2] * 4)
    B, Q = random_records(domain, 300, np.random.default_rng(2)), families.marginals(domain, 2)
    q = on_cells(domain, coefficients(Q))

    class ValuesKept(Seeded):
        def laplace(self, exact, epsilon, sensitivity):
            self.values = super().laplace(exact, epsilon, sensitivity)
            return self.values

    noise = ValuesKept(seed)
    (entry,) = Barak(epsilon=0.2).rounds(B, Q, noise=noise)
    target = noise.values / 300
    p, _ = nnls(np.vstack([q, np.full(16, 1e4)]), np.append(target, 1e4))
    least = float(((q @ p - target) ** 2).sum())
    ours = float(((q @ (entry.model.marginal((0, 1, 2, 3)).ravel() / 300) - target) ** 2).sum())
    assert least > 1e-3
    assert least - 1e-6 <= ours <= 1.05 * least


def test_the_linear_programme_minimises_the_largest_distance():
    """Over three cells, against all tables on a fine grid of shares."""
    rng = np.random.default_rng(0)
    (first, second) = characters(3)
    q = {(0,): np.array([first, second])}
    steps = 200
    grid = np.array([(i, j, steps - i - j) for i in range(steps + 1) for j in range(steps + 1 - i)]) / steps
    for _ in range(10):
        values = rng.normal(size=2)
        least = np.abs(grid @ np.array([first, second]).T - values).max(axis=1).min()
        p = nearest_table((3,), q, values)
        ours = np.abs([first @ p - values[0], second @ p - values[1]]).max()
        assert p.min() >= 0
        assert p.sum() == pytest.approx(1)
        assert least - 2 / steps <= ours <= least + 1e-9


def test_the_errors_of_the_linear_programme_exceed_the_bound_in_at_most_the_promised_share_of_runs():
    """Some coefficient errs by more than 2 (Δ/ε) ln(M/β) in at most a share β of 200 runs; cells err no more.

    Each of M Laplace draws of scale Δ/ε exceeds (Δ/ε) ln(M/β) with probability β/M. If none does, the true table is
    within that distance of the measured coefficients. The nearest table is no farther from them, so it is within twice
    that distance of the true one. A cell of a marginal of k bits is a mean of 2^k coefficients with signs, one of which
    is n, so it errs by no more than the worst coefficient.
    """
    domain = domain_of([2] * 3)
    Q, settings = families.marginals(domain, 2), BarakLP(epsilon=5.0)
    q = on_cells(domain, coefficients(Q))
    worst = []
    for seed in range(200):
        B = random_records(domain, 200, np.random.default_rng(seed))
        (entry,) = settings.rounds(B, Q, noise=Seeded(seed))
        worst.append(np.abs(q @ (entry.model.marginal((0, 1, 2)) - B.marginal((0, 1, 2))).ravel()).max())
        cell_error = np.abs(Q.answers(entry.model) - Q.answers(B)).max()
        assert cell_error <= worst[-1] * 3 / 4 + 1e-6  # three coefficients and n, over four cells
    for beta in (0.05, 0.5):
        limit = 2 * sensitivity(coefficients(Q)) / settings.epsilon * math.log(len(q) / beta)
        assert limit == pytest.approx(2 * 6 / 5.0 * math.log(6 / beta))
        assert limit < 200
        assert np.mean(np.array(worst) > limit) <= beta


def test_a_table_with_empty_cells_can_answer_and_be_sampled_and_has_probability_zero_there():
    domain = domain_of([2] * 4)
    B, Q = random_records(domain, 40, np.random.default_rng(0)), families.marginals(domain, 2)
    (entry,) = BarakLP(epsilon=0.1).rounds(B, Q, noise=Seeded(0))
    table = entry.model.marginal(everything(domain))
    assert (table == 0).any()
    assert entry.model.probability(np.unravel_index(np.arange(16), domain.shape)) * 40 == pytest.approx(table.ravel())
    rows = round_rows(domain, entry.model, 1000, np.random.default_rng(0)).marginal(everything(domain))
    assert np.abs(rows / 25 - table).max() <= 0.1
    assert relative_entropy(B, entry.model) == math.inf


@pytest.mark.parametrize("epsilon", [1e-6, 1e-3])
@pytest.mark.parametrize("algorithm", [Barak, BarakLP], ids=FORMS)
def test_noise_far_above_the_data_leaves_a_distribution(algorithm, epsilon):
    for seed in range(5):
        B = random_records(domain_of([3, 2, 2]), 20, np.random.default_rng(seed))
        (entry,) = algorithm(epsilon=epsilon).rounds(B, families.marginals(B.domain, 2), noise=Seeded(seed))
        p = entry.model.marginal((0, 1, 2)) / 20
        assert np.isfinite(p).all()
        assert p.min() >= 0
        assert p.sum() == pytest.approx(1)


def test_every_family_of_queries_is_answered_from_the_marginals_that_it_reads():
    domain = domain_of([4, 3, 2])
    B = random_records(domain, 300, np.random.default_rng(0))
    for Q in (families.ranges(domain, ["a", "b"], "all"), families.predicates(domain, ["a >= 2 and c == 1"])):
        (entry,) = Barak(epsilon=1e5).rounds(B, Q, noise=Seeded(0))
        assert np.abs(Q.answers(entry.model) - Q.answers(B)).max() <= 1


TEN_VALUES = domain_of([10] * 8)


@pytest.mark.parametrize(
    ("settings", "Q", "message"),
    [
        (
            Barak(epsilon=1.0),
            families.marginals(TEN_VALUES, 2),
            "a model of all the marginals at once has 100,000,000 cells and may hold 1,000,000: lower k, or leave "
            "attributes out",
        ),
        (
            Barak(epsilon=1.0),
            families.marginals(TEN_VALUES, 3),
            "the workload's marginals have more than 4,096 Fourier coefficients, and each would get less than 1/4,096 "
            "of the budget: lower k, leave attributes out, or declare coarser bins",
        ),
        (
            BarakLP(epsilon=1.0),
            families.marginals(TEN_VALUES, 2),
            "the linear programme has one variable per cell, 4,096 cells at most, and the domain has more: leave "
            "attributes out, or take the form that replays",
        ),
        (
            BarakLP(epsilon=1.0),
            families.parities(domain_of([2] * 12), 3),
            "the linear programme of 298 coefficients over 4,096 cells has 1,220,608 entries, and 524,288 fit: lower "
            "k, leave attributes out, or take the form that replays",
        ),
    ],
    ids=["model", "coefficients", "cells of the programme", "entries of the programme"],
)
def test_a_workload_that_is_too_large_is_refused_on_the_call(settings, Q, message):
    with pytest.raises(ValueError, match=exactly(message)):
        settings.rounds(None, Q, noise=Seeded(0))
