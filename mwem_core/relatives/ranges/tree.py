"""A tree of intervals over m cells in order, and the least-squares counts of its leaves from noisy counts of its nodes.

Hay, Rastogi, Miklau & Suciu, "Boosting the Accuracy of Differentially Private Histograms Through Consistency", PVLDB
2010. Their two passes are for a full tree with equal noise; here nodes have any numbers of children and any noise.
"""

import itertools
import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Tree:
    """`starts[l]` holds the first cell of each node of level l, ascending; the last level holds the single cells.

    A cell is in one node of each level. The root is left out: its count is n.
    """

    starts: tuple[np.ndarray, ...]

    @classmethod
    def of(cls, cells: int, branching: int) -> "Tree":
        """As few levels as a branching allows: level l has the b^l intervals from ⌊i m / b^l⌋ on, without empty ones.

        >>> [level.tolist() for level in Tree.of(5, 2).starts]
        [[0, 2], [0, 1, 2, 3], [0, 1, 2, 3, 4]]
        """
        levels, count = [], 1
        while not levels or count < cells:
            count *= branching
            starts = np.arange(count) * cells // count
            levels.append(starts[np.diff(starts, prepend=-1) > 0])
        return cls(tuple(levels))

    @classmethod
    def of_every_depth(cls, cells: int) -> list["Tree"]:
        """One tree for each depth up to that of a binary tree: the one of least branching."""
        depths = range(1, max(1, math.ceil(math.log2(cells))) + 1)
        branchings = {next(b for b in itertools.count(2) if b**depth >= cells) for depth in depths}
        return [cls.of(cells, b) for b in sorted(branchings)]

    @property
    def depth(self) -> int:
        """The number of levels, which is the number of nodes that contain a cell."""
        return len(self.starts)

    @property
    def sizes(self) -> list[int]:
        """The number of nodes of each level."""
        return [len(level) for level in self.starts]

    def sums(self, cells: np.ndarray) -> np.ndarray:
        """The sum of each node, level by level: (m, ...) -> (nodes, ...)."""
        return np.concatenate([np.add.reduceat(cells, level) for level in self.starts])

    def first_children(self, level: int) -> np.ndarray:
        """The index, within the next level, of each node's first child."""
        return np.searchsorted(self.starts[level + 1], self.starts[level])


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """The estimate of least squared error, each node's error divided by its variance; unbiased, and linear.

    `precisions[l]` are 1 / variance of the nodes of level l; 0 where a node was not measured. `variances[l]` are those
    of the nodes' counts as estimated from their own subtrees alone.
    """

    tree: Tree
    precisions: tuple[np.ndarray, ...]
    variances: tuple[np.ndarray, ...]

    @classmethod
    def of(cls, tree: Tree, precisions: np.ndarray) -> "LeastSquares":
        """From the precisions of all nodes, level by level: (nodes,); those of the leaves must be positive."""
        by_level = np.split(precisions, np.cumsum(tree.sizes)[:-1])
        variances = [1 / by_level[-1]]
        for level in reversed(range(tree.depth - 1)):
            below = np.add.reduceat(variances[0], tree.first_children(level))
            variances.insert(0, 1 / (by_level[level] + 1 / below))
        return cls(tree, tuple(by_level), tuple(variances))

    def leaves(self, noisy: np.ndarray) -> np.ndarray:
        """Estimate the cells from noisy counts of the nodes: (nodes, ...) -> (m, ...).

        Up: a node's own count and the sum of its children, weighted by their precisions. Down: what a node differs by
        from the sum of its children is spread over them in proportion to their variances.
        """
        ups = np.split(noisy, np.cumsum(self.tree.sizes)[:-1])
        for level in reversed(range(self.tree.depth - 1)):
            first, v = self.tree.first_children(level), self.variances
            below = np.add.reduceat(v[level + 1], first)
            own = _rows(v[level] * self.precisions[level], noisy) * ups[level]
            ups[level] = own + _rows(v[level] / below, noisy) * np.add.reduceat(ups[level + 1], first)
        x = ups[0]
        for level in range(self.tree.depth - 1):
            missing = x - np.add.reduceat(ups[level + 1], self.tree.first_children(level))
            x = ups[level + 1] + _rows(self._shares_in_parents(level + 1), noisy) * self._of_parents(missing, level + 1)
        return x

    @property
    def total_variance(self) -> float:
        """The variance of the sum of all estimated cells."""
        return float(self.variances[0].sum())

    @property
    def shares(self) -> np.ndarray:
        """What each cell takes of a change of the total, summing to 1: (m,).

        It is the covariance of the cell and the total, divided by the total's variance.
        """
        shares = self.variances[0] / self.total_variance
        for level in range(1, self.tree.depth):
            shares = self._of_parents(shares, level) * self._shares_in_parents(level)
        return shares

    def query_variances(self, queries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The variance of each query's answer where the total is known, and its covariance with the total if unknown.

        (|Q|, m) values on the cells -> (|Q|,) and (|Q|,), the second divided by the variance of the total. Given a
        node's count x, a query on its cells is a x plus an error that is independent of x. Over the children c, a is
        the mean of a_c, weighted by their variances v_c. The node adds Σ a_c² v_c - (Σ a_c v_c)² / Σ v_c to the error.
        """
        error, a = np.zeros(len(queries)), queries
        for level in reversed(range(self.tree.depth)):
            first = self.tree.first_children(level - 1) if level else np.zeros(1, int)
            v = self.variances[level]
            total = np.add.reduceat(v, first)
            mean = np.add.reduceat(a * v, first, axis=1) / total
            error = error + (a**2 @ v) - (mean**2 @ total)
            a = mean
        return error, a[:, 0]

    def _shares_in_parents(self, level: int) -> np.ndarray:
        """The share of each node of a level in the summed variances of its parent's children."""
        v = self.variances[level]
        return v / self._of_parents(np.add.reduceat(v, self.tree.first_children(level - 1)), level)

    def _of_parents(self, values: np.ndarray, level: int) -> np.ndarray:
        """Repeat the values of the level above for each node's children."""
        counts = np.diff(self.tree.first_children(level - 1), append=self.tree.sizes[level])
        return np.repeat(values, counts, axis=0)


def with_total(cells: np.ndarray, shares: np.ndarray, total: float) -> np.ndarray:
    """Condition estimated cells on a known total: each takes its share of what the total differs by."""
    return cells + shares * (total - cells.sum())


def _rows(factors: np.ndarray, like: np.ndarray) -> np.ndarray:
    """A factor for each row of an array like `like`: (rows,) -> (rows, 1, ...)."""
    return factors.reshape(-1, *[1] * (like.ndim - 1))
