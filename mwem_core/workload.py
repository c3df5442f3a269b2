"""Workloads: linear questions, in families, of the low-dimensional marginals of a table."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol

import numpy as np

from mwem_core import predicates as questions
from mwem_core.domain import Domain
from mwem_core.kinds import Edges, is_whole
from mwem_core.model.triangulation import Attrs
from mwem_core.operators import Asked, Boxes, Cells, Operator, Signs

MOST_QUERIES = 10**8  # 0.8 GB a vector of answers, and a round holds a few
MOST_CELLS = 5 * 10**7  # of one marginal
MOST_TABLES = 10**6


class Source(Protocol):
    """Anything that answers: records, a model, an average of models."""

    def marginals(self, sets: Sequence[Attrs]) -> list[np.ndarray]:
        """Counts by cell of each set of attributes, in records."""
        ...


@dataclass(frozen=True, eq=False)
class Workload:
    """Queries on `domain`, in parts: an attribute set each, with a linear operator on its marginal.

    Queries are numbered part by part. `family` names what they are; in cuboids, a whole table is one thing to ask.
    `spec` is the short text that `spec.parse_workload` makes it from, `name` the same for people.
    Raises ValueError for a workload of nothing, or one whose answers or largest marginal do not fit in memory.
    """

    domain: Domain
    family: Literal["marginals", "cuboids", "ranges", "parities", "predicates"]
    spec: str
    name: str
    sets: tuple[Attrs, ...]
    operators: tuple[Operator, ...]

    def __post_init__(self):
        nothing = "the workload asks nothing: choose at least one query"
        if not self.sets:
            raise ValueError(nothing)
        largest = max(self.sets, key=self.domain.cells)
        if self.domain.cells(largest) > MOST_CELLS:
            raise ValueError(
                f"the marginal {self.domain.label(largest)} has {self.domain.cells(largest):,} cells, "
                f"{MOST_CELLS:,} fit: lower k, leave an attribute out, or declare coarser bins"
            )
        if not self.size:
            raise ValueError(nothing)
        for many, what in ((self.size, "queries"), (self.cells, "cells of marginals to read")):
            if many > MOST_QUERIES:
                raise ValueError(
                    f"the workload has {many:,} {what}, {MOST_QUERIES:,} fit: lower k, or leave an attribute out"
                )

    @cached_property
    def offsets(self) -> np.ndarray:
        """Where each part's queries begin, and their number last: (parts + 1,)."""
        return np.cumsum([0, *(operator.count for operator in self.operators)])

    @property
    def size(self) -> int:
        """|Q|, the number of queries."""
        return int(self.offsets[-1])

    @property
    def tabular(self) -> bool:
        """Whether the parts are whole marginals, cell by cell."""
        return self.family in ("marginals", "cuboids")

    @cached_property
    def sensitivity(self) -> float:
        """What asking everything at once would cost: the most one record adds up to over all answers; one query's is 1.

        Of predicates, no more than that: they are summed as if one record could say yes to all.
        """
        return sum(operator.sensitivity for operator in self.operators)

    @cached_property
    def cells(self) -> int:
        """Cells of all the marginals it reads: memory and work grow with it."""
        return sum(self.domain.cells(S) for S in self.sets)

    def answers(self, source: Source) -> np.ndarray:
        """q(source) for every query: (|Q|,), in records."""
        tables = source.marginals(self.sets)
        return np.concatenate([operator.answers(table) for operator, table in zip(self.operators, tables, strict=True)])

    def query(self, j: int) -> tuple[Attrs, np.ndarray, str]:
        """Query j: the attributes it reads, its values on their cells in [-1, 1], and its name."""
        part = int(np.searchsorted(self.offsets, j, side="right")) - 1
        return self.operators[part].query(j - int(self.offsets[part]), self.domain, self.sets[part])

    def by_part(self, per_query: np.ndarray) -> np.ndarray:
        """Sums of a number per query over each part: (|Q|,) -> (parts,)."""
        return np.add.reduceat(per_query, self.offsets[:-1])


def marginals(domain: Domain, k: int, *, up_to: bool = False) -> Workload:
    """Every cell of every k-way marginal; of every order from 1 to k with `up_to`."""
    return _tables("marginals", domain, k, up_to)


def cuboids(domain: Domain, k: int, *, up_to: bool = False) -> Workload:
    """Every k-way marginal as one table: chosen, measured and scored whole (section 3.3 of the paper)."""
    return _tables("cuboids", domain, k, up_to)


def parities(domain: Domain, k: int) -> Workload:
    """All parities of 1 to k two-valued attributes; with the total, all that the k-way marginals know."""
    for attribute in domain.attributes:
        if attribute.size != 2:
            raise ValueError(
                f"parities need attributes of two values, {attribute.name!r} has {attribute.size:,}: "
                "leave it out, or ask for marginals"
            )
    sets = _subsets(len(domain), k, up_to=False)
    operators = tuple(Signs(k, _first_asked(S)) for S in sets)
    return Workload(domain, "parities", f"parities:{k}", f"all parities of up to {k} attributes", sets, operators)


def _first_asked(S: Attrs) -> range:
    """Masks of the subsets of S, but for the empty one, that no set before S of as many attributes holds.

    The first set to hold R is R filled up with the least attributes there are. So where S begins with 0 .. g-1 and
    lacks g, R may lack any of those g, and nothing else: g free high bits, then ones.
    """
    g = next((i for i, a in enumerate(S) if a != i), len(S))
    ones = 2 ** (len(S) - g) - 1
    return range(ones or 1, 2 ** len(S), ones + 1)


def ranges(domain: Domain, names: Sequence[str], count: int | Literal["all", "prefixes"], *, seed: int = 0) -> Workload:
    """Intervals, or boxes, of ordered attributes: `count` random ones (public, from `seed`), all, or the prefixes.

    Both ends of a random interval are uniform on the attribute's grid. A missing or other code is in no range.
    """
    attrs, extents = _ordered(domain, names)
    if count == "all" or count == "prefixes":
        number = math.prod(m * (m + 1) // 2 if count == "all" else m for m in extents)
        if number > MOST_QUERIES:
            raise ValueError(f"{count} ranges would be {number:,} queries, {MOST_QUERIES:,} fit: ask for random ones")
        sides = [_all_intervals(m) if count == "all" else _prefixes(m) for m in extents]
        pick = np.indices([len(side) for side in sides]).reshape(len(sides), -1)
        ends = np.stack([side[i] for side, i in zip(sides, pick, strict=True)])
        spec, kind = str(count), "possible" if count == "all" else "prefix"
    else:
        if not is_whole(count) or not 1 <= count <= MOST_QUERIES:
            raise ValueError(
                f"the number of ranges must be from 1 to {MOST_QUERIES:,}, or all, or prefixes, got {count!r}"
            )
        rng = np.random.default_rng(seed)
        ends = np.stack([np.sort(rng.integers(m, size=(count, 2)), axis=1) for m in extents])
        spec, kind = f"{count}@{seed}" if seed else f"{count}", "random"
    name = f"{ends.shape[1]:,} {kind} ranges of {domain.label(attrs)}"
    return _boxes(domain, attrs, ends[:, :, 0].T, ends[:, :, 1].T, spec, name)


def listed_ranges(domain: Domain, names: Sequence[str], boxes: Sequence[Sequence[tuple[float, float]]]) -> Workload:
    """Ranges as given: each an interval of values, both ends included, for each of the named attributes."""
    attrs, _ = _ordered(domain, names)
    for box in boxes:
        if len(box) != len(attrs):
            raise ValueError(
                f"each range needs an interval for each of {', '.join(names)}, got {len(box)} for {len(attrs)}"
            )
    place = [list(names).index(domain.names[a]) for a in attrs]
    ends = np.array(
        [[_codes_between(domain, a, *box[i]) for a, i in zip(attrs, place, strict=True)] for box in boxes], int
    )
    ends = ends.reshape(-1, len(attrs), 2)
    spec = ";".join("x".join(f"{_exact(box[i][0])}..{_exact(box[i][1])}" for i in place) for box in boxes)
    name = f"{len(boxes):,} listed ranges of {domain.label(attrs)}"
    return _boxes(domain, attrs, ends[:, :, 0], ends[:, :, 1], spec, name)


def predicates(domain: Domain, texts: Sequence[str]) -> Workload:
    """Counts of the records that say yes to each question; see `mwem_core.predicates` for the language."""
    read = [questions.parse(text, domain, most_cells=MOST_CELLS) for text in texts]
    name = f"where {read[0].text}" if len(read) == 1 else f"{len(read)} predicates"
    spec = "where:" + "; ".join(p.text for p in read)
    return Workload(domain, "predicates", spec, name, tuple(p.attrs for p in read), tuple(map(Asked, read)))


def _tables(family: Literal["marginals", "cuboids"], domain: Domain, k: int, up_to: bool) -> Workload:
    sets = _subsets(len(domain), k, up_to)
    name = f"all {family} of up to {k} attributes" if up_to else f"all {k}-way {family}"
    spec = f"{family}:{'<=' if up_to else ''}{k}"
    return Workload(domain, family, spec, name, sets, tuple(Cells(domain.sizes(S)) for S in sets))


def _subsets(d: int, k: int, up_to: bool) -> tuple[Attrs, ...]:
    if not is_whole(k) or k < 1:
        raise ValueError(f"k must be a whole number of at least 1, got {k!r}")
    if k > d:
        raise ValueError(f"k must be at most the number of attributes, {d}, got {k}")
    orders = range(1, k + 1) if up_to else [k]
    count = sum(math.comb(d, order) for order in orders)
    if count > MOST_TABLES:
        raise ValueError(
            f"the {k}-way marginals of {d} attributes are {count:,} tables, {MOST_TABLES:,} fit: "
            "lower k, or leave an attribute out"
        )
    return tuple(S for order in orders for S in itertools.combinations(range(d), order))


def _ordered(domain: Domain, names: Sequence[str]) -> tuple[Attrs, list[int]]:
    """The attributes of these names and how many of each one's codes lie in order."""
    attrs = domain.attrs(*names)
    if not attrs:
        raise ValueError("ranges need at least one attribute: choose one with edges or a range")
    for a in attrs:
        if not domain.attributes[a].ordered:
            raise ValueError(
                f"ranges need an ordered attribute, {domain.names[a]!r} is categorical: "
                "choose one with edges or a range"
            )
    return attrs, [domain.attributes[a].ordered_size for a in attrs]


def _all_intervals(m: int) -> np.ndarray:
    return np.column_stack(np.triu_indices(m))


def _prefixes(m: int) -> np.ndarray:
    return np.column_stack([np.zeros(m, int), np.arange(m)])


def _exact(value: float) -> str:
    return repr(float(value)).removesuffix(".0")


def _codes_between(domain: Domain, a: int, low: float, high: float) -> tuple[int, int]:
    attribute = domain.attributes[a]
    end = "<" if isinstance(attribute.kind, Edges) and high != attribute.kind.edges[-1] else "<="
    codes = np.flatnonzero(attribute.compare(">=", low) & attribute.compare(end, high))
    if not len(codes):
        raise ValueError(
            f"the range {low:g}..{high:g} of {attribute.name!r} holds no value: write low..high within its values"
        )
    return int(codes[0]), int(codes[-1])


def _boxes(domain: Domain, attrs: Attrs, low: np.ndarray, high: np.ndarray, spec: str, name: str) -> Workload:
    spec = f"ranges:{','.join(domain.names[a] for a in attrs)}:{spec}"
    return Workload(domain, "ranges", spec, name, (attrs,), (Boxes(domain.sizes(attrs), low, high),))
