"""DAWA: find buckets of nearly equal counts in the data, then measure a tree over them, tuned to the workload.

Li, Hay, Miklau & Wang, "A Data- and Workload-Aware Algorithm for Range Queries Under Differential Privacy", PVLDB 2014.
Unlike MWEM it learns where to look in one step, and spreads the counts of a bucket evenly over its cells.
"""

import math
from dataclasses import dataclass

import numpy as np

from mwem_core.algorithm import Answers, OneShot, Round
from mwem_core.domain import Table
from mwem_core.privacy import Accountant, Budget, NoiseSource
from mwem_core.relatives.hierarchical import LeastSquares, Tree, boxes_of, sides_of, with_total
from mwem_core.workload import Boxes, Workload

SPLIT = 0.25  # of the budget, for the buckets
MAX_CELLS = 2**14  # of the ranges' marginal: its costs take 2 · 4^14 steps
MAX_QUERIES = 200  # queries, at most, to which the tree is tuned
# A record in cell j of s moves the mean by 1/s: its own term of Σ |x_j - mean| moves by at most 1 - 1/s, the s - 1
# others by 1/s each. Together 2 (1 - 1/s) < 2.
SENSITIVITY = 2.0
SHARES = np.arange(100)[:, None] / 100  # tried for each node


@dataclass(frozen=True, kw_only=True)
class Dawa(OneShot[Answers]):
    """Settings: ε, of which the share `SPLIT` pays for the buckets. The total n is taken as public.

    Raises ValueError out of range.
    """

    epsilon: float

    def check(self, workload: Workload) -> None:
        """Refuse other workloads than ranges of one or two attributes, and too many cells."""
        boxes_of(workload, "DAWA", MAX_CELLS)

    def release(self, B: Table, Q: Workload, noise: NoiseSource) -> Round[Answers]:
        """Answers to the ranges; the label says how many buckets there are."""
        budget, n, boxes = self.guarantee.budget, float(B.total), boxes_of(Q, "DAWA", MAX_CELLS)
        (partition, measurement), account = budget.split(SPLIT), Accountant(budget, noise)
        order = curve(boxes.sizes)
        x = B.marginal(Q.attrs(0)).ravel()[order].astype(float)
        # 1. buckets
        starts = buckets(x, cost=partition, bucket_cost=measurement.mean_noise, account=account)
        sizes = np.diff(starts, append=len(x))
        # 2. a tree over them: the scaled counts of all nodes have L1 sensitivity 1
        tree, scales = bucket_tree(np.add.reduceat(_planned_queries(boxes)[:, order], starts, axis=1) / sizes)
        measured = account.measure(scales * tree.sums(np.add.reduceat(x, starts)), cost=measurement)
        counts = np.divide(measured, scales, out=np.zeros(len(scales)), where=scales > 0)
        fit = LeastSquares.of(tree, scales**2)
        # 3. the same count in each cell of a bucket
        cells = np.empty(len(x))
        cells[order] = np.repeat(with_total(fit.leaves(counts), fit.shares, n) / sizes, sizes)
        return Round(1, account.ledger, Answers(Q, boxes.answers(cells, 1), n), label=f"{len(starts):,} buckets")


def bucket_tree(queries: np.ndarray) -> tuple[Tree, np.ndarray]:
    """The tree over the buckets, and the factors of its nodes, of least expected squared error. Reads no counts.

    `queries` are (|Q|, buckets): the share of each bucket's cells that a query contains. The paper's binary tree with
    greedy factors is compared with equal factors at every branching. On random ranges of 100, 500 and 2,000 buckets its
    squared error is 1.26, 1.33 and 1.56 times the least (computed); it wins where the queries are in a few places.
    """
    buckets = queries.shape[1]
    binary = Tree.of(buckets, 2)
    plans = [(tree, np.full(sum(tree.sizes), 1 / tree.depth)) for tree in Tree.of_every_depth(buckets)]
    plans.append((binary, greedy_scales(binary, queries)))
    return min(plans, key=lambda plan: LeastSquares.of(plan[0], plan[1] ** 2).query_variances(queries)[0].sum())


def curve(sizes: tuple[int, ...]) -> np.ndarray:
    """The order in which buckets run through the cells: (m,) indices of the flattened table.

    One attribute: as it is. Two: Hilbert's curve through the least square of a power of two that holds the table,
    without the cells outside.
    """
    if len(sizes) == 1:
        return np.arange(sizes[0])
    x, y = (axis.ravel() for axis in np.indices(sizes))
    position, side = np.zeros(x.size, int), 1 << (max(sizes) - 1).bit_length()
    while (side := side // 2) > 0:
        right, up = (x & side) > 0, (y & side) > 0
        position += side * side * ((3 * right) ^ up)
        # Turn the quadrant so that the curve enters and leaves it at the right corners.
        x, y = np.where(right & ~up, side - 1 - x, x), np.where(right & ~up, side - 1 - y, y)
        x, y = np.where(up, x, y), np.where(up, y, x)
    return np.argsort(position)


def _planned_queries(boxes: Boxes) -> np.ndarray:
    """Some of the boxes, as indicators of the cells: (boxes, cells)."""
    first, *second = (sides_of(boxes, axis, MAX_QUERIES) for axis in range(len(boxes.sizes)))
    cells = first[:, :, None] & second[0][:, None, :] if second else first
    return cells.reshape(len(first), -1).astype(float)


def buckets(x: np.ndarray, *, cost: Budget, bucket_cost: float, account: Accountant) -> np.ndarray:
    """The first cell of each bucket of the partition with the least noisy cost: (m,) counts -> (buckets,), ascending.

    A bucket costs Σ |x_j - mean|, what uniform counts within it err by, and `bucket_cost`, the mean noise of its count.
    Buckets have 1, 2, 4, ... cells and start anywhere.

    ε-DP, ε being the `cost`: a partition has one bucket that contains the cell of a record, and only what that bucket
    costs moves (`mechanisms.noisy_costs`). The authors' program adds noise of a scale just below 2/ε, none to single
    cells, and raises noisy costs to at least `bucket_cost`. That proof covers none of the three. So here every interval
    gets noise of scale 4/ε. As K intervals start at each cell, the least sum would be that of many buckets with lucky
    draws. So every interval also costs the mean depth of the least of K Laplace draws below zero, about scale · ln K:
    exactly scale · (1 + 1/2 + ... + 1/K - ln 2) for large K, which is 0.12 scale less.
    """
    exact = deviations(x)
    noisy = account.noisy_costs(np.concatenate(exact), cost=cost, sensitivity=SENSITIVITY)
    costs = noisy + bucket_cost + 2 * SENSITIVITY * cost.scale * math.log(len(exact))
    return cheapest(np.split(costs, np.cumsum([len(costs) for costs in exact])[:-1]))


def deviations(x: np.ndarray) -> list[np.ndarray]:
    """Σ |x_j - mean| over every interval of s = 1, 2, 4, ... <= m cells, by its first cell: (m - s + 1,) for each s.

    2m steps on vectors of at most m: m² work.
    """
    m, totals = len(x), np.concatenate([[0.0], np.cumsum(x)])
    by_size = []
    for s in (2**k for k in range(int(math.log2(m)) + 1)):
        means = (totals[s:] - totals[:-s]) / s
        by_size.append(sum(np.abs(x[j : m - s + 1 + j] - means) for j in range(s)))
    return by_size


def cheapest(costs: list[np.ndarray]) -> np.ndarray:
    """The partition with the least sum of costs, given those of all intervals of 1, 2, 4, ... cells by first cell.

    By dynamic programming over the last bucket, m log m work. Returns the first cells of its buckets, ascending.
    """
    m = len(costs[0])
    by_size = [(2**k, of_size.tolist()) for k, of_size in enumerate(costs)]
    least, last = [0.0], [0]
    for end in range(1, m + 1):
        cost, start = min((least[end - s] + of_size[end - s], end - s) for s, of_size in by_size if s <= end)
        least.append(cost)
        last.append(start)
    starts = [last[m]]
    while starts[-1]:
        starts.append(last[starts[-1]])
    return np.array(starts[::-1])


def greedy_scales(tree: Tree, queries: np.ndarray) -> np.ndarray:
    r"""Factors s of the nodes before all get noise of one scale; they sum to 1 from every leaf up: (nodes,).

    `queries` are (|Q|, m) values on the leaves. From the leaves up, each node takes the share λ of its subtree's budget
    that makes the expected squared error of the queries within the subtree least, and leaves 1 - λ to the nodes below.
    Let these have the covariance C when they have all of the budget, G = WᵀW, E = tr G C, t = 1ᵀC1 and F = 1ᵀCGC1. Then
    the error is (E - F λ² / ((1 - λ)² + t λ²)) / (1 - λ)² (Sherman & Morrison), and C1 and t are divided by
    (1 - λ)² + t λ².

    Most queries contain a small node whole, and are better served by the nodes above it. So here, as in the authors'
    program, λ² and the part of F between the children count 2^(-depth/2) times while λ is chosen.
    """
    m = queries.shape[1]
    C1, t, E = np.ones(m), np.ones(m), (queries**2).sum(axis=0)
    F, scales = E, [np.ones(m)]
    for level in reversed(range(tree.depth - 1)):
        first, starts, decay = tree.first_children(level), tree.starts[level], 2 ** (-(level + 1) / 2)
        t, E, within = (np.add.reduceat(of_children, first) for of_children in (t, E, F))
        F = (np.add.reduceat(queries * C1, starts, axis=1) ** 2).sum(axis=0)
        own = SHARES**2 * decay
        errors = (E - (within + (F - within) * decay) * own / ((1 - SHARES) ** 2 + t * own)) / (1 - SHARES) ** 2
        best = errors.argmin(axis=0)
        share = SHARES[best, 0]
        shrink = (1 - share) ** 2 + t * share**2
        E, t, F = errors[best, np.arange(len(best))], t / shrink, F / shrink**2
        C1 = C1 / np.repeat(shrink, np.diff(starts, append=m))
        below = [
            of_level * (1 - share)[np.searchsorted(starts, tree.starts[level + 1 + i], side="right") - 1]
            for i, of_level in enumerate(scales)
        ]
        scales = [share, *below]
    return np.concatenate(scales)
