"""The families of workloads: marginals, cuboids, ranges, parities and predicates."""

import itertools
import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from mwem_core.checks import is_whole
from mwem_core.domain.domain import Domain
from mwem_core.domain.source import Attrs
from mwem_core.domain.values import Edges
from mwem_core.workload import predicates as questions
from mwem_core.workload.operators import Asked, Boxes, Cells, Parity
from mwem_core.workload.workload import MOST_CELLS, MOST_QUERIES, Block, Workload

MOST_TABLES = 10**6


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
    blocks = tuple(Block(sets, Parity(sets.shape[1])) for sets in _subsets(len(domain), k, up_to=True))
    return Workload(domain, "parities", f"parities:{k}", f"all parities of up to {k} attributes", blocks)


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
    """Counts of the records that say yes to each question; see `mwem_core.workload.predicates` for the language."""
    read = [questions.parse(text, domain, most_cells=MOST_CELLS) for text in texts]
    name = f"where {read[0].text}" if len(read) == 1 else f"{len(read)} predicates"
    spec = "where:" + "; ".join(p.text for p in read)
    return Workload(domain, "predicates", spec, name, tuple(Block.of(p.attrs, Asked(p)) for p in read))


def _tables(family: Literal["marginals", "cuboids"], domain: Domain, k: int, up_to: bool) -> Workload:
    spec = f"{family}:{'<=' if up_to else ''}{k}"
    name = f"all {family} of up to {k} attributes" if up_to else f"all {k}-way {family}"
    return Workload(domain, family, spec, name, tuple(Block(sets, Cells()) for sets in _subsets(len(domain), k, up_to)))


def _subsets(d: int, k: int, up_to: bool) -> list[np.ndarray]:
    """All sets of k of d attributes as the rows of an array, in order; with `up_to`, an array for each order to k."""
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
    flat = (itertools.chain.from_iterable(itertools.combinations(range(d), order)) for order in orders)
    return [np.fromiter(sets, np.int64).reshape(-1, order) for sets, order in zip(flat, orders, strict=True)]


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
    return Workload(domain, "ranges", spec, name, (Block.of(attrs, Boxes(domain.sizes(attrs), low, high)),))
