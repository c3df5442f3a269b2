"""Intervals for ranges of which the halvings were measured (`automatic.hierarchy`).

A range that starts and ends where intervals of the finest measured level do is a sum over the differences of each
level: of those intervals alone that an end of the range splits, two a level, and the total. Others lie between two such
ranges.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mwem_core.algorithm import AnswerSource, Round
from mwem_core.automatic import Hierarchy, best_hierarchy, boxes_of
from mwem_core.intervals.pooled_estimates import ALPHA, Estimates, Intervals, deviations, of_counts
from mwem_core.model import Levels, Measurement, bounds, counts, up_to, values
from mwem_core.privacy import Budget
from mwem_core.workload import Workload

CHUNK = 10**4  # ranges at once


def by_halvings(Q: Workload, budget: Budget, rounds: Sequence[Round[AnswerSource]], known: Estimates) -> Intervals:
    """A range that follows from what was measured, and bounds of any other: it holds one such range, and is in one.

    `budget` is what the hierarchy of Q was given.
    """
    plan, (S,) = best_hierarchy(Q, budget, rounds[0].model.total), Q.sets
    differences = {m.levels: m for entry in rounds for m in entry.planned if m.levels and m.attrs == S}
    halvings, unit = HalvingEstimates(plan, differences, known.total), budget.unit
    boxes = boxes_of(Q)
    inner, outer = halvings.align_boxes(boxes.low, boxes.high + 1)
    measured = (inner == outer).all(axis=(1, 2))
    (least, least_variance), (most, most_variance) = halvings.estimate(inner), halvings.estimate(outer)
    low, _ = of_counts(least, np.sqrt(least_variance), unit)
    _, high = of_counts(most, np.sqrt(most_variance), unit)
    bound = np.maximum(least - deviations(ALPHA, unit) * np.sqrt(least_variance), 0.0)
    return Intervals(np.where(measured, low, bound), high, measured)


@dataclass(frozen=True, eq=False)
class HalvingEstimates:
    """What a plan measured: differences of halves by level, and the total with its variance."""

    plan: Hierarchy
    measured: dict[Levels, Measurement]
    total: tuple[float, float]

    def align_boxes(self, low: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The largest box within each, and the smallest around it, of whole intervals: (boxes, 2, axes) each.

        `low` and `end`, (boxes, axes), are a box's first codes and those after its last. An empty box ends where it
        starts.
        """
        inner, outer = np.empty((2, len(low), 2, low.shape[1]), int)
        for axis, (size, level) in enumerate(zip(self.plan.boxes.sizes, self.plan.finest, strict=True)):
            cut = np.unique(bounds(size, level))
            first, last = np.searchsorted(cut, low[:, axis]), np.searchsorted(cut, end[:, axis], side="right") - 1
            inner[:, 0, axis], inner[:, 1, axis] = cut[first], np.maximum(cut[first], cut[last])
            outer[:, 0, axis] = cut[np.searchsorted(cut, low[:, axis], side="right") - 1]
            outer[:, 1, axis] = cut[np.searchsorted(cut, end[:, axis])]
        return inner, outer

    def estimate(self, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The number of records in each aligned box, (boxes, 2, axes), and the variance of it: (boxes,) each."""
        parts = [self._estimate(boxes[i : i + CHUNK]) for i in range(0, len(boxes), CHUNK)]
        value, variance = (np.concatenate(part) for part in zip(*parts, strict=True))
        return value, variance

    def _estimate(self, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        axes = [
            Axis(size, finest, boxes[:, 0, i], boxes[:, 1, i])
            for i, (size, finest) in enumerate(zip(self.plan.boxes.sizes, self.plan.finest, strict=True))
        ]
        axes += [Axis(1, 0, np.zeros(len(boxes), int), np.ones(len(boxes), int))] * (2 - len(axes))
        share = axes[0].share * axes[1].share
        value, variance = share * self.total[0], share**2 * self.total[1]
        for k, m in self.measured.items():
            (i, u), (j, v) = (axis.splits[level] for axis, level in zip(axes, _two(k), strict=True))
            table = m.value.reshape(len(m.value), -1)
            value = value + np.einsum("qi,qj,qij->q", u, v, table[i[:, :, None], j[:, None, :]])
        noise = self.plan.part.variance_at(self.plan.part.scale)
        for levels in self.plan.tables:
            weights = self._weights(levels)
            G, H = (axis.products(level) for axis, level in zip(axes, _two(levels), strict=True))
            variance = variance + noise * ((weights.T @ G @ weights) * H).sum(axis=(1, 2))
        return value, variance

    def _weights(self, levels: Levels) -> np.ndarray:
        """How the differences of each level weigh the table of these levels: (levels of an axis, of the other)."""
        weights = np.zeros([level + 1 for level in _two(levels)])
        for k in up_to(levels):
            all_weights = self.plan.weights(k)
            weights[_two(k)] = all_weights[levels] / sum(all_weights.values())
        return weights


def _two(levels: Levels) -> Levels:
    """Levels of two axes: a single axis gets a second one, of one value."""
    return (*levels, 0)[:2]


@dataclass(frozen=True, eq=False)
class Axis:
    """One side of boxes, [low, end) each: (boxes,) arrays, aligned with the intervals of level `finest`."""

    size: int
    finest: int
    low: np.ndarray
    end: np.ndarray

    @cached_property
    def share(self) -> np.ndarray:
        """The share of the values."""
        return (self.end - self.low) / self.size

    @cached_property
    def splits(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """By level, the intervals that an end may split, and how their difference counts: (boxes, 2) each.

        A lower half has its share of its interval and the difference d, an upper half its share less d. Within halves,
        records count by values.
        """
        nothing = np.zeros((len(self.low), 1))
        splits = [(np.zeros((len(self.low), 2), int), np.column_stack([self.share, nothing]))]
        for level in range(1, self.finest + 1):
            cut, own = bounds(self.size, level), values(self.size, level)
            whole = cut[::2]
            i = np.stack([np.searchsorted(whole, at, side="right") - 1 for at in (self.low, self.end - 1)], axis=1)
            i = np.clip(i, 0, len(whole) - 2)
            halves = 2 * i[:, :, None] + [0, 1]
            overlap = np.minimum(self.end[:, None, None], cut[halves + 1]) - np.maximum(
                self.low[:, None, None], cut[halves]
            )
            counted = np.maximum(overlap, 0) / np.maximum(own[i], 1)
            u = np.where(own[i].min(axis=2) > 0, counted[:, :, 0] - counted[:, :, 1], 0.0)
            u[:, 1] = np.where(i[:, 0] == i[:, 1], 0.0, u[:, 1])
            splits.append((i, u))
        return splits

    def products(self, level: int) -> np.ndarray:
        """How noise of variance 1 on each count of `level` makes what is read of two levels vary together.

        (boxes, level + 1, level + 1): the inner products of the weights of the counts in what is read of each level.
        """
        exist = (np.diff(bounds(self.size, level)) > 0).astype(float)
        products = np.zeros((len(self.low), level + 1, level + 1))
        products[:, 0, 0] = self.share**2 * exist.sum()
        sums = []  # by level: the sum and the squared length of a split's weights, and its weights below and above
        for k in range(1, level + 1):
            own, number = values(self.size, k), counts(exist, (k,)).reshape(-1, 2)
            below = 1 - own[:, 0] / own.sum(axis=1)
            weights = np.stack([below, below - 1], axis=1)
            sums.append((weights, (weights * number).sum(axis=1)))
            i, u = self.splits[k]
            products[:, k, k] = (u**2 * (weights**2 * number).sum(axis=1)[i]).sum(axis=1)
            of_interval = (u * sums[-1][1][i]).sum(axis=1)
            products[:, 0, k] = products[:, k, 0] = self.share * of_interval
            for coarser in range(1, k):
                j, v = self.splits[coarser]
                half = i >> (k - 1 - coarser)  # of the coarser level, in which the split lies
                nested = (half[:, :, None] >> 1 == j[:, None, :]) * v[:, None, :]
                factor = sums[coarser - 1][0][j[:, None, :], (half & 1)[:, :, None]]
                together = ((u * sums[-1][1][i])[:, :, None] * nested * factor).sum(axis=(1, 2))
                products[:, coarser, k] = products[:, k, coarser] = together
        return products
