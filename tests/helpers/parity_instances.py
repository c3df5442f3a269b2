"""Tables of bits, their parities, and noisy parities to project."""

import itertools

import numpy as np
from workloads import bits

from mwem_core.domain import Records
from mwem_core.relatives import Parities, RelaxedBody
from mwem_core.workload import families


def clusters(d, n, seed):
    """n records of d bits in two clusters; each bit has its own probability in each cluster."""
    rng = np.random.default_rng(seed)
    probability = rng.uniform(0.1, 0.9, (2, d))[rng.integers(0, 2, n)]
    return Records(bits(d), tuple((rng.random((n, d)) < probability).astype(np.uint8).T))


def repeated(rows, n):
    """n records: these rows of bits, over and over."""
    return Records(bits(rows.shape[1]), tuple(rows.astype(np.uint8)[np.arange(n) % len(rows)].T))


def parities_up_to(d, k):
    """All parities of 1 to k of d bits."""
    return Parities.behind(families.parities(bits(d), k))


def on_cells(queries):
    """The parities of every cell: (2^d, M)."""
    cells = itertools.product((0, 1), repeat=queries.d)
    return np.array([[(-1.0) ** sum(cell[a] for a in S) for S in queries.workload.sets] for cell in cells])


def noisy(B, k, sigma, seed):
    """The weighted exact parities, Gaussian noise on them, the scale n√p, and the body L."""
    queries = Parities.behind(families.parities(B.domain, k))
    p = queries.weights(queries.workload)
    z = np.sqrt(p) * queries.workload.answers(B)
    g = sigma * np.random.default_rng(seed).normal(size=queries.size)
    return z, g, B.total * np.sqrt(p), RelaxedBody(queries)


def exponent(x, y):
    """The slope of log y against log x."""
    return np.polyfit(np.log(x), np.log(y), 1)[0]
