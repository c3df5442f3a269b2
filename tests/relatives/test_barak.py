"""Barak et al.: coefficients know the marginals and back, what they cost, both fits against exact and brute answers."""

import itertools
import math

import numpy as np
import pytest
from oracles import domain_of, query_vectors, random_records

from mwem_core import Seeded, Witness
from mwem_core.data.records import Records
from mwem_core.evaluation.metrics import errors, relative_entropy
from mwem_core.relatives.barak import (
    REPLAY,
    Barak,
    BarakLP,
    characters,
    coefficient_counts,
    coefficients,
    nearest,
    sensitivity,
)
from mwem_core.release.synthesis import rounded
from mwem_core.workload import families

SIZES = ([2, 2, 2, 2], [2, 3, 4], [5, 2, 3])


def everything(domain):
    return tuple(range(len(domain)))


def on_cells(domain, q):
    """Every coefficient as its values on all cells of the domain: (coefficients, |D|)."""
    cells = list(itertools.product(*map(range, domain.shape)))
    return np.array([[each[tuple(cell[a] for a in S)] for cell in cells] for S, own in q.items() for each in own])


@pytest.mark.parametrize("size", [2, 3, 4, 7, 12])
def test_characters_are_orthogonal_to_each_other_and_to_one(size):
    table = characters(size)
    assert table.shape == (size - 1, size)
    assert np.abs(table).max() <= 1
    both = np.vstack([np.ones(size), table])
    products = both @ both.T
    assert products - np.diag(products.diagonal()) == pytest.approx(0.0, abs=1e-12)
    assert products.diagonal().min() >= size / 2 - 1e-12


def test_coefficients_of_bits_are_the_parities():
    domain = domain_of([2] * 5)
    q = on_cells(domain, coefficients(families.marginals(domain, 3)))
    parities = query_vectors(families.parities(domain, 3))
    assert sorted(map(tuple, q)) == sorted(map(tuple, parities))


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("k", [1, 2])
def test_marginals_come_back_from_their_coefficients(sizes, k):
    """marginal = n / cells + Σ coefficient · q / (|q|² · cells outside): the other half of an inverse pair."""
    domain = domain_of(sizes)
    Q, B = families.marginals(domain, k), random_records(domain, 100, np.random.default_rng(k))
    q = coefficients(Q)
    for S in Q.sets:
        cells = domain.cells(S)
        back = np.full(domain.sizes(S), 100 / cells)
        inside = 1
        for R, own in q.items():
            if set(R) <= set(S):
                shape = [domain.shape[a] if a in R else 1 for a in S]
                outside = cells / domain.cells(R)
                for each in own:
                    value = np.vdot(each, B.marginal(R))
                    back = back + value * each.reshape(shape) / (np.vdot(each, each) * outside)
                    inside += 1
        assert inside == cells
        assert back == pytest.approx(B.marginal(S), abs=1e-9)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_sensitivity_is_the_most_that_any_record_adds_up_to(sizes):
    domain = domain_of(sizes)
    Q = families.marginals(domain, 2)
    q = coefficients(Q)
    assert sensitivity(q) == pytest.approx(np.abs(on_cells(domain, q)).sum(axis=0).max())
    if set(sizes) == {2}:
        assert sensitivity(q) == sum(coefficient_counts(Q).values()) == families.parities(domain, 2).size


@pytest.mark.parametrize("settings", [Barak(epsilon=0.4), BarakLP(epsilon=0.4)], ids=["replay", "programme"])
def test_one_round_measures_all_at_once_and_spends_exactly_epsilon(settings):
    domain = domain_of([2, 2, 3])
    B, Q = random_records(domain, 80, np.random.default_rng(0)), families.marginals(domain, 2)
    witness = Witness(Seeded(0))
    (only,) = settings.rounds(B, Q, noise=witness)
    assert (only.index, only.ledger.spent, only.ledger.measure) == (1, 0.4, 0.4)
    assert only.label == "9 Fourier coefficients"
    q = on_cells(domain, coefficients(Q))
    assert witness.exact == pytest.approx(q @ B.marginal((0, 1, 2)).ravel())
    assert only.model.marginal((0, 1, 2)).sum() == pytest.approx(80)


@pytest.mark.parametrize("settings", [Barak(epsilon=0.4), BarakLP(epsilon=0.4)], ids=["replay", "programme"])
def test_a_record_more_moves_the_measurement_by_no_more_than_its_noise_allows(settings):
    """|exact(B) - exact(B + x)| in L1, for every record x, against ε times the scale of the Laplace draws."""

    class Scale(Seeded):
        def laplace(self, exact, scale):
            self.scale = scale
            return super().laplace(exact, scale)

    domain = domain_of([2, 3, 2])
    B, Q = random_records(domain, 30, np.random.default_rng(0)), families.marginals(domain, 2)

    def exact(table):
        noise = Scale(0)
        witness = Witness(noise)
        list(settings.rounds(table, Q, noise=witness))
        return witness.exact, noise.scale

    ours, scale = exact(B)
    moved = []
    for x in itertools.product(*map(range, domain.shape)):
        codes = tuple(np.append(c, v).astype(np.uint8) for c, v in zip(B.codes, x, strict=True))
        theirs, same = exact(Records(domain, codes))
        assert same == scale
        moved.append(np.abs(theirs - ours).sum() / scale)
    assert max(moved) == pytest.approx(0.4)


@pytest.mark.parametrize("sizes", [[2] * 5, [3, 4, 2]], ids=str)
@pytest.mark.parametrize("make", [Barak, BarakLP], ids=["replay", "programme"])
def test_with_a_large_epsilon_the_answers_are_the_true_ones(make, sizes):
    domain = domain_of(sizes)
    B, Q = random_records(domain, 500, np.random.default_rng(0)), families.marginals(domain, 2)
    (only,) = make(epsilon=1e6).rounds(B, Q, noise=Seeded(0))
    assert errors(Q, Q.answers(only.model), Q.answers(B), 500).max_error <= 2e-3


def test_replay_ends_near_the_least_squares_that_any_distribution_leaves():
    """At moderate noise the default replay rests within a few hundredths of the least Σ (m - q(A))²."""
    from scipy.optimize import nnls

    domain = domain_of([2] * 4)
    B, Q = random_records(domain, 300, np.random.default_rng(2)), families.marginals(domain, 2)
    q = on_cells(domain, coefficients(Q))

    class Kept(Seeded):
        def laplace(self, exact, scale):
            self.values = super().laplace(exact, scale)
            return self.values

    noise = Kept(1)
    (only,) = Barak(epsilon=0.5).rounds(B, Q, noise=noise)
    target = noise.values / 300
    p, _ = nnls(np.vstack([q, np.full(16, 1e4)]), np.append(target, 1e4))
    least = float(((q @ p - target) ** 2).sum())
    ours = float(((q @ (only.model.marginal((0, 1, 2, 3)).ravel() / 300) - target) ** 2).sum())
    assert least > 1e-3
    assert least - 1e-6 <= ours <= 1.05 * least


def test_the_papers_replay_agrees_with_the_faster_one(monkeypatch):
    domain = domain_of([2] * 4)
    B, Q = random_records(domain, 2000, np.random.default_rng(2)), families.marginals(domain, 2)
    found = []
    for settings in (REPLAY, {"step": 0.5, "sweeps": 100, "tolerance": 0.0, "in_order": True}):
        monkeypatch.setattr("mwem_core.relatives.barak.REPLAY", settings)
        (only,) = Barak(epsilon=2.0).rounds(B, Q, noise=Seeded(0))
        found.append(only.model.marginal((0, 1, 2, 3)) / 2000)
    assert np.abs(found[0] - found[1]).sum() / 2 <= 0.01


def test_programme_finds_the_least_largest_distance():
    """Of three cells: against all tables on a fine grid of shares, the cells' three weights."""
    rng = np.random.default_rng(0)
    (first, second) = characters(3)
    q = {(0,): np.array([first, second])}
    steps = 200
    grid = np.array([(i, j, steps - i - j) for i in range(steps + 1) for j in range(steps + 1 - i)]) / steps
    for _ in range(10):
        values = rng.normal(size=2)
        least = np.abs(grid @ np.array([first, second]).T - values).max(axis=1).min()
        p = nearest((3,), q, values)
        ours = np.abs([first @ p - values[0], second @ p - values[1]]).max()
        assert p.min() >= 0
        assert p.sum() == pytest.approx(1)
        assert least - 2 / steps <= ours <= least + 1e-9


def test_no_coefficient_of_the_programme_errs_beyond_the_bound_more_often_than_promised():
    """200 runs: all M coefficients err by at most 2 (Δ/ε) ln(M/β) but for a share β of the runs; each cell does too.

    Each of M Laplace draws of scale Δ/ε exceeds (Δ/ε) ln(M/β) with probability β/M. If none does, the true table lies
    within that of the measured coefficients, so the nearest table is no further off, in the worst case on the other
    side. A cell of a marginal of k bits is a mean of 2^k coefficients, ± n among them, so it errs by no more either.
    """
    domain = domain_of([2] * 3)
    Q, settings = families.marginals(domain, 2), BarakLP(epsilon=5.0)
    q = on_cells(domain, coefficients(Q))
    worst = []
    for seed in range(200):
        B = random_records(domain, 200, np.random.default_rng(seed))
        (only,) = settings.rounds(B, Q, noise=Seeded(seed))
        worst.append(np.abs(q @ (only.model.marginal((0, 1, 2)) - B.marginal((0, 1, 2))).ravel()).max())
        in_cells = np.abs(Q.answers(only.model) - Q.answers(B)).max()
        assert in_cells <= worst[-1] * 3 / 4 + 1e-6  # three coefficients beside n, over four cells
    for beta in (0.05, 0.5):
        limit = 2 * sensitivity(coefficients(Q)) / settings.epsilon * math.log(len(q) / beta)
        assert limit == pytest.approx(2 * 6 / 5.0 * math.log(6 / beta))
        assert limit < 200
        assert np.mean(np.array(worst) > limit) <= beta


def test_a_table_with_empty_cells_answers_is_drawn_and_has_no_share_there():
    domain = domain_of([2] * 4)
    B, Q = random_records(domain, 40, np.random.default_rng(0)), families.marginals(domain, 2)
    (only,) = BarakLP(epsilon=0.1).rounds(B, Q, noise=Seeded(0))
    table = only.model.marginal(everything(domain))
    assert (table == 0).any()
    assert only.model.probability(np.unravel_index(np.arange(16), domain.shape)) * 40 == pytest.approx(table.ravel())
    rows = rounded(domain, only.model, 1000, np.random.default_rng(0)).marginal(everything(domain))
    assert np.abs(rows / 25 - table).max() <= 0.1
    assert relative_entropy(B, only.model) == math.inf


@pytest.mark.parametrize("epsilon", [1e-6, 1e-3])
@pytest.mark.parametrize("make", [Barak, BarakLP], ids=["replay", "programme"])
def test_noise_far_above_the_data_leaves_a_distribution(make, epsilon):
    for seed in range(5):
        B = random_records(domain_of([3, 2, 2]), 20, np.random.default_rng(seed))
        (only,) = make(epsilon=epsilon).rounds(B, families.marginals(B.domain, 2), noise=Seeded(seed))
        p = only.model.marginal((0, 1, 2)) / 20
        assert np.isfinite(p).all()
        assert p.min() >= 0
        assert p.sum() == pytest.approx(1)


def test_any_family_of_queries_is_served_by_the_marginals_it_reads():
    domain = domain_of([4, 3, 2])
    B = random_records(domain, 300, np.random.default_rng(0))
    for Q in (families.ranges(domain, ["a", "b"], "all"), families.predicates(domain, ["a >= 2 and c == 1"])):
        (only,) = Barak(epsilon=1e5).rounds(B, Q, noise=Seeded(0))
        assert np.abs(Q.answers(only.model) - Q.answers(B)).max() <= 1


@pytest.mark.parametrize("make", [Barak, BarakLP], ids=["replay", "programme"])
def test_an_epsilon_out_of_range_is_refused_on_construction(make):
    with pytest.raises(ValueError, match=r"epsilon must be a positive number, got 0\.0"):
        make(epsilon=0.0)


def test_what_cannot_be_served_is_refused_on_the_call():
    large = families.marginals(domain_of([10] * 8), 2)
    with pytest.raises(
        ValueError, match="a model of all the marginals at once has 100,000,000 cells and may hold 1,000,000"
    ):
        Barak(epsilon=1.0).rounds(None, large, noise=Seeded(0))
    with pytest.raises(ValueError, match="more than 4,096 Fourier coefficients"):
        Barak(epsilon=1.0).rounds(None, families.marginals(domain_of([10] * 8), 3), noise=Seeded(0))
    with pytest.raises(ValueError, match="one variable per cell, 4,096 cells at most, and the domain has more"):
        BarakLP(epsilon=1.0).rounds(None, large, noise=Seeded(0))
    with pytest.raises(ValueError, match="of 298 coefficients over 4,096 cells has 1,220,608 entries, and 524,288 fit"):
        BarakLP(epsilon=1.0).rounds(None, families.parities(domain_of([2] * 12), 3), noise=Seeded(0))


@pytest.mark.parametrize("make", [Barak, BarakLP])
def test_an_empty_table_is_refused(make):
    domain = domain_of([2, 2])
    empty, Q = Records(domain, (np.zeros(0, np.uint8),) * 2), families.marginals(domain, 2)
    settings = make(epsilon=1.0)
    assert settings.planned_rounds(0, Q) == 1
    assert (settings.guarantee.epsilon, settings.guarantee.delta) == (1.0, 0.0)
    with pytest.raises(ValueError, match="the table has no records: there is nothing to release"):
        settings.rounds(empty, Q, noise=Seeded(0))
