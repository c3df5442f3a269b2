"""Records: a table as integer codes under a public schema, and the marginals of those private counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property

import numpy as np
import pyarrow as pa

from mwem_core.domain import Attribute, Domain
from mwem_core.kinds import EXACT
from mwem_core.proposal import left_out, propose
from mwem_core.tables import COUNT, distinct_texts, read_table

__all__ = ["Records", "encode", "left_out", "propose", "read_table"]

MAX_CELLS = 2**28  # of one marginal held as an array: 2 GiB


@dataclass(frozen=True, eq=False)
class Records:
    """The private data B: what is computed here is the truth, and not for release.

    `codes` holds one (m,) array of unsigned integers an attribute. Row i stands for `weights[i]` records, or for one
    where `weights` is None. `total` is n, the number of records.
    """

    domain: Domain
    codes: tuple[np.ndarray, ...]
    weights: np.ndarray | None = None
    total: int = field(init=False)

    def __post_init__(self) -> None:
        if len(self.codes) != len(self.domain):
            raise ValueError(f"records need one column an attribute, got {len(self.codes)} for {len(self.domain)}")
        rows = {len(column) for column in self.codes} | ({len(self.weights)} if self.weights is not None else set())
        if len(rows) != 1:
            raise ValueError(f"the columns of records must be equally long, got lengths {sorted(rows)}")
        total = rows.pop() if self.weights is None else int(self.weights.sum())
        object.__setattr__(self, "total", total)

    def marginal(self, attrs: Sequence[int]) -> np.ndarray:
        """Counts over an attribute set, in records: float64 of shape `domain.sizes(attrs)`; () gives n, 0-d."""
        return self.marginals([attrs])[0]

    def marginals(self, sets: Iterable[Sequence[int]]) -> list[np.ndarray]:
        """The marginal over each attribute set; many sets are counted on distinct rows."""
        sets = [tuple(attrs) for attrs in sets]
        for attrs in sets:
            if self.domain.cells(attrs) > MAX_CELLS:
                cells = f"{self.domain.cells(attrs):,}"
                raise ValueError(f"the marginal {self.domain.label(attrs)} has {cells} cells, more than {MAX_CELLS:,}")
        source = self.distinct() if len(sets) > 8 else self
        return list(source._count(sets))

    def _count(self, sets: list[tuple[int, ...]]) -> Iterator[np.ndarray]:
        """Count set after set, keeping the row's cell over the attributes in which a set begins like the one before."""
        weights = None if self.weights is None else self.weights.astype(float)
        before: tuple[int, ...] = ()
        cell = [np.zeros(len(self.codes[0]), dtype=np.intp)]  # cell[k]: of each row, over the first k attributes
        for attrs in sets:
            same = _common_start(before, attrs)
            del cell[same + 1 :]
            for index in attrs[same:]:
                cell.append(cell[-1] * self.domain.shape[index] + self.codes[index])
            counts = np.bincount(cell[-1], weights, minlength=self.domain.cells(attrs))
            yield counts.astype(float, copy=False).reshape(self.domain.sizes(attrs))
            before = attrs

    def project(self, names: Iterable[str]) -> Records:
        """Keep these attributes, in the domain's own order."""
        domain = self.domain.project(names)
        return Records(domain, tuple(self.codes[index] for index in self.domain.attrs(*domain.names)), self.weights)

    def distinct(self) -> Records:
        """The same records with equal rows merged into weights; itself where no two rows are equal."""
        return self._distinct

    @cached_property
    def _distinct(self) -> Records:
        group = _groups(self.codes, self.domain.shape)
        rows = int(group.max(initial=-1)) + 1
        if rows == len(group):
            return self
        row = np.empty(rows, dtype=np.intp)
        row[group] = np.arange(len(group))
        weights = np.bincount(group, None if self.weights is None else self.weights.astype(float))
        return Records(self.domain, tuple(column[row] for column in self.codes), weights.astype(np.int64))


def encode(table: pa.Table, domain: Domain) -> Records:
    """Records of a table as `read_table` gives it; columns the schema does not name are ignored.

    Raises ValueError, one sentence, for a missing column and for values outside the schema: how many rows, three of
    the values, what was expected.
    """
    for name in domain.names:
        if name not in table.column_names:
            near = get_close_matches(name, table.column_names, n=1)
            hint = f"rename {near[0]!r}" if near else "add it"
            raise ValueError(f"the table has no column {name!r}; {hint}, or take the attribute out of the schema")
    codes = tuple(_encode_column(table[attribute.name], attribute) for attribute in domain.attributes)
    if COUNT not in table.column_names or COUNT in domain.names:
        return Records(domain, codes)
    weights = _read_weights(table[COUNT])
    held = weights > 0  # a cell of a contingency table nobody falls into
    return Records(domain, tuple(column[held] for column in codes), weights[held])


def _encode_column(column: pa.ChunkedArray, attribute: Attribute) -> np.ndarray:
    """(m,) codes of a column, in the smallest unsigned type that holds the attribute."""
    texts, index = distinct_texts(column, attribute.name)
    codes = attribute.encode(texts)
    rows = np.bincount(index, minlength=len(texts))
    if outside := int(rows[codes < 0].sum()):
        raise ValueError(
            f"column {attribute.name!r} has {outside:,} {'row' if outside == 1 else 'rows'} outside the schema"
            f" (for example {_examples(texts, (codes < 0) & (rows > 0))}): it expects {attribute.kind.expects};"
            " correct them, or widen the schema, declare them missing, or set other = true"
        )
    return np.maximum(codes, 0).astype(np.min_scalar_type(attribute.size - 1))[index]


def _read_weights(column: pa.ChunkedArray) -> np.ndarray:
    """(m,) int64 numbers of records from the column `count`."""
    texts, index = distinct_texts(column, COUNT)
    bad = np.array([not (text.isascii() and text.isdecimal()) for text in texts], dtype=bool)
    if bad.any():
        raise ValueError(
            f"column 'count' must hold whole numbers from 0 up, got {_examples(texts, bad)};"
            " correct them, or name the column in the schema if it is an attribute"
        )
    number = [int(text) for text in texts]
    total = sum(times * int(rows) for times, rows in zip(number, np.bincount(index, minlength=len(texts)), strict=True))
    if not 0 < total <= EXACT:
        raise ValueError(f"column 'count' adds up to {total:,} records; it must be at least 1 and at most 2^53")
    return np.array(number, dtype=np.int64)[index]


def _examples(texts: Sequence[str], chosen: np.ndarray) -> str:
    shown = [texts[place] for place in np.flatnonzero(chosen)[:3]]
    return ", ".join(repr(text) if text else "'', an empty cell" for text in shown)


def _common_start(one: tuple[int, ...], two: tuple[int, ...]) -> int:
    """In how many first entries two attribute sets agree."""
    agree = [a == b for a, b in zip(one, two, strict=False)]
    return agree.index(False) if False in agree else len(agree)


def _groups(codes: Sequence[np.ndarray], shape: Sequence[int]) -> np.ndarray:
    """Number the distinct rows: (m,) integers 0..k-1, equal where rows are equal."""
    key, cells = np.zeros(len(codes[0]), dtype=np.int64), 1
    for column, size in zip(codes, shape, strict=True):
        if cells * size > np.iinfo(np.int64).max:  # number the rows so far, to make room
            found, key = np.unique(key, return_inverse=True)
            cells = len(found)
            if cells == len(key):
                return key
        key = key * size + column
        cells *= size
    return np.unique(key, return_inverse=True)[1]
