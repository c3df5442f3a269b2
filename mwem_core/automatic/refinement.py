"""Counts of intervals from coarse to fine: each level splits those above it, by what was measured and what is expected.

The expected split of one attribute's interval follows the slope between its neighbours. Where two attributes split at
once, both halves are known from the levels before, and the quarters are expected to be independent.

The splits of a level come from a mixture: some are exactly as expected from the coarser levels, some leave a part
empty, the others vary around what is expected, with several strengths λ. The weights of the mixture are learned from
the noisy differences of the level (empirical Bayes). A level whose splits are noise keeps to what is expected, which
joins intervals as DAWA's buckets do; one with structure follows what was measured, and single splits may differ.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from mwem_core.algorithm import Private, Round
from mwem_core.automatic.hierarchy import Hierarchy, best_hierarchy, boxes_of
from mwem_core.automatic.plan_fit import fitted_round
from mwem_core.domain import Table
from mwem_core.model import (
    MIN_SHARE,
    Levels,
    LogLinear,
    Measurement,
    bounds,
    check_rules,
    differences,
    heights,
    up_to,
    values,
)
from mwem_core.privacy import Accountant
from mwem_core.weighted import Single
from mwem_core.workload import Workload

STRENGTHS = np.geomspace(
    0.5, 5e6, 15
)  # λ: a split varies as the mean of λ coins does, from anything to next to nothing
NEARLY_EMPTY = 4.0 ** -np.arange(1, 9)  # mean counts of a part that is nearly empty, as shares of the whole
STEEPEST = 100.0  # a mean that is this many times smaller than the noise is nothing
ITERATIONS = 50  # of expectation and maximisation: their weights move by less than a hundredth after them
PSEUDO_COUNT = 1.0  # split that the weights of the coarser level count for
MAX_MISS = 5.0  # standard deviations by which a measurement may lie outside of what is possible
COMPONENTS = len(STRENGTHS) + 1 + len(NEARLY_EMPTY)
EQUAL_WEIGHTS = np.full(COMPONENTS, 1 / COMPONENTS)
MAX_SLOPE = 0.45  # by which the mean of a half differs from that of both, as a share of it
NO_RECORDS = 1e-9  # an interval with fewer is split as expected

Children = Callable[[np.ndarray], np.ndarray]  # the counts of a level, given those of the lowest half of each interval


@dataclass(frozen=True, eq=False)
class Splits:
    """Unknown counts, each between `low` and `high`, and `expected` from the coarser levels: (splits,), in records.

    `spread` is the variance of a count about what is expected at λ = 1.
    """

    low: np.ndarray
    high: np.ndarray
    expected: np.ndarray
    spread: np.ndarray

    def __getitem__(self, chosen: np.ndarray) -> "Splits":
        """Some of them."""
        return Splits(self.low[chosen], self.high[chosen], self.expected[chosen], self.spread[chosen])

    def posterior(self, measured: np.ndarray, deviation: float, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The mean of each count once measured with normal noise, and the mixture's weights, learned from all of them.

        `weights`, those of a coarser level, count for `PSEUDO_COUNT` splits.
        """
        measured = np.clip(measured, self.low - MAX_MISS * deviation, self.high + MAX_MISS * deviation)
        densities, means = self._components(measured, deviation)
        learned = weights
        for _ in range(ITERATIONS):
            learned = _shares(densities, learned).sum(axis=0) + PSEUDO_COUNT * weights
            learned /= learned.sum()
        return (_shares(densities, learned) * means).sum(axis=1), learned

    def _components(self, measured: np.ndarray, deviation: float) -> tuple[np.ndarray, np.ndarray]:
        """The density of what was measured, up to a factor for each split, and the mean count: (splits, components)."""
        varying, varying_means = self._normal(measured, deviation)
        exactly = _density(measured - self.expected, deviation)
        at_low, above_low = _exponential(measured - self.low, self.high - self.low, deviation)
        at_high, below_high = _exponential(self.high - measured, self.high - self.low, deviation)
        either = at_low + at_high
        ends = (at_low * (self.low[:, None] + above_low) + at_high * (self.high[:, None] - below_high)) / either
        densities = np.column_stack([varying, exactly, either / 2])
        densities /= densities.max(axis=1, keepdims=True)
        return densities, np.column_stack([varying_means, self.expected, ends])

    def _normal(self, measured: np.ndarray, deviation: float) -> tuple[np.ndarray, np.ndarray]:
        """Of the components with a strength λ: normal around what is expected, cut off where it is not possible.

        The product of two normal densities is normal, and what it has between two bounds is Φ at one less at the other.
        """
        from scipy.special import ndtr  # imported late: it takes a fifth of a second

        low, high, expected, m = (x[:, None] for x in (self.low, self.high, self.expected, measured))
        noise, prior = deviation**2, np.maximum(self.spread[:, None] / STRENGTHS, 1e-12 * deviation**2)
        centre, width = (m * prior + expected * noise) / (prior + noise), np.sqrt(prior * noise / (prior + noise))
        a, b, tiny = (low - centre) / width, (high - centre) / width, np.finfo(float).tiny
        inside = np.maximum(ndtr(b) - ndtr(a), tiny)
        before = np.maximum(ndtr((high - expected) / np.sqrt(prior)) - ndtr((low - expected) / np.sqrt(prior)), tiny)
        means = centre + width**2 * (_density(a * width, width) - _density(b * width, width)) / inside
        return _density(m - expected, np.sqrt(prior + noise)) * inside / before, np.clip(means, low, high)


def _exponential(measured: np.ndarray, most: np.ndarray, deviation: float) -> tuple[np.ndarray, np.ndarray]:
    """Of counts that are exponentially distributed, with shares of `most` as means: (splits, means) each.

    The density of what was measured, and the mean count. Given the measurement, the count is normal, shifted by its
    variance over the mean, and cut off at zero.
    """
    from scipy.special import log_ndtr  # imported late: it takes a fifth of a second

    rate = np.minimum(1 / (most[:, None] * NEARLY_EMPTY), STEEPEST / deviation)
    m = measured[:, None]
    centre = (m - rate * deviation**2) / deviation
    inside = log_ndtr(centre)
    mean = np.maximum(deviation * (centre + np.exp(-0.5 * centre**2 - inside) / math.sqrt(2 * math.pi)), 0.0)
    exponent = -rate * m + 0.5 * (rate * deviation) ** 2 + inside
    return np.maximum(rate * np.exp(exponent), np.finfo(float).tiny), np.minimum(mean, most[:, None])


def _shares(densities: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The probability that a split is of each component: (splits, components)."""
    shares = densities * weights
    return shares / shares.sum(axis=1, keepdims=True)


def _density(x: np.ndarray, deviation: np.ndarray | float) -> np.ndarray:
    """The normal density."""
    return np.exp(-0.5 * (x / deviation) ** 2) / (deviation * math.sqrt(2 * math.pi))


@dataclass(frozen=True, kw_only=True)
class Halvings(Private):
    """Count intervals once, at the levels of the least expected error for the ranges asked (`hierarchy`).

    (ε, δ)-differential privacy under adding or removing one record; the total n is taken as public. The model starts
    uniform, and the attributes that no range reads stay so.
    """

    def planned_rounds(self, n: float, workload: Workload) -> int:
        """One for each halving down to the finest level that is counted."""
        return best_hierarchy(workload, self.guarantee.budget, n).rounds

    def check(self, workload: Workload) -> None:
        """Refuse, by a ValueError, a workload other than of ranges of one or two attributes."""
        check_rules(workload.domain)
        boxes_of(workload)

    def spend(self, B: Table, Q: Workload, account: Accountant) -> Iterator[Round[Single]]:
        """Round 0, then a round i that fits all levels of up to i. All of the budget is spent before round 1."""
        A_0 = A = LogLinear.uniform(Q.domain.shape, float(B.total), Q.domain.possible)
        yield Round(0, account.ledger, A_0, A_0)
        hierarchy = best_hierarchy(Q, account.left, A_0.total)
        measured = hierarchy.measure(B, Q, account)
        for i, (table, fitted) in enumerate(refinements(hierarchy, measured, A_0.total), start=1):
            before, A = A, with_marginal(A_0, Q.attrs(0), table / A_0.total)
            label = " × ".join(f"{2 ** min(i, finest):,}" for finest in hierarchy.finest) + " intervals"
            yield fitted_round(i, account.ledger, before, A, label, fitted)


def refinements(
    plan: Hierarchy, measured: Mapping[Levels, Measurement], n: float
) -> Iterator[tuple[np.ndarray, tuple[Measurement, ...]]]:
    """The table of counts, in records, by all that was measured of levels up to i, and what was of level i: for each i.

    Reads only its arguments.
    """
    refinement = Refinement.of(plan.boxes.sizes, n)
    for i in range(1, plan.rounds + 1):
        fitted = {k: m for k, m in measured.items() if max(k) == i}
        for k, m in fitted.items():
            refinement = refinement.refine((*k, 0)[:2], m, math.sqrt(plan.budget.variance_at(m.scale)))
        yield refinement.cells().reshape(plan.boxes.sizes), tuple(fitted.values())


def with_marginal(A: LogLinear, S: tuple[int, ...], shares: np.ndarray) -> LogLinear:
    """The distribution nearest to A, in relative entropy, with these shares as its marginal on S.

    A is scaled in each cell of S by what it lacks there (iterative proportional fitting in one step). Cells in which A
    has no weight keep none, and the shares of the others are scaled to sum to 1.
    """
    own = A.marginal(S)
    theta = np.log(np.maximum(shares, MIN_SHARE))
    theta -= np.log(np.divide(own, own.max(), out=np.ones_like(own), where=own > 0))
    return LogLinear.of(A.sizes, A.total, {**A.theta, S: A.theta.get(S, 0.0) + theta}, possible=A.possible)


@dataclass(frozen=True, eq=False)
class Refinement:
    """The counts that are known, and the weights of the mixtures that their splits come from, by level.

    `sizes` are the numbers of values of two attributes; a single attribute has one of one value beside it.
    """

    sizes: tuple[int, int]
    known: dict[Levels, np.ndarray]
    weights: dict[Levels, np.ndarray] = field(default_factory=dict)

    @classmethod
    def of(cls, sizes: tuple[int, ...], total: float) -> "Refinement":
        """Nothing but the total is known."""
        rows, columns = (*sizes, 1)[:2]
        return cls((rows, columns), {(0, 0): np.full((1, 1), total)})

    def refine(self, k: Levels, measured: Measurement | None = None, deviation: float = 0.0) -> "Refinement":
        """With the counts of level k, by its measured differences, or without any as expected from the levels above.

        `deviation` is the standard deviation of each difference, in records. Coarser levels stay as they are.
        """
        splits, children = self._halves(k) if 0 in k else self._quarters(k)
        found, weights = splits.expected.copy(), self._weights_above(k)
        free = (splits.spread > 0) & (splits.high - splits.low > NO_RECORDS)
        if measured is not None and free.any():
            # The differences are the lowest halves or quarters, but for what is known.
            known = differences(children(splits.expected), k, self.sizes) - splits.expected
            lowest = measured.value.reshape(found.shape) - known
            found[free], weights = splits[free].posterior(lowest[free], deviation, weights)
        return Refinement(self.sizes, {**self.known, k: children(found)}, {**self.weights, k: weights})

    def cells(self) -> np.ndarray:
        """The count of each cell, (n_1, n_2), in records. Levels whose counts are not known split as expected."""
        refinement, finest = self, heights(self.sizes)
        for k in up_to(finest):
            if k not in refinement.known:
                refinement = refinement.refine(k)
        rows, columns = (np.diff(bounds(size, level)) > 0 for size, level in zip(self.sizes, finest, strict=True))
        return refinement.known[finest][rows][:, columns]

    def _weights_above(self, k: Levels) -> np.ndarray:
        """The mean of the weights of the levels next above level k."""
        i, j = k
        above = [self.weights[up] for up in ((i - 1, j), (i, j - 1)) if up in self.weights]
        return np.mean(above, axis=0) if above else EQUAL_WEIGHTS

    def _halves(self, k: Levels) -> tuple[Splits, Children]:
        """Intervals of one attribute in halves, the other attribute summed over."""
        axis = 0 if k[0] else 1
        whole = self.known[k[0] - (axis == 0), k[1] - (axis == 1)]
        own = values(self.sizes[axis], k[axis])
        slope = _slopes(whole.ravel() / own.sum(axis=1))
        lower, upper = own[:, 0] * (1 - slope), own[:, 1] * (1 + slope)
        expected = whole * (lower / (lower + upper)).reshape(whole.shape)
        fixed = (own.min(axis=1) == 0).reshape(whole.shape)
        low, high = np.where(fixed, expected, 0.0), np.where(fixed, expected, whole)
        splits = Splits(low, high, expected, expected * (whole - expected))
        return splits, lambda lower: _woven(lower, whole - lower, axis)

    def _quarters(self, k: Levels) -> tuple[Splits, Children]:
        """Boxes in quarters, with the halves along each attribute known."""
        i, j = k
        whole, rows, columns = self.known[i - 1, j - 1], self.known[i, j - 1][::2], self.known[i - 1, j][:, ::2]
        low, high = np.maximum(0.0, rows + columns - whole), np.minimum(rows, columns)
        a, b = (np.divide(half, whole, out=np.zeros_like(half), where=whole > NO_RECORDS) for half in (rows, columns))
        expected = np.clip(a * columns, low, high)
        splits = Splits(low, high, expected, a * (1 - a) * b * (1 - b) * whole**2)

        def children(lowest: np.ndarray) -> np.ndarray:
            rest = np.maximum(whole - rows - columns + lowest, 0.0)  # not below zero by rounding either
            return _woven(_woven(lowest, rows - lowest, 1), _woven(columns - lowest, rest, 1), 0)

        return splits, children


def _slopes(mean: np.ndarray) -> np.ndarray:
    """By what share the mean count of each interval's upper half is expected to lie above that of both halves.

    `mean` is that of each interval's values. It is an eighth of the difference between the neighbours' means, as on a
    straight line; at an end, the interval itself takes the place of the neighbour.
    """
    below, above = np.concatenate([mean[:1], mean[:-1]]), np.concatenate([mean[1:], mean[-1:]])
    return np.clip(np.divide(above - below, 8 * mean, out=np.zeros_like(mean), where=mean > 0), -MAX_SLOPE, MAX_SLOPE)


def _woven(lower: np.ndarray, upper: np.ndarray, axis: int) -> np.ndarray:
    """Lower and upper halves in turn along an axis, which becomes twice as long."""
    shape = [size * 2 if a == axis else size for a, size in enumerate(lower.shape)]
    return np.stack([lower, upper], axis=axis + 1).reshape(shape)
