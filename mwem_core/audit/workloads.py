"""Random small workloads of every family, and domains for them."""

from collections.abc import Callable

import numpy as np

from mwem_core.audit.tables import domain_of
from mwem_core.workload import Workload, parse_workload

MAX_CELLS = 600  # of a domain
SIZES = np.array([2, 3, 4, 5])  # of an attribute
MAX_BITS = 6
RANGES_SIZES = np.array([2, 5, 8, 13])  # of an attribute with ranges


def random_workload(family: str, rng: np.random.Generator) -> Workload:
    """A workload of this family of `FAMILIES`, over a random domain."""
    return FAMILIES[family](rng)


def _tables(family: str) -> Callable[[np.random.Generator], Workload]:
    def make(rng: np.random.Generator) -> Workload:
        domain = domain_of(_sizes(rng))
        k = int(rng.integers(1, min(3, len(domain)) + 1))
        return parse_workload(f"{family}:{'<=' if rng.random() < 0.3 else ''}{k}", domain)

    return make


def _parities(rng: np.random.Generator) -> Workload:
    d = int(rng.integers(1, MAX_BITS + 1))
    return parse_workload(f"parities:{rng.integers(1, min(3, d) + 1)}", domain_of([2] * d))


def _ranges(rng: np.random.Generator) -> Workload:
    sizes = rng.choice(RANGES_SIZES, size=rng.integers(1, 3)).tolist()
    names = "a,b" if len(sizes) == 2 and rng.random() < 0.5 else "a"
    which = rng.choice(["all", "prefixes", f"{rng.integers(1, 20)}@{rng.integers(99)}"])
    return parse_workload(f"ranges:{names}:{which}", domain_of(sizes))


def _predicates(rng: np.random.Generator) -> Workload:
    domain = domain_of(_sizes(rng))

    def comparison() -> str:
        a = rng.integers(len(domain))
        return f"{domain.names[a]} {rng.choice(['==', '!=', '<', '>='])} {rng.integers(domain.shape[a])}"

    def question() -> str:
        return f" {rng.choice(['and', 'or'])} ".join(comparison() for _ in range(rng.integers(1, 4)))

    return parse_workload("where:" + "; ".join(question() for _ in range(rng.integers(1, 7))), domain)


def _mixed(rng: np.random.Generator) -> Workload:
    domain = domain_of(_sizes(rng))
    families = ["marginals:1", f"marginals:<={min(2, len(domain))}", "cuboids:1", "ranges:a:prefixes", "where:a >= 1"]
    if set(domain.shape) == {2}:
        families.append(f"parities:{len(domain)}")
    terms = rng.choice(families, size=rng.integers(2, 4), replace=False)
    return parse_workload(" + ".join(f"{rng.integers(1, 4)}*{term}" for term in terms), domain)


def _sizes(rng: np.random.Generator) -> list[int]:
    """Of one to five attributes. In half of the domains all have two values, as some systems take no others."""
    sizes = rng.choice(SIZES if rng.random() < 0.5 else SIZES[:1], size=rng.integers(1, 6))
    while sizes.prod() > MAX_CELLS:
        sizes = sizes[1:]
    return sizes.tolist()


FAMILIES = {
    "marginals": _tables("marginals"),
    "cuboids": _tables("cuboids"),
    "parities": _parities,
    "ranges": _ranges,
    "predicates": _predicates,
    "mixed": _mixed,
}
