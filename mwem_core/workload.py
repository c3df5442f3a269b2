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
from mwem_core.model.triangulation import Attrs
from mwem_core.operators import Asked, Boxes, Cells, Operator, Signs

MOST_QUERIES = 10**8  # 0.8 GB a vector of answers, and a round holds a few
MOST_CELLS = 5 * 10**7  # of one marginal


class Source(Protocol):
    """Anything that answers: records, a model, an average of models."""

    def marginals(self, sets: Sequence[Attrs]) -> list[np.ndarray]:
        """Counts by cell of each set of attributes, in records."""
        ...


@dataclass(frozen=True, eq=False)
class Workload:
    """Queries on `domain`, in parts: an attribute set each, with a linear operator on its marginal.

    Queries are numbered part by part. `family` names what they are; in cuboids, a whole table is one thing to ask.
    Raises ValueError for a workload of nothing, or one whose answers or largest marginal do not fit in memory.
    """

    domain: Domain
    family: Literal["marginals", "cuboids", "ranges", "parities", "predicates"]
    name: str
    sets: tuple[Attrs, ...]
    operators: tuple[Operator, ...]

    def __post_init__(self):
        if not self.sets or not self.size:
            raise ValueError("the workload asks nothing: choose at least one query")
        largest = max(self.sets, key=self.domain.cells)
        if self.domain.cells(largest) > MOST_CELLS:
            raise ValueError(
                f"the marginal {self.domain.label(largest)} has {self.domain.cells(largest):,} cells, "
                f"{MOST_CELLS:,} fit: lower k, leave an attribute out, or declare coarser bins"
            )
        if self.size > MOST_QUERIES:
            raise ValueError(f"the workload has {self.size:,} queries, {MOST_QUERIES:,} fit: lower k, or leave an attribute out")

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
        """The most one record adds up to over all answers: what asking everything at once would cost. One query's is 1."""
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


def marginals(domain: Domain, k: int, *, up_to: bool = False, whole: bool = False) -> Workload:
    """Every cell of every k-way marginal (of every order from 1 to k with `up_to`); `whole` makes them cuboids."""
    sets = _subsets(len(domain), k, up_to)
    family = "cuboids" if whole else "marginals"
    return Workload(domain, family, _titled(k, up_to, family), sets, tuple(Cells(domain.sizes(S)) for S in sets))


def cuboids(domain: Domain, k: int, *, up_to: bool = False) -> Workload:
    """Every k-way marginal as one table: chosen, measured and scored whole (Hardt, Ligett & McSherry 2012, section 3.3)."""
    return marginals(domain, k, up_to=up_to, whole=True)


def parities(domain: Domain, k: int) -> Workload:
    """All parities of 1 to k two-valued attributes; with the total, all that the k-way marginals know."""
    for attribute in domain.attributes:
        if attribute.size != 2:
            raise ValueError(f"parities need attributes of two values, {attribute.name!r} has {attribute.size:,}: leave it out, or ask for marginals")
    sets = _subsets(len(domain), k, False)
    asked: set[Attrs] = set()
    operators = []
    for S in sets:  # each parity is answered by the first k-set that holds it
        subsets = []
        for mask in range(1, 2**k):
            R = tuple(a for i, a in enumerate(S) if mask >> (k - 1 - i) & 1)
            if R not in asked:
                asked.add(R)
                subsets.append(mask)
        operators.append(Signs(k, tuple(subsets)))
    return Workload(domain, "parities", f"parities of up to {k}", sets, tuple(operators))


def ranges(domain: Domain, names: Sequence[str], count: int | Literal["all", "prefixes"], *, seed: int = 0) -> Workload:
    """Intervals, or boxes, of ordered attributes: `count` random ones (public, from `seed`), all, or the prefixes.

    Both ends of a random interval are uniform on the attribute's grid. A missing or other code is in no range.
    """
    attrs = domain.attrs(*names)
    extents = _ordered_extents(domain, attrs)
    if count == "all":
        sides = [np.array(np.triu_indices(m)).T for m in _checked_all(extents)]
    elif count == "prefixes":
        sides = [np.column_stack([np.zeros(m, int), np.arange(m)]) for m in extents]
    else:
        if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_QUERIES:
            raise ValueError(f"the number of ranges must be between 1 and {MOST_QUERIES:,}, or all, or prefixes, got {count!r}")
        rng = np.random.default_rng(seed)
        ends = np.stack([np.sort(rng.integers(m, size=(count, 2)), axis=1) for m in extents])
        return _boxes(domain, attrs, ends[:, :, 0].T, ends[:, :, 1].T, f"{count:,} random ranges of {domain.label(attrs)}")
    pick = np.indices([len(side) for side in sides]).reshape(len(sides), -1)
    ends = np.stack([side[i] for side, i in zip(sides, pick, strict=True)])
    return _boxes(domain, attrs, ends[:, :, 0].T, ends[:, :, 1].T, f"{count} ranges of {domain.label(attrs)}")


def listed_ranges(domain: Domain, names: Sequence[str], intervals: Sequence[Sequence[tuple[float, float]]]) -> Workload:
    """Ranges as given: an interval of values an attribute, both ends included, for each range."""
    attrs = domain.attrs(*names)
    _ordered_extents(domain, attrs)
    order = [domain.names[a] for a in attrs]
    low, high = [], []
    for box in intervals:
        if len(box) != len(names):
            raise ValueError(f"the range {box!r} has {len(box)} intervals, {len(names)} attributes were named")
        sides = dict(zip(names, box, strict=True))
        codes = [_codes_between(domain, name, *sides[name]) for name in order]
        low.append([lo for lo, _ in codes])
        high.append([hi for _, hi in codes])
    boxes = (np.array(ends, int).reshape(-1, len(attrs)) for ends in (low, high))
    return _boxes(domain, attrs, *boxes, f"{len(low)} listed ranges of {domain.label(attrs)}")


def predicates(domain: Domain, texts: Sequence[str]) -> Workload:
    """Counts of the records that say yes to each question; see `mwem_core.predicates` for the language."""
    read = [questions.parse(text, domain, most_cells=MOST_CELLS) for text in texts]
    name = read[0].text if len(read) == 1 else f"{len(read)} predicates"
    return Workload(domain, "predicates", name, tuple(p.attrs for p in read), tuple(map(Asked, read)))


def parse_workload(text: str, domain: Domain, *, seed: int = 0) -> Workload:
    """The workload a short text names, as on the command line and in a link.

    `marginals:K`, `cuboids:K`, `parities:K` (K or `<=K` for the first two), `ranges:COL[,COL]:COUNT`, `where:PREDICATE[;PREDICATE]`.
    """
    family, _, rest = text.partition(":")
    if family in ("marginals", "cuboids", "parities"):
        up_to, k = rest.startswith("<="), _order(rest.removeprefix("<="), text)
        if family == "parities":
            return parities(domain, k)
        return marginals(domain, k, up_to=up_to, whole=family == "cuboids")
    if family == "ranges":
        names, colon, count = rest.rpartition(":")
        if not colon or not names:
            raise ValueError(f"the workload {text!r} lacks its parts: write ranges:COLUMN[,COLUMN]:COUNT, as in ranges:age:2000")
        return ranges(domain, names.split(","), count if count in ("all", "prefixes") else _order(count, text), seed=seed)  # pyright: ignore[reportArgumentType]
    if family == "where":
        return predicates(domain, [part for part in rest.split(";") if part.strip()] or [""])
    raise ValueError(f"there is no workload {text!r}: it is marginals:K, cuboids:K, parities:K, ranges:COLUMN:COUNT or where:PREDICATE")


def _order(digits: str, text: str) -> int:
    if not digits.isascii() or not digits.isdigit():
        raise ValueError(f"the workload {text!r} needs a whole number at its end, got {digits!r}")
    return int(digits)


def _subsets(d: int, k: int, up_to: bool) -> tuple[Attrs, ...]:
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise ValueError(f"k must be a whole number of at least 1, got {k!r}")
    if k > d:
        raise ValueError(f"k must be at most the number of attributes, {d}, got {k}")
    orders = range(1, k + 1) if up_to else [k]
    count = sum(math.comb(d, order) for order in orders)
    if count > 10**6:
        raise ValueError(f"the {k}-way marginals of {d} attributes are {count:,} tables, 1,000,000 fit: lower k, or leave an attribute out")
    return tuple(S for order in orders for S in itertools.combinations(range(d), order))


def _titled(k: int, up_to: bool, family: str) -> str:
    return f"all {family} of up to {k} attributes" if up_to else f"all {k}-way {family}"


def _ordered_extents(domain: Domain, attrs: Attrs) -> list[int]:
    for a in attrs:
        if not domain.attributes[a].ordered:
            raise ValueError(f"ranges need an ordered attribute, {domain.names[a]!r} is categorical: choose one with edges or a range")
    return [domain.attributes[a].ordered_size for a in attrs]


def _checked_all(extents: list[int]) -> list[int]:
    count = math.prod(m * (m + 1) // 2 for m in extents)
    if count > MOST_QUERIES:
        raise ValueError(f"all ranges would be {count:,} queries, {MOST_QUERIES:,} fit: ask for random ones")
    return extents


def _codes_between(domain: Domain, name: str, low: float, high: float) -> tuple[int, int]:
    (a,) = domain.attrs(name)
    attribute = domain.attributes[a]
    codes = np.flatnonzero(attribute.compare(">=", low) & attribute.compare("<=", high))
    if not len(codes):
        raise ValueError(f"the range {low:g} to {high:g} of {name!r} holds no value")
    return int(codes[0]), int(codes[-1])


def _boxes(domain: Domain, attrs: Attrs, low: np.ndarray, high: np.ndarray, name: str) -> Workload:
    return Workload(domain, "ranges", name, (attrs,), (Boxes(domain.sizes(attrs), low, high),))
