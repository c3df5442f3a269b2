"""Baselines that every mechanism should beat: uniform answers, the product of one-way marginals, and plain noise.

The product is of the true one-way marginals, so it is not private. Plain noise is Laplace noise on every marginal of
the workload, with the budget split evenly, or on the histogram for a workload of ranges. It gives answers, not rows.
"""

from functools import reduce

import numpy as np
from common import Clock, read_task, write_results

clock, task = Clock(), read_task()
rng, n = np.random.default_rng(task.seed), len(task.codes)
sets = task.sets or ((0,),)


def counts(S: tuple[int, ...]) -> np.ndarray:
    """The true marginal: counts of its cells."""
    sizes = [task.sizes[a] for a in S]
    cell = np.ravel_multi_index([task.codes[:, a].astype(np.intp) for a in S], sizes)
    return np.bincount(cell, minlength=int(np.prod(sizes))).astype(float)


def uniform(S: tuple[int, ...]) -> np.ndarray:
    """The same share in every cell."""
    cells = len(counts(S))
    return np.full(cells, 1 / cells)


def product(S: tuple[int, ...]) -> np.ndarray:
    """The product of the one-way marginals' shares."""
    return reduce(np.multiply.outer, [counts((a,)) / n for a in S]).ravel()


def noise(S: tuple[int, ...]) -> np.ndarray:
    """The marginal's shares with Laplace noise: one record changes each marginal by one."""
    true = counts(S)
    return (true + rng.laplace(scale=len(sets) / task.epsilon, size=true.size)) / n


answer = {"uniform": uniform, "product": product, "noise": noise}[task.options["kind"]]
clock.lap("prepare")
write_results(task, None, clock, ["numpy"], answers=lambda: map(answer, sets))
