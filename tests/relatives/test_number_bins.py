"""Counts by digits, and the bins that are chosen by them."""

import numpy as np
import pytest

from mwem_core.privacy import ZCDP, Accountant, Pure, Seeded
from mwem_core.relatives.number_bins import IntervalCounts, count_digits, first_of_bins

ONE = Pure(1.0)


class Silent:
    """A noise source without noise."""

    def laplace(self, exact, epsilon, sensitivity):
        """The exact values."""
        return np.asarray(exact, float)

    gaussian = laplace


def counted(counts, least=0, cost=ONE, noise=None) -> IntervalCounts:
    account = Accountant(cost, noise or Silent())
    found = count_digits(np.asarray(counts, float), least, cost=cost, account=account)
    assert account.ledger.is_spent
    return found


def test_without_noise_the_counts_are_the_sums_of_their_intervals():
    """What is lighter than the noise that there might be stays together, and intervals begin at round numbers."""
    counts = np.random.default_rng(0).poisson(np.geomspace(100, 0.01, 4357))
    found = counted(counts, least=17)
    running = np.concatenate([[0], np.cumsum(counts)])
    assert found.counts == pytest.approx(np.diff(running[found.bounds]))
    assert (found.bounds[0], found.bounds[-1]) == (0, 4357)
    assert found.noise == pytest.approx(4 * np.sqrt(2))
    for first, size in zip(found.bounds[1:-1] + 17, found.sizes[1:], strict=True):
        assert any(first % 10**digit == 0 and size <= 10**digit for digit in range(4))
    together = found.sizes > 1
    assert (found.counts[together] <= 2 * found.noise).all()


@pytest.mark.parametrize(("cost", "scale"), [(Pure(0.5), 3 / 0.5), (ZCDP(0.5), np.sqrt(3 / (2 * 0.5)))])
def test_each_digit_has_the_same_share_of_the_cost(cost, scale):
    found = counted(np.ones(1000), cost=cost, noise=Seeded(0))
    assert found.noise == pytest.approx(np.sqrt(cost.variance_at(scale)))
    assert (found.counts >= 0).all()


def test_the_parts_of_an_interval_add_up_to_it():
    """The first level is a noisy n; the next ones only share it out."""
    counts = np.full(100, 50.0)
    noise = Seeded(1)
    first = Seeded(1).laplace(counts.reshape(10, 10).sum(axis=1), 0.5, 1).sum()
    assert counted(counts, noise=noise).counts.sum() == pytest.approx(first)


def at(counts, noise=1e-6) -> IntervalCounts:
    """Every value by itself, counted."""
    return IntervalCounts(np.arange(len(counts) + 1), np.asarray(counts, float), noise)


def test_even_counts_get_bins_of_equal_width():
    assert first_of_bins(at(np.ones(1000)), 5, 0).tolist() == [0, 200, 400, 600, 800]


def test_the_root_of_the_density_adds_up_to_the_same_in_each_bin():
    """A density of 1/4 on 800 values and of 4 on 50: roots of 400 and 100, so that four fifths of the bins go there."""
    counts = np.concatenate([np.full(800, 0.25), np.full(50, 4.0)])
    assert first_of_bins(at(counts), 5, 0).tolist() == [0, 200, 400, 600, 800]


def test_heavy_values_are_alone_and_leave_the_others_to_the_rest():
    counts = np.ones(100)
    counts[[0, 40, 41, 99]] = [900, 300, 300, 300]
    first = first_of_bins(at(counts), 8, 0).tolist()
    assert {0, 1, 40, 41, 42, 99} <= set(first)
    assert len(first) == 8


def test_a_heavy_value_that_noise_may_have_made_is_not_alone():
    counts = np.ones(1000)
    counts[500] = 500
    assert 501 not in first_of_bins(at(counts, noise=200.0), 4, 0).tolist()
    assert {500, 501} <= set(first_of_bins(at(counts, noise=50.0), 4, 0).tolist())


def test_few_bins_keep_the_heaviest_alone():
    counts = np.ones(9)
    counts[[2, 6]] = [50, 60]
    assert first_of_bins(at(counts), 3, 0).tolist() == [0, 6, 7]
    assert first_of_bins(at(counts), 2, 0).tolist() == [0, 5]


def test_edges_are_round_numbers_where_that_changes_little():
    first = first_of_bins(at(np.ones(9000)), 7, 1000) + 1000
    assert first.tolist() == [1000, 2300, 3600, 4900, 6100, 7400, 8700]


@pytest.mark.parametrize("bins", [2, 7, 29, 30])
def test_there_are_always_so_many_bins_of_different_values(bins):
    rng = np.random.default_rng(bins)
    for _ in range(50):
        counts = rng.exponential(size=30) ** rng.integers(1, 8)
        first = first_of_bins(at(counts, noise=rng.exponential()), bins, int(rng.integers(-50, 50)))
        assert first[0] == 0
        assert len(set(first.tolist())) == bins
        assert first.max() < 30
