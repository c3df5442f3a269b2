"""Floors of the relative entropy: that of the maximum-entropy table with the exact marginals of an order."""

import itertools

import numpy as np

from mwem_core.data.records import Records

MAX_SWEEPS, TOLERANCE = 500, 1e-6  # nats that a sweep must still gain


def floor(B: Records, order: int) -> float:
    """Relative entropy, in nats, of the records to the table of maximum entropy that has their marginals of `order`.

    No table that is log-linear in those marginals comes closer: it is the maximum likelihood. By iterative
    proportional fitting over all cells, so for domains that fit in memory; the result approaches the floor from above.
    """
    from scipy.special import rel_entr  # imported late: it takes a fifth of a second

    everything = range(len(B.domain))
    p = B.marginal(tuple(everything)) / B.total
    q = np.full(p.shape, 1 / p.size)
    others = [tuple(set(everything) - set(S)) for S in itertools.combinations(everything, order)]
    targets = [p.sum(axis=axes, keepdims=True) for axes in others]
    before = np.inf
    for _ in range(MAX_SWEEPS):
        for axes, target in zip(others, targets, strict=True):
            own = q.sum(axis=axes, keepdims=True)
            q = q * np.divide(target, own, out=np.zeros_like(own), where=own > 0)
        now = float(rel_entr(p, q).sum())
        if before - now < TOLERANCE:
            break
        before = now
    return now
