"""Shares of a binary tree's nodes in the budget, tuned to a workload: the second stage of DAWA."""

import numpy as np

from mwem_core.relatives.ranges.tree import Tree

SHARES = np.arange(100)[:, None] / 100  # tried for each node


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
