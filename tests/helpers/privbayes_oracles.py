"""What tests of PrivBayes share: one run's network, scores of one table, and F by its definition."""

import itertools
import math

import numpy as np

from mwem_core import Records
from mwem_core.relatives import SCORES, Network, PrivBayes
from mwem_core.workload import families


def run(settings: PrivBayes, B: Records, noise) -> Network:
    """The network that one run releases."""
    (entry,) = settings.rounds(B, families.marginals(B.domain, 1), noise=noise)
    return entry.model


def score(name: str, counts: np.ndarray, n: float) -> float:
    """The score of one table of counts, (|X|, |Π|), in records."""
    return float(SCORES[name].of(np.array([counts], float), n)[0])


def closeness_by_hand(c: np.ndarray, n: float) -> float:
    """F by its definition: the best of all assignments of the columns to X = 0 or X = 1."""
    best = -math.inf
    for assignment in itertools.product([0, 1], repeat=c.shape[1]):
        K = [sum(c[x, j] for j, to in enumerate(assignment) if to == x) for x in (0, 1)]
        best = max(best, -sum(max(n / 2 - k, 0) for k in K))
    return best


def every_cell(B: Records) -> tuple[np.ndarray, ...]:
    """The codes of every cell of the domain, one array for each attribute."""
    return tuple(x.ravel() for x in np.indices(B.domain.shape))
