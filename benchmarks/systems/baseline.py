"""What no mechanism should lose to: no data at all, true one-way marginals as if independent, and plain noise.

The product of true one-way marginals is not private. Plain noise is Laplace noise on every marginal of the workload,
the budget split evenly, or on the histogram where it asks for ranges; what it gives is not rows.
"""

from functools import reduce

import numpy as np
from common import Clock, give, task

clock, given = Clock(), task()
rng, n = np.random.default_rng(given.seed), len(given.codes)
sets = given.sets or ((0,),)


def counts(S: tuple[int, ...]) -> np.ndarray:
    """The true marginal."""
    sizes = [given.sizes[a] for a in S]
    cell = np.ravel_multi_index([given.codes[:, a].astype(np.intp) for a in S], sizes)
    return np.bincount(cell, minlength=int(np.prod(sizes))).astype(float)


def uniform(S: tuple[int, ...]) -> np.ndarray:
    """Every cell alike."""
    cells = len(counts(S))
    return np.full(cells, 1 / cells)


def product(S: tuple[int, ...]) -> np.ndarray:
    """One-way marginals multiplied."""
    return reduce(np.multiply.outer, [counts((a,)) / n for a in S]).ravel()


def noise(S: tuple[int, ...]) -> np.ndarray:
    """One record changes each marginal by one."""
    true = counts(S)
    return (true + rng.laplace(scale=len(sets) / given.epsilon, size=true.size)) / n


answer = {"uniform": uniform, "product": product, "noise": noise}[given.options["kind"]]
clock.lap("prepare")
give(given, None, clock, ["numpy"], answers=lambda: map(answer, sets))
