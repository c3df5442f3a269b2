"""Tables and workloads on which multiplicative weights is tested."""

import numpy as np
from oracles import domain_of, random_records

from mwem_core.workload import families

FAMILIES = {
    "marginals": ([3, 2, 2], lambda domain: families.marginals(domain, 2)),
    "parities": ([2, 2, 2, 2], lambda domain: families.parities(domain, 2)),
    "intervals": ([12], lambda domain: families.ranges(domain, ["a"], "all")),
}


def instance(family, seed, n=200):
    """A random table of n records, and the workload of a family on it."""
    sizes, make = FAMILIES[family]
    B = random_records(domain_of(sizes), n, np.random.default_rng(seed))
    return B, make(B.domain)


def max_error(Q, model, B):
    """In records."""
    return float(np.abs(Q.answers(model) - Q.answers(B)).max())
