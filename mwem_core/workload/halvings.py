"""Ranges in the basis of Haar wavelets: how much of each lies in the differences of each level."""

from functools import reduce

import numpy as np

from mwem_core.model import bounds, heights
from mwem_core.workload.operators import Boxes

MAX_READ = 2000  # boxes; of more, that many evenly spaced ones are read


def squares_by_level(boxes: Boxes) -> np.ndarray:
    """The mean squared length of a box's component in the differences of each level: (h_1 + 1, h_2 + 1, ...).

    With an error of variance v along every unit vector of a level, the mean squared error of a box is the sum of v
    times this. The total is entry 0. A box is a product of intervals, and so is its component.
    """
    read = np.unique(np.linspace(0, len(boxes.low) - 1, min(MAX_READ, len(boxes.low))).astype(int))
    by_axis = [
        _of_intervals(boxes.low[read, axis], boxes.high[read, axis], size) for axis, size in enumerate(boxes.sizes)
    ]
    products = reduce(
        lambda left, right: left[..., None] * right.reshape(len(right), *[1] * (left.ndim - 1), -1), by_axis
    )
    return products.mean(axis=0)


def _of_intervals(low: np.ndarray, high: np.ndarray, size: int) -> np.ndarray:
    """For intervals from `low` to `high`, both included: (intervals,) each -> (intervals, height + 1).

    The projection on the counts of a level spreads what is in each of the level's intervals evenly over it. So its
    squared length is the sum of overlap² / width: all of the width where the overlap is whole, and else at the ends.
    """
    projected = []
    for level in range(heights([size])[0] + 1):
        cut = bounds(size, level)
        first, last = (np.searchsorted(cut, end, side="right") - 1 for end in (low, high))
        widths, starts = np.diff(cut), cut[:-1]
        at_low = np.minimum(high + 1, cut[first + 1]) - low
        at_high = np.where(first == last, 0, high + 1 - starts[last])
        whole = np.where(first == last, 0, starts[last] - cut[first + 1])
        projected.append(at_low**2 / widths[first] + at_high**2 / widths[last] + whole)
    return np.diff(np.stack(projected, axis=1), axis=1, prepend=0)
