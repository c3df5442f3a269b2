"""A private partition of cells in order into buckets of nearly equal counts: the first stage of DAWA."""

import math

import numpy as np

from mwem_core.privacy import Accountant, Budget

# A record in cell j of s moves the mean by 1/s: its own term of Σ |x_j - mean| moves by at most 1 - 1/s, the s - 1
# others by 1/s each. Together 2 (1 - 1/s) < 2.
SENSITIVITY = 2.0


def buckets(x: np.ndarray, *, cost: Budget, bucket_cost: float, account: Accountant) -> np.ndarray:
    """The first cell of each bucket of the partition with the least noisy cost: (m,) counts -> (buckets,), ascending.

    A bucket costs Σ |x_j - mean|, what uniform counts within it err by, and `bucket_cost`, the mean noise of its count.
    Buckets have 1, 2, 4, ... cells and start anywhere.

    ε-DP, ε being the `cost`: a partition has one bucket that contains the cell of a record, and only what that bucket
    costs moves (`mechanisms.noisy_costs`). The authors' program adds noise of a scale just below 2/ε, none to single
    cells, and raises noisy costs to at least `bucket_cost`. That proof covers none of the three. So here every interval
    gets noise of scale 4/ε, and costs `_luck` more instead.
    """
    exact = deviations(x)
    noisy = account.noisy_costs(np.concatenate(exact), cost=cost, sensitivity=SENSITIVITY)
    costs = noisy + bucket_cost + _luck(len(exact), scale=2 * SENSITIVITY * cost.scale)
    return cheapest(np.split(costs, np.cumsum([len(costs) for costs in exact])[:-1]))


def _luck(draws: int, scale: float) -> float:
    """How far below zero the least of K Laplace draws of this scale lies, in the mean: about scale · ln K.

    As many intervals start at each cell. Without it the least sum would be that of many buckets with lucky draws. The
    exact mean is scale · (1 + 1/2 + ... + 1/K - ln 2) for large K, which is 0.12 scale less.
    """
    return scale * math.log(draws)


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
