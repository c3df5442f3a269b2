"""Conditions and groups of records, as tables of 0 and 1 over the attributes that they name."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import product as combinations

import numpy as np

from mwem_core.domain import Attrs, Domain, parse_question, predicates, quoted_name, quoted_text
from mwem_core.encoding import spans, squares
from mwem_core.model import align

MAX_CELLS = 10**6  # of the marginal that a condition, or several together, read
MAX_LENGTH = 2_000  # characters of a question
MAX_NESTING = 40  # brackets and calls around each other
TOKEN = re.compile(
    r"""(?P<text>'(?:[^']|'')*')|(?P<quoted>"(?:[^"]|"")*"|`[^`]*`)|(?P<word>[^\W\d][\w.-]*)(?P<call>\s*\()?|[()]"""
)
MAX_GROUPS = 1_000  # that a question is asked by

By = str | Sequence[str] | None  # what makes groups: an attribute, a condition, or several of them


@dataclass(frozen=True, eq=False, repr=False)
class Feature:
    """A number of every record: a table over the attributes `S`, in any unit.

    Where it reads numbers in bins, `slopes` are its derivatives by what a code of such an attribute counts as, tables
    over S by the attribute, and `doubts` how far off a record's number may be besides. `square` is its square, which is
    more than that of its table by what numbers vary within a bin.
    """

    name: str
    S: Attrs
    table: np.ndarray
    slopes: Mapping[int, np.ndarray] = field(default_factory=dict)
    doubts: np.ndarray | None = None
    square: Feature | None = None

    def times(self, other: Feature) -> Feature:
        """The product, over the attributes of both. Raises ValueError for one that would not fit in memory."""
        if other is self and self.square is not None:
            return self.square
        S = tuple(sorted({*self.S, *other.S}))
        sizes = dict(zip((*self.S, *other.S), (*self.table.shape, *other.table.shape), strict=True))
        if (cells := math.prod(sizes.values())) > MAX_CELLS:
            raise ValueError(
                f"{self.name} and {other.name} together read a table of {cells:,} cells, and at most {MAX_CELLS:,} fit"
                " in memory: ask about fewer attributes, or about fewer of their values"
            )
        name = " and ".join(each.name for each in (self, other) if each.S)
        slopes, doubts, mine, theirs = {}, None, align(self.table, self.S, S), align(other.table, other.S, S)
        for one, factor in ((self, theirs), (other, mine)):
            for a, table in one.slopes.items():
                slopes[a] = slopes.get(a, 0.0) + align(table, one.S, S) * factor
            if one.doubts is not None:
                doubts = (0.0 if doubts is None else doubts) + align(one.doubts, one.S, S) * np.abs(factor)
        return Feature(name or "any value", S, mine * theirs, slopes, doubts)


ONE = Feature("1", (), np.ones(()))


def condition(text: str | None, domain: Domain) -> Feature:
    """1 for records that satisfy this question, 0 for others; 1 for all without one. Raises ValueError."""
    if text is None:
        return ONE
    parsed = parse_question(text, domain, max_cells=MAX_CELLS)
    if not (parsed.mask & possible(domain, parsed.attrs)).any():
        named = [domain.attributes[a] for a in parsed.attrs]
        ends = "; ".join(f"{a.name} is {a.value_set.expects}" for a in named if a.number_set)
        raise ValueError(f"no record that the schema allows satisfies {parsed.sql}" + f": {ends}" * bool(ends))
    return Feature(parsed.text, parsed.attrs, parsed.mask.astype(float))


def possible(domain: Domain, S: Attrs) -> np.ndarray:
    """Which cells of the marginal over S the rules of the schema allow."""
    allowed = [align(cells, R, S) for R, cells in domain.possible.items() if set(R) <= set(S)]
    return reduce(np.logical_and, allowed, np.ones(domain.sizes(S), bool))


def number(name: str, domain: Domain) -> tuple[Feature, Feature]:
    """An attribute's numbers, as bins count, 0 where there is none; and whether there is one.

    Raises ValueError for an unknown attribute, and for one without numbers.
    """
    (a,) = domain.attrs(column_name(name))
    attribute = domain.attributes[a]
    if attribute.number_set is None:
        example = f"{quoted_name(attribute.name)} = {quoted_text(attribute.labels[-1])}"
        raise ValueError(f"{attribute.name} has no numbers: ask for a share, such as avg({example})")
    means, low, high = spans(attribute)
    has = (np.arange(attribute.size) < attribute.value_set.size).astype(float)
    number = Feature(attribute.name, (a,), np.nan_to_num(means))
    if np.any(low < high):
        of_code, doubts = np.nan_to_num(squares(attribute))
        square = Feature(f"{attribute.name} squared", (a,), of_code, {a: 2 * number.table}, doubts)
        number = replace(number, slopes={a: has}, square=square)
    return number, Feature(f"{attribute.name} is a number", (a,), has)


IN_BINS = "{} is in bins: each counts as its {}, and the interval allows for what is not known{}."
IN_GROUPS = "; numbers in a bin are taken to be nearly alike in all groups"
WIDE = 0.5  # of the range, above which a bin is named


def note(domain: Domain, numbers: Iterable[int], conditions: Iterable[int] = (), *, groups: bool = False) -> str:
    """What to know of attributes that are read as numbers, or by conditions: bins and missing values; may be empty.

    `groups` says whether numbers are asked for by groups of records, of which less is known than of all.
    """
    sentences = []
    for S, what in (numbers, "are left out"), (conditions, "count among all"):
        for a in (domain.attributes[a] for a in S):
            widths = np.ptp(spans(a)[1:, : a.value_set.size], axis=0) if S is numbers else np.zeros(1)
            if widths.max() > 0:
                known = "measured mean" if a.means else "middle, as its mean was not measured"
                sentences.append(IN_BINS.format(a.name, known, IN_GROUPS * groups))
            if len(widths) > 2 and widths.max() > WIDE * (np.nanmax(spans(a)[2]) - np.nanmin(spans(a)[1])):
                widest = a.labels[int(widths.argmax())]
                sentences.append(f"The bin {widest} is most of the range: logarithmic edges would tell more.")
            if own := a.labels[a.value_set.size :] if a.number_set else a.missing_texts[:1]:
                sentences.append(f"Records whose {a.name} is {' or '.join(own)} {what}.")
    return " ".join(sentences)


def with_quoted_names(text: str, domain: Domain) -> str:
    """A text of SQL or of a formula with all names of the schema in backticks, but for words of SQL.

    Raises ValueError for one that is too long or nests too much to be parsed.
    """
    if len(text) > MAX_LENGTH:
        raise ValueError(f"{text[:40]!r}… has {len(text):,} characters, and at most {MAX_LENGTH:,} are allowed")
    depth = 0

    def quote(match: re.Match) -> str:
        nonlocal depth
        depth += match[0].endswith("(") - (match[0] == ")")
        if depth > MAX_NESTING:
            raise ValueError(f"{text[:40]!r}… nests more than {MAX_NESTING} brackets")
        word = match["word"]
        if match["quoted"]:
            name = column_name(match[0])
            return f"`{name}`" if name in domain.names else match[0]
        if not word or match["call"] or word.lower() in predicates.CLAUSES:
            return match[0]
        name = predicates.known_as(word, domain)
        return f"`{name}`" if name else match[0]

    return TOKEN.sub(quote, text)


def column_name(text: str) -> str:
    """A name without its quotes."""
    return text.strip().strip('`"')


def groups(by: By, domain: Domain) -> list[Feature]:
    """The records with each value of an attribute, or those without and with a condition; all records without `by`.

    Of several, each combination. Raises ValueError for what is neither, and for too many.
    """
    each = [_groups_of(text, domain) for text in ([by] if isinstance(by, str) else by or ())]
    if (number := math.prod(map(len, each))) > MAX_GROUPS:
        raise ValueError(f"there are {number:,} groups, and at most {MAX_GROUPS:,} are answered: name fewer attributes")
    return [product(own) for own in combinations(*each)]


def _groups_of(by: str, domain: Domain) -> list[Feature]:
    if (name := column_name(by)) not in domain.names:
        holds = condition(by, domain)
        return [Feature(f"not ({holds.name})", holds.S, 1 - holds.table), holds]
    (a,) = domain.attrs(name)
    attribute = domain.attributes[a]
    return [
        Feature(f"{attribute.name} = {label}", (a,), (np.arange(attribute.size) == code).astype(float))
        for code, label in enumerate(attribute.labels)
    ]


def product(features: Sequence[Feature]) -> Feature:
    """The product of all."""
    return reduce(Feature.times, features, ONE)
