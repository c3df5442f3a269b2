"""The tables that a picture draws, small marginals of a workload, and the counts of conditions that they answer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Literal, cast

import numpy as np

from mwem_core.algorithm import Answers, AnswerSource, Round
from mwem_core.ask import condition_on
from mwem_core.domain import (
    Attribute,
    Attrs,
    Domain,
    Predicate,
    Source,
    flatten,
    parse_question,
    quoted_name,
    quoted_text,
)
from mwem_core.stage.merged_values import merge_starts, merged_labels, sum_merged
from mwem_core.values import BinsToMeasure, Codes, Dates, Edges, Range, Steps, Values
from mwem_core.workload import Workload

Place = Literal["inside", "next", "far"]
MAX_CELLS = 1_000  # of a table
MAX_CELLS_TOGETHER = 8_000  # of all tables
MAX_BARS, MAX_SIDE = 200, 31  # values of an attribute that has an order: alone, and in a pair of more than `MAX_CELLS`
TENTHS = 10  # of a record: the unit of cells in a picture
MAX_RECORDS = 10**8  # of which tenths, and noise beside them, fit in 32 bits


@dataclass(frozen=True, eq=False)
class Table:
    """The marginal over one or two attributes, with neighbouring values merged: `starts` has the first code of each.

    `starts` has an array per attribute, in the order of `attrs`. Cells are row-major in that order.
    """

    domain: Domain
    attrs: Attrs
    starts: tuple[np.ndarray, ...]

    @property
    def title(self) -> str:
        """ "relationship × sex"."""
        return self.domain.label(self.attrs)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of values along each attribute."""
        return tuple(map(len, self.starts))

    @property
    def size(self) -> int:
        """The number of cells."""
        return math.prod(self.shape)

    @property
    def labels(self) -> tuple[list[str], ...]:
        """The label of each value, for each attribute."""
        return tuple(merged_labels(self.domain.attributes[a].labels, s) for a, s in self._axes())

    @property
    def terms(self) -> tuple[list[str], ...]:
        """The condition that selects each value, for each attribute: `age == 17`. Empty where none can be written."""
        return tuple(_terms(self.domain.attributes[a], starts) for a, starts in self._axes())

    def _axes(self) -> list[tuple[int, np.ndarray]]:
        return list(zip(self.attrs, self.starts, strict=True))


def tables_of(workload: Workload) -> tuple[Table, ...]:
    """The tables of a workload that a picture can draw: its attribute sets, of larger ones their pairs.

    Single attributes stand in for a set whose tables have too many cells. The tables come in the order of the workload,
    until the next one would make them more than `MAX_CELLS_TOGETHER` cells. This reads the workload alone.
    Raises ValueError if a run has to measure the bins first.
    """
    domain = workload.domain
    check_bins(domain)
    found: dict[Attrs, Table] = {}
    left = MAX_CELLS_TOGETHER
    for attrs in chain.from_iterable(_small(domain, S) for S in workload.sets):
        table = None if attrs in found else _table(domain, attrs)
        if table and table.size > left:
            break
        if table:
            found[attrs] = table
            left -= table.size
    return tuple(found.values())


def check_bins(domain: Domain) -> None:
    """Raise ValueError if a run has to measure the bins first."""
    if domain.unbinned:
        raise ValueError(
            f"the bins of {domain.label(domain.unbinned)} are measured by each run, so runs have no tables in common: "
            "declare edges in the schema"
        )


def counts(tables: Sequence[Table], source: AnswerSource | Source) -> np.ndarray:
    """The cells of all tables, one after another, in tenths of a record: (cells,) int32.

    Raises ValueError for answers that do not hold a table.
    """
    found = marginals(source, [table.attrs for table in tables])
    cells = flatten([sum_merged(each, table.starts) for each, table in zip(found, tables, strict=True)])
    return np.rint(np.round(TENTHS * cells, 6)).astype(np.int32)  # halves are the same on every processor


def marginals(source: AnswerSource | Source, sets: Sequence[Attrs]) -> list[np.ndarray]:
    """The marginal over each set, in records: of records, of a model, or of answers, by the smallest table that has it.

    Raises ValueError for answers without such a table.
    """
    if isinstance(source, Answers):
        return [_answered(source, attrs) for attrs in sets]
    return cast(Source, source).marginals(sets)


def _answered(answers: Answers, attrs: Attrs) -> np.ndarray:
    Q = answers.workload
    holding = [part for part in np.flatnonzero(Q.whole).tolist() if set(attrs) <= set(Q.attrs(part))]
    if not holding:
        raise ValueError(
            f"{Q.name} were answered, and no table with {Q.domain.label(attrs)}: choose a system that gives rows"
        )
    part = min(holding, key=lambda each: Q.part_cells[each])
    S = Q.attrs(part)
    cells = answers.values[Q.offsets[part] : Q.offsets[part + 1]].reshape(Q.domain.sizes(S))
    return cells.sum(axis=tuple(axis for axis, a in enumerate(S) if a not in attrs))


def _small(domain: Domain, S: Attrs) -> list[Attrs]:
    """S if it can be drawn, else its pairs that can be, else single attributes."""
    pairs = [S] if len(S) < 3 else list(combinations(S, 2))
    drawn = [pair for pair in pairs if _table(domain, pair)]
    return drawn or [(a,) for a in S]


def _table(domain: Domain, attrs: Attrs) -> Table | None:
    """The table over one or two attributes; None if it has too many cells."""
    crowded = domain.cells(attrs) > MAX_CELLS
    most = MAX_BARS if len(attrs) == 1 else MAX_SIDE if crowded else MAX_CELLS
    table = Table(domain, attrs, tuple(_starts(domain.attributes[a], most) for a in attrs))
    return table if table.size <= MAX_CELLS else None


def _starts(attribute: Attribute, most: int) -> np.ndarray:
    """The first code of each value, so that an attribute with an order has about `most`; other values stay alone."""
    ordered = attribute.ordered_size
    alone = np.arange(ordered, attribute.size)  # special and missing values, and the catch-all
    return np.append(merge_starts(ordered, most if attribute.ordered else ordered), alone)


def _terms(attribute: Attribute, starts: np.ndarray) -> list[str]:
    ends = [*starts[1:].tolist(), attribute.size]
    return [_term(attribute, first, end) for first, end in zip(starts.tolist(), ends, strict=True)]


def _term(attribute: Attribute, first: int, end: int) -> str:
    """The condition that is true of the codes from `first` to before `end`, or "" if none can be written."""
    codes, domain = np.arange(attribute.size), Domain((attribute,))
    for text in _candidates(attribute, first, end):
        try:
            mask = parse_question(text, domain, max_cells=attribute.size).mask
        except ValueError:  # of a label with both kinds of quotes, or a number of more digits than are written
            continue
        if np.array_equal(mask, (first <= codes) & (codes < end)):
            return text
    return ""


def _candidates(attribute: Attribute, first: int, end: int) -> Iterator[str]:
    """Conditions that may say so: `age == 17`, `age >= 17 and age < 25`, `sex == "Female"`."""
    kind, name, label = attribute.value_set, quoted_name(attribute.name), attribute.labels[first]
    if not isinstance(kind, Values | Codes) and first < attribute.ordered_size:
        if end == first + 1 and attribute.numeric:
            yield f"{name} == {label}"
        low = kind.cells()[0]
        ends = [f">= {_written(kind, low[first])}", *([f"< {_written(kind, low[end])}"] if end < len(low) else [])]
        yield " and ".join(f"{name} {each}" for each in ends)
    if end == first + 1:
        yield f"{name} == {quoted_text(label)}"


def _written(kind: Dates | Edges | Range | Steps | BinsToMeasure, number: float) -> str:
    written = kind.written(float(number))
    return quoted_text(written) if isinstance(kind, Dates) else written


# ---- what a run says of a condition, and how near the condition is to what the workload asks ----
def estimates(rounds: Iterable[Round[AnswerSource]], predicate: Predicate) -> np.ndarray:
    """How many records satisfy the condition, by the model of each of these rounds: (rounds,) in records.

    Raises ValueError for answers without a table of the condition's attributes.
    """
    return np.array([count(each.model, predicate) for each in rounds])


def count(source: AnswerSource | Source, predicate: Predicate) -> float:
    """How many records satisfy the condition: the truth of records (NOT PRIVATE), or a model's estimate."""
    return float(marginals(source, [predicate.attrs])[0][predicate.mask].sum())


def examples_of(workload: Workload) -> tuple[str, ...]:
    """Questions inside the workload, next to it and far from it, as far as the schema has them; of the schema alone."""
    domain = workload.domain
    S = max(workload.sets, key=lambda attrs: (len(attrs) < 3, len(attrs), -domain.cells(attrs)))
    others = [a for a in workload.reads if a not in S]
    others += [a for a in range(len(domain)) if a not in (*S, *others)]
    sets = [S, (*S, *others[:1]), (*S, *others[:2])]
    return tuple(dict.fromkeys(" and ".join(condition_on(domain.attributes[a]) for a in attrs) for attrs in sets))


def place_of(attrs: Attrs, workload: Workload) -> Place:
    """How near a question about these attributes is to the workload.

    Inside: a table of the workload has them all. Next: the workload reads each of them, and a table has all but one.
    Far: anything else, where an estimate follows from the model's assumptions alone.
    """
    asked, reads = set(attrs), set(workload.reads)
    missing = min(len(asked - set(S)) for S in workload.sets)
    if not missing:
        return "inside"
    return "next" if missing == 1 and asked <= reads else "far"
