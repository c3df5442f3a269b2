"""Small random tables with their neighbours, and small random workloads of every family."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from mwem_core.domain import Attribute, Domain, OfTotal, Records, Table
from mwem_core.values import Range
from mwem_core.workload import Workload, parse_workload

Change = Literal["one record more", "one record fewer", "one record replaced"]
UNEVEN = 0.3  # parameter of the Dirichlet distribution that cells have their shares from: many stay empty


@dataclass(frozen=True, eq=False)
class Neighbour:
    """A neighbour of a table. A table with one record replaced is at distance 2: one fewer, then one more."""

    change: Change
    table: Table

    @property
    def distance(self) -> int:
        """|B - B'|, by records added or removed."""
        return 2 if self.change == "one record replaced" else 1


def domain_of(sizes: Sequence[int]) -> Domain:
    """Attributes a, b, c, ... that hold the whole numbers from 0 up to their size."""
    return Domain(tuple(Attribute(chr(ord("a") + i), Range(0, size - 1)) for i, size in enumerate(sizes)))


def random_records(domain: Domain, n: int, rng: np.random.Generator) -> Records:
    """n records with correlated, uneven columns."""
    cells = math.prod(domain.shape)
    picks = rng.choice(cells, size=n, p=rng.dirichlet(np.full(cells, UNEVEN)))
    return Records(domain, tuple(codes.astype(np.uint8) for codes in np.unravel_index(picks, domain.shape)))


def neighbours(B: Records, rng: np.random.Generator, *, n_is_public: bool) -> Iterator[Neighbour]:
    """B with a random record more, with one fewer, and if n is public with one replaced.

    If n is public all have B's, as the program assumes; else they have their own.
    """
    extra = [int(rng.integers(size)) for size in B.domain.shape]
    gone = int(rng.integers(B.total))
    more = _with(B, extra, rng)
    fewer = B.rows(np.arange(B.total) != gone)
    if not n_is_public:
        yield Neighbour("one record more", more)
        yield Neighbour("one record fewer", fewer)
        return
    yield Neighbour("one record more", OfTotal(more, B.total))
    yield Neighbour("one record fewer", OfTotal(fewer, B.total))
    yield Neighbour("one record replaced", OfTotal(_with(fewer, extra, rng), B.total))


def _with(B: Records, codes: Sequence[int], rng: np.random.Generator) -> Records:
    columns = tuple(np.append(c, x).astype(c.dtype) for c, x in zip(B.codes, codes, strict=True))
    numbers = {name: np.append(x, _number_in(codes[B.domain.attrs(name)[0]], rng)) for name, x in B.numbers.items()}
    return Records(B.domain, columns, B.weights, numbers=numbers)


def in_bins(Q: Workload, B: Records, rng: np.random.Generator) -> tuple[Workload, Records]:
    """The same with every value a bin of `WIDTH` whole numbers, and records with numbers of which some lie outside."""
    each = (replace(a, value_set=Range(0, WIDTH * a.value_set.size - 1, WIDTH)) for a in B.domain.attributes)
    domain = Domain(tuple(each))
    numbers = {
        name: np.array([_number_in(code, rng) for code in codes.tolist()])
        for name, codes in zip(domain.names, B.codes, strict=True)
    }
    return Q.over(domain), Records(domain, B.codes, numbers=numbers)


def _number_in(code: int, rng: np.random.Generator) -> float:
    """An end of this bin, mostly, or a number far outside, or none."""
    return float(rng.choice([WIDTH * code, WIDTH * (code + 1) - 1, WIDTH * code, -1e6, 1e6, math.nan]))


WIDTH = 10  # of a bin
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
