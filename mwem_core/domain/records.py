"""The private table B: in memory as integer codes under a public schema, or elsewhere; and its exact marginals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from typing import TypeAlias

import numpy as np

from mwem_core.domain.attribute import Attribute
from mwem_core.domain.counting import count, distinct
from mwem_core.domain.domain import Domain
from mwem_core.domain.rules import count_broken, nearest_possible
from mwem_core.domain.source import Attrs, Source, attribute_sets, flatten
from mwem_core.values import BinsToMeasure, Edges

MAX_SETS_BY_ROW = 8  # with more attribute sets, it is faster to merge equal rows before counting
CHUNK_ROWS = 2**13  # rows in one matrix product
MAX_EXACT_FLOAT32 = 2**24  # float32 represents every integer up to here exactly


@dataclass(frozen=True, eq=False)
class OfTotal(Source):
    """The records of a table with a declared number of them, such as a noisy n: fewer or more than there are.

    What reads n of it reads the declared one. Its marginals are the table's own, so they add up to the true number.
    `scale` is that of the noise in a measured number, in records, as `Measurement.scale`; 0 where it is public.
    """

    table: Table
    total: int
    scale: float = 0.0

    @property
    def domain(self) -> Domain:
        """The table's own."""
        return self.table.domain

    def marginals(self, sets: Sequence[Attrs]) -> list[np.ndarray]:
        """The table's own."""
        return self.table.marginals(sets)

    def flat_marginals(self, blocks: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The table's own."""
        return self.table.flat_marginals(blocks)


def check_not_empty(B: Table) -> None:
    """Raise ValueError for a table without records."""
    if B.total <= 0:
        raise ValueError("the table has no records: there is nothing to release")


@dataclass(frozen=True, eq=False)
class Records(Source):
    """The private data B in memory. Everything computed from it is the truth and must not be released.

    `codes` holds one (m,) array of unsigned integers per attribute. Row i stands for `weights[i]` records, or for one
    record if `weights` is None. `total` is n, the number of records. `fine` holds the codes without bins, (m,), of each
    attribute whose bins a run measures first (`binned`), by its name. `numbers` holds the numbers of the file before
    they were binned, (m,), by the attribute's name, NaN where there is none: of a release, `encoding.offset_sums` alone
    reads them.

    Rows that break a rule of the domain are changed to the nearest possible ones (`domain.rules`); `broken` says how
    many records broke each rule.
    """

    domain: Domain
    codes: tuple[np.ndarray, ...] = field(repr=False)
    weights: np.ndarray | None = field(default=None, repr=False)
    fine: Mapping[str, np.ndarray] = field(default_factory=dict, repr=False)
    numbers: Mapping[str, np.ndarray] = field(default_factory=dict, repr=False)
    total: int = field(init=False)
    broken: tuple[int, ...] = field(init=False, default=(), repr=False)

    def __post_init__(self) -> None:
        if len(self.codes) != len(self.domain):
            raise ValueError(f"records need one column per attribute, got {len(self.codes)} for {len(self.domain)}")
        rows = {len(column) for column in self.codes} | ({len(self.weights)} if self.weights is not None else set())
        if len(rows) != 1:
            raise ValueError(f"the columns of records must be equally long, got lengths {sorted(rows)}")
        total = rows.pop() if self.weights is None else int(self.weights.sum())
        object.__setattr__(self, "total", total)
        if self.domain.never:
            object.__setattr__(self, "broken", count_broken(self.domain.rules, self))
            object.__setattr__(self, "codes", nearest_possible(self.codes, self.domain.shape, self.domain.possible))

    @property
    def times(self) -> np.ndarray:
        """The number of records that each row stands for, (m,) floats."""
        return np.ones(len(self.codes[0])) if self.weights is None else self.weights.astype(float)

    def marginals(self, sets: Sequence[Attrs]) -> list[np.ndarray]:
        """The marginal over each attribute set, in records.

        Raises ValueError if a marginal has more than `MAX_COUNTED_MARGINAL_CELLS` cells.
        """
        sets = [tuple(attrs) for attrs in sets]
        self.domain.check_marginals(sets)
        if len(sets) <= MAX_SETS_BY_ROW:
            return list(self._count(sets))
        used = sorted({a for S in sets for a in S})
        if len(used) < len(self.domain):  # with fewer attributes, more rows are equal
            position = {a: i for i, a in enumerate(used)}
            projected = self.project(self.domain.names[a] for a in used)
            return list(projected.distinct()._count([tuple(position[a] for a in S) for S in sets]))
        return list(self.distinct()._count(sets))

    def flat_marginals(self, blocks: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The cells of each block's marginals in one vector: pairs of bits by a matrix product, others by counting."""
        return [
            self._pairs_of_bits(block)
            if self.domain.multiplies(block)
            else flatten(self.marginals(attribute_sets(block)))
            for block in blocks
        ]

    def _pairs_of_bits(self, pairs: np.ndarray) -> np.ndarray:
        """The cells of m pairs of bits, (m, 2) -> (4m,).

        XᵀX counts the records where both bits are 1. Inclusion-exclusion gives the other three cells.
        """
        d, weights = len(self.domain), self.weights
        both = np.zeros((d, d))
        small = weights is None or weights.max(initial=0) * CHUNK_ROWS <= MAX_EXACT_FLOAT32
        dtype = np.float32 if small else np.float64
        for start in range(0, len(self.codes[0]), CHUNK_ROWS):
            rows = slice(start, start + CHUNK_ROWS)
            X = np.array([column[rows] for column in self.codes], dtype)
            both += X @ X.T if weights is None else (X * weights[rows].astype(dtype)) @ X.T
        a, b = pairs.T
        ones = both.diagonal()
        cells = np.empty((len(pairs), 4))
        cells[:, 3] = both[a, b]
        cells[:, 2] = ones[a] - cells[:, 3]
        cells[:, 1] = ones[b] - cells[:, 3]
        cells[:, 0] = self.total - ones[a] - cells[:, 1]
        return cells.ravel()

    def _count(self, sets: list[tuple[int, ...]]) -> Iterator[np.ndarray]:
        weights = None if self.weights is None else self.weights.astype(float)
        return count(self.codes, self.domain.shape, sets, weights)

    def project(self, names: Iterable[str]) -> Records:
        """The records with these attributes only, in the domain's order."""
        domain = self.domain.project(names)
        codes = tuple(self.codes[index] for index in self.domain.attrs(*domain.names))
        fine, numbers = ({name: own[name] for name in domain.names if name in own} for own in (self.fine, self.numbers))
        return Records(domain, codes, self.weights, fine, numbers)

    def rows(self, kept: np.ndarray) -> Records:
        """The rows of an (m,) mask."""
        weights = None if self.weights is None else self.weights[kept]
        fine, numbers = ({name: x[kept] for name, x in own.items()} for own in (self.fine, self.numbers))
        return Records(self.domain, tuple(column[kept] for column in self.codes), weights, fine, numbers)

    @cached_property
    def digest(self) -> str:
        """A fingerprint of the schema, every value and every weight, by which stored results recognise their data.

        Computed without noise and without a key, in 32 hexadecimal digits: for public data only.
        """
        fingerprint = blake2b(repr(self.domain.attributes).encode(), digest_size=16)
        if self.domain.never:
            fingerprint.update(repr(self.domain.never).encode())
        for column in self.codes:
            fingerprint.update(column.astype("<u4").tobytes())
        if self.weights is not None:
            fingerprint.update(self.weights.astype("<f8").tobytes())
        return fingerprint.hexdigest()

    def fine_counts(self, name: str) -> np.ndarray:
        """The number of records of each number of an attribute whose bins are to be measured: (values,)."""
        fine = self.domain.attributes[self.domain.attrs(name)[0]].fine
        assert fine is not None
        return np.bincount(self.fine[name], self.weights, fine.size)[: fine.value_set.size]

    def distinct(self) -> Records:
        """The same records with equal rows merged into one weighted row; `self` if no two rows are equal."""
        return self._distinct

    @cached_property
    def _distinct(self) -> Records:
        weights = None if self.weights is None else self.weights.astype(float)
        codes, times = distinct(self.codes, self.domain.shape, weights)
        return self if len(times) == len(self.codes[0]) else Records(self.domain, codes, times.astype(np.int64))

    def to_bin(self, domain: Domain) -> Records:
        """These records of `domain.fine` under a domain whose bins are to be measured; themselves if none are."""
        if not domain.unbinned:
            return self
        columns = zip(domain.attributes, self.codes, strict=True)
        fine = {attribute.name: codes for attribute, codes in columns if attribute.fine}
        return replace(self, fine=fine)._in_bins(domain, domain, fine)

    def binned(self, domain: Domain) -> Records:
        """These records once the bins are measured: `domain` differs from their own in nothing but the bins."""
        if not self.fine:
            return self
        found = self._in_bins(self.domain, domain, {})
        object.__setattr__(found, "broken", self.broken)  # no row breaks a rule any more
        return found

    def _in_bins(self, unbinned: Domain, domain: Domain, fine: Mapping[str, np.ndarray]) -> Records:
        """Under `domain`, with the codes that the numbers of `unbinned` have in its bins."""
        codes = list(self.codes)
        for name, numbers in self.fine.items():
            (a,) = domain.attrs(name)
            codes[a] = _codes_in_bins(unbinned.attributes[a], domain.attributes[a])[numbers]
        return Records(domain, tuple(codes), self.weights, fine, self.numbers)


Table: TypeAlias = Records | OfTotal  # the private data B: everything computed from it is the truth


def _codes_in_bins(unbinned: Attribute, binned: Attribute) -> np.ndarray:
    """The code in bins of each code of the number without bins, in the smallest unsigned integer type."""
    assert isinstance(unbinned.value_set, BinsToMeasure)
    low, _, _ = unbinned.value_set.grid.cells()
    edges = binned.value_set.equal if isinstance(binned.value_set, BinsToMeasure) else binned.value_set
    assert isinstance(edges, Edges)
    bins = np.minimum(np.searchsorted(edges.edges, low, side="right") - 1, edges.size - 1)
    special = np.arange(edges.size, binned.size)  # missing and the catch-all
    return np.concatenate([bins, special]).astype(np.min_scalar_type(binned.size - 1))
