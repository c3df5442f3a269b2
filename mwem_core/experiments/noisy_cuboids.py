"""Cuboids with noise alone: which of them to measure, so that the others are sums of their cells (Ding et al. 2011).

The noise depends on the domain alone, so no data is read, and expected errors replace trials. Ding et al. choose for
the least largest noise (BMax), by covers like these, or for the most cuboids below a threshold of noise (PMost). They
also make the published cuboids consistent; that is not done here.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import chain, combinations

import numpy as np

from mwem_core.domain.domain import Domain
from mwem_core.domain.source import Attrs


def all_cuboids(d: int) -> list[Attrs]:
    """All sets of one to d of d attributes; the last is the whole table."""
    return list(chain.from_iterable(combinations(range(d), k) for k in range(1, d + 1)))


def summed_cells(domain: Domain, measured: Sequence[Attrs], targets: Sequence[Attrs]) -> np.ndarray:
    """How many cells of each measured cuboid add up to a cell of each target, inf for none: (measured, targets)."""
    sums = np.full((len(measured), len(targets)), np.inf)
    for i, S in enumerate(measured):
        for j, R in enumerate(targets):
            if set(R) <= set(S):
                sums[i, j] = domain.cells(S) / domain.cells(R)
    return sums


def expected_errors(sums: np.ndarray) -> np.ndarray:
    """Expected mean |error| of the cells of each target at ε = 1, in records: (measured, targets) -> (targets,).

    Each measured cuboid has Laplace noise of a scale equal to their number, as one record is in a cell of each. A
    target is summed from the cuboid that adds up the fewest cells. A sum of m Laplace variables is the difference of
    two Gamma variables of shape m; its mean absolute value is 2 Γ(m + ½) / (√π Γ(m)) times their scale.
    """
    from scipy.special import gammaln  # imported late: it takes a fifth of a second

    terms = sums.min(axis=0)
    return len(sums) * 2 / math.sqrt(math.pi) * np.exp(gammaln(terms + 0.5) - gammaln(terms))


def covers(sums: np.ndarray) -> Iterator[list[int]]:
    """Few cuboids with sums for every target: for each limit on the cells of a sum, the rows of `sums` to measure.

    The cuboid that serves the most targets left is taken until none is left.
    """
    for limit in np.unique(sums[np.isfinite(sums)]):
        serves, left = sums <= limit, np.ones(sums.shape[1], bool)
        chosen: list[int] = []
        while left.any():
            chosen.append(int((serves & left).sum(axis=1).argmax()))
            left &= ~serves[chosen[-1]]
        yield chosen
