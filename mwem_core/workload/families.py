"""The families of workloads: marginals, cuboids, ranges, parities and predicates; and weighted mixtures of several."""

import itertools
import math
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

import numpy as np

from mwem_core.base import is_whole
from mwem_core.domain import Attrs, Domain, parse_question
from mwem_core.values import Edges
from mwem_core.workload.groups import named_groups
from mwem_core.workload.operators import Boxes, Cells, Parity, PredicateCount
from mwem_core.workload.workload import MAX_MARGINAL_CELLS, MAX_QUERIES, Block, Term, Workload

End = float | str  # of a range: a number, or a date as text
MAX_ATTRIBUTE_SETS = 10**6  # of one workload
Which = int | Literal["all", "prefixes"]  # ranges


def marginals(domain: Domain, k: int, *, up_to: bool = False, within: str = "") -> Workload:
    """Every cell of every k-way marginal; with `up_to`, of every marginal of 1 to k attributes.

    With groups of attributes (`workload.groups`) these are the marginals `within` any one of them: of a group of fewer
    than k attributes all of it, and of an attribute in no group its own.
    """
    return _tables("marginals", domain, k, up_to, within)


def cuboids(domain: Domain, k: int, *, up_to: bool = False, within: str = "") -> Workload:
    """The same marginals, each chosen, measured and scored as one table (section 3.3 of the paper)."""
    return _tables("cuboids", domain, k, up_to, within)


def parities(domain: Domain, k: int) -> Workload:
    """All parities of 1 to k two-valued attributes: with the total n they determine all k-way marginals."""
    others = [f"{attribute.name!r} has {attribute.size:,}" for attribute in domain.attributes if attribute.size != 2]
    if others:
        raise ValueError(
            f"parities need attributes of two values, but {', '.join(others)}: "
            f"leave {'it' if len(others) == 1 else 'them'} out, or ask for marginals"
        )
    blocks = tuple(Block(sets, Parity(sets.shape[1])) for sets in _subsets(len(domain), k, up_to=True))
    return Workload(domain, "parities", f"parities:{k}", f"all parities of up to {k} attributes", blocks)


def ranges(domain: Domain, names: Sequence[str], count: Which, *, seed: int = 0, limit: int = MAX_QUERIES) -> Workload:
    """Intervals (one attribute) or boxes (several) of ordered attributes.

    `count` is a number of random ranges, "all" possible ones, or all "prefixes", which start at the lowest value.
    Random ranges are public: they come from `seed`, and both ends are uniform on the attribute's codes. Missing and
    other values are in no range.
    """
    attrs, extents = _ordered(domain, names)
    if count == "all" or count == "prefixes":
        queries = math.prod(m * (m + 1) // 2 if count == "all" else m for m in extents)
        if queries > limit:
            raise ValueError(
                f"{count} ranges would be {queries:,} queries, but at most {limit:,} fit in memory: "
                "choose random ranges"
            )
        intervals = [_intervals(m, prefixes=count != "all") for m in extents]
        combinations = np.indices([len(side) for side in intervals]).reshape(len(intervals), -1)
        ends = np.stack([side[i] for side, i in zip(intervals, combinations, strict=True)])
        spec, adjective = str(count), "possible" if count == "all" else "prefix"
    else:
        if not is_whole(count) or not 1 <= count <= limit:
            raise ValueError(f"the number of ranges must be from 1 to {limit:,}, or all, or prefixes, got {count!r}")
        rng = np.random.default_rng(seed)
        ends = np.stack([np.sort(rng.integers(m, size=(count, 2)), axis=1) for m in extents])
        spec, adjective = f"{count}@{seed}" if seed else f"{count}", "random"
    name = f"{ends.shape[1]:,} {adjective} ranges of {domain.label(attrs)}"
    return _boxes(domain, attrs, ends[:, :, 0].T, ends[:, :, 1].T, spec, name)


def listed_ranges(domain: Domain, names: Sequence[str], boxes: Sequence[Sequence[tuple[End, End]]]) -> Workload:
    """The given ranges: each has an interval of values, both ends included, for each of the named attributes.

    An end is a number, or a date as text.
    """
    attrs, _ = _ordered(domain, names)
    for box in boxes:
        if len(box) != len(attrs):
            raise ValueError(
                f"each range needs one interval per attribute ({', '.join(names)}), got {len(box)} for {len(attrs)}"
            )
    positions = [list(names).index(domain.names[a]) for a in attrs]
    ends = np.array(
        [[_codes_between(domain, a, *box[i]) for a, i in zip(attrs, positions, strict=True)] for box in boxes], int
    )
    ends = ends.reshape(-1, len(attrs), 2)
    spec = ";".join("x".join(f"{_exact(box[i][0])}..{_exact(box[i][1])}" for i in positions) for box in boxes)
    name = f"{len(boxes):,} listed ranges of {domain.label(attrs)}"
    return _boxes(domain, attrs, ends[:, :, 0], ends[:, :, 1], spec, name)


def predicates(domain: Domain, texts: Sequence[str], limit: int = MAX_MARGINAL_CELLS) -> Workload:
    """The number of records that satisfy each predicate; `mwem_core.domain.predicates` defines their language."""
    parsed = [parse_question(text, domain, max_cells=min(limit, MAX_MARGINAL_CELLS)) for text in texts]
    name = f"where {parsed[0].text}" if len(parsed) == 1 else f"{len(parsed)} predicates"
    spec = "where:" + "; ".join(predicate.text for predicate in parsed)
    blocks = tuple(Block.of(predicate.attrs, PredicateCount(predicate)) for predicate in parsed)
    return Workload(domain, "predicates", spec, name, blocks)


def _tables(family: Literal["marginals", "cuboids"], domain: Domain, k: int, up_to: bool, within: str = "") -> Workload:
    spec = f"{family}:{'<=' if up_to else ''}{k}"
    name = f"all {family} of up to {k} attributes" if up_to else f"all {k}-way {family}"
    if not within:
        sets = _subsets(len(domain), k, up_to)
    else:
        groups = [domain.attrs(*group) for group in named_groups(within, domain.names)]
        spec, name = f"{spec}:{within.strip()}", f"{name} within {len(groups):,} group{'s' * (len(groups) > 1)}"
        sets = _subsets_within(groups, len(domain), k, up_to)
    return Workload(domain, family, spec, name, tuple(Block(each, Cells()) for each in sets))


def _subsets_within(groups: Sequence[Attrs], d: int, k: int, up_to: bool) -> list[np.ndarray]:
    """The sets of `_subsets` within any one of the groups, each once, with the attributes of no group by themselves."""
    alone = set(range(d)).difference(*groups)
    by_order: dict[int, list[np.ndarray]] = defaultdict(list)
    for group in (*groups, *((a,) for a in sorted(alone))):
        for places in _subsets(len(group), min(k, len(group)), up_to):
            by_order[places.shape[1]].append(np.array(group)[places])
    count = sum(len(sets) for found in by_order.values() for sets in found)
    if count > MAX_ATTRIBUTE_SETS:
        raise ValueError(
            f"the {k}-way marginals within the groups are {count:,} tables, "
            f"but at most {MAX_ATTRIBUTE_SETS:,} fit in memory: lower k, or make the groups smaller"
        )
    return [np.unique(np.concatenate(by_order[order]), axis=0) for order in sorted(by_order)]


def _subsets(d: int, k: int, up_to: bool) -> list[np.ndarray]:
    """All sets of k of d attributes, in order: an array with a row per set; with `up_to`, one array per order to k."""
    if not is_whole(k) or k < 1:
        raise ValueError(f"k must be a whole number of at least 1, got {k!r}")
    if k > d:
        raise ValueError(f"k must be at most the number of attributes, {d}, got {k}")
    orders = range(1, k + 1) if up_to else [k]
    count = sum(math.comb(d, order) for order in orders)
    if count > MAX_ATTRIBUTE_SETS:
        raise ValueError(
            f"the {k}-way marginals of {d} attributes are {count:,} tables, "
            f"but at most {MAX_ATTRIBUTE_SETS:,} fit in memory: lower k, or leave an attribute out"
        )
    by_order = (itertools.chain.from_iterable(itertools.combinations(range(d), order)) for order in orders)
    return [np.fromiter(sets, np.int64).reshape(-1, order) for sets, order in zip(by_order, orders, strict=True)]


def _ordered(domain: Domain, names: Sequence[str]) -> tuple[Attrs, list[int]]:
    """The named attributes, and for each its number of ordered codes (all but missing and other)."""
    attrs = domain.attrs(*names)
    if not attrs:
        raise ValueError("ranges need at least one attribute: choose one with edges or a range")
    for a in attrs:
        if not domain.attributes[a].ordered:
            raise ValueError(
                f"ranges need an ordered attribute, but {domain.names[a]!r} is categorical: "
                "choose one with edges or a range"
            )
    return attrs, [domain.attributes[a].value_set.size for a in attrs]


def _intervals(m: int, *, prefixes: bool) -> np.ndarray:
    """First and last codes of all intervals, or of the prefixes: (intervals, 2)."""
    return np.column_stack([np.zeros(m, int), np.arange(m)] if prefixes else np.triu_indices(m))


def _exact(value: End) -> str:
    """All digits of a number, without a final .0; a date as it is."""
    return value if isinstance(value, str) else repr(float(value)).removesuffix(".0")


def _short(value: End) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def _codes_between(domain: Domain, a: int, low: End, high: End) -> tuple[int, int]:
    """First and last codes of the values from `low` to `high`. The upper edge of a bin belongs to the next bin."""
    attribute = domain.attributes[a]
    upper = "<" if isinstance(attribute.value_set, Edges) and high != attribute.value_set.edges[-1] else "<="
    codes = np.flatnonzero(attribute.compare(">=", low) & attribute.compare(upper, high))
    if not len(codes):
        raise ValueError(
            f"the range {_short(low)}..{_short(high)} of {attribute.name!r} contains no value: "
            "write low..high within its values"
        )
    return int(codes[0]), int(codes[-1])


def _boxes(domain: Domain, attrs: Attrs, low: np.ndarray, high: np.ndarray, spec: str, name: str) -> Workload:
    spec = f"ranges:{','.join(domain.names[a] for a in attrs)}:{spec}"
    return Workload(domain, "ranges", spec, name, (Block.of(attrs, Boxes(domain.sizes(attrs), low, high)),))


MAX_WEIGHT = 1000  # against the least, in whole numbers: the scores of a selection are then exact


def mixture(terms: Sequence[tuple[Workload, Fraction]]) -> Workload:
    """All queries of several workloads of one domain, with what the error of each counts against that of the others.

    Only the weights' ratios matter, so they become the least whole numbers. A workload by itself stays as it is.
    Raises ValueError for a weight that is not positive, and for ratios beyond `MAX_WEIGHT`.

    >>> from mwem_core.domain.domain import Domain
    >>> from mwem_core.workload.families import marginals, predicates
    >>> bits = Domain.from_toml('[[attribute]] \\n name = "a" \\n values = ["0", "1"]')
    >>> mixture([(marginals(bits, 1), Fraction("1.5")), (predicates(bits, ['a == "1"']), Fraction(1))]).spec
    '3*marginals:1 + 2*where:a == "1"'
    """
    weights = _whole([weight for _, weight in terms])
    if len(terms) == 1:
        return terms[0][0]
    weighted = [Term(Q, weight) for (Q, _), weight in zip(terms, weights, strict=True)]
    return Workload(
        terms[0][0].domain,
        "mixed",
        " + ".join(term.spec for term in weighted),
        " + ".join(term.name for term in weighted),
        tuple(block for term in weighted for block in term.workload.blocks),
        tuple(weighted),
    )


def _whole(weights: Sequence[Fraction]) -> list[int]:
    """The least whole numbers in the same ratios."""
    if min(weights) <= 0:
        raise ValueError(f"a weight must be positive, got {float(min(weights)):g}: leave the part out instead")
    common = math.lcm(*(weight.denominator for weight in weights))
    whole = [int(weight * common) for weight in weights]
    least = [weight // math.gcd(*whole) for weight in whole]
    if max(least) > MAX_WEIGHT:
        raise ValueError(
            f"the weights are {' to '.join(map(str, least[:4]))} in whole numbers, and at most {MAX_WEIGHT:,} is "
            "allowed: choose weights with fewer digits"
        )
    return least
