"""DAWA: its buckets, its order of cells, its tree, what it spends, and what it refuses."""

import itertools

import numpy as np
import pytest
from given_noise import GivenNoise
from messages import exactly
from oracles import domain_of, paying, random_records
from scipy.linalg import block_diag

from mwem_core import Dawa, Hierarchical, Records, Seeded
from mwem_core.privacy import laws
from mwem_core.relatives.dawa import SENSITIVITY, bucket_tree, buckets, cheapest, curve, deviations, greedy_scales
from mwem_core.relatives.hierarchical import Tree
from mwem_core.workload import families


def run(settings, B, Q, noise):
    """The only round."""
    (only,) = settings.rounds(B, Q, noise=noise)
    return only


def random_intervals(m, count, seed=0):
    """(count, m) indicators of random intervals."""
    ends = np.sort(np.random.default_rng(seed).integers(m, size=(count, 2)), axis=1)
    return ((np.arange(m) >= ends[:, :1]) & (np.arange(m) <= ends[:, 1:])).astype(float)


@pytest.mark.parametrize("side", [1, 2, 4, 16])
def test_the_curve_steps_from_cell_to_neighbouring_cell_on_a_square_of_a_power_of_two(side):
    order = curve((side, side))
    steps = np.abs(np.diff(np.array(np.unravel_index(order, (side, side))), axis=1)).sum(axis=0)
    assert (steps == 1).all()
    assert sorted(order) == list(range(side * side))


@pytest.mark.parametrize("sizes", [(3, 5), (1, 7), (10, 2), (6, 6)])
def test_on_other_tables_it_is_the_curve_of_the_enclosing_square_without_the_cells_outside(sizes):
    side = 8 if max(sizes) <= 8 else 16
    codes = np.array(np.unravel_index(curve((side, side)), (side, side)))
    inside = codes[:, (codes[0] < sizes[0]) & (codes[1] < sizes[1])]
    assert curve(sizes).tolist() == np.ravel_multi_index(tuple(inside), sizes).tolist()


@pytest.mark.parametrize("m", [1, 2, 7, 40])
def test_greedy_factors_sum_to_one_from_every_leaf_up(m):
    tree = Tree.of(m, 2)
    scales = greedy_scales(tree, random_intervals(m, 60))
    assert (tree.sums(np.eye(m)).T @ scales) == pytest.approx(np.ones(m))
    assert scales.min() >= 0


def greedy_densely(tree, W, level=-1, first=0, end=None):
    """The factors {(level, first leaf): s} of a node's subtree, by the docstring's steps on dense matrices; C and E."""
    end = W.shape[1] if end is None else end
    if level == tree.depth - 1:
        return {(level, first): 1.0}, np.ones((1, 1)), (W[:, first] ** 2).sum()
    children = [start for start in tree.starts[level + 1] if first <= start < end]
    parts = [greedy_densely(tree, W, level + 1, *ends) for ends in itertools.pairwise([*children, end])]
    C, E = block_diag(*(C for _, C, _ in parts)), sum(E for *_, E in parts)
    if level == -1:
        return {node: s for scales, *_ in parts for node, s in scales.items()}, C, E
    child = np.searchsorted(children, np.arange(first, end), side="right")
    G, decay = W[:, first:end].T @ W[:, first:end], 2 ** (-(level + 1) / 2)
    weighted = C.sum(axis=0) @ np.where(child[:, None] == child, G, decay * G) @ C.sum(axis=0)

    def error(share):
        own = decay * share**2
        return (E - weighted * own / ((1 - share) ** 2 + C.sum() * own)) / (1 - share) ** 2

    share = min((i / 100 for i in range(100)), key=error)
    scales = {node: s * (1 - share) for scales, *_ in parts for node, s in scales.items()}
    covariance = np.linalg.inv((1 - share) ** 2 * np.linalg.inv(C) + share**2)
    return {(level, first): share} | scales, covariance, error(share)


@pytest.mark.parametrize("m", [1, 3, 16, 120])
def test_greedy_factors_are_those_of_the_steps_on_dense_matrices(m):
    tree, W = Tree.of(m, 2), random_intervals(m, 80, seed=m)
    expected, *_ = greedy_densely(tree, W)
    nodes = [(level, first) for level, starts in enumerate(tree.starts) for first in starts]
    assert greedy_scales(tree, W) == pytest.approx([expected[node] for node in nodes])
    assert m < 100 or max(s for (level, _), s in expected.items() if level < tree.depth - 1) > 0


def test_the_plan_is_the_least_expected_error_of_all_branchings_and_the_greedy_tree():
    """Random ranges favour a larger branching with equal factors; ranges in a few places the greedy tree."""
    for queries in (random_intervals(100, 200), np.pad(random_intervals(6, 30), [(0, 0), (0, 94)])):
        binary = Tree.of(100, 2)
        tried = [(tree, np.full(sum(tree.sizes), 1 / tree.depth)) for tree in Tree.of_every_depth(100)]
        tried.append((binary, greedy_scales(binary, queries)))
        errors = []
        for tree, scales in (*tried, bucket_tree(queries)):
            M = scales[:, None] * tree.sums(np.eye(100))
            C = np.linalg.inv(M.T @ M)
            C -= np.outer(C.sum(axis=0), C.sum(axis=0)) / C.sum()
            errors.append(np.trace(queries @ C @ queries.T))
        assert errors[-1] == pytest.approx(min(errors[:-1]))
        assert (errors[-2] == min(errors[:-1])) == (queries[:, 6:].max() == 0)


@pytest.mark.parametrize(("sizes", "names"), [([40, 2], ["a"]), ([6, 9], ["a", "b"]), ([2], ["a"])])
def test_the_measured_counts_move_by_at_most_what_the_noise_pays_for(sizes, names):
    """By brute force over all records, at the same buckets: an L1 norm of at most 1, with noise of scale 1/0.75ε."""
    B = random_records(domain_of(sizes), 300, np.random.default_rng(0))
    Q, settings, before = families.ranges(B.domain, names, 30), Dawa(epsilon=0.8), GivenNoise()
    label, compared = run(settings, B, Q, before).label, 0
    assert before.scales == pytest.approx([4 / (0.25 * 0.8), 1 / (0.75 * 0.8)])
    for cell in np.ndindex(*sizes):
        more = tuple(np.append(c, np.uint8(x)) for c, x in zip(B.codes, cell, strict=True))
        after = GivenNoise()
        if run(settings, Records(B.domain, more), Q, after).label == label:
            moved = np.abs(after.all_exact[1] - before.all_exact[1]).sum()
            compared += moved <= 1 + 1e-9
    assert compared >= np.prod(sizes) / 2


def test_almost_without_noise_a_table_of_even_buckets_is_answered_by_few_of_them():
    for sizes, names, table in (
        ([64], ["a"], np.repeat([9, 0, 30, 2], [16, 32, 8, 8])),
        ([8, 8], ["a", "b"], np.kron([[40, 0], [3, 12]], np.ones((4, 4), int))),
    ):
        domain = domain_of(sizes)
        codes = np.unravel_index(np.repeat(np.arange(table.size), table.ravel()), sizes)
        B = Records(domain, tuple(code.astype(np.uint8) for code in codes))
        Q = families.ranges(domain, names, 50)
        only = run(Dawa(epsilon=1e5), B, Q, Seeded(0))
        assert only.model.answers(Q) == pytest.approx(Q.answers(B), abs=0.01)
        assert int(only.label.removesuffix(" buckets")) < 16


def test_at_large_epsilon_it_converges_to_the_truth_of_any_table():
    B = random_records(domain_of([30, 4]), 500, np.random.default_rng(3))
    for names in (["a"], ["a", "b"]):
        Q = families.ranges(B.domain, names, 100)
        assert run(Dawa(epsilon=1e5), B, Q, Seeded(0)).model.answers(Q) == pytest.approx(Q.answers(B), abs=0.01)


def test_on_a_table_of_few_even_buckets_it_beats_noise_on_a_tree():
    """At small ε, 2,048 cells in four even buckets: mean errors over five seeds."""
    x = np.repeat([20, 1, 8, 0], 512)
    B = Records(domain_of([2048]), (np.repeat(np.arange(2048), x).astype(np.uint16),))
    Q = families.ranges(B.domain, ["a"], 500)
    truth = Q.answers(B)
    dawa, tree = (
        np.mean([np.abs(run(s, B, Q, Seeded(seed)).model.answers(Q) - truth).mean() for seed in range(5)])
        for s in (Dawa(epsilon=0.05), Hierarchical(epsilon=0.05))
    )
    assert dawa < tree


def test_too_many_cells_are_refused_before_any_data_is_read():
    message = "DAWA reads every cell of a × b, which has 16,641, but at most 16,384 fit its time and memory: "
    with pytest.raises(ValueError, match=exactly(message + "declare coarser bins")):
        Dawa(epsilon=1.0).rounds(None, families.ranges(domain_of([129, 129]), ["a", "b"], 3), noise=Seeded(0))


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
        self.exact, self.scale = exact, laws.laplace_scale(epsilon, sensitivity)
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


def test_lucky_draws_make_few_buckets_of_a_table_without_structure():
    """2,048 equal counts at small ε. Without the cost of luck there are more than 1,000 buckets; the best is 1."""
    counts = [len(buckets(np.full(2048, 5.0), bucket_cost=60, **paying(0.02, Seeded(s)))) for s in range(5)]
    assert max(counts) < 200
