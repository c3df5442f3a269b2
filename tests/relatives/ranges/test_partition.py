"""The private partition: its costs, its optimum against all partitions, its privacy record by record, its noise."""

import itertools
import math

import numpy as np
import pytest
from oracles import paying

from mwem_core import Seeded
from mwem_core.privacy import laplace_scale
from mwem_core.relatives.ranges.partition import SENSITIVITY, buckets, cheapest, deviations


def powers(m):
    """1, 2, 4, ... up to m."""
    return [2**k for k in range(m.bit_length()) if 2**k <= m]


def partitions(m):
    """Every partition of m cells into intervals of 1, 2, 4, ... cells, as tuples of (first cell, size)."""
    if m == 0:
        yield ()
    for size in powers(m) if m else []:
        for rest in partitions(m - size):
            yield (*rest, (m - size, size))


def price(partition, costs):
    """The sum of the costs of its intervals."""
    return sum(costs[size.bit_length() - 1][first] for first, size in partition)


def deviation(x):
    """Σ |x_j - mean|, plainly."""
    return sum(abs(value - sum(x) / len(x)) for value in x)


class Fixed:
    """A noise source with given draws. It keeps the exact values and the scale."""

    def __init__(self, draws=0.0):
        self.draws = draws

    def laplace(self, exact, epsilon, sensitivity):
        """The exact values plus the draws."""
        self.exact, self.scale = exact, laplace_scale(epsilon, sensitivity)
        return exact + self.draws


@pytest.mark.parametrize("m", [1, 2, 3, 7, 8, 13])
def test_deviations_are_those_of_every_interval_of_a_power_of_two(m):
    x = np.random.default_rng(m).poisson(4, size=m).astype(float)
    by_size = deviations(x)
    assert len(by_size) == len(powers(m))
    for size, costs in zip(powers(m), by_size, strict=True):
        assert costs == pytest.approx([deviation(x[i : i + size].tolist()) for i in range(m - size + 1)])


@pytest.mark.parametrize("m", [1, 2, 3, 6, 9])
def test_the_cheapest_partition_is_that_of_brute_force(m):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        costs = [rng.normal(size=m - size + 1) for size in powers(m)]
        best = min(partitions(m), key=lambda partition: price(partition, costs))
        assert cheapest(costs).tolist() == [first for first, _ in best]


def test_without_noise_the_buckets_are_the_least_deviation_plus_the_noise_of_their_counts():
    """ε = 10⁶: of all partitions, deviation plus `bucket_cost` each. Steps of equal counts are found exactly."""
    for seed in range(10):
        x = np.random.default_rng(seed).poisson(3, size=9).astype(float)
        chosen = buckets(x, bucket_cost=2.5, **paying(1e6, Seeded(seed)))
        costs = [of_size + 2.5 for of_size in deviations(x)]
        bounds = itertools.pairwise([*chosen.tolist(), 9])
        ours = price([(first, end - first) for first, end in bounds], costs)
        assert ours == pytest.approx(min(price(partition, costs) for partition in partitions(9)), abs=1e-3)
    steps = np.repeat([3.0, 50.0, 0.0], [4, 2, 8])
    assert buckets(steps, bucket_cost=1.0, **paying(1e6, Seeded(0))).tolist() == [0, 4, 6]


def test_a_record_moves_the_cost_of_one_bucket_of_each_partition_and_by_less_than_two():
    """By brute force over records added: 2 (1 - 1/s) is reached, by a record far above or below the others."""
    rng, largest = np.random.default_rng(0), 0.0
    tables = [rng.poisson(2, size=8).astype(float) for _ in range(20)] + [np.array([0.0] * 7 + [9.0])]
    for x, j in itertools.product(tables, range(8)):
        more = x + np.eye(8)[j]
        before, after = deviations(x), deviations(more)
        for partition in partitions(8):
            moved = [
                abs(after[size.bit_length() - 1][first] - before[size.bit_length() - 1][first])
                for first, size in partition
            ]
            holds = [first <= j < first + size for first, size in partition]
            assert sum(holds) == 1
            assert all(m < 1e-12 or held for m, held in zip(moved, holds, strict=True))
            largest = max(largest, *moved)
    assert largest == pytest.approx(2 * (1 - 1 / 8))
    assert largest < SENSITIVITY


def test_a_neighbour_chooses_the_same_buckets_if_one_draw_is_lower_by_what_epsilon_pays_for():
    """The step of the proof of ε-DP: with one draw, that of the bucket that holds the record, lower by 2Δ = ε · scale,
    the choice is the same. So it is at most e^ε times less likely. Added and removed records, at every cell."""
    m, epsilon, rng = 9, 0.7, np.random.default_rng(1)
    offsets = np.cumsum([0, *(m - size + 1 for size in powers(m))])
    changed = 0
    for _ in range(40):
        x = rng.poisson(3, size=m).astype(float) + 1
        draws = rng.laplace(scale=2 * SENSITIVITY / epsilon, size=offsets[-1])
        source = Fixed(draws)
        chosen = buckets(x, bucket_cost=1.5, **paying(epsilon, source))
        assert source.scale == pytest.approx(2 * SENSITIVITY / epsilon)
        ends = np.append(chosen, m)
        for j, sign in itertools.product(range(m), (1, -1)):
            other = x + sign * np.eye(m)[j]
            b = np.searchsorted(chosen, j, side="right") - 1
            shifted = draws.copy()
            shifted[offsets[int(ends[b + 1] - ends[b]).bit_length() - 1] + ends[b]] -= epsilon * source.scale
            again = buckets(other, bucket_cost=1.5, **paying(epsilon, Fixed(shifted)))
            assert again.tolist() == chosen.tolist()
            same_draws = buckets(other, bucket_cost=1.5, **paying(epsilon, Fixed(draws)))
            changed += same_draws.tolist() != chosen.tolist()
    assert changed > 0  # without the shift some neighbours choose otherwise


def test_every_interval_gets_noise_of_scale_four_over_epsilon():
    """Single cells too. The mean of 2,000 runs' |draws| lies within four standard errors of the scale."""

    class Kept:
        def __init__(self, seed):
            self.source = Seeded(seed)

        def laplace(self, exact, epsilon, sensitivity):
            noisy = self.source.laplace(exact, epsilon, sensitivity)
            self.draws = noisy - exact
            return noisy

    draws = []
    for seed in range(2000):
        noise = Kept(seed)
        buckets(np.arange(5.0), bucket_cost=1.0, **paying(0.5, noise))
        assert len(noise.draws) == 5 + 4 + 2
        draws.append(np.abs(noise.draws))
    means = np.mean(draws, axis=0)
    assert means == pytest.approx(np.full(11, 8.0), abs=4 * 8 / math.sqrt(2000))


def test_lucky_draws_make_few_buckets_of_a_table_without_structure():
    """2,048 equal counts at small ε. Without the cost of luck there are more than 1,000 buckets; the best is 1."""
    counts = [len(buckets(np.full(2048, 5.0), bucket_cost=60, **paying(0.02, Seeded(s)))) for s in range(5)]
    assert max(counts) < 200
