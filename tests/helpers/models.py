"""Random models of the approximating distribution, for tests against brute force."""

import math

import numpy as np

from mwem_core.model import Component, LogLinear, Measurement, replay


def random_sizes(rng):
    """Three to seven attributes of two or three values."""
    return tuple(int(s) for s in rng.integers(2, 4, size=rng.integers(3, 8)))


def random_set(rng, d):
    """A sorted set of one to three of d attributes."""
    return tuple(sorted(rng.choice(d, size=rng.integers(1, 4), replace=False).tolist()))


def random_model(rng, sizes, measurements=6):
    """A model after random measurements of whole marginals and single queries, each followed by a replay."""
    A, past = LogLinear.uniform(sizes, 1000.0), []
    for _ in range(measurements):
        S = random_set(rng, len(sizes))
        shape = [sizes[a] for a in S]
        if rng.random() < 0.5:
            past.append(Measurement(S, rng.dirichlet(np.ones(math.prod(shape))).reshape(shape) * 1000, 1.0))
        else:
            q = rng.uniform(-1, 1, size=shape)
            past.append(Measurement(S, np.array(rng.normal() * 300), 1.0, q))
        A = replay(A, past, step=1.0, sweeps=int(rng.integers(1, 6)), in_order=bool(rng.random() < 0.5))
    return A


def chain_model(rng, sizes=(4, 3, 5, 2, 4)):
    """A model whose junction tree is the chain of cliques (0, 1), (1, 2), (2, 3), ..."""
    A, past = LogLinear.uniform(sizes, 1.0), []
    for a in range(len(sizes) - 1):
        shape = (sizes[a], sizes[a + 1])
        past.append(Measurement((a, a + 1), rng.dirichlet(np.ones(math.prod(shape))).reshape(shape), 1.0))
    return replay(A, past, step=3.0, sweeps=200)


def without_cache(A):
    """The same model with no marginal in its caches."""
    parts = (Component(c.sizes, c.theta, c.tree, c.beliefs, c.converged) for c in A.components)
    return LogLinear(A.sizes, A.total, tuple(parts))


def marginal_by_hand(p, S):
    """The marginal of a whole table on the sorted attributes S."""
    return p.sum(axis=tuple(a for a in range(p.ndim) if a not in S))
