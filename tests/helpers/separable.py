"""Records on which classifiers can be right: one attribute is a function of another."""

import numpy as np
from oracles import domain_of

from mwem_core.domain import Records

DOMAIN = domain_of([4, 3, 2])


def separable(n=2000, seed=0) -> Records:
    """Records over a, b, c where c is 1 exactly if a is 2 or 3, which half of them are; b is independent."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(4, size=n), rng.integers(3, size=n)
    return Records(DOMAIN, tuple(c.astype(np.uint8) for c in (a, b, a >= 2)))


def one_cell(n) -> Records:
    """One weighted row that stands for n equal records."""
    return Records(DOMAIN, tuple(np.zeros(1, np.uint8) for _ in DOMAIN.shape), np.array([n]))
